# shellcheck shell=bash
# ./dev image: an OCI archive of bin/steward and the pages that it serves, made without a container engine, what is known of its parts (SPDX) and
# of how it was made (SLSA provenance), and the manifests that install it. Expects find_kubectl of up.sh, registry.sh and arm64.sh.

readonly IMAGE_REPOSITORY=docker.io/library/steward
readonly OCI_INDEX=application/vnd.oci.image.index.v1+json OCI_MANIFEST=application/vnd.oci.image.manifest.v1+json
# What a provenance says in its own terms is below this; docs/image.md says what it means.
readonly PROVENANCE_ROOT=https://steward.operatorframework.io/provenance
# What the functions below look at: programs of this architecture, and the libraries and packages that are below a folder. for_arm64 of arm64.sh
# sets others.
ARCHITECTURE=amd64 SYSROOT=''
# shellcheck disable=SC2016  # dpkg-query's own variables
readonly PACKAGE_RECORD='${Package} ${Version} ${Architecture}\n'
# What an image may take, packed.
MAX_IMAGE_MIB=40

# shared_libraries PROGRAM: the files that the loader maps for it, and the loader itself, as the program names them.
shared_libraries() {
  if [[ $ARCHITECTURE == arm64 ]]; then arm64_ldd "$1"; else ldd "$1"; fi |
    sed -n 's/.*=> \(\/[^ ]*\) .*/\1/p; s/^[[:space:]]*\(\/[^ ]*ld-linux[^ ]*\) .*/\1/p' | sort -u
}

