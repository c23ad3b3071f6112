#!/usr/bin/env bash
# Tests what tools/dev/image.sh makes, of small programs, and of bin/steward where that was built. Prints what is wrong.
set -uo pipefail

ROOT=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd -P)
cd "$ROOT" || exit 1
# shellcheck source=tools/dev/common.sh
source tools/dev/common.sh
# shellcheck source=tools/dev/image.sh
source tools/dev/image.sh
# shellcheck source=tools/dev/registry.sh
source tools/dev/registry.sh
# shellcheck source=tools/dev/up.sh
source tools/dev/up.sh

WORK=$(mktemp -d)
trap 'rm -rf "$WORK"' EXIT

# expect WHAT WANTED GOT
expect() { [[ "$2" == "$3" ]] || printf '%s: want\n%s\ngot\n%s\n' "$1" "$2" "$3"; }

# One program is packed twice. That two builds make one program is a stage of ./dev test --full.
for each in first second; do
  make_image /usr/bin/env 1.2.3+gabc abc 1700000000 "$WORK/$each" >/dev/null || echo "no image is made"
done
expect "what is made" "kustomization.yaml steward-1.2.3-gabc.provenance.json steward-1.2.3-gabc.spdx.json steward-1.2.3-gabc.tar" "$(cd "$WORK/first" && echo *)"
diff -r "$WORK/first" "$WORK/second" || echo "what one program is packed to differs"

# The packages of libraries that the tree is built with, as a developer's machine gets them. The headers of Boost come with one of three.
libraries=$(sed -n '/^# Libraries/,/^$/p' tools/packages.txt | grep -E '^[a-z0-9.+-]+-dev$' | grep -vE '^libboost-(json|url)')

python3 - "$WORK/first/steward-1.2.3-gabc" "$libraries" <<'PY'
import gzip, hashlib, io, json, re, sys, tarfile

def check(what, right):
    if not right:
        print(what)

archive = tarfile.open(sys.argv[1] + ".tar")
read = lambda name: archive.extractfile("./" + name).read()
def blob(descriptor):
    text = read("blobs/sha256/" + descriptor["digest"].split(":")[1])
    check("a blob has another digest", hashlib.sha256(text).hexdigest() == descriptor["digest"].split(":")[1])
    check("a blob has another size", len(text) == descriptor["size"])
    return text

check("no OCI layout", json.loads(read("oci-layout")) == {"imageLayoutVersion": "1.0.0"})
entries = json.loads(read("index.json"))["manifests"]
entry = entries[0]
tags = ["docker.io/library/steward:1.2.3-gabc"]
check("other names", [each["annotations"]["io.containerd.image.name"] for each in entries]
      == tags + ["docker.io/library/steward@" + entry["digest"]])
check("other tags", [each["annotations"].get("org.opencontainers.image.ref.name") for each in entries] == ["1.2.3-gabc", None])
check("two indexes", {each["digest"] for each in entries} == {entry["digest"]})
[described] = json.loads(blob(entry))["manifests"]
check("another platform", described["platform"] == {"architecture": "amd64", "os": "linux"})
manifest = json.loads(blob(described))
config = json.loads(blob(manifest["config"]))
[layer] = manifest["layers"]
packed = blob(layer)
plain = gzip.decompress(packed)
check("another diff_id", config["rootfs"]["diff_ids"] == ["sha256:" + hashlib.sha256(plain).hexdigest()])
check("it runs as root", config["config"]["User"] == "65532:65532")
check("another entry point", config["config"]["Entrypoint"] == ["/usr/bin/steward"])
labels = config["config"]["Labels"]
check("no version, no commit", labels["org.opencontainers.image.version"] == "1.2.3+gabc" and labels["org.opencontainers.image.revision"] == "abc")
[docker] = json.loads(read("manifest.json"))
check("docker load would not find it", docker["RepoTags"] == tags)

