# shellcheck shell=bash
# ./dev image: an OCI archive of bin/steward, made without a container engine, what is known of its parts (SPDX), and the manifests
# that install it. Expects find_kubectl of up.sh.

readonly IMAGE_REPOSITORY=docker.io/library/steward

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

# image_root PROGRAM ROOT: the program, its libraries, CA roots, an account, license texts, and nothing else. Prints the packages.
image_root() {
  local program=$1 root=$2 library packages
  # Debian's merged layout, since that is where the libraries come from.
  mkdir -p "$root"/{usr/bin,usr/lib,usr/lib64,etc/ssl/certs,usr/share/doc/steward}
  mkdir -m 1777 "$root/tmp"
  ln -s usr/lib "$root/lib"
  ln -s usr/lib64 "$root/lib64"
  install -s -m 0755 "$program" "$root/usr/bin/steward"
  packages=$(
    while read -r library; do
      mkdir -p "$root$(dirname "$library")"
      install -m 0755 "$library" "$root$library"
      package_of "$library"
    done < <(shared_libraries "$program") | sort -u
  )
  install -m 0644 /etc/ssl/certs/ca-certificates.crt "$root/etc/ssl/certs/"
  printf 'steward:x:65532:65532::/:/sbin/nologin\n' >"$root/etc/passwd"
  printf 'steward:x:65532:\n' >"$root/etc/group"
  printf 'hosts: files dns\n' >"$root/etc/nsswitch.conf"
  install -m 0644 LICENSE "$root/usr/share/doc/steward/"
  local package
  packages=$(printf '%s\nca-certificates\n' "$packages" | sort -u)
  for package in $packages; do
    mkdir -p "$root/usr/share/doc/${package%%:*}"
    install -m 0644 "/usr/share/doc/${package%%:*}/copyright" "$root/usr/share/doc/${package%%:*}/"
  done
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

# oci_archive OUT ROOT EPOCH CONFIG NAME...: an image of one layer, the files below ROOT, under each of the names. CONFIG are members
# of its configuration, which say how it runs. Prints the image's digest and the bytes of its packed layer. Every file in it has the
# time EPOCH, so that the same files make the same image.
oci_archive() {
  local out=$1 root=$2 epoch=$3 config=$4 work created diff layer layer_size config_size manifest manifest_size name entries='' tags=''
  shift 4
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
  manifest_size=$(size_of "$work/manifest.json")
  manifest=$(blob "$work/manifest.json" "$work/oci")
  for name in "$@"; do
    entries+=${entries:+,}$(printf '{"mediaType":"application/vnd.oci.image.manifest.v1+json","digest":"sha256:%s","size":%d,"annotations":{"io.containerd.image.name":"%s","org.opencontainers.image.ref.name":"%s"}}' \
      "$manifest" "$manifest_size" "$name" "${name##*:}")
    tags+=${tags:+,}\"$name\"
  done
  printf '{"imageLayoutVersion":"1.0.0"}' >"$work/oci/oci-layout"
  printf '{"schemaVersion":2,"mediaType":"application/vnd.oci.image.index.v1+json","manifests":[%s]}' "$entries" >"$work/oci/index.json"
  # For engines that load no OCI layout.
  printf '[{"Config":"blobs/sha256/%s","RepoTags":[%s],"Layers":["blobs/sha256/%s"]}]' "$config" "$tags" "$layer" >"$work/oci/manifest.json"
  archive "$work/oci" "$epoch" >"$out"
  rm -rf "$work"
  printf '%s %s\n' "$manifest" "$layer_size"
}

# make_image PROGRAM VERSION COMMIT EPOCH FOLDER: FOLDER/steward-VERSION.tar and FOLDER/steward-VERSION.spdx.json, the same whenever
# they are made of the same program and libraries. The image has two names: its version, and dev, as which
# deploy/overlays/standalone knows it.
make_image() {
  local program=$1 version=$2 commit=$3 epoch=$4 folder=$5 work tag packages config digest layer_size
  # A tag has no plus sign.
  tag=${version//+/-}
  work=$(mktemp -d)
  mkdir -p "$work/root" "$folder"
  chmod 0755 "$work/root"
  packages=$(umask 022 && image_root "$program" "$work/root")
  config=$(printf '"User":"65532:65532","Entrypoint":["/usr/bin/steward"],"Env":["PATH=/usr/bin"],"WorkingDir":"/","Labels":{"org.opencontainers.image.title":"steward","org.opencontainers.image.version":"%s","org.opencontainers.image.revision":"%s","org.opencontainers.image.licenses":"Apache-2.0"}' \
    "$version" "$commit")
  read -r digest layer_size < <(oci_archive "$folder/steward-$tag.tar" "$work/root" "$epoch" "$config" \
    "$IMAGE_REPOSITORY:$tag" "$IMAGE_REPOSITORY:dev")
  spdx "$version" "$commit" "$(TZ=UTC date --date="@$epoch" +%Y-%m-%dT%H:%M:%SZ)" "$packages" >"$folder/steward-$tag.spdx.json"
  rm -rf "$work"
  say "made $folder/steward-$tag.tar: $IMAGE_REPOSITORY:$tag, sha256:$digest, $((layer_size >> 20)) MiB packed"
}

# render_install KUBECTL OVERLAY IMAGE FILE: the manifests of an overlay in one file, with this image in place of the one called dev.
render_install() {
  "$1" kustomize "$2" | sed "s|image: $IMAGE_REPOSITORY:dev\$|image: $3|" >"$4"
}

cmd_image() {
  prepare_machine
  build_steward
  local said version commit epoch
  said=$(bin/steward version)
  version=$(sed -n 's/^steward v\([^,]*\).*/\1/p' <<<"$said")
  commit=$(sed -n 's/.*commit \([0-9a-f]*\).*/\1/p' <<<"$said")
  epoch=$(git log -1 --format=%ct 2>/dev/null) || epoch=0
  rm -rf bin/image
  make_image bin/steward "$version" "${commit:-unknown}" "$epoch" bin/image
  find_kubectl
  render_install "$KUBECTL" deploy/overlays/standalone "$IMAGE_REPOSITORY:${version//+/-}" bin/image/install.yaml
  say "made bin/image/install.yaml: deploy/overlays/standalone with that image"
}