# package_of FILE: the Debian package that a file came with. Packages list some files below /lib, which is /usr/lib.
package_of() {
  local file found
  file=$(realpath "$SYSROOT$1")
  file=${file#"$SYSROOT"}
  found=$(dpkg-query -S "$file" 2>/dev/null || dpkg-query -S "${file#/usr}" 2>/dev/null) || fail "no Debian package has $1"
  head -n 1 <<<"${found%%: *}" | cut -d , -f 1
}

# header_packages: the Debian packages whose headers the program's own sources include. What such headers bring is compiled in, also
# that of libraries that are nothing but headers, which no loader maps.
header_packages() {
  local header folder found
  while read -r header; do
    for folder in "$SYSROOT/usr/include" "$SYSROOT"/usr/include/*-linux-gnu "$SYSROOT"/usr/include/c++/*; do
      if [[ -e $folder/$header ]]; then printf '%s\n' "${folder#"$SYSROOT"}/$header"; fi
    done
  done < <(program_sources | xargs -0 sed -n 's/^#include [<"]\([^>"]*\)[>"].*/\1/p' | sort -u) | xargs -r dpkg-query -S | cut -d : -f 1 | sort -u
}

# archive_packages: the Debian packages of the archives that are linked into the program (third_party/system.BUILD).
archive_packages() {
  local name file
  while read -r name; do
    for file in "$SYSROOT"/usr/lib/*-linux-gnu/"$name"; do
      if [[ -e $file ]]; then package_of "${file#"$SYSROOT"}"; fi
    done
  done < <(grep -o -- '-l:lib[^"%]*[.]a' third_party/system.BUILD | cut -c 4- | sort -u)
}

# program_sources: the C++ files of the tree, NUL-separated, but for tests and what they lean on.
program_sources() {
  cpp_files | grep -zvE '^\./(bench|e2e|examples)/|/testing/|_(test|fuzz|bench)\.cc$' |
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
    archive_packages
  } | sort -u
}

# license_texts FOLDER PACKAGE...: the texts, in a folder of its own for each package.
license_texts() {
  local folder=$1 package
  shift
  for package in "$@"; do
    mkdir -p "$folder/${package%%:*}"
    install -m 0644 "$SYSROOT/usr/share/doc/${package%%:*}/copyright" "$folder/${package%%:*}/"
  done
}

# package_records PACKAGE...: name, version and architecture of each.
package_records() { dpkg-query --show --showformat="$PACKAGE_RECORD" "$@" | sort -u; }

# ca_roots: all of those that ca-certificates has, as this machine trusts them, or as the package brings them.
ca_roots() {
  if [[ -z $SYSROOT ]]; then cat /etc/ssl/certs/ca-certificates.crt; else cat "$SYSROOT"/usr/share/ca-certificates/mozilla/*.crt; fi
}

# image_root PROGRAM ROOT: the program, the pages, its libraries, CA roots, an account, license texts, and nothing else. Prints the records of the
# packages that these, and what is compiled in, come from.
image_root() {
  local program=$1 root=$2 strip=strip library packages
  # Debian's merged layout, since that is where the libraries come from.
  mkdir -p "$root"/{usr/bin,usr/lib,usr/lib64,etc/ssl/certs,usr/share/doc/steward}
  mkdir -m 1777 "$root/tmp"
  ln -s usr/lib "$root/lib"
  ln -s usr/lib64 "$root/lib64"
  [[ $ARCHITECTURE == amd64 ]] || strip=llvm-strip-19
  install -s --strip-program="$strip" -m 0755 "$program" "$root/usr/bin/steward"
  # What ./dev console built, which `steward console` serves.
  if [[ -d bin/console/plugin ]]; then
    mkdir -p "$root/usr/share/steward/console"
    cp -R bin/console/plugin bin/console/standalone "$root/usr/share/steward/console/"
    chmod -R u=rwX,go=rX "$root/usr/share/steward"
  fi
  while read -r library; do
    mkdir -p "$root$(dirname "$library")"
    install -m 0755 "$SYSROOT$library" "$root$library"
  done < <(shared_libraries "$program")
  ca_roots >"$root/etc/ssl/certs/ca-certificates.crt"
  printf 'steward:x:65532:65532::/:/sbin/nologin\n' >"$root/etc/passwd"
  printf 'steward:x:65532:\n' >"$root/etc/group"
  printf 'hosts: files dns\n' >"$root/etc/nsswitch.conf"
  install -m 0644 LICENSE "$root/usr/share/doc/steward/"
  packages=$(all_packages "$program" ca-certificates) || return 1
  # shellcheck disable=SC2086  # one word per package
  license_texts "$root/usr/share/doc" $packages
  # shellcheck disable=SC2086  # one word per package
  package_records $packages
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

utc() { TZ=UTC date --date="@$1" +%Y-%m-%dT%H:%M:%SZ; }

# purl NAME VERSION ARCHITECTURE: the package URL of a Debian package, in which a plus sign is escaped.
purl() {
  local url="pkg:deb/debian/$1@$2?arch=$3"
  printf '%s\n' "${url//+/%2B}"
}

# spdx VERSION COMMIT CREATED RECORDS: the document of the image's parts.
spdx() {
  local version=$1 commit=$2 created=$3 records=$4 separator=$',\n' name package_version architecture id
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
  while read -r name package_version architecture; do
    printf '%s    {"SPDXID": "%s", "name": "%s", "versionInfo": "%s", "downloadLocation": "NOASSERTION", "filesAnalyzed": false, ' \
      "$separator" "$(spdx_id "$name" "$package_version" "$architecture")" "$name" "$package_version"
    printf '"licenseConcluded": "NOASSERTION", "licenseDeclared": "NOASSERTION", "copyrightText": "NOASSERTION", "supplier": "Organization: Debian", '
    printf '"externalRefs": [{"referenceCategory": "PACKAGE-MANAGER", "referenceType": "purl", "referenceLocator": "%s"}]}' \
      "$(purl "$name" "$package_version" "$architecture")"
  done <<<"$records"
  printf '\n  ],\n  "relationships": [\n'
  printf '    {"spdxElementId": "SPDXRef-DOCUMENT", "relationshipType": "DESCRIBES", "relatedSpdxElement": "SPDXRef-steward"}'
  while read -r name package_version architecture; do
    id=$(spdx_id "$name" "$package_version" "$architecture")
    printf '%s    {"spdxElementId": "SPDXRef-steward", "relationshipType": "DEPENDS_ON", "relatedSpdxElement": "%s"}' "$separator" "$id"
  done <<<"$records"
  printf '\n  ]\n}\n'
}

# spdx_id NAME VERSION ARCHITECTURE: of a package, in letters, digits, dots and dashes.
spdx_id() {
  local id=SPDXRef-$1-$2-$3
  printf '%s\n' "${id//[^A-Za-z0-9.-]/-}"
}

# build_packages: the Debian packages that compile and link, as far as they are installed.
build_packages() {
  # shellcheck disable=SC2016  # dpkg-query's own variables
  sed -n '/^# Build system and compilers/,/^$/p' tools/packages.txt | grep -v '^#' |
    xargs -r dpkg-query --show --showformat='${db:Status-Abbrev} ${Package}\n' 2>/dev/null | sed -n 's/^ii *//p'
}

# provenance NAME DIGEST VERSION COMMIT PLATFORMS RECORDS: an in-toto statement of what an image was made of, with SLSA's predicate. It names
# no time, so that the same commit makes the same statement.
provenance() {
  local name=$1 digest=$2 version=$3 commit=$4 platforms=$5 records=$6 separator='' package package_version architecture
  cat <<JSON
{
  "_type": "https://in-toto.io/Statement/v1",
  "subject": [{"name": "$name", "digest": {"sha256": "${digest#sha256:}"}}],
  "predicateType": "https://slsa.dev/provenance/v1",
  "predicate": {
    "buildDefinition": {
      "buildType": "$PROVENANCE_ROOT/image/v1",
      "externalParameters": {"version": "$version", "platforms": ["${platforms// /\", \"}"]},
      "resolvedDependencies": [
JSON
  if [[ $commit != unknown ]]; then
    printf '        {"name": "source", "digest": {"gitCommit": "%s"}}' "$(whole_commit "$commit")"
    separator=$',\n'
  fi
  while read -r package package_version architecture; do
    printf '%s        {"uri": "%s"}' "$separator" "$(purl "$package" "$package_version" "$architecture")"
    separator=$',\n'
  done < <({ printf '%s\n' "$records" && build_packages | xargs -r dpkg-query --show --showformat="$PACKAGE_RECORD"; } | sort -u)
  printf '\n      ]\n    },\n    "runDetails": {"builder": {"id": "%s/builder/v1"}}\n  }\n}\n' "$PROVENANCE_ROOT"
}

# whole_commit COMMIT: with all its digits, where this repository has it.
whole_commit() { git rev-parse --quiet --verify "$1^{commit}" 2>/dev/null || printf '%s\n' "$1"; }

# image_blobs LAYOUT ROOT ARCHITECTURE EPOCH CONFIG NAME: adds to an OCI layout an image of one layer, the files below ROOT, and prints its
# descriptor. CONFIG are members of its configuration, which say how it runs. LAYOUT/manifest.json describes it to engines that load no
# OCI layout, unless another image is there already.
image_blobs() {
  local layout=$1 root=$2 architecture=$3 epoch=$4 config=$5 name=$6 created diff layer layer_size config_size size
  created=$(utc "$epoch")
  archive "$root" "$epoch" >"$layout/layer.tar"
  diff=$(sha256sum "$layout/layer.tar" | cut -d ' ' -f 1)
  gzip -9 --no-name "$layout/layer.tar"
  layer_size=$(size_of "$layout/layer.tar.gz")
  layer=$(blob "$layout/layer.tar.gz" "$layout")
  printf '{"architecture":"%s","os":"linux","created":"%s","config":{%s},"rootfs":{"type":"layers","diff_ids":["sha256:%s"]},"history":[{"created":"%s","created_by":"./dev image"}]}' \
    "$architecture" "$created" "$config" "$diff" "$created" >"$layout/config.json"
  config_size=$(size_of "$layout/config.json")
  config=$(blob "$layout/config.json" "$layout")
  [[ -e $layout/manifest.json ]] ||
    printf '[{"Config":"blobs/sha256/%s","RepoTags":["%s"],"Layers":["blobs/sha256/%s"]}]' "$config" "$name" "$layer" >"$layout/manifest.json"
  printf '{"schemaVersion":2,"mediaType":"%s","config":{"mediaType":"application/vnd.oci.image.config.v1+json","digest":"sha256:%s","size":%d},"layers":[{"mediaType":"application/vnd.oci.image.layer.v1.tar+gzip","digest":"sha256:%s","size":%d}]}' \
    "$OCI_MANIFEST" "$config" "$config_size" "$layer" "$layer_size" >"$layout/image.json"
  size=$(size_of "$layout/image.json")
  printf '{"mediaType":"%s","digest":"sha256:%s","size":%d,"platform":{"architecture":"%s","os":"linux"}}\n' \
    "$OCI_MANIFEST" "$(blob "$layout/image.json" "$layout")" "$size" "$architecture"
}

# oci_archive OUT EPOCH CONFIG REPOSITORY TAG ARCHITECTURE=ROOT...: an index of one image for each architecture, by its tag and by its
# digest, so that a node that has loaded it knows it by either. Prints the index's digest. Every file in it has the time EPOCH, so
# that the same files make the same index.
oci_archive() {
  local out=$1 epoch=$2 config=$3 repository=$4 tag=$5 each images='' work index size entry
  shift 5
  work=$(mktemp -d)
  mkdir -p "$work/blobs/sha256"
  for each in "$@"; do
    images+=${images:+,}$(image_blobs "$work" "${each#*=}" "${each%%=*}" "$epoch" "$config" "$repository:$tag")
  done
  printf '{"schemaVersion":2,"mediaType":"%s","manifests":[%s]}' "$OCI_INDEX" "$images" >"$work/images.json"
  size=$(size_of "$work/images.json")
  index=$(blob "$work/images.json" "$work")
  entry=$(printf '{"mediaType":"%s","digest":"sha256:%s","size":%d,"annotations":{"io.containerd.image.name":"%s' \
    "$OCI_INDEX" "$index" "$size" "$repository")
  printf '{"imageLayoutVersion":"1.0.0"}' >"$work/oci-layout"
  printf '{"schemaVersion":2,"mediaType":"%s","manifests":[%s:%s","org.opencontainers.image.ref.name":"%s"}},%s@sha256:%s"}}]}' \
    "$OCI_INDEX" "$entry" "$tag" "$tag" "$entry" "$index" >"$work/index.json"
  archive "$work" "$epoch" >"$out"
  rm -rf "$work"
  printf 'sha256:%s\n' "$index"
}

# image_component TAG DIGEST PLATFORMS: a component that names an image, for overlays. Pods go to nodes of amd64, unless the image is for more.
image_component() {
  cat <<YAML
# The image that was made, for an overlay that names this folder under \`components\`. Its registry is named there, if it is not here.
apiVersion: kustomize.config.k8s.io/v1alpha1
kind: Component
images:
- name: steward
  newTag: $1
  digest: $2
YAML
  [[ $3 != linux/amd64 ]] || return 0
  cat <<YAML
patches:
- target: {kind: Deployment, labelSelector: app.kubernetes.io/part-of=steward}
  patch: |
    apiVersion: apps/v1
    kind: Deployment
    metadata: {name: each}
    spec:
      template:
        spec:
          nodeSelector: {kubernetes.io/arch: null}
          affinity:
            nodeAffinity:
              requiredDuringSchedulingIgnoredDuringExecution:
                nodeSelectorTerms:
                - matchExpressions: [{key: kubernetes.io/arch, operator: In, values: [$(sed -E 's|linux/||g; s/ /, /g' <<<"$3")]}]
YAML
}

# make_image PROGRAM VERSION COMMIT EPOCH FOLDER [ARM64-PROGRAM]: FOLDER/steward-VERSION.tar, FOLDER/steward-VERSION.spdx.json and
# .provenance.json, and a component that names the image, FOLDER/kustomization.yaml; the same whenever they are made of the same program
# and libraries.
make_image() {
  local program=$1 version=$2 commit=$3 epoch=$4 folder=$5 arm64=${6:-} work tag records config digest size platforms=linux/amd64 images
  # A tag has no plus sign.
  tag=${version//+/-}
  work=$(mktemp -d)
  mkdir -p "$folder"
  mkdir -m 0755 "$work/amd64" "$work/arm64"
  records=$(umask 022 && image_root "$program" "$work/amd64") || return 1
  images=("amd64=$work/amd64")
  if [[ -n $arm64 ]]; then
    records+=$'\n'$(umask 022 && for_arm64 image_root "$arm64" "$work/arm64") || return 1
    images+=("arm64=$work/arm64")
    platforms+=' linux/arm64'
  fi
  records=$(sort -u <<<"$records")
  config=$(printf '"User":"65532:65532","Entrypoint":["/usr/bin/steward"],"Env":["PATH=/usr/bin"],"WorkingDir":"/","Labels":{"org.opencontainers.image.title":"steward","org.opencontainers.image.version":"%s","org.opencontainers.image.revision":"%s","org.opencontainers.image.licenses":"Apache-2.0"}' \
    "$version" "$commit")
  digest=$(oci_archive "$folder/steward-$tag.tar" "$epoch" "$config" "$IMAGE_REPOSITORY" "$tag" "${images[@]}")
  spdx "$version" "$commit" "$(utc "$epoch")" "$records" >"$folder/steward-$tag.spdx.json"
  provenance "$IMAGE_REPOSITORY" "$digest" "$version" "$commit" "$platforms" "$records" >"$folder/steward-$tag.provenance.json"
  image_component "$tag" "$digest" "$platforms" >"$folder/kustomization.yaml"
  rm -rf "$work"
  size=$(size_of "$folder/steward-$tag.tar")
  ((size <= (MAX_IMAGE_MIB << 20) * ${#images[@]})) || fail "an image of $((size >> 20)) MiB is larger than $MAX_IMAGE_MIB"
  say "made $folder/steward-$tag.tar: $IMAGE_REPOSITORY:$tag@$digest, $((size >> 20)) MiB, for $platforms"
}

# render_install KUBECTL FOLDER OVERLAY FILE: the manifests of an overlay in one file, with the image that FOLDER/kustomization.yaml names. One
# that is in no registry is named as a node knows it that has loaded the archive.
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

# image_options ARGUMENTS...: sets PUSH_TO, SIGN_KEY, INSECURE and WITH_ARM64 to what ./dev image was asked for.
image_options() {
  PUSH_TO='' SIGN_KEY='' INSECURE='' WITH_ARM64=''
  while [[ $# -gt 0 ]]; do
    case "$1" in
      --push | --sign-key)
        [[ -n ${2:-} ]] || refuse "'image $1' needs a value"
        if [[ $1 == --push ]]; then PUSH_TO=$2; else SIGN_KEY=$2; fi
        shift
        ;;
      --push=*) PUSH_TO=${1#*=} ;;
      --sign-key=*) SIGN_KEY=${1#*=} ;;
      --insecure) INSECURE=1 ;;
      --arch=amd64) WITH_ARM64='' ;;
      --arch=amd64,arm64 | --arch=arm64,amd64) WITH_ARM64=1 ;;
      --arch*) refuse "'image' takes --arch=amd64 and --arch=amd64,arm64" ;;
      *) refuse "'image' knows no '$1'" ;;
    esac
    shift
  done
  if [[ -n $PUSH_TO ]]; then
    check_repository "$PUSH_TO" "$INSECURE"
  else
    [[ -z $SIGN_KEY$INSECURE ]] || refuse "'image' takes --sign-key and --insecure with --push alone"
  fi
  [[ -z $SIGN_KEY ]] || check_key "$SIGN_KEY"
}

cmd_image() {
  image_options "$@"
  prepare_machine
  [[ -z $PUSH_TO ]] || build_registry_tools crane ${SIGN_KEY:+cosign}
  build_steward
  if [[ -n $WITH_ARM64 ]]; then
    prepare_arm64
    build_arm64 || return 1
  fi
  build_console || fail "the pages were not built: see above"
  local version commit epoch
  read -r version commit < <(stamp_of bin/steward)
  epoch=$(git log -1 --format=%ct 2>/dev/null) || epoch=0
  rm -rf bin/image
  make_image bin/steward "$version" "$commit" "$epoch" bin/image ${WITH_ARM64:+bin/steward-arm64}
  find_kubectl
  build_launcher || return 1
  make_archive bin/steward bin/launcher "$version" "$commit" "$epoch" bin/image
  render_install "$KUBECTL" bin/image deploy/overlays/standalone bin/image/install.yaml
  make_chart deploy/helm "$IMAGE_REPOSITORY" "$version" "$epoch" bin/image
  say "made bin/image/install.yaml, deploy/overlays/standalone with that image, and bin/image/kustomization.yaml for overlays of yours"
  [[ -n $PUSH_TO ]] || return 0
  publish_image "$KUBECTL" bin/image deploy/overlays/standalone "$PUSH_TO" "$SIGN_KEY" || return 1
  make_chart deploy/helm "$PUSH_TO" "$version" "$epoch" bin/image
}
