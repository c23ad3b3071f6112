# shellcheck shell=bash
# The Helm chart of an image: deploy/helm, with the image in its values.

# make_chart CHART REPOSITORY VERSION EPOCH FOLDER: FOLDER/steward-chart-VERSION.tgz, with the image that make_image left in the folder, as
# it is known in the repository; the same whenever it is made of the same. Its pods go to nodes of the architectures that there are
# images for.
make_chart() {
  local chart=$1 repository=$2 version=$3 epoch=$4 folder=$5 work tag digest packed
  tag=$(sed -n 's/^ *newTag: //p' "$folder/kustomization.yaml")
  digest=$(sed -n 's/^ *digest: //p' "$folder/kustomization.yaml")
  packed=$folder/steward-chart-${version//+/-}.tgz
  work=$(mktemp -d)
  cp -R "$chart" "$work/steward"
  chmod -R u=rwX,go=rX "$work/steward"
  sed -i -E "s|^(version\|appVersion): .*|\1: $version|" "$work/steward/Chart.yaml"
  sed -i -E "/^image:/,/^imagePullSecrets:/{
    s|^  repository: .*|  repository: $repository|
    s|^  tag: .*|  tag: $tag|
    s|^  digest: .*|  digest: $digest|
  }" "$work/steward/values.yaml"
  if grep -q arm64 "$folder/kustomization.yaml"; then
    find "$work/steward/templates" -name '*.yaml' -exec sed -i '/^ *kubernetes.io\/arch: amd64$/d' {} +
    sed -i 's|^affinity: {}$|affinity: {nodeAffinity: {requiredDuringSchedulingIgnoredDuringExecution: {nodeSelectorTerms: [{matchExpressions: [{key: kubernetes.io/arch, operator: In, values: [amd64, arm64]}]}]}}}|' \
      "$work/steward/values.yaml"
  fi
  tar --create --directory="$work" --sort=name --mtime="@$epoch" --owner=0 --group=0 --numeric-owner --format=ustar steward |
    gzip -9 --no-name >"$packed"
  rm -rf "$work"
  say "made $packed, the Helm chart with that image"
}
