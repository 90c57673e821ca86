#!/bin/sh
# The newest Intel compiler, that of Debian sid, and with it every kernel for the newest GPUs. Where `CM_SIMULATOR_PROGRAM`
# names `cm-simulator` the machine code of Battlemage and Panther Lake is executed.
#
#   sh tests/newest_compiler.sh
#
# Downloads its packages to `target/newest-compiler`, checked by their signatures, and unpacks them there; nothing is
# installed. Needs a Debian-like system with apt and the keys of Debian. Skips, saying so, without them or without a network.
set -eu
cd "$(dirname "$0")/.."

folder=$(pwd)/target/newest-compiler
keys=/usr/share/keyrings/debian-archive-keyring.gpg
program=$folder/ocloc

skip() {
    echo "skipped: $1"
    exit 0
}

if [ ! -x "$program" ]; then
    [ "$(uname -m)" = x86_64 ] || skip "the compiler is for x86-64"
    [ -e "$keys" ] && command -v apt-get >/dev/null || skip "apt and the keys of Debian are needed"
    mkdir -p "$folder/state/lists/partial" "$folder/cache/archives/partial" "$folder/packages" "$folder/files"
    echo "deb [arch=amd64 signed-by=$keys] http://deb.debian.org/debian sid main" >"$folder/sources.list"
    apt="apt-get -qq -o Dir::State=$folder/state -o Dir::State::status=/dev/null -o Dir::Cache=$folder/cache
        -o Dir::Etc::SourceList=$folder/sources.list -o Dir::Etc::SourceParts=- -o APT::Sandbox::User="
    $apt update >"$folder/log" 2>&1 || skip "no index of Debian sid: $(tail -n 1 "$folder/log")"
    # The compiler, and the C library of its own that it needs.
    (cd "$folder/packages" && $apt download intel-ocloc libigc2 libc6 libgcc-s1 libstdc++6 zlib1g >>"$folder/log" 2>&1) ||
        skip "no packages of Debian sid: $(tail -n 1 "$folder/log")"
    for package in "$folder"/packages/*.deb; do
        dpkg-deb --extract "$package" "$folder/files"
    done
    cat >"$folder/unfinished" <<END
#!/bin/sh
exec "$folder"/files/usr/lib64/ld-linux-x86-64.so.2 --library-path "$folder/files/usr/lib/x86_64-linux-gnu" \\
    "$folder"/files/usr/bin/ocloc-[0-9]* "\$@"
END
    chmod +x "$folder/unfinished"
    mv "$folder/unfinished" "$program"
fi
# What executes the machine code reads it with the disassembler beside the compiler.
ln -sf files/usr/lib/x86_64-linux-gnu/libiga64.so.2 "$folder/libiga64.so.2"

"$program" --version
# Compiles everything, and where there is the simulator also executes machine code of Xe2 and Xe3. What random kernels show
# changes with the compiler of the day: `cm-random-kernels --device bmg` looks for it.
CM_NEWEST_OCLOC=$program cargo test --workspace --test compiler --locked -- newest:: machine_code:: dpas:: \
    --skip machine_code::random_kernels
