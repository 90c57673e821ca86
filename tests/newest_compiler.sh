#!/bin/sh
# Compiles every kernel with the newest Intel compiler, from Debian sid: for Battlemage and for one of the other GPUs that it
# supports, or with `CM_EVERY_DEVICE=1` for all. Executes machine code for Battlemage and Panther Lake.
#
#   sh tests/newest_compiler.sh
#
# Downloads the packages to `target/newest-compiler`, checks their signatures, and unpacks them there; nothing is
# installed. Needs a Debian-like system with apt and the keys of Debian. Without these or without a network, it reports
# that it is skipped.
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
    # The compiler, and the C library that it needs.
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
# The simulator uses the disassembler beside the compiler.
ln -sf files/usr/lib/x86_64-linux-gnu/libiga64.so.2 "$folder/libiga64.so.2"

"$program" --version
# Compiles everything, and executes machine code for Xe2 and Xe3 if the simulator is available. The faults that random
# kernels find change with each compiler version; `cm-random-kernels --device bmg` searches for them.
CM_NEWEST_OCLOC=$program cargo test --workspace --test compiler --locked -- newest:: machine_code:: dpas:: \
    --skip machine_code::random_kernels
