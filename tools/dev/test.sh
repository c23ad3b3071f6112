# shellcheck shell=bash
# ./dev test: runs every test in stages, counts each, goes on after a failing stage, and ends with the totals: last
# "N passed, N failed", and ", N skipped" if any were.

cmd_test() {
  local full='' base=''
  case "${1:-}" in
    '') ;;
    --full) full=1 ;;
    --changed)
      base=${2:-$(change_base)}
      [[ -n "$base" ]] || refuse "nothing tells where the change began: name a commit, as in ./dev test --changed HEAD^"
      git rev-parse --quiet --verify "$base^{commit}" >/dev/null || refuse "there is no commit '$base'"
      shift
      ;;
    *) refuse "'test' takes no argument but --full and --changed [BASE]" ;;
  esac
  [[ $# -le 1 ]] || refuse "'test' does not take '${*:2}'"
  prepare_machine

  LOGS=$ROOT/bin/test-logs
  rm -rf "$LOGS"
  mkdir -p "$LOGS"
  : >"$LOGS/totals"

  BAZEL_PID=$(bazel info server_pid 2>/dev/null)
  TARGETS=(//...)
  E2E_PACKAGES=(./...)
  if [[ -n "$base" ]]; then only_changed "$base"; fi

  # Compiling is most of the time, and waiting most of what the tests end to end do: they run beside it, as soon as there are
  # the optimised code that ships and the programs of the cluster. Every other test runs once, under AddressSanitizer, with asserts on, and those in release,
  # too, that live by their number of random schedules. The stage asan builds what no test uses, too, since there layering and
  # lock annotations are checked. --full leaves nothing out.
  trap end_beside EXIT
  # It has cosign built, which takes minutes.
  [[ -z "$full" ]] || export STEWARD_SIGNATURES=1
  ((${#E2E_PACKAGES[@]} == 0)) || begin_cluster_tools
  if [[ -n "$full" ]]; then
    stage release bazel_tests --config=release
  else
    tagged_stage optimized release bazel_tests --config=release --build_tests_only --test_tag_filters=optimized
  fi
  ((${#E2E_PACKAGES[@]} == 0)) || begin_e2e
  tagged_stage '' asan bazel_tests --config=asan
  tagged_stage concurrency clang-tsan bazel_tests --config=tsan --build_tests_only
  tagged_stage seeds fresh-seeds fresh_seeds
  if [[ -z "$base" ]] || console_changed "$base"; then stage console console_tests; fi
  # What it builds is what is there: the tests end to end, which wait most of the time, go on beside it.
  stage verify verify_tests ${full:+--full}
  end_e2e
  if [[ -n "$full" ]]; then
    stage upgrade upgrade_tests
    local module
    for module in e2e/kubernetes/*/; do stage "kubernetes-$(basename "$module")" kubernetes_tests "$module"; done
    stage node node_tests
    if [[ -z $(git status --porcelain --untracked-files=no 2>&1) ]]; then
      stage reproducible reproducible_test
    else
      say "the tree is not as committed: there is nothing to build a second time"
    fi
    stage fuzz bazel_tests --config=fuzz
    stage cleanup fresh_cleanups
    stage coverage coverage_tests
  fi

  prune_disk_cache "${STEWARD_CACHE_GIB:-10}"
  print_totals
}

# only_changed BASE: what is tested is what depends on the files that differ from the commit.
only_changed() {
  CHANGED=$LOGS/changed-targets
  changed_targets "$1" >"$CHANGED"
  TARGETS=(--target_pattern_file="$CHANGED")
  mapfile -t E2E_PACKAGES < <(changed_e2e "$1" "$CHANGED")
  say "$(wc -l <"$CHANGED") targets depend on what differs from $(git rev-parse --short "$1"), and end to end: ${E2E_PACKAGES[*]:-nothing}"
}

# tagged_stage TAG NAME FUNCTION ARGUMENTS...: a stage of the tests with the tag; left out where the change reaches none of them.
tagged_stage() {
  local tag=$1
  shift
  if [[ -n "${CHANGED:-}" ]]; then
    if [[ ! -s "$CHANGED" || -z "$(tests_of "$CHANGED" "$tag")" ]]; then
      say "the change reaches no test of the stage $1"
      return
    fi
  fi
  stage "$@"
}

# stage NAME FUNCTION ARGUMENTS...: runs the function with its output shown and kept. The function leaves
# "PASSED FAILED SKIPPED FLAKY" in $LOGS/NAME.count. A stage that fails without saying what failed counts as one failure,
# and so does one in which no test ran: it would be green whatever is broken.
stage() {
  local name=$1 start=$SECONDS cpu own=$BASHPID status=0 passed=0 failed=0 skipped=0 flaky=0
  cpu=$(cpu_seconds "$own")
  shift
  printf '\n=== %s\n' "$name"
  STAGE=$name
  "$@" || status=$?
  if [[ -s "$LOGS/$name.count" ]]; then
    read -r passed failed skipped flaky <"$LOGS/$name.count"
  fi
  if [[ $status -ne 0 && $failed -eq 0 ]]; then failed=1; fi
  if ((passed + failed + flaky == 0)); then
    say "$name tested nothing"
    failed=1
  fi
  echo "$name $passed $failed $skipped $flaky $((SECONDS - start)) $(($(cpu_seconds "$own") - cpu))" >>"$LOGS/totals"
}

# cpu_seconds PID: what the process and its ended children have taken of the processors, and Bazel's server (BAZEL_PID, if set)
# with its own, which compile and test.
cpu_seconds() {
  local pid
  for pid in "$1" "${BAZEL_PID:-none}"; do
    sed 's/^.*) //' "/proc/$pid/stat" 2>/dev/null || true
  done | awk -v hertz="$(getconf CLK_TCK)" '{ sum += $12 + $13 + $14 + $15 } END { printf "%d\n", sum / hertz }'
}

# How many flaky tests there may be in a run: more are no accident.
readonly MAX_FLAKY=2

# Flaky tests are those that say "FLAKY NAME: WHY": they gave a wrong answer and a right one when they asked again. They
# are neither passed nor failed, but more than MAX_FLAKY of them are one failure.
print_totals() {
  printf '\n=== totals\n'
  grep -ohsE 'FLAKY [^ ]+: .*' "$LOGS"/*.log || true
  print_failures
  awk -v max_flaky=$MAX_FLAKY '
       function line(name, passed, failed, skipped, flaky, seconds) {
         printf "%-12s %6d passed %4d failed %4d skipped %4d flaky %6d s\n", name, passed, failed, skipped, flaky, seconds
       }
       { line($1, $2, $3, $4, $5, $6); passed += $2; failed += $3; skipped += $4; flaky += $5; seconds += $6 }
       END {
         if (flaky > max_flaky) {
           printf "%d flaky tests are more than %d: that is a failure\n", flaky, max_flaky
           failed++
         }
         line("all", passed, failed, skipped, flaky, seconds)
         printf("%d passed, %d failed%s\n", passed, failed, (skipped > 0 ? ", " skipped " skipped" : ""))
         exit failed > 0 || passed == 0
       }' "$LOGS/totals"
}

# What failed, with the lines in which a Go test said why: whoever sees no more than the end of the output shall know.
print_failures() {
  grep -hsE '^//.* (FAILED|TIMEOUT|NO STATUS)' "$LOGS"/*.log | sort -u | head -n 40 || true
  grep -hsE -B 6 '^ *--- FAIL: ' "$LOGS/e2e.log" | grep -vE '^ *(===|--- PASS)' | cut -c 1-600 | head -n 80 || true
}

# bazel_tests OPTIONS...: builds and tests TARGETS under the options. Where the time went is left in $LOGS/STAGE.profile.gz.
bazel_tests() {
  local status log=$LOGS/$STAGE.log
  bazel test --keep_going --test_summary=short --profile="$LOGS/$STAGE.profile.gz" "$@" "${TARGETS[@]}" 2>&1 | tee "$log"
  status=${PIPESTATUS[0]}
  count_bazel_tests "$log" "$(bazel info "$@" bazel-testlogs 2>/dev/null)" >"$LOGS/$STAGE.count"
  return "$status"
}

# Random schedules that nobody has tried yet, beside the fixed ones of the other stages. The numbers are in a stage of their
# own since Bazel has no cached result for them.
fresh_seeds() {
  local status=0 seed=$((1 + SRANDOM % 4000000000))
  bazel_tests --config=asan --build_tests_only --test_tag_filters=seeds --test_env=STEWARD_SEED="$seed" || status=$?
  [[ $status -eq 0 ]] || replay_seeds "$LOGS/$STAGE.log" "$seed"
  return "$status"
}

# replay_seeds LOG SEED: of each target that failed with the seeds from SEED on, replays the one that it named last, and says with
# which command.
replay_seeds() {
  local log=$1 first=$2 testlogs target folder seed replay
  testlogs=$(bazel info --config=asan bazel-testlogs 2>/dev/null)
  while read -r target; do
    folder=$testlogs/$(sed -e 's|^//||' -e 's|:|/|' <<<"$target")
    seed=$(cat "$folder"/test.log "$folder"/shard_*/test.log 2>/dev/null | grep -oE 'STEWARD_SEED=[0-9]+' | tail -n 1)
    replay=(--config=asan --test_env="${seed:-STEWARD_SEED=$first}")
    [[ -z "$seed" || "$seed" == "STEWARD_SEED=$first" ]] || replay+=(--test_env=STEWARD_SEEDS=1)
    replay+=("$target")
    if bazel test "${replay[@]}" >"$LOGS/replay.log" 2>&1; then
      say "passes when it is replayed: bazel test ${replay[*]}"
    else
      say "fails again: bazel test ${replay[*]}"
    fi
  done < <(awk '/^\/\/[^ ]+ +FAILED/ && !/FAILED TO BUILD/ { print $1 }' "$log")
}

fresh_cleanups() {
  local TARGETS=(//controllers/cleanup:schedule_test)
  bazel_tests --config=release --test_env=STEWARD_CLEANUP_FRESH=10000
}

# Reads Bazel's summary for the targets and each target's test.xml, or that of each of its shards, for its cases. A result
# from the cache counts as the test it is of: nothing that it depends on has changed.
count_bazel_tests() {
  local log=$1 testlogs=$2 passed=0 failed=0 skipped=0 target outcome folder p f s
  while read -r target outcome; do
    folder=$testlogs/$(sed -e 's|^//||' -e 's|:|/|' <<<"$target")
    read -r p f s < <(count_cases "$folder"/test.xml "$folder"/shard_*/test.xml)
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
  echo "$passed $failed $skipped 0"
}

# count_cases FILE...: "PASSED FAILED SKIPPED" of JUnit-style files, of those that exist.
count_cases() {
  local file files=()
  for file in "$@"; do
    if [[ -f "$file" ]]; then files+=("$file"); fi
  done
  awk '/<testcase / {
         open = !/status="notrun"/
         if (open) { total++; if (/result="skipped"/) { skipped++; open = 0 } }
       }
       open && /<(failure|error)[ >]/ { failed++; open = 0 }
       END { print total - failed - skipped, failed + 0, skipped + 0 }' "${files[@]}" /dev/null
}

# What runs beside the stages: each is a process group of its own, which ends with this script.
BESIDE=()

end_beside() {
  local group
  for group in "${BESIDE[@]}"; do kill -TERM -- "-$group" 2>/dev/null || true; done
}

# begin_cluster_tools: lets the programs of the cluster be built beside the first stages. The stage e2e waits for them, and says
# what went wrong. Nobody's child, since what it takes of the processors is no stage's.
begin_cluster_tools() {
  BESIDE+=("$(
    set -m
    timed_cluster_tools >"$LOGS/tools.log" 2>&1 </dev/null &
    echo $!
  )")
}

timed_cluster_tools() {
  local start=$SECONDS own=$BASHPID
  build_cluster_tools || true
  build_console || true
  echo "tools 0 0 0 0 $((SECONDS - start)) $(BAZEL_PID='' cpu_seconds "$own")" >>"$LOGS/totals"
}

# begin_e2e: builds the programs that run end to end, which takes Bazel, and lets the stage e2e begin. Its output comes when
# it has ended.
begin_e2e() {
  local start=$SECONDS cpu built=true
  cpu=$(cpu_seconds "$BASHPID")
  say "the tests end to end run beside the next stages"
  build_e2e_programs || built=false
  echo "build 0 0 0 0 $((SECONDS - start)) $(($(cpu_seconds "$BASHPID") - cpu))" >>"$LOGS/totals"
  if [[ $built == false ]]; then
    say "there is nothing to run end to end"
    echo "e2e 0 1 0 0 0" >>"$LOGS/totals"
    return
  fi
  set -m
  BAZEL_PID='' stage e2e e2e_tests >"$LOGS/e2e.out" 2>&1 </dev/null &
  set +m
  E2E_PID=$!
  BESIDE+=("$E2E_PID")
}

# In one go, as far as they are not there.
build_e2e_programs() {
  bazel build --config=release --profile="$LOGS/build.profile.gz" \
    //cmd/steward //kube/testing/conformance:kube_conformance //examples/grpc/cpp:client &&
    build_steward && build_conformance && build_grpc_client
}

# end_e2e: waits for the stage that begin_e2e let begin, and shows what it said. One that ended before it said how it went has
# failed.
end_e2e() {
  [[ -n "${E2E_PID:-}" ]] || return 0
  wait "$E2E_PID" || true
  BESIDE=()
  E2E_PID=
  cat "$LOGS/e2e.out"
  grep -q '^e2e ' "$LOGS/totals" || echo "e2e 0 1 0 0 0" >>"$LOGS/totals"
}

e2e_tests() {
  local status=0 start=$SECONDS
  build_cluster_tools || return 1
  build_console || return 1
  echo "programs $((SECONDS - start))" >"$LOGS/e2e.times"
  (cd e2e && go vet ./...) || status=1
  (cd examples/grpc/go && go vet ./...) || status=1
  STEWARD_BIN=$ROOT/bin/steward STEWARD_TOOLS=$(cluster_tools_dir) test_e2e_packages 2>&1 | tee "$LOGS/$STAGE.log"
  [[ ${PIPESTATUS[0]} -eq 0 ]] || status=1
  count_go_tests "$LOGS/$STAGE.log" >"$LOGS/$STAGE.count"
  return "$status"
}

# test_e2e_packages: those of E2E_PACKAGES. One with a Go module of its own is no part of `./...`, and is tested by itself.
test_e2e_packages() {
  local status=0 package modules=() packages=()
  for package in "${E2E_PACKAGES[@]}"; do
    if [[ $package == ./... ]]; then mapfile -t modules < <(tested_modules); fi
    if [[ -e e2e/$package/go.mod ]]; then modules+=("$package"); else packages+=("$package"); fi
  done
  ((${#packages[@]} == 0)) || go -C e2e test -p 2 -v -count=1 -timeout 30m "${packages[@]}" || status=1
  for package in ${modules[@]+"${modules[@]}"}; do
    go -C "e2e/$package" vet ./... || status=1
    go -C "e2e/$package" test -v -count=1 -timeout 30m ./... || status=1
  done
  return "$status"
}

# tested_modules: the folders of e2e with a Go module of their own, and tests.
tested_modules() {
  local module
  for module in e2e/*/go.mod; do
    module=$(dirname "$module")
    ! compgen -G "$module/*_test.go" >/dev/null || printf './%s\n' "$(basename "$module")"
  done
}

# Types, rules, texts and tests of the pages, which need no cluster.
console_tests() {
  local status=0
  console_packages
  (cd console && npm run --silent check) 2>&1 | tee "$LOGS/$STAGE.log"
  [[ ${PIPESTATUS[0]} -eq 0 ]] || status=1
  (cd console && npm test --silent -- --reporter=default --reporter=junit --outputFile.junit="$LOGS/$STAGE.xml") 2>&1 | tee -a "$LOGS/$STAGE.log"
  [[ ${PIPESTATUS[0]} -eq 0 ]] || status=1
  count_xml_cases "$LOGS/$STAGE.xml" >"$LOGS/$STAGE.count"
  return "$status"
}

# count_xml_cases FILE: "PASSED FAILED SKIPPED FLAKY" of a JUnit-style file that names each case on a line of its own.
count_xml_cases() {
  awk '/<testcase / { total++ } /<(failure|error)[ >]/ { failed++ } /<skipped/ { skipped++ }
       END { print total - failed - skipped, failed + 0, skipped + 0, 0 }' "$1" /dev/null
}

# This build and an older one, which takes as long as a first build, once.
upgrade_tests() {
  local status=0
  build_cluster_tools || return 1
  build_older || { say "there is no program of $(older_commit): it cannot be built, or the history does not go back that far" && return 1; }
  STEWARD_OLDER_BIN=$OLDER_PROGRAM STEWARD_BIN=$ROOT/bin/steward STEWARD_TOOLS=$(cluster_tools_dir) \
    go -C e2e test -v -count=1 -timeout 30m ./upgrade 2>&1 | tee "$LOGS/$STAGE.log"
  [[ ${PIPESTATUS[0]} -eq 0 ]] || status=1
  count_go_tests "$LOGS/$STAGE.log" >"$LOGS/$STAGE.count"
  return "$status"
}

# What of e2e is run beside each release of Kubernetes that e2e/kubernetes names: what Steward promises of its API, its controllers, its
# manifests and its command.
readonly CORE_PACKAGES=(./cases ./cleanup ./controllers ./copies ./deploy ./doctor ./installplans ./operators ./payload ./plugin ./previews ./rpc)

# kubernetes_tests MODULE: beside the kube-apiserver and the kube-controller-manager that the module pins. What compares Steward's answers
# with those of a kube-apiserver does so with the release that e2e/go.mod pins alone, since others answer otherwise.
kubernetes_tests() {
  local status=0 programs
  programs=$(kubernetes_tools "$1") || return 1
  STEWARD_BIN=$ROOT/bin/steward STEWARD_TOOLS=$programs \
    go -C e2e test -p 2 -v -count=1 -timeout 30m -skip '^TestDifferential$|^TestWebSocket_LikeKubeAPIServer$' "${CORE_PACKAGES[@]}" 2>&1 | tee "$LOGS/$STAGE.log"
  [[ ${PIPESTATUS[0]} -eq 0 ]] || status=1
  count_go_tests "$LOGS/$STAGE.log" >"$LOGS/$STAGE.count"
  return "$status"
}

reproducible_test() {
  local status
  check_reproducible 2>&1 | tee "$LOGS/$STAGE.log"
  status=${PIPESTATUS[0]}
  [[ $status -ne 0 ]] || echo "1 0 0 0" >"$LOGS/$STAGE.count"
  return "$status"
}

# Steward's life on a real node. Its programs and the images are made first, so that the log of the test has its own times alone.
node_tests() {
  local status=0 older=''
  cmd_image || return 1
  if build_older_image; then older=$ROOT/bin/older-image; fi
  e2e/node/node.sh build || return 1
  STEWARD_NODE=1 STEWARD_OLDER_IMAGE=$older STEWARD_BIN=$ROOT/bin/steward STEWARD_TOOLS=$(cluster_tools_dir) \
    go -C e2e test -v -count=1 -timeout 60m ./node 2>&1 | tee "$LOGS/$STAGE.log"
  [[ ${PIPESTATUS[0]} -eq 0 ]] || status=1
  count_go_tests "$LOGS/$STAGE.log" >"$LOGS/$STAGE.count"
  return "$status"
}

# count_go_tests LOG: "PASSED FAILED SKIPPED FLAKY" of `go test -v`, package by package. A test that has subtests is not
# counted beside them, unless it alone has failed; a package that fails without a test of its own that did is one failure.
count_go_tests() {
  awk '
    match($0, /FLAKY [^ ]+: /) { flaky[substr($0, RSTART + 6, RLENGTH - 8)] = 1 }
    /^ *--- (PASS|FAIL|SKIP): / { sub(/^ */, ""); outcome[$3] = $2 }
    /^(ok|FAIL)[ \t]+[^ \t]+\// { finish($1 == "FAIL") }
    function finish(broken,    name, parent, failed_here) {
      for (name in outcome) {
        for (parent = name; sub(/\/[^\/]*$/, "", parent);) {
          if (parent in outcome) {
            has_subtests[parent] = 1
            if (outcome[name] == "FAIL:") explained[parent] = 1
          }
        }
      }
      for (name in outcome) {
        if (outcome[name] == "FAIL:") {
          if (!(name in explained)) { failed++; failed_here = 1 }
        } else if (name in flaky) {
          flakies++
        } else if (!(name in has_subtests)) {
          if (outcome[name] == "SKIP:") skipped++; else passed++
        }
      }
      if (broken && !failed_here) failed++
      delete outcome; delete flaky; delete has_subtests; delete explained
    }
    END { finish(0); print passed + 0, failed + 0, skipped + 0, flakies + 0 }' "$1"
}

verify_tests() {
  local status
  tools/verify "$@" 2>&1 | tee "$LOGS/$STAGE.log"
  status=${PIPESTATUS[0]}
  awk '/^ok / { passed++ } /^FAIL / { failed++ } /^skip / { skipped++ }
       END { print passed + 0, failed + 0, skipped + 0, 0 }' "$LOGS/$STAGE.log" >"$LOGS/$STAGE.count"
  return "$status"
}
