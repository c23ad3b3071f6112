#!/bin/sh
# Builds the real programs that e2e runs beside Steward, from the sources that go.mod pins:
#   build-tools.sh OUTDIR  ->  OUTDIR/{etcd,kube-apiserver,kube-controller-manager,kubectl}
# Minutes on the first run, nothing when up to date (a stamp: hash of what decides the outcome).
set -eu

[ $# -eq 1 ] || { echo "usage: $0 OUTDIR" >&2; exit 2; }
mkdir -p "$1"
out=$(cd "$1" && pwd)
cd "$(dirname "$0")"

# go.mod names the programs as tools, so they need no main packages of ours.
stamp=$({ cat go.mod go.sum build-tools.sh && go version; } | sha256sum)
if [ "$(cat "$out/.stamp" 2>/dev/null)" = "$stamp" ] &&
  [ -x "$out/etcd" ] && [ -x "$out/kube-apiserver" ] && [ -x "$out/kube-controller-manager" ] && [ -x "$out/kubectl" ]; then
  echo "e2e tools: up to date"
  exit 0
fi

# A release of Kubernetes is told its version at link time; so are these, from go.mod.
version=$(go list -m -f '{{.Version}}' k8s.io/kubernetes)
minor=${version#v1.}
minor=${minor%%.*}
# No flag here changes how packages are compiled, so that `go test`, `go vet` and `go run` share them from Go's cache.
flags="-s -w"
for package in k8s.io/component-base/version k8s.io/client-go/pkg/version; do
  flags="$flags -X $package.gitVersion=$version -X $package.gitMajor=1 -X $package.gitMinor=$minor"
done

build() {
  echo "e2e tools: building $1"
  go build -buildvcs=false -ldflags "$flags" -o "$out/$1" "$2"
}
build etcd go.etcd.io/etcd/server/v3
build kubectl k8s.io/kubernetes/cmd/kubectl
build kube-apiserver k8s.io/kubernetes/cmd/kube-apiserver
build kube-controller-manager k8s.io/kubernetes/cmd/kube-controller-manager
echo "$stamp" > "$out/.stamp"
echo "e2e tools: built into $out"
