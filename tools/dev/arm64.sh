# shellcheck shell=bash
# Steward for arm64, built on amd64: Debian's libraries of that architecture, in a folder outside of the system's, and a compiler that takes
# them from there. Nothing is installed. Expects common.sh and setup.sh.

# The libraries that Steward is built with, as tools/packages.txt names them, and what they and the image need besides. The precompiled header has
# headers of tests.
arm64_packages() {
  sed -n '/^# Libraries/,/^$/p' tools/packages.txt | grep -E '^[a-z]' | grep -v '^protobuf-compiler'
  printf '%s\n' ca-certificates libc6-dev libgmock-dev libstdc++-12-dev
}

# prepare_arm64: sets ARM64 to a folder with the libraries (root), a compiler (clang, clang++), and qemu-aarch64, which runs programs for arm64. It
# is made once for each list of packages, with the versions that Debian has then.
prepare_arm64() {
  local key
  key=$({ arm64_packages && declare -f compiler_for_arm64; } | sha256sum)
  ARM64=$CACHE/arm64/${key:0:16}
  mkdir -p "$CACHE/arm64"
  (
    flock 9
    [[ -e $ARM64/made ]] || make_arm64
  ) 9>"$ARM64.lock" || return 1
  touch "$ARM64"
  keep_newest 2 "$CACHE/arm64"
}

make_arm64() {
  local work=$ARM64.new
  say "getting Debian's libraries for arm64"
  rm -rf "$work" "$ARM64"
  mkdir -p "$work"/{root/usr/lib,tools,debs}
  ln -s usr/lib "$work/root/lib"
  if ! download_arm64 "$work/debs" >"$work/log" 2>&1; then
    tail -n 20 "$work/log" >&2
    fail "Debian's packages for arm64 could not be downloaded"
  fi
  unpack_arm64 "$work" || fail "Debian's packages for arm64 cannot be unpacked"
  compiler_for_arm64 "$work" clang
  compiler_for_arm64 "$work" clang++
  ln -s tools/usr/bin/qemu-aarch64-static "$work/qemu-aarch64"
  rm -rf "$work/debs"
  touch "$work/made"
  mv "$work" "$ARM64"
}

# download_arm64 FOLDER: packages for arm64 with all that they need, by lists and a state of apt's that are not the system's; and two packages for
# this machine, the linker and qemu.
download_arm64() {
  local folder=$1 options
  options=(-o APT::Architecture=arm64 -o APT::Architectures::=arm64 -o APT::Sandbox::User=root
    -o "Dir::State=$folder/state" -o "Dir::State::status=$folder/status" -o "Dir::Cache=$folder/cache")
  mkdir -p "$folder"/{state/lists/partial,cache/archives/partial,tools}
  : >"$folder/status"
  apt-get -q "${options[@]}" update || return 1
  # shellcheck disable=SC2046  # one word per package
  apt-get -q -y "${options[@]}" --download-only --no-install-recommends install $(arm64_packages) || return 1
  (cd "$folder/tools" && apt-get -q -o APT::Sandbox::User=root download lld-19 qemu-user-static)
}

# unpack_arm64 WORK: the packages' files, and of dpkg's records what says which package a file is of.
unpack_arm64() {
  local work=$1 package info=$1/root/var/lib/dpkg/info name
  mkdir -p "$info"
  echo 1 >"$info/format"
  for package in "$work"/debs/cache/archives/*.deb; do
    dpkg-deb --fsys-tarfile "$package" | tar -x --keep-directory-symlink -C "$work/root" || return 1
    # shellcheck disable=SC2016  # dpkg-deb's own variable
    name=$(dpkg-deb --show --showformat='${Package}' "$package")
    {
      dpkg-deb --field "$package"
      printf 'Status: install ok installed\n\n'
    } >>"$work/root/var/lib/dpkg/status"
    [[ $(dpkg-deb --field "$package" Multi-Arch) != same ]] || name+=:arm64
    dpkg-deb --fsys-tarfile "$package" | tar -t | sed -e 's|^\.||' -e 's|/$||' -e 's|^$|/.|' >"$info/$name.list" || return 1
  done
  for package in "$work"/debs/tools/*.deb; do dpkg-deb -x "$package" "$work/tools" || return 1; done
  links_stay_below "$work/root"
}

# links_stay_below ROOT: links that name a file from the root of the system lead to that file of this one.
links_stay_below() {
  local link target
  while read -r link; do
    target=$(readlink "$link")
    ln -sfn "$(realpath -ms --relative-to="$(realpath -m "$(dirname "$link")")" "$(realpath -m "$1/$(dirname "$target")")/$(basename "$target")")" "$link"
  done < <(find "$1" -lname '/*')
}

# compiler_for_arm64 WORK NAME: the compiler of that name, with the libraries of this folder.
compiler_for_arm64() {
  cat >"$1/$2" <<SH
#!/bin/sh
exec /usr/bin/$2-19 --target=aarch64-linux-gnu --sysroot=$ARM64/root --ld-path=$ARM64/tools/usr/lib/llvm-19/bin/ld.lld "\$@"
SH
  chmod 0755 "$1/$2"
}

# for_arm64 FUNCTION...: one of image.sh, for programs and packages of arm64.
for_arm64() {
  # shellcheck disable=SC2034  # what it calls reads them
  local ARCHITECTURE=arm64 SYSROOT=$ARM64/root
  local -x DPKG_ADMINDIR=$SYSROOT/var/lib/dpkg
  "$@"
}

# arm64_ldd PROGRAM: as ldd.
arm64_ldd() {
  "$ARM64/qemu-aarch64" -L "$ARM64/root" "$ARM64/root/lib/ld-linux-aarch64.so.1" --list "$1" | sed "s|$ARM64/root/|/|"
}

# build_arm64 OPTIONS...: leaves bin/steward-arm64. What Bazel knows of this compiler is in a folder of its own, and its server ends with the build.
build_arm64() {
  local base=$CACHE/bazel-arm64 options folder status=0
  options=(--config=release "--repo_env=CC=$ARM64/clang" "--repo_env=CXX=$ARM64/clang++" --repo_env=AR=/usr/bin/llvm-ar-19
    "--action_env=STEWARD_SYSTEM=$(basename "$ARM64")")
  bazel --output_base="$base" build "${options[@]}" "$@" //cmd/steward || status=$?
  folder=$(bazel --output_base="$base" info "${options[@]}" bazel-bin 2>/dev/null)
  bazel --output_base="$base" shutdown || true
  [[ $status -eq 0 ]] || return "$status"
  mkdir -p bin
  install -m 0755 "$folder/cmd/steward/steward" bin/steward-arm64.new && mv -f bin/steward-arm64.new bin/steward-arm64
}
