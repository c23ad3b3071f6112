#!/usr/bin/env bash
# Builds the OpenShift console from a bare mirror of openshift/console, for the tests of the plugin in it: 10 minutes and 3 GiB on two
# cores, once for each commit. Prints the folder that has `bridge` and `public/`; with "find" in place of "build" only where it is there.
#
#   e2e/browser/openshift.sh find|build [MIRROR]
set -euo pipefail

# The commit that the plugin's tests were written against. Another one is taken with STEWARD_OPENSHIFT_CONSOLE_COMMIT.
COMMIT=${STEWARD_OPENSHIFT_CONSOLE_COMMIT:-da1f132490}

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd -P)
mirrors=${STEWARD_MIRRORS:-$root/../.mirror}
mirror=${2:-$mirrors/openshift+console/repo}
kept=${XDG_CACHE_HOME:-$HOME/.cache}/steward/openshift-console/$COMMIT

refuse() {
  printf 'openshift.sh: %s\n' "$*" >&2
  exit 2
}

case "${1:-}" in
  find)
    [[ -x $kept/bridge ]] || refuse "the console of $COMMIT is not built (e2e/browser/openshift.sh build)"
    printf '%s\n' "$kept"
    exit
    ;;
  build) ;;
  *) refuse "usage: openshift.sh find|build [MIRROR]" ;;
esac
if [[ -x $kept/bridge ]]; then
  printf '%s\n' "$kept"
  exit
fi
[[ -d $mirror ]] || refuse "there is no mirror of openshift/console in $mirror"
for program in node npm go python3; do command -v "$program" >/dev/null || refuse "$program is missing"; done

work=$(mktemp -d "${TMPDIR:-/tmp}/openshift-console-XXXXXX")
trap 'rm -rf "$work"' EXIT
git clone --quiet --shared "$mirror" "$work/source" >&2
git -C "$work/source" checkout --quiet "$COMMIT" >&2
cd "$work/source"

# Packages of its lock file that registries do not serve are taken in other versions, or as types alone.
stub() {
  mkdir -p "stubs/$1"
  printf '{"name": "%s", "version": "%s", "main": "index.js", "types": "index.d.ts"}\n' "$2" "$3" >"stubs/$1/package.json"
  echo 'module.exports = {};' >"stubs/$1/index.js"
  printf '%s\n' "$4" >"stubs/$1/index.d.ts"
}
stub api-types @openshift/api-types 1.0.0 'export type OwnerReference = any;
export type ManagedFieldsEntry = any;
export type ObjectMetadata = any;
export type K8sResourceCommon = any;'
stub shipwright @kubernetes-models/shipwright 0.2.0 'export {};'
python3 - <<'PY'
import json
path = 'frontend/package.json'
package = json.load(open(path))
package.setdefault('resolutions', {}).update({
    '@patternfly/react-data-view': '6.4.0',
    '@patternfly/react-catalog-view-extension': '6.3.0',
    '@patternfly/react-user-feedback': '6.3.0',
    'i18next-v4-format-converter': '1.1.1',
    '@openshift/api-types': 'file:../stubs/api-types',
    '@kubernetes-models/shipwright': 'file:../stubs/shipwright',
})
json.dump(package, open(path, 'w'), indent=2)
PY
# That version of data-view has it in a module of its own.
python3 - <<'PY'
import re
path = 'frontend/packages/console-app/src/components/data-view/ConsoleDataView.tsx'
text = open(path).read()
def alone(match):
    names = [name.strip() for name in match.group(1).split(',') if name.strip()]
    rest = [name for name in names if name != 'DataViewFilters']
    lines = "import { DataViewFilters } from '@patternfly/react-data-view/dist/esm/DataViewFilters';\n"
    return lines + ("import { %s } from '@patternfly/react-data-view';" % ', '.join(rest) if rest else '')
text = re.sub(r"import \{([^}]*\bDataViewFilters\b[^}]*)\} from '@patternfly/react-data-view';", alone, text)
open(path, 'w').write(text)
PY

mkdir "$work/bin"
yarn=$(compgen -G "$PWD/frontend/.yarn/releases/yarn-*.cjs" | head -n 1)
printf '#!/bin/sh\nexec node %q "$@"\n' "$yarn" >"$work/bin/yarn"
chmod +x "$work/bin/yarn"
PATH=$work/bin:$PATH
YARN_NPM_REGISTRY_SERVER=$(npm config get registry | sed 's,/$,,')
export PATH YARN_NPM_REGISTRY_SERVER OPENSHIFT_CI=true CYPRESS_INSTALL_BINARY=0

(cd frontend && nice yarn install) >"$work/install.log" 2>&1 || {
  tail -n 30 "$work/install.log" >&2
  exit 1
}
# Its type checker complains of what the stubs lack, and the build ends with 1: what counts is the page.
(cd frontend && nice yarn dev-once) >"$work/build.log" 2>&1 || true
if grep -q 'Module not found' "$work/build.log" || [[ ! -s frontend/public/dist/index.html ]]; then
  grep -m 20 -A 3 'Module not found\|ERROR' "$work/build.log" >&2 || tail -n 30 "$work/build.log" >&2
  exit 1
fi
nice go build -mod=vendor -o bridge ./cmd/bridge >&2

rm -rf "$kept.new"
mkdir -p "$kept.new"
cp -R frontend/public/dist "$kept.new/public"
mv bridge "$kept.new/bridge"
rm -rf "$kept"
mv "$kept.new" "$kept"
printf '%s\n' "$kept"
