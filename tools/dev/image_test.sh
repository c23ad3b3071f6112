#!/usr/bin/env bash
# Tests what tools/dev/image.sh makes, of a small program. Prints what is wrong.
set -uo pipefail

ROOT=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd -P)
cd "$ROOT" || exit 1
# shellcheck source=tools/dev/common.sh
source tools/dev/common.sh
# shellcheck source=tools/dev/image.sh
source tools/dev/image.sh

WORK=$(mktemp -d)
trap 'rm -rf "$WORK"' EXIT

# expect WHAT WANTED GOT
expect() { [[ "$2" == "$3" ]] || printf '%s: want\n%s\ngot\n%s\n' "$1" "$2" "$3"; }

for each in first second; do
  make_image /usr/bin/env 1.2.3+gabc abc 1700000000 "$WORK/$each" >/dev/null || echo "no image is made"
done
expect "what is made" "steward-1.2.3-gabc.spdx.json steward-1.2.3-gabc.tar" "$(cd "$WORK/first" && echo *)"
diff -r "$WORK/first" "$WORK/second" || echo "two builds differ"

python3 - "$WORK/first/steward-1.2.3-gabc" <<'PY'
import gzip, hashlib, io, json, sys, tarfile

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
tags = ["docker.io/library/steward:1.2.3-gabc", "docker.io/library/steward:dev"]
check("other names", [each["annotations"]["io.containerd.image.name"] for each in entries] == tags)
check("two images", {each["digest"] for each in entries} == {entry["digest"]})
manifest = json.loads(blob(entry))
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
check("no license of a library", "./usr/share/doc/libc6/copyright" in names)
check("something can be written", all(not member.mode & 0o022 for name, member in names.items() if not member.issym() and name != "./tmp"))
check("somebody owns something", all(member.uid == 0 and member.gid == 0 for member in names.values()))
check("times differ", {member.mtime for member in names.values()} == {1700000000})
top = {name.split("/")[1] for name in names if name != "."}
check("there is more than belongs into it: %s" % top, top == {"usr", "etc", "tmp", "lib", "lib64"})

document = json.load(open(sys.argv[1] + ".spdx.json"))
packages = {package["name"] for package in document["packages"]}
check("the document lacks parts: %s" % packages, {"steward", "libc6", "ca-certificates"} <= packages)
related = {relation["relatedSpdxElement"] for relation in document["relationships"]}
check("a part is not related", {package["SPDXID"] for package in document["packages"]} == related)
PY

# An installation is the overlay, with the version's image in place of the one called dev, and nothing else of it differs.
cat >"$WORK/kubectl" <<'SCRIPT'
#!/bin/sh
cat "$2/built"
SCRIPT
chmod +x "$WORK/kubectl"
printf '%s\n' '      - image: docker.io/library/steward:dev' '      - name: a' '        image: docker.io/library/steward:dev' \
  '        image: docker.io/library/steward:devel' '        args: [steward:dev]' >"$WORK/built"
render_install "$WORK/kubectl" "$WORK" docker.io/library/steward:1.2.3-gabc "$WORK/install.yaml"
expect "an installation" "$(printf '%s\n' '      - image: docker.io/library/steward:1.2.3-gabc' '      - name: a' \
  '        image: docker.io/library/steward:1.2.3-gabc' '        image: docker.io/library/steward:devel' '        args: [steward:dev]')" \
  "$(cat "$WORK/install.yaml")"
