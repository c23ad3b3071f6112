# shellcheck shell=bash
# Which lines the unit tests run, as a table with a line for each room. Expects what tools/dev/test.sh does.

# coverage_tests: runs the tests and prints the table, which is kept in $LOGS/coverage.txt.
coverage_tests() {
  local profiles status=0
  profiles=$(mktemp -d)
  # %m: all runs of one library add to one file. A cached result would leave none.
  bazel_tests --config=llvm-cov --nocache_test_results \
    --test_env=LLVM_PROFILE_FILE="$profiles/%m.profraw" || status=$?
  coverage_table "$profiles" "$(bazel info --config=llvm-cov bazel-bin 2>/dev/null)" | tee "$LOGS/coverage.txt" ||
    status=1
  rm -rf "$profiles"
  return "$status"
}

# coverage_table PROFILES BINARIES: tests link each library as a shared object of its own, which says what lines it has; what
# is in headers alone is in the tests.
coverage_table() {
  local profiles=$1 binaries=$2 objects=() object
  llvm-profdata-19 merge -sparse "$profiles"/*.profraw -o "$profiles/all.profdata" || return 1
  while IFS= read -r -d '' object; do
    objects+=(-object "$object")
  done < <(find "$binaries" -type f \( -name 'lib*.so' -o -name '*_test' -perm -u+x \) -print0)
  ((${#objects[@]} > 0)) || return 1
  llvm-cov-19 export -summary-only -instr-profile="$profiles/all.profdata" "${objects[@]:1}" |
    python3 tools/coverage_table.py
}
