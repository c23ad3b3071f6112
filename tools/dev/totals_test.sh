#!/usr/bin/env bash
# Tests the totals of ./dev test: what counts as which, and that nothing can vanish from them. Prints what is wrong.
set -uo pipefail

ROOT=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd -P)
cd "$ROOT" || exit 1
# shellcheck source=tools/dev/common.sh
source tools/dev/common.sh
# shellcheck source=tools/dev/test.sh
source tools/dev/test.sh

LOGS=$(mktemp -d)
trap 'rm -rf "$LOGS"' EXIT

# expect WHAT WANTED GOT
expect() { [[ "$2" == "$3" ]] || printf '%s: want\n%s\ngot\n%s\n' "$1" "$2" "$3"; }

# last_line COMMAND...: the last line of the totals of one stage, and how print_totals ends.
last_line() {
  : >"$LOGS/totals"
  stage one "$@" >/dev/null
  print_totals | tail -n 1
  echo "${PIPESTATUS[0]}"
}

# counts TEXT [STATUS]: a stage's function that leaves the counts.
# shellcheck disable=SC2317,SC2329  # called by name
counts() {
  echo "$1" >"$LOGS/one.count"
  return "${2:-0}"
}
# shellcheck disable=SC2317,SC2329
leaves_nothing() { rm -f "$LOGS/one.count"; }

expect 'passed' $'3 passed, 0 failed\n0' "$(last_line counts '3 0 0 0')"
expect 'failed' $'3 passed, 1 failed\n1' "$(last_line counts '3 1 0 0' 1)"
expect 'skipped is shown' $'3 passed, 0 failed, 2 skipped\n0' "$(last_line counts '3 0 2 0')"
expect 'broken without a failed test' $'3 passed, 1 failed\n1' "$(last_line counts '3 0 0 0' 1)"
expect 'some flaky ones' $'3 passed, 0 failed\n0' "$(last_line counts '3 0 0 2')"
expect 'too many flaky ones' $'3 passed, 1 failed\n1' "$(last_line counts '3 0 0 3')"
expect 'no test' $'0 passed, 1 failed\n1' "$(last_line counts '0 0 0 0')"
expect 'only skipped ones' $'0 passed, 1 failed, 9 skipped\n1' "$(last_line counts '0 0 9 0')"
expect 'no counts at all' $'0 passed, 1 failed\n1' "$(last_line leaves_nothing)"

# The stage that runs beside the others is not lost, however it ends.
# shellcheck disable=SC2317,SC2329
beside() {
  : >"$LOGS/totals"
  build_e2e_programs() { :; }
  begin_e2e >/dev/null
  end_e2e >/dev/null
  print_totals | tail -n 1
  echo "${PIPESTATUS[0]}"
}
# shellcheck disable=SC2317,SC2329
e2e_tests() { echo '5 0 1 0' >"$LOGS/e2e.count"; }
expect 'beside' $'5 passed, 0 failed, 1 skipped\n0' "$(beside)"
# shellcheck disable=SC2317,SC2329
e2e_tests() { kill -KILL "$BASHPID"; }
rm -f "$LOGS/e2e.count"
expect 'ended before it said anything' $'0 passed, 1 failed\n1' "$(beside 2>/dev/null)"

# Bazel is played: it says what it was told to test, and ends as one that found no test.
# shellcheck disable=SC2317,SC2329
bazel() {
  [[ "$1" != info ]] || { echo "$LOGS/testlogs"; return; }
  echo "asked: $*"
  return 4
}
expect 'nothing matched' $'0 passed, 1 failed\n1' "$(TARGETS=//a:b last_line bazel_tests --config=x)"
expect 'what is tested' "asked: test --keep_going --test_summary=short --profile=$LOGS/one.profile.gz --config=x //a:b" \
  "$(cat "$LOGS/one.log")"

mkdir -p "$LOGS/testlogs/a/sharded/shard_1_of_2" "$LOGS/testlogs/a/sharded/shard_2_of_2" "$LOGS/testlogs/a/cached"
echo '<testcase name="One" status="run" /><testcase name="Two" status="notrun" />' |
  sed 's/></>\n</' >"$LOGS/testlogs/a/sharded/shard_1_of_2/test.xml"
printf '<testcase name="Two" result="skipped" />\n<testcase name="Three">\n<failure message="x"/>\n</testcase>\n' \
  >"$LOGS/testlogs/a/sharded/shard_2_of_2/test.xml"
echo '<testcase name="One" status="run" />' >"$LOGS/testlogs/a/cached/test.xml"
cat >"$LOGS/bazel.log" <<'TEXT'
//a:sharded                             FAILED in 1 out of 2 in 0.1s
//a:cached                              (cached) PASSED in 0.1s
//a:plain                               PASSED in 0.1s
//a:unbuilt                             FAILED TO BUILD
TEXT
expect 'bazel' '3 2 1 0' "$(count_bazel_tests "$LOGS/bazel.log" "$LOGS/testlogs")"

cat >"$LOGS/go.log" <<'TEXT'
=== RUN   TestParent
    parent_test.go:7: FLAKY TestParent/again: watches ended early: got "a: b"
--- PASS: TestParent (0.10s)
    --- PASS: TestParent/plain (0.00s)
    --- SKIP: TestParent/skipped (0.00s)
    --- PASS: TestParent/again (0.00s)
PASS
ok  	example.com/a	0.1s
?   	example.com/b	[no test files]
--- FAIL: TestParent (0.10s)
    --- FAIL: TestParent/plain (0.00s)
    --- PASS: TestParent/again (0.00s)
--- FAIL: TestAlone (0.10s)
    --- PASS: TestAlone/child (0.10s)
FAIL
FAIL	example.com/c	0.1s
FAIL	example.com/d [build failed]
TEXT
expect 'go' '3 3 1 1' "$(count_go_tests "$LOGS/go.log")"

# A failure with fresh seeds is replayed, and the command is shown.
mkdir -p "$LOGS/testlogs/a/fresh"
printf 'STEWARD_SEED=70 STEWARD_SEEDS=40\nGoogle Test trace:\nSTEWARD_SEED=77\n' >"$LOGS/testlogs/a/fresh/test.log"
echo '//a:fresh   FAILED in 0.1s' >"$LOGS/fresh.log"
expect 'a replay' 'dev: fails again: bazel test --config=asan --test_env=STEWARD_SEED=77 --test_env=STEWARD_SEEDS=1 //a:fresh' \
  "$(replay_seeds "$LOGS/fresh.log" 70)"
expect 'what is replayed' 'asked: test --config=asan --test_env=STEWARD_SEED=77 --test_env=STEWARD_SEEDS=1 //a:fresh' \
  "$(cat "$LOGS/replay.log")"
