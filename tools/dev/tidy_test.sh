#!/usr/bin/env bash
# Tests which files tools/dev/tidy.sh takes for changed, in clones of a small repository. Prints what is wrong.
set -uo pipefail

ROOT=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd -P)
# shellcheck source=tools/dev/common.sh
source "$ROOT/tools/dev/common.sh"
# shellcheck source=tools/dev/changes.sh
source "$ROOT/tools/dev/changes.sh"
# shellcheck source=tools/dev/tidy.sh
source "$ROOT/tools/dev/tidy.sh"

WORK=$(mktemp -d)
trap 'rm -rf "$WORK"' EXIT
export GIT_CONFIG_GLOBAL=/dev/null GIT_CONFIG_NOSYSTEM=1
export GIT_AUTHOR_NAME=a GIT_AUTHOR_EMAIL=a@b GIT_COMMITTER_NAME=a GIT_COMMITTER_EMAIL=a@b
# So that the sample is the same each time, whose seed is a commit's hash.
export GIT_AUTHOR_DATE=2026-01-01T00:00:00Z GIT_COMMITTER_DATE=2026-01-01T00:00:00Z

# expect WHAT WANTED GOT
expect() { [[ "$2" == "$3" ]] || printf '%s: want\n%s\ngot\n%s\n' "$1" "$2" "$3"; }

# changed FOLDER: the changed files of a clone, in one line.
changed() { (cd "$WORK/$1" && changed_cpp_files | sort | tr '\n' ' '); }

# commit FOLDER FILE...: changes the files in one commit.
commit() {
  local file folder=$WORK/$1
  shift
  for file in "$@"; do echo "//" >>"$folder/$file"; done
  git -C "$folder" add . && git -C "$folder" commit -q -m x
}

clone() { git clone -q "${@:2}" "file://$WORK/origin" "$WORK/$1"; }

git init -q -b main "$WORK/origin"
commit origin old.cc gone.cc
# shellcheck disable=SC2046  # one word per file
commit origin $(seq -f 'many%g.cc' 1 64)
for i in $(seq 1 "$CHANGE_COMMITS"); do commit origin "recent$((i % 2)).h" README.md; done

clone main
expect 'the last commits of the branch' 'recent0.h recent1.h ' "$(changed main)"

clone branch
git -C "$WORK/branch" checkout -q -b mine
commit branch mine.cc
rm "$WORK/branch/gone.cc"
commit branch other.h
echo >>"$WORK/branch/old.cc"
touch "$WORK/branch/new.cc"
expect 'work on a branch of its own' 'mine.cc new.cc old.cc other.h ' "$(changed branch)"

clone large
git -C "$WORK/large" checkout -q -b mine
# shellcheck disable=SC2046  # one word per file
commit large $(seq -f 'large%g.cc' 1 400)
count=$(changed large | wc -w)
((count > 0 && count < 40)) || echo "a sample of 400 files that changed: $count"

clone shallow --depth 3
expect 'what a shallow clone has' 'recent0.h recent1.h ' "$(changed shallow)"

clone single --depth 1
count=$(changed single | wc -w)
((count > 0 && count < 30)) || echo "a sample of 68 files, where there is no history: $count"

rm -rf "$WORK/single/.git"
GIT_CEILING_DIRECTORIES=$WORK
export GIT_CEILING_DIRECTORIES
count=$(changed single | wc -w)
((count > 0 && count < 30)) || echo "a sample of 68 files, without git: $count"
