# shellcheck shell=bash
# ./dev test: runs every test in stages, counts each, goes on after a failing stage, and ends with the totals.

cmd_test() {
  local full=
  case "${1:-}" in
    '') ;;
    --full) full=1 ;;
    *) refuse "'test' takes no argument but --full" ;;
  esac
  prepare_machine

  LOGS=$ROOT/bin/test-logs
  rm -rf "$LOGS"
  mkdir -p "$LOGS"
  : >"$LOGS/totals"

  # Compiling is most of the time. So every test runs once, under AddressSanitizer, with asserts on; the optimised code
  # that ships runs end to end, and those tests beside it that live by their number of random schedules; clang compiles
  # what ThreadSanitizer's tests are made of, where layering and lock annotations are errors. --full leaves nothing out.
  local all=()
  if [[ -z "$full" ]]; then all=(--build_tests_only); fi
  stage asan bazel_tests --config=asan --build_tests_only
  if [[ -n "$full" ]]; then
    stage release bazel_tests --config=release
  else
    stage release bazel_tests --config=release --build_tests_only --test_tag_filters=optimized
  fi
  stage clang-tsan bazel_tests --config=tsan "${all[@]}"
  stage e2e e2e_tests
  stage verify verify_tests
  if [[ -n "$full" ]]; then
    stage fuzz bazel_tests --config=fuzz
    TARGETS=//controllers/cleanup:schedule_test stage cleanup bazel_tests --config=release \
      --test_env=STEWARD_CLEANUP_SCHEDULES=10000 --test_timeout=1500
  fi

  prune_disk_cache "${STEWARD_CACHE_GIB:-10}"
  print_totals
}

# stage NAME FUNCTION ARGUMENTS...: runs the function with its output shown and kept. The function leaves
# "PASSED FAILED SKIPPED" in $LOGS/NAME.count; a stage that fails without saying what failed counts as one failure.
stage() {
  local name=$1 start=$SECONDS status=0 passed=0 failed=0 skipped=0
  shift
  printf '\n=== %s\n' "$name"
  STAGE=$name
  "$@" || status=$?
  if [[ -s "$LOGS/$name.count" ]]; then
    read -r passed failed skipped <"$LOGS/$name.count"
  fi
  if [[ $status -ne 0 && $failed -eq 0 ]]; then failed=1; fi
  echo "$name $passed $failed $skipped $((SECONDS - start))" >>"$LOGS/totals"
}

print_totals() {
  printf '\n=== totals\n'
  awk '{ printf "%-12s %6d passed %4d failed %4d skipped %6d s\n", $1, $2, $3, $4, $5
         passed += $2; failed += $3; skipped += $4; seconds += $5 }
       END {
         printf "%-12s %6d passed %4d failed %4d skipped %6d s\n", "all", passed, failed, skipped, seconds
         printf "%d passed, %d failed\n", passed, failed
         exit failed > 0 || passed == 0
       }' "$LOGS/totals"
}

# bazel_tests OPTIONS...: builds and tests everything, or TARGETS, under the options.
bazel_tests() {
  local status log=$LOGS/$STAGE.log
  bazel test --keep_going --test_summary=short "$@" "${TARGETS:-//...}" 2>&1 | tee "$log"
  status=${PIPESTATUS[0]}
  count_bazel_tests "$log" "$(bazel info "$@" bazel-testlogs 2>/dev/null)" >"$LOGS/$STAGE.count"
  # 4: everything was built and no test matched, which is no failure.
  [[ $status -eq 0 || $status -eq 4 ]]
}

# Reads Bazel's summary for the targets and each target's test.xml for its cases.
count_bazel_tests() {
  local log=$1 testlogs=$2 passed=0 failed=0 skipped=0 target outcome p f s
  while read -r target outcome; do
    read -r p f s < <(count_cases "$testlogs/$(sed -e 's|^//||' -e 's|:|/|' <<<"$target")/test.xml")
    if [[ "$outcome" == PASSED ]]; then
      # A test program that writes no cases is one test.
      if ((p + f + s == 0)); then p=1; fi
    elif [[ "$outcome" != FAILED || $f -eq 0 ]]; then
      # It did not build, ran out of time, or broke outside of its cases (a leak found at exit, say).
      f=$((f + 1))
    fi
    passed=$((passed + p)) failed=$((failed + f)) skipped=$((skipped + s))
  done < <(awk '/^\/\/[^ ]+ +(\(cached\) +)?(PASSED|FAILED|TIMEOUT|FLAKY|INCOMPLETE|NO STATUS|REMOTE FAILURE)/ {
                  outcome = $2 == "(cached)" ? $3 : $2
                  if (/FAILED TO BUILD/) outcome = "UNBUILT"
                  print $1, outcome
                }' "$log")
  echo "$passed $failed $skipped"
}

# count_cases FILE: "PASSED FAILED SKIPPED" of a JUnit-style file; zeros if it does not exist.
count_cases() {
  [[ -f "$1" ]] || { echo 0 0 0; return; }
  awk '/<testcase / {
         open = !/status="notrun"/
         if (open) { total++; if (/result="skipped"/) { skipped++; open = 0 } }
       }
       open && /<(failure|error)[ >]/ { failed++; open = 0 }
       END { print total - failed - skipped, failed + 0, skipped + 0 }' "$1"
}

e2e_tests() {
  local status=0
  build_steward || return 1
  build_conformance || return 1
  build_grpc_client || return 1
  build_cluster_tools || return 1
  (cd e2e && go vet ./...) || status=1
  (cd examples/grpc/go && go vet ./...) || status=1
  STEWARD_BIN=$ROOT/bin/steward STEWARD_TOOLS=$(cluster_tools_dir) \
    go -C e2e test -p 1 -v -count=1 -timeout 30m ./... 2>&1 | tee "$LOGS/$STAGE.log"
  [[ ${PIPESTATUS[0]} -eq 0 ]] || status=1
  awk '/^ *--- PASS:/ { passed++ } /^ *--- FAIL:/ { failed++ } /^ *--- SKIP:/ { skipped++ }
       END { print passed + 0, failed + 0, skipped + 0 }' "$LOGS/$STAGE.log" >"$LOGS/$STAGE.count"
  return "$status"
}

verify_tests() {
  local status
  tools/verify 2>&1 | tee "$LOGS/$STAGE.log"
  status=${PIPESTATUS[0]}
  awk '/^ok / { passed++ } /^FAIL / { failed++ } END { print passed + 0, failed + 0, 0 }' "$LOGS/$STAGE.log" \
    >"$LOGS/$STAGE.count"
  return "$status"
}
