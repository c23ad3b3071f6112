# shellcheck shell=bash
# clang-tidy (.clang-tidy) over all sources, or over those that changed.

# Of how many files one is looked at where nothing tells what changed.
readonly TIDY_SAMPLE=16
# A change of more files is looked at in part, too: a sample, smaller the more there are. --full looks at all of them.
readonly TIDY_MOST=200

# tidy [--full]: prints findings in the sources that changed, or in all. What changed since its last look is told by Bazel's
# cache, so only the first time costs seconds for each file.
tidy() {
  local targets=//... files log status=0
  if [[ "${1:-}" != --full ]]; then
    files=$(changed_cpp_files) || return
    [[ -n "$files" ]] || return 0
    # The targets that the files belong to.
    targets=$(bazel query --noshow_progress --ui_event_filters=-info,-warning --keep_going \
      "same_pkg_direct_rdeps(set($files))") || return
    [[ -n "$targets" ]] || return 0
  fi
  log=$(mktemp)
  # shellcheck disable=SC2086  # one word per target
  bazel build --keep_going --aspects=//bazel:tidy.bzl%tidy --output_groups=tidy $targets >"$log" 2>&1 || status=$?
  if [[ $status -ne 0 ]]; then cat "$log"; fi
  rm -f "$log"
  return "$status"
}

# changed_cpp_files: the C++ files that differ from where the change began, or a sample of them. With a single commit, a sample of
# the tree. Another commit has another sample.
changed_cpp_files() {
  local base files count commit
  base=$(change_base)
  commit=$(git rev-parse --quiet --verify HEAD 2>/dev/null || echo none)
  if [[ -n "$base" ]]; then
    files=$(changed_files "$base" '*.cc' '*.h')
    count=$(wc -l <<<"$files")
    if ((count <= TIDY_MOST)); then
      echo "$files"
    else
      sample "$commit" $((count * TIDY_SAMPLE / TIDY_MOST)) <<<"$files"
    fi
  else
    cpp_files | tr '\0' '\n' | sample "$commit" "$TIDY_SAMPLE" | sed 's|^\./||'
  fi
}

# sample SEED SIZE: of the files on standard input about one in SIZE.
sample() {
  local file hash
  while IFS= read -r file; do
    hash=$(cksum <<<"$1 $file")
    ((${hash%% *} % $2 != 0)) || echo "$file"
  done
}
