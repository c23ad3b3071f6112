# shellcheck shell=bash
# ./dev image: an OCI archive of bin/steward and the pages that it serves, made without a container engine, what is known of its parts (SPDX), and the manifests
# that install it. Expects find_kubectl of up.sh.

readonly IMAGE_REPOSITORY=docker.io/library/steward
# What an image may take, packed.
MAX_IMAGE_MIB=40

# shared_libraries PROGRAM: the files that the loader maps for it, and the loader itself, as the program names them.
shared_libraries() {
  ldd "$1" | sed -n 's/.*=> \(\/[^ ]*\) .*/\1/p; s/^[[:space:]]*\(\/[^ ]*ld-linux[^ ]*\) .*/\1/p' | sort -u
}

# package_of FILE: the Debian package that a file came with. Packages list some files below /lib, which is /usr/lib.
package_of() {
  local file found
  file=$(realpath "$1")
  found=$(dpkg-query -S "$file" 2>/dev/null || dpkg-query -S "${file#/usr}" 2>/dev/null) || fail "no Debian package has $1"
  head -n 1 <<<"${found%%: *}" | cut -d , -f 1
}

# header_packages: the Debian packages whose headers the program's own sources include. What such headers bring is compiled in, also
# that of libraries that are nothing but headers, which no loader maps.
header_packages() {
  local header folder found
  while read -r header; do
    for folder in /usr/include "/usr/include/$(uname -m)-linux-gnu" /usr/include/c++/*; do
      if [[ -e $folder/$header ]]; then printf '%s\n' "$folder/$header"; fi
    done
  done < <(program_sources | xargs -0 sed -n 's/^#include [<"]\([^>"]*\)[>"].*/\1/p' | sort -u) | xargs -r dpkg-query -S | cut -d : -f 1 | sort -u
}

# program_sources: the C++ files of the tree, NUL-separated, but for tests and what they lean on.
program_sources() {
  cpp_files | grep -zvE '^\./(e2e|examples)/|/testing/|_(test|fuzz|bench)\.cc$' |
    xargs -0 grep -LZE '^#include [<"](gtest|gmock|benchmark)/'
}