tree = tarfile.open(fileobj=io.BytesIO(plain))
names = {member.name: member for member in tree.getmembers()}
check("no program", names["./usr/bin/steward"].mode == 0o755)
check("no loader", any("ld-linux" in name for name in names))
check("no CA roots", "./etc/ssl/certs/ca-certificates.crt" in names)
libraries = set(sys.argv[2].split())
check("hardly any library is known: %s" % libraries, len(libraries) > 10)
for package in libraries | {"libc6", "libstdc++-12-dev"}:
    check("no license of " + package, "./usr/share/doc/%s/copyright" % package in names)
check("something can be written", all(not member.mode & 0o022 for name, member in names.items() if not member.issym() and name != "./tmp"))
check("somebody owns something", all(member.uid == 0 and member.gid == 0 for member in names.values()))
check("times differ", {member.mtime for member in names.values()} == {1700000000})
top = {name.split("/")[1] for name in names if name != "."}
check("there is more than belongs into it: %s" % top, top == {"usr", "etc", "tmp", "lib", "lib64"})

document = json.load(open(sys.argv[1] + ".spdx.json"))
packages = {package["name"] for package in document["packages"]}
check("the document lacks parts: %s" % packages, {"steward", "libc6", "ca-certificates"} | libraries <= packages)
identifiers = [package["SPDXID"] for package in document["packages"]]
check("parts share an identifier", len(set(identifiers)) == len(identifiers))
check("an identifier has other characters: %s" % identifiers, all(re.fullmatch("SPDXRef-[A-Za-z0-9.-]+", each) for each in identifiers))
check("a part is of tests alone", not packages & {"libgtest-dev", "libgmock-dev", "libbenchmark-dev", "valgrind"})
references = {package["name"]: package["externalRefs"][0]["referenceLocator"] for package in document["packages"] if "externalRefs" in package}
check("a plus sign in a package URL: %s" % references, references["libstdc++-12-dev"].startswith("pkg:deb/debian/libstdc%2B%2B-12-dev@12."))
statement = json.load(open(sys.argv[1] + ".provenance.json"))
check("a provenance of something else",
      statement["subject"] == [{"name": "docker.io/library/steward", "digest": {"sha256": entry["digest"].split(":")[1]}}])
made_of = {each.get("uri") for each in statement["predicate"]["buildDefinition"]["resolvedDependencies"]}
check("the provenance lacks parts: %s" % (set(references.values()) - made_of), set(references.values()) <= made_of)
related = {relation["relatedSpdxElement"] for relation in document["relationships"]}
check("a part is not related", {package["SPDXID"] for package in document["packages"]} == related)
PY

# An installation is the overlay, with the image by tag and digest in place of each steward, and nothing else of it differs. The same
# version of another program is another image, so that pods are replaced by it.
find_kubectl >&2
readonly OVERLAY=deploy/overlays/standalone
make_image /usr/bin/printenv 1.2.3+gabc abc 1700000000 "$WORK/other" >/dev/null || echo "no other image is made"
named() { sed -n 's/^ *-\? *image: //p' "$1" | sort -u; }
for each in first other; do
  render_install "$KUBECTL" "$WORK/$each" "$OVERLAY" "$WORK/$each.yaml" || echo "nothing is rendered"
  expect "the image of the $each" \
    "$IMAGE_REPOSITORY:1.2.3-gabc@$(tar -xOf "$WORK/$each/steward-1.2.3-gabc.tar" ./index.json | grep -o 'sha256:[0-9a-f]*' | head -n 1)" \
    "$(named "$WORK/$each.yaml")"
  expect "the rest of the $each" "$("$KUBECTL" kustomize "$OVERLAY")" "$(sed -E 's/^( *(- )?image: ).*/\1steward/' "$WORK/$each.yaml")"
done
[[ $(named "$WORK/first.yaml") != "$(named "$WORK/other.yaml")" ]] || echo "two programs have one image"

