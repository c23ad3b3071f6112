# shellcheck shell=bash
# What the commands of ./dev, tools/verify and tools/update share. Expects ROOT (the repository) and `cd "$ROOT"`.

# Everything outside the tree is kept here: Bazel's disk cache, Go, the programs of the test cluster.
CACHE=${XDG_CACHE_HOME:-${HOME:?set HOME or XDG_CACHE_HOME}/.cache}/steward
readonly CACHE

say() { printf 'dev: %s\n' "$*"; }

# fail SENTENCE: something went wrong.
fail() {
  printf 'dev: %s\n' "$*" >&2
  exit 1
}

# refuse SENTENCE: this cannot be done here, or was asked for wrongly.
refuse() {
  printf 'dev: %s\n' "$*" >&2
  exit 2
}

no_arguments() {
  local command=$1
  shift
  [[ $# -eq 0 ]] || refuse "'$command' takes no arguments"
}

# Debian's Bazel, whatever else is on the PATH.
bazel() { /usr/bin/bazel "$@"; }

# tree_files FIND-TEST...: the repository's files that match, NUL-separated, without what builds leave behind.
tree_files() {
  find . \( -path ./.git -o -path ./bin -o -path ./.steward -o -path './bazel-*' \) -prune -o -type f "$@" -print0
}

cpp_files() { tree_files \( -name '*.cc' -o -name '*.h' \); }

format_tree() {
  cpp_files | xargs -0 -r clang-format-14 -i
  tree_files -name '*.go' | xargs -0 -r gofmt -w
}

# Leaves bin/steward, as a new file each time: a running one keeps what it was started from.
build_steward() {
  bazel build --config=release //cmd/steward || return 1
  local folder
  folder=$(bazel info --config=release bazel-bin 2>/dev/null)
  mkdir -p bin
  install -m 0755 "$folder/cmd/steward/steward" bin/steward.new && mv -f bin/steward.new bin/steward
}

# A gRPC client that the end-to-end tests run.
build_grpc_client() {
  bazel build --config=release //examples/grpc/cpp:client || return 1
  local folder
  folder=$(bazel info --config=release bazel-bin 2>/dev/null)
  mkdir -p bin
  install -m 0755 "$folder/examples/grpc/cpp/client" bin/grpc-client
}

# What the end-to-end tests hold a real API server to.
build_conformance() {
  bazel build --config=release //kube/testing/conformance:kube_conformance || return 1
  local folder
  folder=$(bazel info --config=release bazel-bin 2>/dev/null)
  mkdir -p bin
  install -m 0755 "$folder/kube/testing/conformance/kube_conformance" bin/
}

# One folder per set of sources: clones that differ do not disturb each other.
cluster_tools_dir() {
  local key
  key=$(cat e2e/go.mod e2e/go.sum e2e/build-tools.sh | sha256sum)
  printf '%s/cluster-tools/%s\n' "$CACHE" "${key:0:16}"
}

# build_cluster_tools [PROGRAM...]: etcd, kube-apiserver, kube-controller-manager and kubectl, or only the named ones,
# built once per version.
build_cluster_tools() {
  local dir
  dir=$(cluster_tools_dir)
  mkdir -p "$dir"
  (
    flock 9
    e2e/build-tools.sh "$dir" "$@"
  ) 9>"$dir.lock" || return 1
  touch "$dir"
  keep_newest 3 "$CACHE/cluster-tools"
}

# kubernetes_tools MODULE: builds the programs of the release of Kubernetes that a folder of e2e/kubernetes pins, and prints the folder that has
# them, with the etcd and the kubectl of all.
kubernetes_tools() {
  local dir common program
  dir=$CACHE/kubernetes/$(basename "$1")
  build_cluster_tools etcd kubectl >&2 || return 1
  mkdir -p "$dir"
  (
    flock 9
    e2e/build-tools.sh -m "${1#e2e/}" "$dir" kube-apiserver kube-controller-manager >&2
  ) 9>"$dir.lock" || return 1
  common=$(cluster_tools_dir)
  for program in etcd kubectl; do ln -sfn "$common/$program" "$dir/$program"; done
  printf '%s\n' "$dir"
}

# keep_newest COUNT PARENT: removes the least recently used folders of PARENT.
keep_newest() {
  local count=$1 parent=$2 dir
  find "$parent" -mindepth 1 -maxdepth 1 -type d -printf '%T@ %p\n' | sort -rn | tail -n "+$((count + 1))" |
    while read -r _ dir; do
      rm -rf "$dir" "$dir.lock"
    done
}

# prune_disk_cache GIBIBYTES: drops what Bazel used longest ago.
prune_disk_cache() {
  local limit=$(($1 * 1024 * 1024 * 1024)) cache=$CACHE/bazel
  [[ -d "$cache" ]] || return 0
  find "$cache" -type f -printf '%T@ %A@ %s %p\n' 2>/dev/null |
    awk '{ print ($1 > $2 ? $1 : $2), $3, $4 }' | sort -rn |
    awk -v limit="$limit" '{ total += $2; if (total > limit) print $3 }' |
    xargs -r rm -f
}
