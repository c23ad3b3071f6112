#!/usr/bin/env bash
# A real Kubernetes of one node, pods included, on a machine that can pull no images: kubelet, containerd, kube-proxy, CoreDNS,
# NetworkPolicies and a control plane.
#
#   node.sh build                  make the programs and images that are missing: minutes at first
#   node.sh run STATE [IMAGE...]   be a node with these image archives until killed; STATE/ready appears when pods can be made, and
#                                  STATE/kubeconfig is for programs on this machine
#   node.sh reboot STATE           be the node again that `run` was and that has ended, with what is on its disk
#   node.sh exec STATE COMMAND...  run a command in the node: ctr, nft, kubectl and the machine's own
#   node.sh clean STATE            remove what a node that has ended left: its folder, empty control groups
#
# The node lives in namespaces of its own (mount, network, process, IPC, host name, control group), so nothing of the machine's is
# changed or reached, and with its first process every other one, every mount, interface and rule of it ends. It ends with the
# process that `run` is. It needs root, and control groups of version 1. Version 2 is refused, since nobody has tried it: a node would
# have to move what runs in its first group aside before it could make groups for pods, the tests read and set the files of version 1,
# and the machines that this was written on have their controllers bound to that.
set -euo pipefail

HERE=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd -P)
ROOT=$(cd "$HERE/../.." && pwd -P)
cd "$ROOT"
# shellcheck source=tools/dev/common.sh
source tools/dev/common.sh
# shellcheck source=tools/dev/image.sh
source tools/dev/image.sh
# shellcheck source=e2e/node/programs.sh
source e2e/node/programs.sh
# shellcheck source=e2e/node/settings.sh
source e2e/node/settings.sh
# shellcheck source=e2e/node/inside.sh
source e2e/node/inside.sh

readonly NODE_NAME=node1 NODE_IP=10.240.0.1 SERVICE_RANGE=10.96.0.0/16 KUBERNETES_IP=10.96.0.1 POD_RANGE=10.244.0.0/24

check_can_run() {
  local group
  [[ $EUID -eq 0 ]] || refuse "a node needs root"
  [[ $(stat --file-system --format=%T /sys/fs/cgroup) != cgroup2fs ]] ||
    refuse "a node needs control groups of version 1: with version 2, which this machine has, it was never tried"
  for group in cpu cpuacct cpuset devices freezer blkio pids memory systemd; do
    [[ -w /sys/fs/cgroup/$group ]] || refuse "a node needs control groups of version 1, and this machine has no $group"
  done
  unshare --mount --net --pid --ipc --uts --cgroup --fork true 2>/dev/null || refuse "a node needs namespaces, and unshare makes none here"
}

# enter_groups STATE: control groups of the node's own, which become the roots of what it sees. For memory it stays where it is: what
# accounts for this process accounts for the pods as well.
enter_groups() {
  local state=$1 name group parent
  name=steward-node-$(sha256sum <<<"$state" | cut -c 1-8)
  printf '%s\n' "$name" >"$state/cgroup"
  sed -n 's/^[0-9]*:memory:\(.*\)/\1/p' /proc/self/cgroup >"$state/memory-cgroup"
  for group in cpu cpuacct cpuset devices freezer blkio pids systemd; do
    parent=/sys/fs/cgroup/$group$(sed -n "s/^[0-9]*:\(name=\)\?$group:\(.*\)/\2/p" /proc/self/cgroup)
    parent=${parent%/}
    mkdir -p "$parent/$name"
    if [[ $group == cpuset ]]; then
      # Without these no process can enter.
      cat "$parent/cpuset.cpus" >"$parent/$name/cpuset.cpus"
      cat "$parent/cpuset.mems" >"$parent/$name/cpuset.mems"
    fi
    # Of a busy machine one group gets as much as one process does, unless it has more shares.
    if [[ $group == cpu ]]; then echo 4096 >"$parent/$name/cpu.shares"; fi
    printf '%s\n' "$BASHPID" >"$parent/$name/cgroup.procs"
  done
}

# take_lock SECONDS: the kernel counts memory of every node under one caller together, and a kubelet takes it all for its own.
take_lock() {
  mkdir -p "$CACHE"
  exec 9>"$CACHE/node.lock"
  flock --timeout "$1" 9 || refuse "another node runs on this machine"
}

