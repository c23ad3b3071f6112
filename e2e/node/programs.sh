# shellcheck shell=bash
# What a node is made of: Go programs built from pinned modules, Debian's packages unpacked and not installed, and two images. Expects
# common.sh and image.sh of tools/dev.

readonly NODE_PACKAGES=(
  containerd runc libseccomp2 containernetworking-plugins
  nftables libnftables1 libnftnl11 libedit2 libbsd0 libmd0 libjansson4 libgmp10 libxtables12
  conntrack libnetfilter-conntrack3 libnfnetlink0 libmnl0 busybox-static catatonit socat libwrap0
)

# One folder for each set of sources.
node_dir() {
  local key
  key=$(cat e2e/node/programs.sh e2e/node/coredns/* e2e/node/netpol/* e2e/go.mod | sha256sum)
  printf '%s/node/%s\n' "$CACHE" "${key:0:16}"
}

node_path() {
  local dir
  dir=$(node_dir)
  printf '%s' "$(cluster_tools_dir):$dir:$dir/debian/usr/sbin:$dir/debian/usr/bin:$dir/debian/bin:$PATH"
}

node_libraries() { printf '%s' "$(node_dir)/debian/usr/lib/x86_64-linux-gnu:$(node_dir)/debian/lib/x86_64-linux-gnu"; }

build_node() {
  local dir
  dir=$(node_dir)
  mkdir -p "$dir"
  build_cluster_tools etcd kubectl kube-apiserver kube-controller-manager kubelet kube-scheduler kube-proxy
  (
    flock 8
    unpack_packages "$dir"
    [[ -x $dir/coredns ]] || go -C e2e/node/coredns build -buildvcs=false -ldflags '-s -w' -o "$dir/coredns" .
    [[ -x $dir/netpol ]] || go -C e2e build -buildvcs=false -o "$dir/netpol" ./node/netpol
    make_node_images "$dir"
  ) 8>"$dir.lock"
  keep_newest 2 "$CACHE/node"
}

unpack_packages() {
  local dir=$1 package
  [[ ! -e $dir/debian/unpacked ]] || return 0
  rm -rf "$dir/debian" "$dir/packages"
  mkdir -p "$dir/debian" "$dir/packages"
  if ! download_packages "$dir" && ! { apt-get -qq -o DPkg::Lock::Timeout=600 update && download_packages "$dir"; }; then
    cat "$dir/packages/log" >&2
    fail "Debian's packages for a node could not be downloaded"
  fi
  for package in "$dir"/packages/*.deb; do dpkg -x "$package" "$dir/debian"; done
  rm -rf "$dir/packages"
  touch "$dir/debian/unpacked"
}

download_packages() {
  (cd "$1/packages" && apt-get download -q -o APT::Sandbox::User=root "${NODE_PACKAGES[@]}" >log 2>&1)
}

# The container that holds a pod's namespaces, and a shell for pods of tests.
make_node_images() {
  local dir=$1 work name
  [[ ! -e $dir/images/made ]] || return 0
  mkdir -p "$dir/images"
  work=$(mktemp -d)
  mkdir -p "$work/pause" "$work/busybox/bin" "$work/busybox/etc"
  chmod 0755 "$work/pause" "$work/busybox"
  mkdir -m 1777 "$work/busybox/tmp"
  # Waits for ever, buries whom nobody else does, and ends when told to.
  install -m 0755 "$dir/debian/usr/bin/catatonit" "$work/pause/pause"
  oci_archive "$dir/images/pause.tar" 0 '"User":"65535:65535","Entrypoint":["/pause","-P"]' docker.io/library/pause 1 amd64="$work/pause" >/dev/null
  install -m 0755 "$dir/debian/bin/busybox" "$work/busybox/bin/busybox"
  for name in $("$work/busybox/bin/busybox" --list); do
    [[ $name == busybox ]] || ln -s busybox "$work/busybox/bin/$name"
  done
  printf 'root:x:0:0:root:/:/bin/sh\n' >"$work/busybox/etc/passwd"
  oci_archive "$dir/images/busybox.tar" 0 '"Cmd":["sh"],"Env":["PATH=/bin"]' docker.io/library/busybox 1 amd64="$work/busybox" >/dev/null
  rm -rf "$work"
  touch "$dir/images/made"
}
