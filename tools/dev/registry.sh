# shellcheck shell=bash
# The part of ./dev image that is for registries: pushes what image.sh made, with its documents, and signs it. crane and cosign, which
# e2e/registry/go.mod pins, do so. Expects common.sh and image.sh.

registry_tools_dir() {
  local key
  key=$({ cat e2e/registry/go.mod e2e/registry/go.sum && declare -f build_registry_tools; } | sha256sum)
  printf '%s/registry-tools/%s\n' "$CACHE" "${key:0:16}"
}

# build_registry_tools PROGRAM...: crane or cosign, built once per version. Sets REGISTRY_TOOLS to their folder.
build_registry_tools() {
  local program package
  REGISTRY_TOOLS=$(registry_tools_dir)
  mkdir -p "$REGISTRY_TOOLS"
  for program in "$@"; do
    case "$program" in
      crane) package=github.com/google/go-containerregistry/cmd/crane ;;
      cosign) package=github.com/sigstore/cosign/v2/cmd/cosign ;;
      *) fail "there is no program '$program'" ;;
    esac
    (
      flock 9
      if [[ ! -x $REGISTRY_TOOLS/$program ]]; then
        say "building $program"
        cd e2e/registry && go build -buildvcs=false -ldflags '-s -w' -o "$REGISTRY_TOOLS/$program.new" "$package" &&
          mv "$REGISTRY_TOOLS/$program.new" "$REGISTRY_TOOLS/$program"
      fi
    ) 9>"$REGISTRY_TOOLS.lock" || fail "$program is not built: see above"
  done
  touch "$REGISTRY_TOOLS"
  keep_newest 2 "$CACHE/registry-tools"
}

