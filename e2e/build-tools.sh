#!/bin/sh
# Builds the real programs that e2e runs beside Steward, from the sources that go.mod pins:
#   build-tools.sh [-m MODULE] OUTDIR [PROGRAM...]  ->  OUTDIR/{etcd,kube-apiserver,kube-controller-manager,kubectl}, or
#   those named, which kubelet, kube-proxy and kube-scheduler can be as well
# MODULE is the folder, below this one, of the go.mod that pins them: kubernetes/v1.30 pins another release of Kubernetes.
# Minutes on the first run, nothing when up to date (a stamp for each: hash of what decides the outcome).
set -eu

module=.
if [ "${1-}" = -m ] && [ $# -ge 2 ]; then
  module=$2
  shift 2
fi
[ $# -ge 1 ] || { echo "usage: $0 [-m MODULE] OUTDIR [PROGRAM...]" >&2; exit 2; }
mkdir -p "$1"
out=$(cd "$1" && pwd)
shift
[ $# -gt 0 ] || set -- etcd kubectl kube-apiserver kube-controller-manager
cd "$(dirname "$0")"
script=$(pwd)/$(basename "$0")
cd "$module"

# go.mod names the programs as tools, so they need no main packages of ours.
stamp=$({ cat go.mod go.sum "$script" && go version; } | sha256sum)

# A release of Kubernetes is told its version at link time; so are these, from go.mod.
version=$(go list -m -f '{{.Version}}' k8s.io/kubernetes)
minor=${version#v1.}
minor=${minor%%.*}
# No flag here changes how packages are compiled, so that `go test`, `go vet` and `go run` share them from Go's cache.
flags="-s -w"
for package in k8s.io/component-base/version k8s.io/client-go/pkg/version; do
  flags="$flags -X $package.gitVersion=$version -X $package.gitMajor=1 -X $package.gitMinor=$minor"
done

package_of() {
  case "$1" in
    etcd) echo go.etcd.io/etcd/server/v3 ;;
    kubectl | kubelet | kube-apiserver | kube-controller-manager | kube-proxy | kube-scheduler) echo "k8s.io/kubernetes/cmd/$1" ;;
    *)
      echo "$0: there is no program '$1'" >&2
      return 2
      ;;
  esac
}

for program in "$@"; do
  package=$(package_of "$program")
  if [ -x "$out/$program" ] && [ "$(cat "$out/.stamp-$program" 2>/dev/null)" = "$stamp" ]; then
    echo "e2e tools: $program is up to date"
    continue
  fi
  echo "e2e tools: building $program"
  go build -buildvcs=false -ldflags "$flags" -o "$out/$program" "$package"
  echo "$stamp" >"$out/.stamp-$program"
done