run() {
  local state port
  [[ $# -ge 1 ]] || refuse "usage: node.sh run STATE [IMAGE...]"
  check_can_run
  mkdir -p "$1"
  state=$(realpath "$1")
  shift
  [[ ! -e $state/node.pid ]] || refuse "$state is a node's already: node.sh clean $state"
  take_lock 0
  build_node
  mkdir -p "$state/images"
  [[ $# -eq 0 ]] || cp -- "$@" "$state/images/"
  port=$(python3 -c 'import socket; s = socket.socket(); s.bind(("127.0.0.1", 0)); print(s.getsockname()[1])')
  write_keys "$state"
  write_kubeconfigs "$state" "$port"
  write_settings "$state"
  printf '%s\n' "$port" >"$state/port"
  boot "$state"
}

reboot() {
  local state
  [[ $# -eq 1 ]] || refuse "usage: node.sh reboot STATE"
  check_can_run
  state=$(realpath "$1")
  [[ -s $state/port ]] || refuse "$state is no node's"
  # The last process of the one before may be ending yet.
  take_lock 10
  # No power failure leaves any. A kubelet would look into each for seconds, before it starts a pod.
  remove_groups "$state"
  rm -f "$state"/{ready,started,failed,died,node.pid,api.sock}
  boot "$state"
}

# boot STATE: becomes the node.
boot() {
  local state=$1
  printf '%s\n' "$$" >"$state/node.pid"
  # Nothing but a socket in the file system joins the machine's network and the node's. It is a child of this very process, with which
  # it ends.
  (exec 9>&- && exec env "PATH=$(node_path)" "LD_LIBRARY_PATH=$(node_libraries)" setsid setpriv --pdeathsig KILL \
    socat "TCP-LISTEN:$(cat "$state/port"),bind=127.0.0.1,reuseaddr,fork" "UNIX-CONNECT:$state/api.sock") >"$state/forward.log" 2>&1 </dev/null &
  setsid setpriv --pdeathsig KILL "$HERE/node.sh" await "$state" 9>&- </dev/null &
  enter_groups "$state"
  # unshare itself keeps the lock, and its end is the node's.
  exec unshare --mount --propagation private --net --pid --ipc --uts --cgroup --fork --kill-child --mount-proc \
    "$HERE/node.sh" inside "$state"
}

# await STATE: makes STATE/ready once a pod can be made.
await() {
  local state=$1 kubectl
  kubectl="$(cluster_tools_dir)/kubectl --kubeconfig $state/kubeconfig"
  until [[ -e $state/started ]]; do sleep 0.2; done
  until [[ $($kubectl get node "$NODE_NAME" -o 'jsonpath={.status.conditions[?(@.type=="Ready")].status}' 2>/dev/null) == True ]] &&
    $kubectl get serviceaccount default -n default >/dev/null 2>&1; do
    sleep 0.3
  done
  touch "$state/ready"
}

# The init of a node: the child of `unshare`.
init_of() { pgrep -P "$(cat "$1/node.pid")" -f 'node.sh inside' | head -n 1; }

in_node() {
  local state init
  [[ $# -ge 2 ]] || refuse "usage: node.sh exec STATE COMMAND..."
  state=$(realpath "$1")
  shift
  init=$(init_of "$state") || refuse "no node runs in $state"
  exec nsenter --target "$init" --mount --net --pid --ipc --uts --cgroup -- env "KUBECONFIG=$state/admin.kubeconfig" \
    CONTAINERD_ADDRESS=/run/containerd/containerd.sock "PATH=$(node_path)" "LD_LIBRARY_PATH=$(node_libraries)" "$@"
}

# remove_groups STATE: the control groups of a node that has ended, its pods' among them.
remove_groups() {
  local state=$1 name tops memory top left=''
  [[ -s $state/cgroup ]] || return 0
  name=$(cat "$state/cgroup")
  tops=$(find /sys/fs/cgroup -mindepth 2 -maxdepth 4 -type d -name "$name")
  memory=/sys/fs/cgroup/memory$(cat "$state/memory-cgroup")
  for top in kubepods system.slice; do [[ ! -d ${memory%/}/$top ]] || tops+=" ${memory%/}/$top"; done
  # The kernel empties them a moment after the processes are gone; innermost first.
  for _ in $(seq 100); do
    left=''
    for top in $tops; do
      [[ -d $top ]] || continue
      find "$top" -depth -type d -exec rmdir {} + 2>/dev/null || true
      [[ ! -d $top ]] || left+=" $top"
    done
    [[ -n $left ]] || return 0
    sleep 0.1
  done
  printf 'dev: control groups are left:%s\n' "$left" >&2
  return 1
}

clean() {
  local state status=0
  [[ $# -eq 1 ]] || refuse "usage: node.sh clean STATE"
  [[ -d $1 ]] || return 0
  state=$(realpath "$1")
  if [[ -s $state/node.pid ]] && [[ $(ps -o args= -p "$(cat "$state/node.pid")") == unshare* ]]; then
    kill -KILL "$(cat "$state/node.pid")"
  fi
  remove_groups "$state" || status=1
  rm -rf "$state"
  return "$status"
}

case "${1:-}" in
  build) check_can_run && build_node ;;
  run | reboot | inside | await | clean) "$@" ;;
  exec) shift && in_node "$@" ;;
  *) refuse "usage: node.sh build | run STATE [IMAGE...] | reboot STATE | exec STATE COMMAND... | clean STATE" ;;
esac
