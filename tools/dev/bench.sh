# shellcheck shell=bash
# ./dev bench: Steward beside a real kube-apiserver and servers of static files; or, with --micro, parts of it alone.

cmd_bench() {
  if [[ "${1:-}" == --micro ]]; then
    shift
    micro_benches "$@"
    return
  fi
  prepare_machine
  build_steward
  build_cluster_tools etcd kube-apiserver kubectl
  go -C e2e build -o "$ROOT/bin/bench" ./cmd/bench
  # nghttpd lies where not every user looks for programs. exec, so that Ctrl-C and `kill` reach the program that has to
  # end the servers.
  PATH=$PATH:/usr/sbin STEWARD_BIN=$ROOT/bin/steward STEWARD_TOOLS=$(cluster_tools_dir) \
    exec "$ROOT/bin/bench" --out "$ROOT/bin/bench.json" "$@"
}

# micro_benches [FLAG...]: the targets tagged `bench`, with flags of google-benchmark.
micro_benches() {
  prepare_machine
  local targets target
  targets=$(bazel query 'attr(tags, "\bbench\b", //...)')
  [[ -n "$targets" ]] || refuse "there is nothing to bench: no target has the tag 'bench'"
  # shellcheck disable=SC2086  # one word per target
  bazel build --config=release $targets
  for target in $targets; do
    say "$target"
    bazel run --config=release "$target" -- "$@"
  done
}
