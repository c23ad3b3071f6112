# shellcheck shell=bash
# clang-tidy (.clang-tidy) over all sources, or over those that changed.

# Of how many files one is looked at where nothing tells what changed.
readonly TIDY_SAMPLE=16

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

# changed_cpp_files: the C++ files that differ from where the change began. With a single commit, a sample of the tree, another one
# for each commit.
changed_cpp_files() {
  local base
  base=$(change_base)
  if [[ -n "$base" ]]; then
    changed_files "$base" '*.cc' '*.h'
  else
    sample_of_cpp_files "$(git rev-parse --quiet --verify HEAD 2>/dev/null || echo none)"
  fi
}

# sample_of_cpp_files SEED
sample_of_cpp_files() {
  local file hash
  while IFS= read -r -d '' file; do
    hash=$(cksum <<<"$1 $file")
    ((${hash%% *} % TIDY_SAMPLE != 0)) || echo "${file#./}"
  done < <(cpp_files)
}