# all_packages PROGRAM PACKAGE...: these Debian packages, those of its shared libraries, and those that are compiled in.
all_packages() {
  local program=$1 library
  shift
  {
    if [[ $# -gt 0 ]]; then printf '%s\n' "$@"; fi
    while read -r library; do package_of "$library"; done < <(shared_libraries "$program")
    header_packages
  } | sort -u
}

# license_texts FOLDER PACKAGE...: the texts, in a folder of its own for each package.
license_texts() {
  local folder=$1 package
  shift
  for package in "$@"; do
    mkdir -p "$folder/${package%%:*}"
    install -m 0644 "/usr/share/doc/${package%%:*}/copyright" "$folder/${package%%:*}/"
  done
}

# image_root PROGRAM ROOT: the program, the pages, its libraries, CA roots, an account, license texts, and nothing else. Prints the packages that
# these, and what is compiled in, come from.
image_root() {
  local program=$1 root=$2 library packages
  # Debian's merged layout, since that is where the libraries come from.
  mkdir -p "$root"/{usr/bin,usr/lib,usr/lib64,etc/ssl/certs,usr/share/doc/steward}
  mkdir -m 1777 "$root/tmp"
  ln -s usr/lib "$root/lib"
  ln -s usr/lib64 "$root/lib64"
  install -s -m 0755 "$program" "$root/usr/bin/steward"
  # What ./dev console built, which `steward console` serves.
  if [[ -d bin/console/plugin ]]; then
    mkdir -p "$root/usr/share/steward/console"
    cp -R bin/console/plugin bin/console/standalone "$root/usr/share/steward/console/"
    chmod -R u=rwX,go=rX "$root/usr/share/steward"
  fi
  while read -r library; do
    mkdir -p "$root$(dirname "$library")"
    install -m 0755 "$library" "$root$library"
  done < <(shared_libraries "$program")
  install -m 0644 /etc/ssl/certs/ca-certificates.crt "$root/etc/ssl/certs/"
  printf 'steward:x:65532:65532::/:/sbin/nologin\n' >"$root/etc/passwd"
  printf 'steward:x:65532:\n' >"$root/etc/group"
  printf 'hosts: files dns\n' >"$root/etc/nsswitch.conf"
  install -m 0644 LICENSE "$root/usr/share/doc/steward/"
  packages=$(all_packages "$program" ca-certificates) || return 1
  # shellcheck disable=SC2086  # one word per package
  license_texts "$root/usr/share/doc" $packages
  printf '%s\n' "$packages"
}

# blob FILE FOLDER: moves it to where its digest names it, and prints that.
blob() {
  local digest
  digest=$(sha256sum "$1" | cut -d ' ' -f 1)
  mv "$1" "$2/blobs/sha256/$digest"
  printf '%s\n' "$digest"
}

# archive FOLDER EPOCH: a tar of it on standard output, the same for the same content.
archive() {
  tar --create --directory="$1" --sort=name --mtime="@$2" --owner=0 --group=0 --numeric-owner --format=ustar .
}

size_of() { stat --format=%s "$1"; }

# spdx VERSION COMMIT CREATED PACKAGES: the document of the image's parts.
spdx() {
  local version=$1 commit=$2 created=$3 packages=$4 package separator=$',\n'
  cat <<JSON
{
  "spdxVersion": "SPDX-2.3",
  "dataLicense": "CC0-1.0",
  "SPDXID": "SPDXRef-DOCUMENT",
  "name": "steward-$version",
  "documentNamespace": "https://steward.operatorframework.io/spdx/steward-$version-$commit",
  "creationInfo": {"created": "$created", "creators": ["Tool: steward-dev-image"]},
  "packages": [
    {"SPDXID": "SPDXRef-steward", "name": "steward", "versionInfo": "$version", "downloadLocation": "NOASSERTION",
     "filesAnalyzed": false, "licenseConcluded": "Apache-2.0", "licenseDeclared": "Apache-2.0", "copyrightText": "NOASSERTION"}
JSON
  for package in $packages; do
    printf '%s' "$separator"
    dpkg-query --show --showformat='    {"SPDXID": "SPDXRef-${Package}", "name": "${Package}", "versionInfo": "${Version}", '"$(
    )"'"downloadLocation": "NOASSERTION", "filesAnalyzed": false, "licenseConcluded": "NOASSERTION", '"$(
    )"'"licenseDeclared": "NOASSERTION", "copyrightText": "NOASSERTION", "supplier": "Organization: Debian", '"$(
    )"'"externalRefs": [{"referenceCategory": "PACKAGE-MANAGER", "referenceType": "purl", '"$(
    )"'"referenceLocator": "pkg:deb/debian/${Package}@${Version}?arch=${Architecture}"}]}' "$package"
  done
  printf '\n  ],\n  "relationships": [\n'
  printf '    {"spdxElementId": "SPDXRef-DOCUMENT", "relationshipType": "DESCRIBES", "relatedSpdxElement": "SPDXRef-steward"}'
  for package in $packages; do
    printf '%s    {"spdxElementId": "SPDXRef-steward", "relationshipType": "DEPENDS_ON", "relatedSpdxElement": "SPDXRef-%s"}' \
      "$separator" "${package%%:*}"
  done
  printf '\n  ]\n}\n'
}

# oci_archive OUT ROOT EPOCH CONFIG REPOSITORY TAG: an image of one layer, the files below ROOT, by its tag and by its digest, so that a
# node that has loaded it knows it by either. CONFIG are members of its configuration, which say how it runs. Prints the image's
# digest. Every file in it has the time EPOCH, so that the same files make the same image.
oci_archive() {
  local out=$1 root=$2 epoch=$3 config=$4 repository=$5 tag=$6 work created diff layer layer_size config_size manifest size entry
  created=$(TZ=UTC date --date="@$epoch" +%Y-%m-%dT%H:%M:%SZ)
  work=$(mktemp -d)
  mkdir -p "$work/oci/blobs/sha256"
  archive "$root" "$epoch" >"$work/layer.tar"
  diff=$(sha256sum "$work/layer.tar" | cut -d ' ' -f 1)
  gzip -9 --no-name "$work/layer.tar"
  layer_size=$(size_of "$work/layer.tar.gz")
  layer=$(blob "$work/layer.tar.gz" "$work/oci")
  printf '{"architecture":"amd64","os":"linux","created":"%s","config":{%s},"rootfs":{"type":"layers","diff_ids":["sha256:%s"]},"history":[{"created":"%s","created_by":"./dev image"}]}' \
    "$created" "$config" "$diff" "$created" >"$work/config.json"
  config_size=$(size_of "$work/config.json")
  config=$(blob "$work/config.json" "$work/oci")
  printf '{"schemaVersion":2,"mediaType":"application/vnd.oci.image.manifest.v1+json","config":{"mediaType":"application/vnd.oci.image.config.v1+json","digest":"sha256:%s","size":%d},"layers":[{"mediaType":"application/vnd.oci.image.layer.v1.tar+gzip","digest":"sha256:%s","size":%d}]}' \
    "$config" "$config_size" "$layer" "$layer_size" >"$work/manifest.json"
  size=$(size_of "$work/manifest.json")
  manifest=$(blob "$work/manifest.json" "$work/oci")
  entry=$(printf '{"mediaType":"application/vnd.oci.image.manifest.v1+json","digest":"sha256:%s","size":%d,"annotations":{"io.containerd.image.name":"%s' \
    "$manifest" "$size" "$repository")
  printf '{"imageLayoutVersion":"1.0.0"}' >"$work/oci/oci-layout"
  printf '{"schemaVersion":2,"mediaType":"application/vnd.oci.image.index.v1+json","manifests":[%s:%s","org.opencontainers.image.ref.name":"%s"}},%s@sha256:%s"}}]}' \
    "$entry" "$tag" "$tag" "$entry" "$manifest" >"$work/oci/index.json"
  # For engines that load no OCI layout.
  printf '[{"Config":"blobs/sha256/%s","RepoTags":["%s:%s"],"Layers":["blobs/sha256/%s"]}]' "$config" "$repository" "$tag" "$layer" \
    >"$work/oci/manifest.json"
  archive "$work/oci" "$epoch" >"$out"
  rm -rf "$work"
  printf 'sha256:%s\n' "$manifest"
}

# make_image PROGRAM VERSION COMMIT EPOCH FOLDER: FOLDER/steward-VERSION.tar, FOLDER/steward-VERSION.spdx.json, and a component that
# names the image, FOLDER/kustomization.yaml; the same whenever they are made of the same program and libraries.
make_image() {
  local program=$1 version=$2 commit=$3 epoch=$4 folder=$5 work tag packages config digest size
  # A tag has no plus sign.
  tag=${version//+/-}
  work=$(mktemp -d)
  mkdir -p "$work/root" "$folder"
  chmod 0755 "$work/root"
  packages=$(umask 022 && image_root "$program" "$work/root") || return 1
  config=$(printf '"User":"65532:65532","Entrypoint":["/usr/bin/steward"],"Env":["PATH=/usr/bin"],"WorkingDir":"/","Labels":{"org.opencontainers.image.title":"steward","org.opencontainers.image.version":"%s","org.opencontainers.image.revision":"%s","org.opencontainers.image.licenses":"Apache-2.0"}' \
    "$version" "$commit")
  digest=$(oci_archive "$folder/steward-$tag.tar" "$work/root" "$epoch" "$config" "$IMAGE_REPOSITORY" "$tag")
  spdx "$version" "$commit" "$(TZ=UTC date --date="@$epoch" +%Y-%m-%dT%H:%M:%SZ)" "$packages" >"$folder/steward-$tag.spdx.json"
  cat >"$folder/kustomization.yaml" <<YAML
# The image that was made, for an overlay that names this folder under \`components\`. The registry is named there, if there is one.
apiVersion: kustomize.config.k8s.io/v1alpha1
kind: Component
images:
- name: steward
  newTag: $tag
  digest: $digest
YAML
  rm -rf "$work"
  size=$(size_of "$folder/steward-$tag.tar")
  ((size <= MAX_IMAGE_MIB << 20)) || fail "an image of $((size >> 20)) MiB is larger than $MAX_IMAGE_MIB"
  say "made $folder/steward-$tag.tar: $IMAGE_REPOSITORY:$tag@$digest, $((size >> 20)) MiB"
}

# render_install KUBECTL FOLDER OVERLAY FILE: the manifests of an overlay in one file, with the image that make_image left in a folder,
# as a node knows it that has loaded the archive.
render_install() {
  local work status=0
  work=$(realpath "$(mktemp -d)")
  cat >"$work/kustomization.yaml" <<YAML
resources: [$(realpath --relative-to="$work" "$3")]
components: [$(realpath --relative-to="$work" "$2")]
images: [{name: steward, newName: $IMAGE_REPOSITORY}]
YAML
  "$1" kustomize "$work" >"$4" || status=$?
  rm -rf "$work"
  return "$status"
}

# stamp_of PROGRAM: the version and the commit that it says it is of.
stamp_of() {
  "$1" version | sed -n 's/^steward v\([^,]*\).*commit \([0-9a-f]\{7,\}\).*/\1 \2/p; t; s/^steward v\([^,]*\).*/\1 unknown/p' | head -n 1
}

cmd_image() {
  prepare_machine
  build_steward
  build_console || fail "the pages were not built: see above"
  local version commit epoch
  read -r version commit < <(stamp_of bin/steward)
  epoch=$(git log -1 --format=%ct 2>/dev/null) || epoch=0
  rm -rf bin/image
  make_image bin/steward "$version" "$commit" "$epoch" bin/image
  find_kubectl
  build_launcher || return 1
  make_archive bin/steward bin/launcher "$version" "$commit" "$epoch" bin/image
  render_install "$KUBECTL" bin/image deploy/overlays/standalone bin/image/install.yaml
  make_chart deploy/helm "$IMAGE_REPOSITORY" "$version" "$epoch" bin/image
  say "made bin/image/install.yaml, deploy/overlays/standalone with that image, and bin/image/kustomization.yaml for overlays of yours"
}
