# shellcheck shell=bash
# ./dev up: Steward alone, on its embedded store, with the examples in it.

# The oldest minor version whose kubectl is taken from the PATH.
readonly OLDEST_KUBECTL=30

cmd_up() {
  local fresh='' leave='' data=$ROOT/.steward
  while [[ $# -gt 0 ]]; do
    case "$1" in
      --real-cluster)
        shift
        up_real_cluster "$@"
        ;;
      --node)
        [[ $# -eq 1 ]] || refuse "'up --node' takes no arguments"
        up_node
        ;;
      --fresh) fresh=1 ;;
      --exit-after-ready) leave=1 ;;
      --data-dir)
        [[ -n "${2:-}" ]] || refuse "'--data-dir' needs a folder"
        data=$(realpath -m "$2")
        shift
        ;;
      *) refuse "'up' takes --fresh, --data-dir DIR, --exit-after-ready, --real-cluster or --node, but not '$1'" ;;
    esac
    shift
  done
  prepare_machine
  build_steward
  find_kubectl
  go -C e2e build -o "$ROOT/bin/play" ./cmd/play
  (umask 077 && mkdir -p "$data")
  [[ -z "$fresh" ]] || start_over "$data"
  run_embedded "$data" "$leave"
}

# exec, so that Ctrl-C and `kill` reach the program that has to stop the cluster.
up_real_cluster() {
  prepare_machine
  build_steward
  build_cluster_tools
  go -C e2e build -o "$ROOT/bin/up" ./cmd/up
  STEWARD_BIN=$ROOT/bin/steward STEWARD_TOOLS=$(cluster_tools_dir) exec "$ROOT/bin/up" "$@"
}

# exec, as above.
up_node() {
  cmd_image
  e2e/node/node.sh build
  go -C e2e build -o "$ROOT/bin/upnode" ./cmd/upnode
  STEWARD_TOOLS=$(cluster_tools_dir) exec "$ROOT/bin/upnode" bin/image
}

# What a cluster is like while Steward is not well: docs/availability.md.
cmd_availability() {
  cmd_image
  e2e/node/node.sh build
  go -C e2e build -o "$ROOT/bin/availability" ./cmd/availability
  STEWARD_TOOLS=$(cluster_tools_dir) exec "$ROOT/bin/availability" "$@" bin/image
}

# Sets KUBECTL: that of the PATH unless it is too old, else one built from source.
find_kubectl() {
  local version
  KUBECTL=$(command -v kubectl || true)
  if [[ -n "$KUBECTL" ]]; then
    version=$("$KUBECTL" version --client -o json 2>/dev/null | sed -n 's/.*"gitVersion": *"v1\.\([0-9]*\).*/\1/p' | head -n 1)
    [[ "${version:-0}" -lt "$OLDEST_KUBECTL" ]] || return 0
  fi
  build_cluster_tools kubectl
  KUBECTL=$(cluster_tools_dir)/kubectl
}

# in_use DATA: does a process hold the data directory?
in_use() {
  [[ -e "$1/lock" ]] && ! flock --nonblock "$1/lock" true
}

start_over() {
  local data=$1
  in_use "$data" && fail "$data is in use: stop that './dev up' first"
  # Nothing but what Steward keeps there.
  rm -rf "$data"/{console.log,examples-loaded,kubeconfig,lock,log,pki,play.log} "$data"/steward.db*
}

