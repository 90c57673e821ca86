//! The command line of the example `linear`: options, paths and file contents.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use super::{complaint, each, files, linear};

/// A line of arguments (names have no spaces), the status, and words of the message.
type Row = (&'static str, i32, &'static [&'static str]);

/// A placeholder for a name that is too long.
const LONG: &str = "LONG";

/// The rows run in a folder with `good.png`, `good.jpg`, `text.txt`, and the folders `empty`, `notes`
/// (without images), `album` (with `a.png`), `folder.png`.
pub(crate) const ROWS: &[Row] = &[
    // Options.
    ("good.png", 2, &["required", "<OUTPUT>"]),
    ("EMPTY out.png", 2, &["[INPUT]"]),
    ("good.png EMPTY", 2, &["[OUTPUT]"]),
    ("good.png out.png more.png", 2, &["unexpected argument 'more.png'"]),
    ("--frobnicate", 2, &["unexpected argument '--frobnicate'"]),
    ("-x", 2, &["unexpected argument '-x'"]),
    ("--repeat", 2, &["--repeat <N>", "none was supplied"]),
    ("--repeat 0", 2, &["'0'", "--repeat", "1..=1000000"]),
    ("--repeat 1000001", 2, &["'1000001'", "1..=1000000"]),
    ("--repeat -1", 2, &["'-1'"]),
    ("--repeat 1.5", 2, &["'1.5'", "--repeat"]),
    ("--repeat five", 2, &["'five'", "--repeat"]),
    ("--repeat 99999999999999999999", 2, &["--repeat"]),
    ("--repeat 1 --repeat 2", 2, &["--repeat", "multiple times"]),
    ("--kernel", 2, &["--kernel", "none was supplied"]),
    ("--kernel sepia", 2, &["'sepia'", "linear, linear1d2, linearslide, linearslide2"]),
    ("--kernel LINEAR", 2, &["'LINEAR'"]),
    ("--kernel EMPTY", 2, &["--kernel", "linear1d2"]),
    ("--device", 2, &["--device", "none was supplied"]),
    ("--device tpu", 2, &["'tpu'", "expected best, cpu, level-zero, or level-zero:N"]),
    ("--device EMPTY", 2, &["--device"]),
    ("--device CPU", 2, &["expected best, cpu"]),
    ("--device cpu:1", 2, &["'cpu:1'"]),
    ("--device level-zero:", 2, &["'level-zero:'", "level-zero:N"]),
    ("--device level-zero:-1", 2, &["'level-zero:-1'"]),
    ("--device level-zero:one", 2, &["'level-zero:one'"]),
    ("--device level-zero:99999999999999999999", 2, &["level-zero:N"]),
    ("--device level-zero", 1, &["no Level Zero loader", "/not/there.so", "libze1", "CM_DEVICE=cpu"]),
    ("--device level-zero:3", 1, &["no Level Zero loader"]),
    ("--compare=", 2, &["--compare", "none was supplied"]),
    ("--in-place=yes good.png out.png", 2, &["--in-place"]),
    ("--list-devices=all", 2, &["--list-devices"]),
    ("--registers=", 2, &["--registers", "none was supplied"]),
    ("--emit", 2, &["--emit <FORM> <FILE>", "none was supplied"]),
    ("--emit ir", 2, &["2 values", "1 was provided"]),
    ("--emit bitcode out.bc", 1, &["--emit bitcode", "expected ir, spirv or isa"]),
    ("--emit IR out.ir", 1, &["expected ir, spirv or isa"]),
    ("--target", 2, &["--target", "none was supplied"]),
    ("--target gen12", 2, &["'gen12'", "gen9, xe-lp, xe-hpg, xe-hpc"]),
    // Paths of inputs.
    ("missing.png out.png", 1, &["cannot read missing.png", "No such file"]),
    ("missing/in.png out.png", 1, &["cannot read missing/in.png", "No such file"]),
    ("good.png/in.png out.png", 1, &["cannot read good.png/in.png", "Not a directory"]),
    ("LONG.png out.png", 1, &["cannot read LONG", "File name too long"]),
    ("text.txt out.png", 1, &["cannot read text.txt", "neither a PNG nor a JPEG"]),
    ("folder.png out.png", 1, &["folder.png: there is no PNG or JPEG image"]),
    ("-- --kernel out.png", 1, &["cannot read --kernel", "No such file"]),
    // Paths of outputs: rejected before the input is read.
    ("missing.png out.gif", 1, &["out.gif: cannot write .gif, only .png, .jpg and .jpeg"]),
    ("missing.png out.PNGX", 1, &["cannot write .pngx"]),
    ("missing.png out", 1, &["out: the name must end in .png, .jpg or .jpeg"]),
    ("missing.png .png", 1, &[".png: the name must end in"]),
    ("missing.png out.", 1, &["cannot write ., only"]),
    ("missing.png ..", 1, &["..: the name must end in"]),
    ("missing.png folder.png", 1, &["folder.png: exists and is not a file"]),
    ("missing.png text.txt/out.png", 1, &["text.txt: is not a folder"]),
    ("missing.png text.txt/a/b/out.png", 1, &["text.txt: is not a folder"]),
    ("good.png LONG.png", 1, &["cannot write LONG", "File name too long"]),
    ("good.png LONG/out.png", 1, &["cannot write LONG", "File name too long"]),
    ("good.png good.png", 1, &["good.png: the output is the input", "--in-place"]),
    ("good.png ./good.png", 1, &["the output is the input"]),
    ("good.png album/../good.png", 1, &["the output is the input"]),
    ("good.png /dev/null/out.png", 1, &["/dev/null: is not a folder"]),
    // Comparisons.
    ("--compare=out.gif", 1, &["cannot write .gif"]),
    ("--compare=folder.png", 1, &["folder.png: exists and is not a file"]),
    ("--compare=text.txt/c.png", 1, &["text.txt: is not a folder"]),
    ("--compare=linear.png", 1, &["linear.png: the output and the comparison cannot be one file"]),
    ("good.png out.png --compare=./out.png", 1, &["cannot be one file"]),
    ("good.png out.png --compare=good.png", 1, &["good.png: the output is the input"]),
    ("album out --compare=c.png", 1, &["c.png: every image of a folder gets a comparison of its own"]),
    // Folders.
    ("empty out", 1, &["empty: there is no PNG or JPEG image in this folder"]),
    ("notes out", 1, &["notes: there is no PNG or JPEG image in this folder"]),
    ("album good.png", 1, &["good.png: is not a folder"]),
    ("album text.txt/out", 1, &["text.txt: is not a folder"]),
    ("album album", 1, &["album: the output is the input", "--in-place"]),
    ("album ./notes/../album", 1, &["the output is the input"]),
    // Output of kernels in other forms.
    ("--emit ir EMPTY", 1, &["the name of a file to write is empty"]),
    ("--emit ir .", 1, &[".: exists and is not a file"]),
    ("--emit spirv folder.png", 1, &["folder.png: exists and is not a file"]),
    ("--emit spirv text.txt/a.spv", 1, &["text.txt: is not a folder"]),
    ("--emit ir LONG.ir", 1, &["cannot write LONG", "File name too long"]),
    ("--registers=text.txt/a.svg", 1, &["text.txt: is not a folder"]),
    ("--registers=album", 1, &["album: exists and is not a file"]),
    (
        "good.png out.png --emit ir good.png",
        1,
        &["good.png: --emit would replace an original", "another file"],
    ),
    ("good.png out.png --registers=./good.png", 1, &["./good.png: --registers would replace an original"]),
    ("good.png good.png --in-place --emit ir good.png", 1, &["--emit would replace an original"]),
    ("album out --emit ir album/a.png", 1, &["album/a.png: --emit would replace an original"]),
    ("good.png out.png --emit ir out.png", 1, &["out.png: the images and --emit cannot write one file"]),
    (
        "good.png out.png --compare --emit ir out-compare.png",
        1,
        &["the images and --emit cannot write one file"],
    ),
    ("album out --registers=out/a.png", 1, &["out/a.png: the images and --registers cannot write one file"]),
    ("--registers=a.svg --emit ir ./a.svg", 1, &["./a.svg: --registers and --emit cannot write one file"]),
];

fn lines(folder: &Path) -> BTreeMap<String, Option<Vec<u8>>> {
    let entries = fs::read_dir(folder).expect("the folder is there");
    let entry = |entry: fs::DirEntry| (entry.file_name().display().to_string(), fs::read(entry.path()).ok());
    entries.map(|found| entry(found.expect("an entry"))).collect()
}

#[test]
fn arguments() {
    let folder = tempfile::tempdir().expect("a folder");
    for name in ["empty", "notes", "album", "folder.png"] {
        fs::create_dir(folder.path().join(name)).expect("a folder");
    }
    for (name, bytes) in [
        ("good.png", files::png()),
        ("good.jpg", files::jpeg()),
        ("album/a.png", files::png()),
        ("text.txt", b"text".to_vec()),
        ("notes/text.txt", b"text".to_vec()),
    ] {
        fs::write(folder.path().join(name), bytes).expect("it is written");
    }
    let long = "a".repeat(300);
    let before = lines(folder.path());
    each(ROWS, |&(line, status, says)| {
        let args: Vec<String> = line
            .split(' ')
            .map(|arg| if arg == "EMPTY" { String::new() } else { arg.replace(LONG, &long) })
            .collect();
        let args: Vec<&str> = args.iter().map(String::as_str).collect();
        let output = linear(folder.path(), &args, []);
        let says: Vec<String> = says.iter().map(|words| words.replace(LONG, &long)).collect();
        complaint(line, &output, status, &says.iter().map(String::as_str).collect::<Vec<_>>())
    });
    assert_eq!(lines(folder.path()), before, "nothing is written");
}

/// A file by its kind, its bytes, and words of the message.
type PictureRow = (&'static str, fn() -> Vec<u8>, &'static [&'static str]);

pub(crate) const PICTURES: &[PictureRow] = &[
    ("an empty file", Vec::new, &["the file is empty"]),
    ("one byte", || vec![0x89], &["neither a PNG nor a JPEG"]),
    ("half of the signature", || files::png()[..4].to_vec(), &["neither a PNG nor a JPEG"]),
    ("the signature alone", || files::png()[..8].to_vec(), &["unexpected end of file"]),
    (
        "a signature that a text editor changed",
        || files::replaced(&files::png(), b"\r\n", b"\n"),
        &["neither"],
    ),
    ("a PNG up to its header", || files::png()[..20].to_vec(), &["unexpected end of file"]),
    ("a quarter of a PNG", || files::up_to(&files::png(), 25), &["unexpected end of file"]),
    ("half of a PNG", || files::up_to(&files::png(), 50), &["unexpected end of file"]),
    ("most of a PNG", || files::up_to(&files::png(), 90), &["unexpected end of file"]),
    ("a PNG with a changed header", || files::changed(files::png(), 2), &["decoding Png", "before IHDR"]),
    ("a PNG with changed data", || files::changed(files::png(), 50), &["decoding Png", "filter method"]),
    ("a PNG without data", files::without_data, &["IDAT", "missing"]),
    ("a PNG of no width", || files::header(0, 4, [8, 2, 0, 0, 0]), &["Invalid image dimensions"]),
    ("a PNG of no height", || files::header(4, 0, [8, 2, 0, 0, 0]), &["Invalid image dimensions"]),
    ("a PNG of 3 bits", || files::header(4, 4, [3, 2, 0, 0, 0]), &["Invalid bit depth 3"]),
    (
        "a PNG of 16-bit palette colours",
        || files::header(4, 4, [16, 3, 0, 0, 0]),
        &["Invalid color/depth combination"],
    ),
    ("a PNG of unknown colours", || files::header(4, 4, [8, 5, 0, 0, 0]), &["Invalid color type 5"]),
    (
        "a PNG of unknown compression",
        || files::header(4, 4, [8, 2, 1, 0, 0]),
        &["Unknown compression method 1"],
    ),
    ("a PNG of unknown filters", || files::header(4, 4, [8, 2, 0, 1, 0]), &["Unknown filter method 1"]),
    (
        "a PNG of unknown interlacing",
        || files::header(4, 4, [8, 2, 0, 0, 2]),
        &["Unknown interlace method 2"],
    ),
    ("a PNG of a palette that is missing", || files::header(4, 4, [8, 3, 0, 0, 0]), &["decoding Png"]),
    ("a palette of no colours", || files::palette(0), &["decoding Png"]),
    ("a palette of a colour and two thirds", || files::palette(5), &["ends in the middle of a colour"]),
    ("a palette of half a colour more", || files::palette(11), &["ends in the middle of a colour"]),
    ("a PNG of empty data", || files::header(4, 4, [8, 2, 0, 0, 0]), &["Corrupt deflate stream"]),
    (
        "a PNG with an unknown critical chunk",
        || files::with_chunk(b"ABCD", &[1, 2]),
        &["critical chunk", "ABCD"],
    ),
    ("a PNG with two headers", || files::with_chunk(b"IHDR", &[0; 13]), &["IHDR", "at most once"]),
    (
        "a PNG one pixel too wide",
        || files::header(16_377, 1, [8, 2, 0, 0, 0]),
        &["16377 x 1", "16376 x 12282"],
    ),
    (
        "a PNG one pixel too high",
        || files::header(1, 12_283, [8, 2, 0, 0, 0]),
        &["1 x 12283", "16376 x 12282"],
    ),
    ("a PNG of 65536 x 65536", || files::header(1 << 16, 1 << 16, [16, 6, 0, 0, 0]), &["too large"]),
    ("a PNG of the largest width", || files::header(i32::MAX as u32, 1, [16, 6, 0, 0, 0]), &["too large"]),
    (
        "a PNG of a width beyond the largest",
        || files::header(u32::MAX, 1, [8, 0, 0, 0, 0]),
        &["too large", "16376 x 12282"],
    ),
    ("the start of a JPEG", || vec![0xff, 0xd8, 0xff], &["break off"]),
    ("a quarter of a JPEG", || files::up_to(&files::jpeg(), 25), &["break off"]),
    ("half of a JPEG", || files::up_to(&files::jpeg(), 50), &["break off"]),
    ("a JPEG without its last byte", || files::up_to(&files::jpeg(), 99), &["break off"]),
    ("a JPEG of no frame", || b"\xff\xd8\xff\xd9".to_vec(), &["decoding Jpeg", "End of image"]),
    ("a JPEG without tables", || files::frame(0xc0, 8, 16, 16, 3), &["No quantization table"]),
    ("a JPEG of no width", || files::frame(0xc0, 8, 0, 16, 3), &["width or height is set to zero"]),
    ("a JPEG of no height", || files::frame(0xc0, 8, 16, 0, 3), &["width or height is set to zero"]),
    ("a JPEG of no components", || files::frame(0xc0, 8, 16, 16, 0), &["components cannot be zero"]),
    ("a JPEG of seven components", || files::frame(0xc0, 8, 16, 16, 7), &["decoding Jpeg", "component"]),
    ("a JPEG of 16 bits", || files::frame(0xc0, 16, 16, 16, 3), &["8-bit images", "16 bits"]),
    ("a lossless JPEG", || files::frame(0xc3, 8, 16, 16, 3), &["decoding Jpeg", "SOF"]),
    ("an arithmetically coded JPEG", || files::frame(0xc9, 8, 16, 16, 3), &["decoding Jpeg", "SOF"]),
    (
        "a JPEG of 65535 x 65535",
        || files::frame(0xc0, 8, 0xffff, 0xffff, 3),
        &["65535 x 65535", "16376 x 12282"],
    ),
    ("a JPEG one pixel too wide", || files::frame(0xc0, 8, 16_377, 8, 3), &["16377 x 8", "16376 x 12282"]),
    ("gif", || files::OTHERS[0].1.to_vec(), &["neither a PNG nor a JPEG"]),
    ("bmp", || files::OTHERS[1].1.to_vec(), &["neither a PNG nor a JPEG"]),
    ("webp", || files::OTHERS[2].1.to_vec(), &["neither a PNG nor a JPEG"]),
    ("tiff", || files::OTHERS[3].1.to_vec(), &["neither a PNG nor a JPEG"]),
    ("pdf", || files::OTHERS[4].1.to_vec(), &["neither a PNG nor a JPEG"]),
    ("svg", || files::OTHERS[5].1.to_vec(), &["neither a PNG nor a JPEG"]),
    ("html", || files::OTHERS[6].1.to_vec(), &["neither a PNG nor a JPEG"]),
    ("gzip", || files::OTHERS[7].1.to_vec(), &["neither a PNG nor a JPEG"]),
    ("elf", || files::OTHERS[8].1.to_vec(), &["neither a PNG nor a JPEG"]),
    ("ppm", || files::OTHERS[9].1.to_vec(), &["neither a PNG nor a JPEG"]),
    ("text", || files::OTHERS[10].1.to_vec(), &["neither a PNG nor a JPEG"]),
    ("zeros", || files::OTHERS[11].1.to_vec(), &["neither a PNG nor a JPEG"]),
];

#[test]
fn pictures() {
    let folder = tempfile::tempdir().expect("a folder");
    let rows: Vec<_> = PICTURES.iter().zip(0..).collect();
    each(&rows, |&((what, bytes, says), n): &(&PictureRow, usize)| {
        // The file name does not determine the format.
        let input = format!("input-{n}.png");
        fs::write(folder.path().join(&input), bytes()).expect("it is written");
        let output = linear(folder.path(), &[&input, "out/out.png"], []);
        complaint(what, &output, 1, &[&[&*format!("cannot read {input}: ")], *says].concat())
    });
    assert!(!folder.path().join("out").exists(), "nothing is written");
    // The files that the broken ones are made from are valid.
    for bytes in [files::png(), files::jpeg(), files::palette(12)] {
        fs::write(folder.path().join("good"), bytes).expect("it is written");
        let output = linear(folder.path(), &["good", "good.png"], []);
        assert!(output.status.success(), "{output:?}");
    }
}
