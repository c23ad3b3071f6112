# shellcheck shell=bash
# The keys and settings of a node, in its folder. Expects the addresses of node.sh.

# authority FILE; certificate FILE AUTHORITY SUBJECT [NAMES]: FILE.crt and FILE.key in the current folder.
authority() {
  openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -keyout "$1.key" -out "$1.crt" -subj "/CN=$1" -days 30
}
certificate() {
  openssl req -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -keyout "$1.key" -out "$1.csr" -subj "$3"
  printf 'keyUsage=digitalSignature\nextendedKeyUsage=clientAuth,serverAuth\n%s\n' "${4:+subjectAltName=$4}" >"$1.ext"
  openssl x509 -req -in "$1.csr" -CA "$2.crt" -CAkey "$2.key" -CAcreateserial -out "$1.crt" -days 30 -extfile "$1.ext"
}

write_keys() {
  local state=$1
  mkdir -p "$state/pki"
  (
    cd "$state/pki"
    authority ca
    authority front-proxy-ca
    certificate apiserver ca /CN=kube-apiserver "DNS:localhost,DNS:kubernetes,DNS:kubernetes.default,DNS:kubernetes.default.svc,DNS:kubernetes.default.svc.cluster.local,IP:127.0.0.1,IP:$NODE_IP,IP:$KUBERNETES_IP"
    certificate front-proxy front-proxy-ca /CN=front-proxy-client
    certificate apiserver-kubelet ca /O=system:masters/CN=kube-apiserver-kubelet-client
    certificate admin ca /O=system:masters/CN=admin
    certificate viewer ca /CN=viewer
    certificate kubelet ca "/O=system:nodes/CN=system:node:$NODE_NAME"
    certificate kube-controller-manager ca /CN=system:kube-controller-manager
    certificate kube-scheduler ca /CN=system:kube-scheduler
    certificate kube-proxy ca /CN=system:kube-proxy
    openssl genrsa -out sa.key 2048
  ) >"$state/pki/log" 2>&1 || fail "no keys were made: $(tail -n 3 "$state/pki/log")"
}

# kubeconfig FILE STATE SERVER USER
kubeconfig() {
  cat >"$1" <<YAML
apiVersion: v1
kind: Config
current-context: node
contexts: [{name: node, context: {cluster: node, user: $4}}]
clusters: [{name: node, cluster: {server: "$3", certificate-authority-data: $(base64 -w0 "$2/pki/ca.crt")}}]
users:
- name: $4
  user: {client-certificate-data: $(base64 -w0 "$2/pki/$4.crt"), client-key-data: $(base64 -w0 "$2/pki/$4.key")}
YAML
}

write_kubeconfigs() {
  local state=$1 port=$2 user
  for user in admin kubelet kube-controller-manager kube-scheduler kube-proxy; do
    kubeconfig "$state/$user.kubeconfig" "$state" https://127.0.0.1:6443 "$user"
  done
  kubeconfig "$state/kubeconfig" "$state" "https://127.0.0.1:$port" admin
  # Somebody without any right of their own.
  kubeconfig "$state/viewer.kubeconfig" "$state" "https://127.0.0.1:$port" viewer
}

write_settings() {
  local state=$1 debian
  debian=$(node_dir)/debian
  mkdir -p "$state"/{log,var-lib,var-log,cni,etcd,containerd,kubelet}
  : >"$state/resolv.conf"
  # Scores of the out-of-memory killer cannot be lowered without CAP_SYS_RESOURCE, which machines of tests may withhold: nobody tries.
  cat >"$state/kubelet.yaml" <<YAML
apiVersion: kubelet.config.k8s.io/v1beta1
kind: KubeletConfiguration
authentication: {anonymous: {enabled: false}, webhook: {enabled: true}, x509: {clientCAFile: $state/pki/ca.crt}}
authorization: {mode: Webhook}
failCgroupV1: false
cgroupDriver: cgroupfs
failSwapOn: false
oomScoreAdj: 0
containerRuntimeEndpoint: unix:///run/containerd/containerd.sock
clusterDNS: [$NODE_IP]
clusterDomain: cluster.local
resolvConf: $state/resolv.conf
enableControllerAttachDetach: false
makeIPTablesUtilChains: false
imageGCHighThresholdPercent: 100
evictionHard: {memory.available: 10Mi, nodefs.available: 1%, nodefs.inodesFree: 1%, imagefs.available: 1%, imagefs.inodesFree: 1%}
nodeStatusUpdateFrequency: 5s
YAML
  cat >"$state/containerd.toml" <<TOML
version = 2
root = "$state/containerd"
state = "/run/containerd"
[grpc]
  address = "/run/containerd/containerd.sock"
[plugins.'io.containerd.grpc.v1.cri']
  sandbox_image = 'docker.io/library/pause:1'
  restrict_oom_score_adj = true
[plugins.'io.containerd.grpc.v1.cri'.cni]
  bin_dir = '$debian/usr/lib/cni'
  conf_dir = "$state/cni"
[plugins.'io.containerd.grpc.v1.cri'.containerd]
  default_runtime_name = "runc"
[plugins.'io.containerd.grpc.v1.cri'.containerd.runtimes.runc]
  runtime_type = "io.containerd.runc.v2"
[plugins.'io.containerd.grpc.v1.cri'.containerd.runtimes.runc.options]
  BinaryName = "$debian/usr/sbin/runc"
  SystemdCgroup = false
TOML
  # A link for each pod: every packet is routed by the node, and seen by kube-proxy's rules and the policies'.
  cat >"$state/cni/10-pods.conflist" <<JSON
{"cniVersion": "0.4.0", "name": "pods", "plugins": [
  {"type": "ptp", "ipMasq": false, "mtu": 1500,
   "ipam": {"type": "host-local", "dataDir": "/run/cni", "ranges": [[{"subnet": "$POD_RANGE"}]], "routes": [{"dst": "0.0.0.0/0"}]}}]}
JSON
  # nf_conntrack_max is the machine's, and left as it is.
  cat >"$state/kube-proxy.yaml" <<YAML
apiVersion: kubeproxy.config.k8s.io/v1alpha1
kind: KubeProxyConfiguration
clientConnection: {kubeconfig: $state/kube-proxy.kubeconfig}
mode: nftables
hostnameOverride: $NODE_NAME
clusterCIDR: $POD_RANGE
oomScoreAdj: 0
conntrack: {maxPerCore: 0, min: 0}
YAML
  # There is no other network: names outside of the cluster do not exist.
  cat >"$state/Corefile" <<DNS
.:53 {
  bind $NODE_IP
  errors
  ready 127.0.0.1:8181
  kubernetes cluster.local in-addr.arpa {
    kubeconfig $state/admin.kubeconfig
    pods disabled
    ttl 5
  }
  template ANY ANY {
    rcode NXDOMAIN
  }
}
DNS
}
