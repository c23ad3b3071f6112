#!/usr/bin/env bash
# Tests what tools/dev/archive.sh makes of bin/steward: that nothing of it needs a file of the system's, that it runs where there is
# nothing else, and that krew takes it. Prints what is wrong.
set -uo pipefail

ROOT=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd -P)
cd "$ROOT" || exit 1
# shellcheck source=tools/dev/common.sh
source tools/dev/common.sh
# shellcheck source=tools/dev/setup.sh
source tools/dev/setup.sh
# shellcheck source=tools/dev/image.sh
source tools/dev/image.sh
# shellcheck source=tools/dev/archive.sh
source tools/dev/archive.sh

if [[ ! -x bin/steward ]]; then
  echo "bin/steward was not built: no archive of it was looked at" >&2
  exit 0
fi
build_launcher >&2 || { echo "the launcher is not built" && exit 1; }
find_go

WORK=$(mktemp -d)
UP=''
finish() {
  if [[ -n $UP ]]; then kill "$UP" && wait "$UP"; fi 2>/dev/null
  rm -rf "$WORK"
}
trap finish EXIT

# expect WHAT WANTED GOT
expect() { [[ "$2" == "$3" ]] || printf '%s: want\n%s\ngot\n%s\n' "$1" "$2" "$3"; }

STEWARD_ARCHIVE_URL=https://example.com/$ARCHIVE_NAME

for each in first second; do
  make_archive bin/steward bin/launcher 1.2.3+gabc abc 1700000000 "$WORK/$each" >/dev/null || echo "no archive is made"
done
expect "what is made" "$ARCHIVE_NAME $ARCHIVE_NAME.sha256 steward.yaml" "$(cd "$WORK/first" && echo *)"
grep -qxF "    uri: $STEWARD_ARCHIVE_URL" "$WORK/first/steward.yaml" || echo "the manifest leads elsewhere"
for command in uninstall restore abort status why tree preview copied-csvs doctor; do
  grep -qE "\(.*\b$command\b.*\)" "$WORK/first/steward.yaml" || echo "the manifest does not name $command"
done
diff -r "$WORK/first" "$WORK/second" || echo "what one program is packed to differs"
(cd "$WORK/first" && sha256sum --check --quiet "$ARCHIVE_NAME.sha256") || echo "the digest is another's"
# Without an address there is no manifest, and none of an earlier archive is left.
(
  STEWARD_ARCHIVE_URL=''
  make_archive bin/steward bin/launcher 1.2.3+gabc abc 1700000000 "$WORK/second" >/dev/null || echo "no archive is made"
)
expect "what is made without an address" "$ARCHIVE_NAME $ARCHIVE_NAME.sha256" "$(cd "$WORK/second" && echo *)"
(
  MAX_ARCHIVE_MIB=0
  make_archive /usr/bin/env bin/launcher 1.2.3 abc 0 "$WORK/large"
) >"$WORK/large.log" 2>&1 && echo "an archive of any size is made"

mkdir "$WORK/root"
tar -xzf "$WORK/first/$ARCHIVE_NAME" -C "$WORK/root"

python3 - "$WORK/first/$ARCHIVE_NAME" "$WORK/root" <<'PY'
import json, os, re, subprocess, sys, tarfile

def check(what, right):
    if not right:
        print(what)

names = {member.name: member for member in tarfile.open(sys.argv[1]).getmembers()}
check("links or devices", all(member.isfile() or member.isdir() for member in names.values()))
check("something can be written", not any(member.mode & 0o022 for member in names.values()))
check("somebody owns something", not any(member.uid or member.gid for member in names.values()))
check("times differ", {member.mtime for member in names.values()} == {1700000000})
top = {name.split("/")[1] for name in names if name != "."}
starters = {"steward", "kubectl-steward", "kubectl_complete-steward"}
check("there is more than belongs into it: %s" % top, top == starters | {"lib", "licenses", "LICENSE", "steward.spdx.json"})
packages = {package["name"] for package in json.load(open(sys.argv[2] + "/steward.spdx.json"))["packages"]}
check("the document lacks parts", {"steward", "libc6", "libstdc++6", "libssl-dev"} <= packages)
for package in packages - {"steward"}:
    check("no licence of " + package, "./licenses/%s/copyright" % package in names)

# What each file needs is in the archive, at the versions that it needs, and no file says where else to look.
lib = sys.argv[2] + "/lib"
needed, defined, wanted = {}, {}, {}
for name in sorted(os.listdir(lib)):
    text = subprocess.run(["objdump", "-p", lib + "/" + name], check=True, capture_output=True, text=True).stdout
    check(name + " has a path of its own", "RPATH" not in text and "RUNPATH" not in text)
    soname = re.search(r"^  SONAME +(\S+)", text, re.M)
    check(name + " is named otherwise", soname is None or soname.group(1) == name)
    needed[name] = re.findall(r"^  NEEDED +(\S+)", text, re.M)
    definitions = re.search(r"^Version definitions:\n((?:.+\n)*)", text, re.M)
    defined[name] = set(re.findall(r"^\d+ 0x\S+ 0x\S+ (\S+)", definitions.group(1), re.M)) if definitions else set()
    references = re.search(r"^Version References:\n((?:.+\n)*)", text, re.M)
    source = None
    wanted[name] = set()
    for line in (references.group(1) if references else "").splitlines():
        if line.startswith("  required from "):
            source = line.split()[2].rstrip(":")
        else:
            wanted[name].add((source, line.split()[3]))
