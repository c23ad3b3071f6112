# shellcheck shell=bash
# The first process of a node, which starts all others in its namespaces. Expects the addresses of node.sh.

# inside STATE
inside() {
  local state=$1 node_dir
  node_dir=$(node_dir)
  trap 'echo "the node ended in line $LINENO" >>"$state/failed"' EXIT
  cd "$state" || exit
  PATH=$(cd "$ROOT" && node_path)
  LD_LIBRARY_PATH=$(cd "$ROOT" && node_libraries)
  export PATH LD_LIBRARY_PATH
  own_mounts "$state"
  own_network
  start etcd etcd --data-dir "$state/etcd" --listen-client-urls http://127.0.0.1:2379 --advertise-client-urls http://127.0.0.1:2379 \
    --listen-peer-urls http://127.0.0.1:2380 --initial-advertise-peer-urls http://127.0.0.1:2380 \
    --initial-cluster default=http://127.0.0.1:2380 --unsafe-no-fsync
  start containerd containerd --config "$state/containerd.toml"
  start_apiserver
  start forward socat "UNIX-LISTEN:$state/api.sock,fork" TCP:127.0.0.1:6443
  await_success 300 ctr --address /run/containerd/containerd.sock version
  local image
  for image in "$node_dir"/images/*.tar images/*.tar; do
    [[ ! -e $image ]] || ctr --address /run/containerd/containerd.sock -n k8s.io images import "$image" >>log/import.log 2>&1
  done
  await_success 600 kubectl --kubeconfig admin.kubeconfig get --raw /readyz
  start kubelet kubelet --config "$state/kubelet.yaml" --kubeconfig "$state/kubelet.kubeconfig" --root-dir "$state/kubelet" \
    --cert-dir "$state/kubelet/pki" --node-ip "$NODE_IP" --hostname-override "$NODE_NAME" --v 2
  start kube-controller-manager kube-controller-manager --kubeconfig kube-controller-manager.kubeconfig \
    --service-account-private-key-file pki/sa.key --root-ca-file pki/ca.crt --use-service-account-credentials --leader-elect=false \
    --bind-address 127.0.0.1
  start kube-scheduler kube-scheduler --kubeconfig kube-scheduler.kubeconfig --authentication-kubeconfig kube-scheduler.kubeconfig \
    --authorization-kubeconfig kube-scheduler.kubeconfig --leader-elect=false --bind-address 127.0.0.1
  start kube-proxy kube-proxy --config "$state/kube-proxy.yaml" --v 2
  start coredns coredns -conf "$state/Corefile"
  start netpol netpol "$state/admin.kubeconfig"
  await_success 120 python3 -c 'import urllib.request as r; r.urlopen("http://127.0.0.1:8181/ready")'
  touch started
  # Whom nobody else buries, this process does.
  while :; do wait -n || true; sleep 0.2; done
}

# start NAME PROGRAM ARGUMENTS...
start() {
  local name=$1
  shift
  (
    status=0
    "$@" >"log/$name.log" 2>&1 </dev/null 9>&- || status=$?
    echo "$name ended: $status" >>died
  ) &
}

# keep NAME PROGRAM ARGUMENTS...: one that is started again when it ends, as where a kubelet keeps it.
keep() {
  local name=$1
  shift
  (
    while :; do
      status=0
      "$@" >>"log/$name.log" 2>&1 </dev/null 9>&- || status=$?
      echo "$name ended: $status" >>died
      sleep 1
    done
  ) &
}

start_apiserver() {
  keep kube-apiserver kube-apiserver --etcd-servers http://127.0.0.1:2379 --secure-port 6443 --bind-address 0.0.0.0 \
    --advertise-address "$NODE_IP" --service-cluster-ip-range "$SERVICE_RANGE" --enable-aggregator-routing --allow-privileged \
    --tls-cert-file pki/apiserver.crt --tls-private-key-file pki/apiserver.key --client-ca-file pki/ca.crt \
    --kubelet-client-certificate pki/apiserver-kubelet.crt --kubelet-client-key pki/apiserver-kubelet.key \
    --kubelet-preferred-address-types InternalIP --v 2 \
    --service-account-key-file pki/sa.key --service-account-signing-key-file pki/sa.key \
    --service-account-issuer https://kubernetes.default.svc --authorization-mode Node,RBAC --enable-admission-plugins NodeRestriction \
    --requestheader-client-ca-file pki/front-proxy-ca.crt --requestheader-allowed-names front-proxy-client \
    --requestheader-username-headers X-Remote-User --requestheader-group-headers X-Remote-Group \
    --requestheader-uid-headers X-Remote-Uid --requestheader-extra-headers-prefix X-Remote-Extra- \
    --proxy-client-cert-file pki/front-proxy.crt --proxy-client-key-file pki/front-proxy.key
}

# await_success SECONDS COMMAND...
await_success() {
  local end=$((SECONDS + $1))
  shift
  until "$@" >/dev/null 2>&1; do
    ((SECONDS < end)) || { echo "in time did not succeed: $*" >>failed; return 1; }
    sleep 0.2
  done
}

own_mounts() {
  local state=$1 each path
  mount --make-rshared /
  umount -R /sys
  mount -t sysfs sysfs /sys
  mount -t tmpfs tmpfs /sys/fs/cgroup
  for each in cpu cpuacct cpuset devices freezer blkio pids memory; do
    mkdir "/sys/fs/cgroup/$each"
    mount -t cgroup -o "$each" cgroup "/sys/fs/cgroup/$each"
  done
  mkdir /sys/fs/cgroup/systemd
  mount -t cgroup -o none,name=systemd cgroup /sys/fs/cgroup/systemd
  # The kubelet would set these of the whole machine. It is shown files that have its values already.
  for each in vm/overcommit_memory=1 vm/panic_on_oom=0 kernel/panic=10 kernel/panic_on_oops=1; do
    path=${each%%=*}
    mkdir -p "$state/sysctl/${path%/*}"
    printf '%s\n' "${each#*=}" >"$state/sysctl/$path"
    mount --bind "$state/sysctl/$path" "/proc/sys/$path"
  done
  mount -t tmpfs -o mode=755 tmpfs /run
  mount --bind "$state/var-lib" /var/lib
  mount --bind "$state/var-log" /var/log
  mkdir -p /run/lock /run/netns
}

own_network() {
  hostname "$NODE_NAME"
  ip link set lo up
  # Both ends of it are here: an interface that is up, for the node's address.
  ip link add node0 type veth peer name node1
  ip addr add "$NODE_IP/24" dev node0
  ip link set node0 up
  ip link set node1 up
  # Without a route nothing connects to a Service before kube-proxy's rules see it.
  ip route add "$SERVICE_RANGE" dev node0 src "$NODE_IP"
  ip route add unreachable default
  echo 1 >/proc/sys/net/ipv4/ip_forward
}
