# shellcheck shell=bash
# ./dev console: the pages of Steward, for the OpenShift console and for themselves, in bin/console. Nothing else needs Node.js.

# console_packages: puts the packages of the lock file into console/node_modules, a link to where they are kept, one set for each
# lock file.
console_packages() {
  local kept
  have_npm || refuse "Node.js and npm are missing (Debian's packages nodejs and npm)"
  kept=$CACHE/javascript/console-$(cat console/package.json console/package-lock.json console/.npmrc | sha256sum | cut -c 1-16)
  if [[ ! -d $kept/node_modules ]]; then
    local work
    mkdir -p "$CACHE/javascript"
    work=$(mktemp -d "$CACHE/javascript/install-XXXXXX")
    cp console/package.json console/package-lock.json console/.npmrc "$work/"
    say "installing the packages of console/package-lock.json"
    (cd "$work" && npm ci >"$work/log" 2>&1) || fail "npm ci failed: see $work/log"
    # Another run may have been faster.
    mv -T "$work" "$kept" 2>/dev/null || rm -rf "$work"
  fi
  touch "$kept"
  [[ ! -e console/node_modules || -L console/node_modules ]] || rm -rf console/node_modules
  ln -sfn "$kept/node_modules" console/node_modules
}

# console_sources: what the pages are built from, as a digest.
console_sources() {
  git ls-files -z --cached --others --exclude-standard -- console | grep -zv '\.test\.tsx\?$' | sort -z | xargs -0 sha256sum 2>/dev/null |
    sha256sum | cut -d ' ' -f 1
}

# build_console: bin/console, unless it is what the sources say. One at a time.
build_console() (
  local sources
  mkdir -p bin
  exec 9>bin/console.lock
  flock 9
  sources=$(console_sources)
  [[ "$(cat bin/console/.sources 2>/dev/null)" != "$sources" ]] || return 0
  console_packages
  rm -rf bin/console
  (cd console && STEWARD_CONSOLE_OUT=$ROOT/bin/console npm run --silent build) || return 1
  printf '%s\n' "$sources" >bin/console/.sources
)

cmd_console() {
  prepare_machine
  build_console || fail "the pages were not built: see above"
  say "built bin/console"
}