check("hardly anything is looked at", len(needed) > 6 and sum(map(len, wanted.values())) > 50)
for name, libraries in needed.items():
    for library in libraries:
        check("%s needs %s, which is not there" % (name, library), library in needed)
    for library, version in wanted[name]:
        check("%s needs %s of %s" % (name, version, library), version in defined.get(library, ()))

# The launcher needs nothing, and all run on old kernels.
for name in starters:
    text = subprocess.run(["readelf", "--wide", "--program-headers", "--dynamic", sys.argv[2] + "/" + name], check=True,
                          capture_output=True, text=True).stdout
    check(name + " needs a library or a loader", "There is no dynamic section" in text and "INTERP" not in text)
kernels = set()
for name in needed:
    notes = subprocess.run(["readelf", "--wide", "--notes", lib + "/" + name], check=True, capture_output=True, text=True).stdout
    kernels |= set(re.findall(r"OS: Linux, ABI: (\S+)", notes))
    check("%s needs a newer processor" % name, not re.search(r"x86 ISA needed:.*v[234]", notes))
check("another oldest kernel than docs/image.md says: %s" % kernels, kernels == {"3.2.0"})
PY

# It runs by links that lie elsewhere, which docs/image.md makes.
mkdir "$WORK/linked"
ln -sf "$WORK"/root/kubectl*steward "$WORK/linked/"
expect "its version, by a link" "$(bin/steward kubectl version --client)" "$("$WORK/linked/kubectl-steward" version --client)"

# It runs where there is nothing else but /proc and names of hosts, and speaks to a server by name and with certificates.
alone() { unshare --mount --pid --fork --mount-proc="$WORK/root/proc" chroot "$WORK/root" "$@"; }
if [[ $(id -u) -eq 0 ]] && mkdir -p "$WORK/root"/{proc,etc} && alone /steward version >/dev/null 2>&1; then
  expect "its version" "$(bin/steward version)" "$(alone /steward version)"
  expect "its help" "$(bin/steward kubectl status --help)" "$(alone /kubectl-steward status --help)"
  expect "its completion" status "$(alone /kubectl_complete-steward stat | cut -f 1 | head -n 1)"
  # A symbol that is missing shows when all are looked for at once.
  alone /lib/ld-linux-x86-64.so.2 --library-path /lib --verify /lib/steward || echo "the loader does not take it"
  LD_BIND_NOW=1 alone /kubectl-steward version --client >/dev/null || echo "a symbol is missing"
  bin/steward up --data-dir "$WORK/up" --secure-port 0 >"$WORK/up.out" 2>"$WORK/up.err" &
  UP=$!
  for _ in $(seq 100); do
    if grep -q "^ready" "$WORK/up.out"; then break; fi
    sleep 0.2
  done
  kubeconfig=$(sed -n 's/^ready: kubectl --kubeconfig \([^ ]*\).*/\1/p' "$WORK/up.out")
  echo '127.0.0.1 localhost' >"$WORK/root/etc/hosts"
  sed 's|https://[^:]*:|https://localhost:|' "$kubeconfig" >"$WORK/root/kubeconfig"
  grep -q 'https://localhost:' "$WORK/root/kubeconfig" || echo "no name of a host is asked for"
  said=$(alone /kubectl-steward version --kubeconfig /kubeconfig 2>&1)
  grep -q '^Server Version: v' <<<"$said" || printf 'it does not reach the server: %s\n' "$said"
else
  echo "nobody may change the root here: it was not run alone" >&2
fi

# krew takes the manifest, and installs what it names.
readonly KREW="$WORK/krew"
(cd e2e/krew && go build -o "$KREW/" sigs.k8s.io/krew/cmd/krew sigs.k8s.io/krew/cmd/validate-krew-manifest) >&2 || echo "krew is not built"
"$KREW/validate-krew-manifest" -manifest "$WORK/first/steward.yaml" -skip-install 2>"$WORK/krew.log" || cat "$WORK/krew.log"
KREW_ROOT="$WORK/installed" "$KREW/krew" install --manifest="$WORK/first/steward.yaml" --archive="$WORK/first/$ARCHIVE_NAME" \
  >"$WORK/krew.log" 2>&1 || cat "$WORK/krew.log"
expect "what krew has installed" "$(bin/steward kubectl version --client)" "$("$WORK/installed/bin/kubectl-steward" version --client)"
true