# check_repository REPOSITORY INSECURE: refuses what is no REGISTRY/NAME, and registries that crane and cosign would speak plain HTTP to. On
# loopback they may where INSECURE is not empty.
check_repository() {
  local repository=$1 insecure=$2 host=${1%%/*} address
  [[ $repository =~ ^[^/@]+(/[a-z0-9]+([._-]+[a-z0-9]+)*)+$ && $host == *[.:]* ]] ||
    refuse "'$repository' is no registry and repository, such as registry.example.com/steward"
  address=${host%:*}
  case "$address" in
    localhost | *.localhost | 127.0.0.1 | '[::1]')
      [[ -n $insecure ]] || refuse "plain HTTP may be spoken to $host: --insecure allows that"
      return
      ;;
  esac
  [[ -z $insecure ]] || refuse "--insecure is for registries on loopback, which $host is not"
  [[ ! $address =~ ^(10\.|192\.168\.|172\.(1[6-9]|2[0-9]|3[01])\.)[0-9.]+$ ]] ||
    refuse "plain HTTP might be spoken to $host: name the registry as its certificate does"
}

# check_key FILE: refuses a key of cosign's that cannot be used. Nobody is asked for its password.
check_key() {
  [[ -r $1 ]] || refuse "there is no key $1"
  [[ -v COSIGN_PASSWORD ]] || refuse "COSIGN_PASSWORD is not set, which is the password of $1"
}

# or_fail WHAT COMMAND...: runs it. Where it fails, its last line says why, and nothing else of it is shown.
or_fail() {
  local what=$1 output
  shift
  output=$("$@" 2>&1 </dev/null) || fail "$what: $(grep . <<<"$output" | tail -n 1 |
    sed -E 's/^(main\.go:[0-9]+: |error during command execution: |Error: )*//')"
}

# one_entry LAYOUT DESCRIPTOR: the layout is of that alone.
one_entry() {
  printf '{"imageLayoutVersion":"1.0.0"}' >"$1/oci-layout"
  printf '{"schemaVersion":2,"mediaType":"%s","manifests":[%s]}' "$OCI_INDEX" "$2" >"$1/index.json"
}

# push_document LAYOUT REPOSITORY TYPE FILE SUBJECT: a document that refers to what SUBJECT describes, so that registries list it by that. LAYOUT is
# a folder to be made.
push_document() {
  local layout=$1 repository=$2 type=$3 file=$4 subject=$5 name size document empty digest
  name=$(basename "$file")
  mkdir -p "$layout/blobs/sha256"
  cp "$file" "$layout/document"
  size=$(size_of "$layout/document")
  document=$(blob "$layout/document" "$layout")
  printf '{}' >"$layout/empty"
  empty=$(blob "$layout/empty" "$layout")
  printf '{"schemaVersion":2,"mediaType":"%s","artifactType":"%s","config":{"mediaType":"application/vnd.oci.empty.v1+json","digest":"sha256:%s","size":2},"layers":[{"mediaType":"%s","digest":"sha256:%s","size":%d,"annotations":{"org.opencontainers.image.title":"%s"}}],"subject":%s}' \
    "$OCI_MANIFEST" "$type" "$empty" "$type" "$document" "$size" "$name" "$subject" >"$layout/manifest"
  size=$(size_of "$layout/manifest")
  digest=$(blob "$layout/manifest" "$layout")
  one_entry "$layout" "$(printf '{"mediaType":"%s","digest":"sha256:%s","size":%d}' "$OCI_MANIFEST" "$digest" "$size")"
  or_fail "$name was not pushed to $repository" "$REGISTRY_TOOLS/crane" push "$layout" "$repository@sha256:$digest"
}

# sign_image IMAGE KEY PREDICATE SPDX: with cosign, beside the image; COSIGN_PASSWORD is the key's. Nothing is written to a public log.
sign_image() {
  local image=$1 key=$2 predicate=$3 spdx=$4 cosign=$REGISTRY_TOOLS/cosign
  or_fail "$image was not signed" "$cosign" sign --yes --tlog-upload=false --key "$key" "$image"
  or_fail "the provenance of $image was not signed" \
    "$cosign" attest --yes --tlog-upload=false --replace --key "$key" --type slsaprovenance1 --predicate "$predicate" "$image"
  or_fail "the parts of $image were not signed" \
    "$cosign" attest --yes --tlog-upload=false --replace --key "$key" --type spdxjson --predicate "$spdx" "$image"
}

# push_image WORK FOLDER TAG DIGEST REPOSITORY KEY: the image that FOLDER has, its documents beside it, signed if there is a KEY. The tag comes
# last: where there is one, the rest is there.
push_image() {
  local work=$1 folder=$2 tag=$3 digest=$4 repository=$5 key=$6 size subject
  local image=$repository@$digest provenance=$work/steward-$tag.provenance.json
  mkdir "$work/image"
  tar -xf "$folder/steward-$tag.tar" -C "$work/image" || fail "$folder/steward-$tag.tar cannot be read"
  size=$(size_of "$work/image/blobs/sha256/${digest#sha256:}")
  subject=$(printf '{"mediaType":"%s","digest":"%s","size":%d}' "$OCI_INDEX" "$digest" "$size")
  one_entry "$work/image" "$subject"
  or_fail "the image was not pushed to $repository" "$REGISTRY_TOOLS/crane" push "$work/image" "$image"
  push_document "$work/provenance" "$repository" application/vnd.in-toto+json "$provenance" "$subject"
  push_document "$work/spdx" "$repository" application/spdx+json "$folder/steward-$tag.spdx.json" "$subject"
  if [[ -n $key ]]; then
    python3 -c 'import json, sys; json.dump(json.load(sys.stdin)["predicate"], sys.stdout)' <"$provenance" >"$work/predicate.json" ||
      fail "$provenance is no statement"
    sign_image "$image" "$key" "$work/predicate.json" "$folder/steward-$tag.spdx.json"
  fi
  or_fail "$image was not tagged" "$REGISTRY_TOOLS/crane" tag "$image" "$tag"
}

# registered_component FILE REPOSITORY: what image_component made, for an image that is in a registry.
registered_component() { sed "/^  newName: /d; s|^- name: steward$|&\n  newName: $2|" "$1"; }

# publish_image KUBECTL FOLDER OVERLAY REPOSITORY KEY: pushes the image that make_image left in a folder, and names it there as it is in the
# registry. Where the registry refuses anything, the folder stays as it was.
publish_image() {
  local kubectl=$1 folder=$2 overlay=$3 repository=$4 key=$5 work tag digest status=0
  tag=$(sed -n 's/^  newTag: //p' "$folder/kustomization.yaml")
  digest=$(sed -n 's/^  digest: //p' "$folder/kustomization.yaml")
  work=$(mktemp -d)
  (
    sed "s|^  \"subject\": \[{\"name\": \"[^\"]*\"|  \"subject\": [{\"name\": \"$repository\"|" "$folder/steward-$tag.provenance.json" >"$work/steward-$tag.provenance.json"
    push_image "$work" "$folder" "$tag" "$digest" "$repository" "$key"
    mkdir "$work/component"
    registered_component "$folder/kustomization.yaml" "$repository" >"$work/component/kustomization.yaml"
    render_install "$kubectl" "$work/component" "$overlay" "$work/install.yaml" || fail "the manifests were not made"
    cp "$work/steward-$tag.provenance.json" "$work/component/kustomization.yaml" "$work/install.yaml" "$folder/"
  ) || status=$?
  rm -rf "$work"
  [[ $status -eq 0 ]] || return "$status"
  say "pushed $repository:$tag@$digest${key:+, signed}; $folder/install.yaml and $folder/kustomization.yaml name it"
}
