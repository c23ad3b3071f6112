#!/usr/bin/env bash
# Tests the image for arm64 that tools/dev/image.sh makes, where bin/steward-arm64 was built: nothing in it is of another architecture, and under
# qemu, with the files of the image alone, the program says of the examples what bin/steward says of them. Prints what is wrong.
set -uo pipefail

ROOT=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd -P)
cd "$ROOT" || exit 1
# shellcheck source=tools/dev/common.sh
source tools/dev/common.sh
# shellcheck source=tools/dev/setup.sh
source tools/dev/setup.sh
# shellcheck source=tools/dev/image.sh
source tools/dev/image.sh
# shellcheck source=tools/dev/arm64.sh
source tools/dev/arm64.sh
# shellcheck source=tools/dev/up.sh
source tools/dev/up.sh

if [[ ! -x bin/steward || ! -x bin/steward-arm64 ]]; then
  echo "bin/steward-arm64 was not built (./dev image --arch=amd64,arm64): no image of it was looked at" >&2
  exit 0
fi

WORK=$(mktemp -d)
trap 'rm -rf "$WORK"' EXIT

# expect WHAT WANTED GOT
expect() { [[ "$2" == "$3" ]] || printf '%s: want\n%s\ngot\n%s\n' "$1" "$2" "$3"; }

find_go >&2
find_kubectl >&2
prepare_arm64 >&2 || { echo "there are no libraries for arm64" && exit 1; }
make_image bin/steward 1.2.3 abc 1700000000 "$WORK/image" bin/steward-arm64 >/dev/null || { echo "no image is made" && exit 1; }

# What is in the image for an architecture, unpacked to a folder.
mkdir -p "$WORK/layout" "$WORK/root"
tar -xf "$WORK/image/steward-1.2.3.tar" -C "$WORK/layout"
layer=$(python3 - "$WORK/layout" <<'PY'
import json, sys

blob = lambda digest: json.load(open(sys.argv[1] + "/blobs/sha256/" + digest.split(":")[1]))
index = blob(json.load(open(sys.argv[1] + "/index.json"))["manifests"][0]["digest"])
images = {each["platform"]["architecture"]: blob(each["digest"]) for each in index["manifests"]}
if sorted(images) != ["amd64", "arm64"] or blob(images["arm64"]["config"]["digest"])["architecture"] != "arm64":
    sys.exit("other architectures: %s" % images)
print(images["arm64"]["layers"][0]["digest"].split(":")[1])
PY
) || exit 1
tar -xzf "$WORK/layout/blobs/sha256/$layer" -C "$WORK/root"
expect "what the files of the image are for" AArch64 \
  "$(find "$WORK/root/usr/bin" "$WORK/root/usr/lib" -type f -exec readelf -h {} + 2>/dev/null | sed -n 's/^ *Machine: *//p' | sort -u)"

# The program, started without the libraries of the machine.
on_arm64() { "$ARM64/qemu-aarch64" -L "$WORK/root" "$WORK/root/usr/bin/steward" "$@"; }
expect "the version" "$(bin/steward version)" "$(on_arm64 version)"
for question in "get installedoperators -A -o wide" "get installedoperators -A -o yaml" "get cleanupstatuses,planpreviews -A"; do
  # shellcheck disable=SC2086  # one word per argument
  wanted=$(bin/steward inspect examples -- "$KUBECTL" $question 2>/dev/null)
  # shellcheck disable=SC2086  # one word per argument
  got=$(on_arm64 inspect examples -- "$KUBECTL" $question 2>"$WORK/errors") || cat "$WORK/errors"
  [[ -n $wanted ]] || echo "bin/steward says nothing of $question"
  expect "kubectl $question" "$wanted" "$got"
done
true