# Runs Steward until it is told to stop. The examples are loaded once, so that what was changed since stays.
run_embedded() {
  local data=$1 leave=$2 began=$EPOCHREALTIME line='' status=0 player='' flags=()
  flags=(--data-dir "$data" --secure-port 0)
  [[ -e "$data/examples-loaded" ]] || flags+=(--load examples --strict)
  in_use "$data" && fail "$data is in use: there is another './dev up', or use --data-dir"

  # A session of its own, since Ctrl-C is passed on by the trap; and it must not outlive this script.
  exec {READY}< <(exec setsid setpriv --pdeathsig TERM bin/steward up "${flags[@]}" 2>"$data/log")
  STEWARD_PID=$!
  trap 'TRAPPED=1; kill -TERM "$STEWARD_PID" 2>/dev/null' INT TERM HUP
  while [[ "$line" != ready:* ]] && read -r -u "$READY" line; do :; done
  if [[ "$line" == ready:* ]]; then
    touch "$data/examples-loaded"
    show_embedded "$data" "$began"
    if [[ -n "$leave" ]]; then
      kill -TERM "$STEWARD_PID"
    else
      setsid setpriv --pdeathsig TERM bin/play "$data/kubeconfig" examples 2>"$data/play.log" &
      player=$!
      show_console "$data"
      say "Ctrl-C stops it; what you changed stays in $data"
    fi
  fi
  # A wait that the trap interrupts has not waited.
  while :; do
    TRAPPED='' status=0
    wait "$STEWARD_PID" || status=$?
    [[ -n "$TRAPPED" ]] || break
  done
  trap - INT TERM HUP
  [[ -z "$player" ]] || kill -TERM "$player" 2>/dev/null || true
  [[ -z "${CONSOLE_PID:-}" ]] || kill -TERM "$CONSOLE_PID" 2>/dev/null || true
  [[ $status -eq 0 ]] || fail "$(last_words "$data/log" "$status") (its log: $data/log)"
  say "stopped"
}

# show_console DATA: serves the pages, where `./dev console` has built them, and prints their address, which has a key.
show_console() {
  local data=$1 line=''
  if [[ ! -e bin/console/standalone/index.html ]]; then
    say "the same in a browser: ./dev console, and start this again"
    return
  fi
  exec {CONSOLE}< <(exec setsid setpriv --pdeathsig TERM bin/steward console --standalone --as-kubeconfig-user \
    --kubeconfig "$data/kubeconfig" --files bin/console --secure-port 0 2>"$data/console.log")
  CONSOLE_PID=$!
  read -r -u "$CONSOLE" line || true
  if [[ "$line" == 'console: '* ]]; then
    printf 'The same in a browser: %s\n' "${line#console: }"
  else
    say "its pages are not served: see $data/console.log"
  fi
}

# last_words LOG STATUS: why Steward ended, as it said or as far as one can tell.
last_words() {
  local words
  words=$(sed -n 's/^steward up: //p' "$1" | tail -n 1)
  printf '%s\n' "${words:-steward ended with status $2}"
}

show_embedded() {
  local data=$1 began=$2 now=$EPOCHREALTIME table
  table=$(KUBECONFIG=$data/kubeconfig "$KUBECTL" get installedoperators -A)
  printf 'Ready after %d ms.\n\n$ kubectl get installedoperators -A\n%s\n\n' \
    $(((${now/[.,]/} - ${began/[.,]/}) / 1000)) "$table"
  printf 'Use it from another terminal:\n  export KUBECONFIG=%q\n' "$data/kubeconfig"
  [[ "$KUBECTL" == "$(command -v kubectl || true)" ]] || printf "  export PATH=%q:\$PATH\n" "$(dirname "$KUBECTL")"
  cat <<'TEXT'
The samples' operators are played: their finalizers go 3 s after a deletion; sandbox.example.com/hangs stays, to be aborted.

Try next:
  1. One namespace, and how each operator came to it:
       kubectl get installedoperators -n payments -o wide
  2. Label a namespace, and an operator appears in it:
       kubectl label namespace web monitored=true && kubectl get installedoperators -n web
  3. Remove an operator, and it is gone from where it worked:
       kubectl delete csv -n payments-operators ledger-queue.v1.0.3 && kubectl get installedoperators -n payments
  4. The whole object: a drop-in for OLM's copy of the CSV, and the block scope:
       kubectl get installedoperators -n shop-prod tidepool-postgres.v5.3.1 -o yaml
  5. What the operators work on, and what the fields mean:
       kubectl get postgresclusters -A && kubectl explain installedoperators.scope
  6. What would become of an upgrade that waits for somebody's approval:
       kubectl get planpreviews -n monitoring

TEXT
}
