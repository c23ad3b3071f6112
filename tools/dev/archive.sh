# shellcheck shell=bash
# The part of ./dev image that is for people's machines: an archive of the program with all that it needs of a system but the kernel,
# and the manifest by which krew installs it. Expects common.sh and image.sh.

# Where krew gets the archive from: whoever publishes it says so, and nobody else needs a manifest.
STEWARD_ARCHIVE_URL=${STEWARD_ARCHIVE_URL:-}
readonly ARCHIVE_NAME=steward-linux-amd64.tar.gz
# What an archive may take.
MAX_ARCHIVE_MIB=40

# Leaves bin/launcher, which needs no library.
build_launcher() {
  bazel build --config=release //cmd/launcher || return 1
  local folder
  folder=$(bazel info --config=release bazel-bin 2>/dev/null)
  mkdir -p bin
  install -m 0755 "$folder/cmd/launcher/launcher" bin/launcher.new && mv -f bin/launcher.new bin/launcher
}

# archive_root PROGRAM LAUNCHER ROOT: the program and its libraries, the loader and the C library among them, in lib/; the launcher under
# each name by which Steward is called; licence texts. The program finds nothing of the system's by itself but CA roots.
# Prints the records of the packages that these, and what is compiled in, come from.
archive_root() {
  local program=$1 launcher=$2 root=$3 library name packages
  mkdir -p "$root/lib" "$root/licenses"
  # Copies, as krew unpacks no links.
  for name in steward kubectl-steward kubectl_complete-steward; do install -s -m 0755 "$launcher" "$root/$name"; done
  install -s -m 0755 "$program" "$root/lib/steward"
  while read -r library; do
    install -m 0755 "$library" "$root/lib/"
  done < <(shared_libraries "$program")
  packages=$(all_packages "$program") || return 1
  install -m 0644 LICENSE "$root/"
  # shellcheck disable=SC2086  # one word per package
  license_texts "$root/licenses" $packages
  # shellcheck disable=SC2086  # one word per package
  package_records $packages
}

# make_archive PROGRAM LAUNCHER VERSION COMMIT EPOCH FOLDER: FOLDER/steward-linux-amd64.tar.gz, its digest beside it, and, where
# STEWARD_ARCHIVE_URL is set, krew's manifest, FOLDER/steward.yaml; the same whenever they are made of the same program and libraries.
make_archive() {
  local program=$1 launcher=$2 version=$3 commit=$4 epoch=$5 folder=$6 work records size digest
  work=$(mktemp -d)
  mkdir -p "$work/root" "$folder"
  chmod 0755 "$work/root"
  records=$(umask 022 && archive_root "$program" "$launcher" "$work/root") || return 1
  spdx "$version" "$commit" "$(utc "$epoch")" "$records" >"$work/root/steward.spdx.json"
  chmod 0644 "$work/root/steward.spdx.json"
  archive "$work/root" "$epoch" | gzip -9 --no-name >"$folder/$ARCHIVE_NAME"
  rm -rf "$work"
  size=$(size_of "$folder/$ARCHIVE_NAME")
  ((size <= MAX_ARCHIVE_MIB << 20)) || fail "an archive of $((size >> 20)) MiB is larger than $MAX_ARCHIVE_MIB"
  (cd "$folder" && sha256sum "$ARCHIVE_NAME" >"$ARCHIVE_NAME.sha256")
  digest=$(cut -d ' ' -f 1 "$folder/$ARCHIVE_NAME.sha256")
  say "made $folder/$ARCHIVE_NAME, $((size >> 20)) MiB"
  # That of an earlier archive has another digest.
  rm -f "$folder/steward.yaml"
  if [[ -z $STEWARD_ARCHIVE_URL ]]; then return; fi
  krew_manifest "$version" "$digest" >"$folder/steward.yaml"
  say "made $folder/steward.yaml for krew"
}

# krew_manifest VERSION DIGEST: the manifest of the plugin, as an index of krew has it.
krew_manifest() {
  cat <<YAML
apiVersion: krew.googlecontainertools.github.com/v1alpha2
kind: Plugin
metadata:
  name: steward
spec:
  version: v$1
  homepage: https://steward.operatorframework.io
  shortDescription: Uninstalls operators, and what belongs to them
  description: |
    Uninstalls operators of the Operator Lifecycle Manager with the custom resources that belong to them, with your own rights: what
    would be deleted is shown and saved first, and the end is waited for (uninstall, restore, abort). Shows how far cleanups are
    (status), why an operator watches a namespace (why), what belongs to an operator (tree), and what a plan, a bundle or an
    uninstallation would do (preview). Turns copied ClusterServiceVersions off and on (copied-csvs). Says what is wrong with
    Steward in a cluster, and what mends it (doctor).
  caveats: |
    The cluster needs Steward's API server, and for "kubectl steward uninstall --cleanup" its controllers, too:
    "kubectl steward version" says whether they are there.
    For completion, put kubectl_complete-steward, which lies beside the plugin, into your PATH.
  platforms:
  - selector:
      matchLabels:
        os: linux
        arch: amd64
    uri: $STEWARD_ARCHIVE_URL
    sha256: $2
    bin: kubectl-steward
YAML
}
