# shellcheck shell=bash
# Builds of a commit in a clone of its own: an older one, for the tests of upgrades, and the last one a second time. Expects common.sh
# and image.sh.

# older_commit: the one that the tests of upgrades name.
older_commit() { sed -n 's/^const Older = "\([0-9a-f]*\)"$/\1/p' e2e/upgrade/older.go; }

# build_apart COMMIT PROGRAM OPTIONS...: PROGRAM is Steward of a commit as it ships, built under these options of Bazel's, in a folder
# and by a server of Bazel's that end with it.
build_apart() {
  local commit=$1 program=$2 work status=0
  shift 2
  work=$(mktemp -d)
  build_in "$work" "$commit" "$program" "$@" || status=$?
  if [[ -d $work/bazel ]]; then
    (cd "$work/tree" && bazel --output_base="$work/bazel" shutdown) || true
    chmod -R u+w "$work/bazel"
  fi
  rm -rf "$work"
  return "$status"
}

build_in() {
  local work=$1 commit=$2 program=$3 folder
  shift 3
  git clone --quiet --no-checkout "$ROOT" "$work/tree" && git -C "$work/tree" checkout --quiet --detach "$commit" || return 1
  mkdir -p "$work/tree/bin"
  cp bin/machine.bazelrc "$work/tree/bin/" || return 1
  (
    cd "$work/tree" || exit 1
    bazel --output_base="$work/bazel" build --config=release "$@" //cmd/steward || exit 1
    folder=$(bazel --output_base="$work/bazel" info --config=release "$@" bazel-bin 2>/dev/null)
    install -m 0755 "$folder/cmd/steward/steward" "$program.new" && mv -f "$program.new" "$program"
  )
}

# build_older: sets OLDER_PROGRAM to the program of the older commit, which is built once and kept. False where the history does not go back
# that far.
build_older() {
  local commit folder
  commit=$(older_commit)
  folder=$CACHE/older/$commit
  OLDER_PROGRAM=$folder/steward
  mkdir -p "$CACHE/older"
  if [[ ! -x $OLDER_PROGRAM ]]; then
    git cat-file -e "$commit^{commit}" 2>/dev/null || return 1
    mkdir -p "$folder"
    (
      flock 9
      [[ -x $OLDER_PROGRAM ]] || build_apart "$commit" "$OLDER_PROGRAM"
    ) 9>"$folder.lock" || return 1
  fi
  touch "$folder"
  keep_newest 2 "$CACHE/older"
}

# build_older_image: bin/older-image has an image of the older program, as `./dev image` would leave it.
build_older_image() {
  local version commit
  build_older || return 1
  read -r version commit < <(stamp_of "$OLDER_PROGRAM")
  rm -rf bin/older-image
  make_image "$OLDER_PROGRAM" "$version" "$commit" 0 bin/older-image
}

# check_reproducible: whether the last commit, built in another folder and without a cache, makes the program that bin/steward is.
check_reproducible() {
  local work status=0
  work=$(mktemp -d)
  build_apart HEAD "$work/steward" --disk_cache= && cmp bin/steward "$work/steward" || status=1
  rm -rf "$work"
  return "$status"
}
