# shellcheck shell=bash
# ./dev setup: makes a bare Debian 12 able to build and test Steward. Idempotent; needs rights only when something is
# missing.

# What every other command does first.
prepare_machine() {
  check_machine
  find_go
  install_packages
  fetch_go
  write_bazelrc
  # Left by a Bazel that did not read .bazelrc; `//...` would follow them.
  find . -maxdepth 1 -type l -name 'bazel-*' -delete
}

setup() {
  prepare_machine
  say "this machine is ready"
}

check_machine() {
  local id='' version='' arch
  if [[ -r /etc/os-release ]]; then
    # shellcheck disable=SC1091
    read -r id version < <(. /etc/os-release && echo "${ID:-} ${VERSION_ID:-}")
  fi
  if [[ "$id" != debian || "$version" != 12 ]] || ! command -v apt-get >/dev/null; then
    refuse "this machine runs ${id:-an unknown system} ${version}; Steward builds on Debian 12 (bookworm), so use one (a container or chroot will do)"
  fi
  arch=$(dpkg --print-architecture)
  [[ "$arch" == amd64 ]] || refuse "this machine is $arch; Steward builds on amd64"
}

wanted_packages() {
  sed -e 's/#.*//' -e '/^[[:space:]]*$/d' tools/packages.txt
}

# Prints the names of wanted packages that are not installed.
missing_packages() {
  local installed
  # shellcheck disable=SC2046  # one word per package
  installed=$(dpkg-query -W -f '${db:Status-Abbrev} ${Package}\n' $(wanted_packages) 2>/dev/null | awk '$1 == "ii" { print $2 }' || true)
  comm -23 <(wanted_packages | sort) <(sort <<<"$installed") |
    if have_go; then grep -vx golang-go || true; else cat; fi |
    if have_npm; then grep -vxE 'nodejs|npm' || true; else cat; fi
}

# Whoever has a Node.js from elsewhere has npm with it, and Debian's would not fit beside it.
have_npm() { command -v node >/dev/null && command -v npm >/dev/null; }

# With a terminal, sudo may ask for the password itself.
can_sudo() {
  command -v sudo >/dev/null || return 1
  sudo -n true 2>/dev/null || [[ -t 0 ]]
}

install_packages() {
  local missing root=()
  missing=$(missing_packages)
  [[ -n "$missing" ]] || return 0
  if [[ $EUID -ne 0 ]]; then
    can_sudo || refuse "needs root, or sudo, to install: ${missing//$'\n'/ }"
    root=(sudo)
  fi
  say "installing: ${missing//$'\n'/ }"
  "${root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get -qq -o DPkg::Lock::Timeout=600 update ||
    fail "apt-get update failed: see above"
  # shellcheck disable=SC2086  # one word per package
  "${root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get -qq -y -o DPkg::Lock::Timeout=600 -o Dpkg::Use-Pty=0 \
    install --no-install-recommends $missing >/dev/null ||
    fail "apt-get install failed: see above"
}

# The Go that e2e/go.mod asks for; older ones cannot build it.
wanted_go() { awk '$1 == "go" { print $2; exit }' e2e/go.mod; }

fetched_go_dir() { printf '%s/go/%s\n' "$CACHE" "$(wanted_go)"; }

# have_go: is the `go` on the PATH new enough?
have_go() {
  local version
  command -v go >/dev/null || return 1
  version=$(cd / && GOTOOLCHAIN=local go env GOVERSION 2>/dev/null) || return 1
  version=${version#go}
  [[ "$(printf '%s\n%s\n' "$(wanted_go)" "${version%% *}" | sort -V | head -n 1)" == "$(wanted_go)" ]]
}

# Puts a Go fetched earlier on the PATH, if the PATH has no usable one.
find_go() {
  have_go && return
  local dir
  dir=$(fetched_go_dir)
  if [[ -x "$dir/bin/go" ]]; then
    PATH=$dir/bin:$PATH
    export PATH
  fi
}

# Go is published as a Go module too, so any older Go can fetch it through the user's own proxy settings. The module
# arrives without run bits, and with its go.mod files renamed.
fetch_go() {
  have_go && return
  local version dir work
  version=$(wanted_go)
  dir=$(fetched_go_dir)
  say "fetching Go $version"
  mkdir -p "$CACHE/go"
  work=$(mktemp -d "$CACHE/go/fetch.XXXXXX")
  (cd "$work" && GOTOOLCHAIN=local GOMODCACHE=$work/mod GOFLAGS=-modcacherw \
    go mod download "golang.org/toolchain@v0.0.1-go$version.linux-amd64") ||
    { rm -rf "$work"; fail "could not fetch Go $version: see above"; }
  mv "$work/mod/golang.org/toolchain@v0.0.1-go$version.linux-amd64" "$work/go"
  chmod -R +x "$work/go/bin" "$work/go/pkg/tool"
  find "$work/go/src" -name _go.mod -execdir cp {} go.mod \;
  # Another clone may have been faster.
  mv -T "$work/go" "$dir" 2>/dev/null || true
  rm -rf "$work"
  find_go
  have_go || fail "the fetched Go $version does not run"
}

# Settings of this machine for Bazel: .bazelrc imports the file, so plain `bazel` commands share the cache with ./dev.
# Bazel cannot see that a system header changed; naming the packages' versions in every action's key makes up for it.
write_bazelrc() {
  local system text
  # shellcheck disable=SC2046  # one word per package
  system=$(dpkg-query -W -f '${Package} ${Version}\n' libc6-dev \
    $(wanted_packages | grep -E '^(clang|lib|prometheus|protobuf|zlib)' | grep -vx clang-tidy-14) 2>/dev/null | sha256sum)
  text="build --disk_cache=$CACHE/bazel
build --action_env=STEWARD_SYSTEM=${system:0:16}"
  mkdir -p bin
  [[ "$(cat bin/machine.bazelrc 2>/dev/null)" == "$text" ]] || printf '%s\n' "$text" >bin/machine.bazelrc
}