# An image that is in a registry is named there, whatever a node would call it.
mkdir "$WORK/pushed"
image_component 1.2.3-gabc sha256:abc linux/amd64 >"$WORK/local.yaml"
registered_component "$WORK/local.yaml" registry.example.com/steward >"$WORK/pushed/kustomization.yaml"
render_install "$KUBECTL" "$WORK/pushed" "$OVERLAY" "$WORK/pushed.yaml" || echo "nothing is rendered"
expect "the image in a registry" registry.example.com/steward:1.2.3-gabc@sha256:abc "$(named "$WORK/pushed.yaml")"

# Pods of an image for two architectures go to nodes of either, and nothing else differs.
mkdir "$WORK/two-platforms"
image_component 1.2.3-gabc "sha256:abc" "linux/amd64 linux/arm64" >"$WORK/two-platforms/kustomization.yaml"
render_install "$KUBECTL" "$WORK/two-platforms" "$OVERLAY" "$WORK/two-platforms.yaml" || echo "nothing is rendered"
python3 - "$WORK/pushed.yaml" "$WORK/two-platforms.yaml" <<'PY'
import re, sys

def deployments(path):
    documents = open(path).read().split("\n---\n")
    return {re.search(r"^  name: (.*)$", each, re.M)[1]: each for each in documents if re.search("^kind: Deployment$", each, re.M)}

one, two = map(deployments, sys.argv[1:])
if len(two) < 3 or one.keys() != two.keys():
    print("other deployments: %s, %s" % (one.keys(), two.keys()))
for name, text in two.items():
    if "kubernetes.io/arch: amd64" in text or "kubernetes.io/os: linux" not in text:
        print("%s has another node selector" % name)
    values = re.search(r"key: kubernetes.io/arch\n +operator: In\n +values:\n +- amd64\n +- arm64\n", text)
    if not values:
        print("%s goes to other nodes" % name)
    if ("podAntiAffinity" in one[name]) != ("podAntiAffinity" in text):
        print("%s lost its affinity" % name)
PY

# An index of two images has both, and engines that load no OCI layout get the first.
mkdir -p "$WORK/one" "$WORK/two"
echo 1 >"$WORK/one/file"
echo 2 >"$WORK/two/file"
oci_archive "$WORK/both.tar" 0 '"User":"1"' docker.io/library/both 1 amd64="$WORK/one" arm64="$WORK/two" >"$WORK/both.digest"
python3 - "$WORK/both.tar" "$(cat "$WORK/both.digest")" <<'PY'
import json, sys, tarfile

archive = tarfile.open(sys.argv[1])
read = lambda name: json.load(archive.extractfile("./" + name))
blob = lambda digest: read("blobs/sha256/" + digest.split(":")[1])
images = {each["platform"]["architecture"]: blob(each["digest"]) for each in blob(sys.argv[2])["manifests"]}
configs = {name: blob(image["config"]["digest"])["architecture"] for name, image in images.items()}
if configs != {"amd64": "amd64", "arm64": "arm64"}:
    print("images of other architectures: %s" % configs)
if "blobs/sha256/" + images["amd64"]["config"]["digest"].split(":")[1] != read("manifest.json")[0]["Config"]:
    print("docker load gets another image than the first")
PY

# An image is refused that is larger than it may be.
if [[ -x bin/steward ]]; then
  make_image bin/steward 1.2.3+gabc abc 1700000000 "$WORK/steward" >/dev/null || echo "no image of bin/steward is made"
  (($(size_of "$WORK/steward/steward-1.2.3-gabc.tar") <= 40 << 20)) || echo "the image is larger than 40 MiB"
else
  echo "bin/steward was not built: its size was not looked at" >&2
fi
(
  MAX_IMAGE_MIB=0
  make_image /usr/bin/env 1.2.3+gabc abc 1700000000 "$WORK/large"
) >"$WORK/large.log" 2>&1 && echo "an image of any size is made"
grep -q 'is larger than 0$' "$WORK/large.log" || { echo "why no large image is made:" && cat "$WORK/large.log"; }
true
