package deploy

import (
	"fmt"
	"slices"
	"testing"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	networkingv1 "k8s.io/api/networking/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/intstr"

	"steward.dev/e2e/olm"
)

// peer is who connects; the zero value is somebody outside of the cluster's network, as the kube-apiserver is.
type peer struct{ namespace, pod labels.Set }

// network is what policies and Deployments say of connections within steward-system.
type network struct {
	policies    []networkingv1.NetworkPolicy
	deployments map[string]appsv1.Deployment // by component
}

func networkOf(t *testing.T, folders ...string) network {
	t.Helper()
	n := network{deployments: map[string]appsv1.Deployment{}}
	for _, folder := range folders {
		objects, _, err := rendered(t.Context(), folder)
		must(t, err)
		for _, object := range objects {
			switch object.GetKind() {
			case "NetworkPolicy":
				n.policies = append(n.policies, typed[networkingv1.NetworkPolicy](t, object))
			case "Deployment":
				deployment := typed[appsv1.Deployment](t, object)
				n.deployments[deployment.Spec.Template.Labels["app.kubernetes.io/component"]] = deployment
			}
		}
	}
	return n
}

func typed[T any](t *testing.T, object *olm.Object) (value T) {
	t.Helper()
	must(t, runtime.DefaultUnstructuredConverter.FromUnstructured(object.Object, &value))
	return value
}

func (n network) pod(component string) labels.Set {
	return n.deployments[component].Spec.Template.Labels
}

// port is the number of a container's named port.
func (n network) port(component, name string) (int32, error) {
	for _, port := range n.deployments[component].Spec.Template.Spec.Containers[0].Ports {
		if port.Name == name {
			return port.ContainerPort, nil
		}
	}
	return 0, fmt.Errorf("%s has no port %s", component, name)
}

func selects(t *testing.T, selector *metav1.LabelSelector, set labels.Set) bool {
	t.Helper()
	parsed, err := metav1.LabelSelectorAsSelector(selector)
	must(t, err)
	return parsed.Matches(set)
}

// matches reads peers and ports of one rule: none of a kind are all.
func (n network) matches(t *testing.T, component string, peers []networkingv1.NetworkPolicyPeer, ports []networkingv1.NetworkPolicyPort, other peer, port int32) bool {
	t.Helper()
	byPeer := len(peers) == 0 || slices.ContainsFunc(peers, func(each networkingv1.NetworkPolicyPeer) bool {
		if other.namespace == nil || each.IPBlock != nil {
			return false
		}
		namespace := other.namespace["kubernetes.io/metadata.name"] == "steward-system"
		if each.NamespaceSelector != nil {
			namespace = selects(t, each.NamespaceSelector, other.namespace)
		}
		return namespace && (each.PodSelector == nil || selects(t, each.PodSelector, other.pod))
	})
	byPort := len(ports) == 0 || slices.ContainsFunc(ports, func(each networkingv1.NetworkPolicyPort) bool {
		number := each.Port.IntVal
		if each.Port.Type == intstr.String {
			var err error
			number, err = n.port(component, each.Port.StrVal)
			must(t, err)
		}
		return number == port && (each.Protocol == nil || *each.Protocol == corev1.ProtocolTCP)
	})
	return byPeer && byPort
}

// admits says whether somebody may connect to a component, or a component to somebody.
func (n network) admits(t *testing.T, component string, direction networkingv1.PolicyType, other peer, port int32) bool {
	t.Helper()
	isolated := false
	for _, policy := range n.policies {
		if !slices.Contains(policy.Spec.PolicyTypes, direction) || !selects(t, &policy.Spec.PodSelector, n.pod(component)) {
			continue
		}
		isolated = true
		for _, rule := range policy.Spec.Ingress {
			if direction == networkingv1.PolicyTypeIngress && n.matches(t, component, rule.From, rule.Ports, other, port) {
				return true
			}
		}
		for _, rule := range policy.Spec.Egress {
			if direction == networkingv1.PolicyTypeEgress && n.matches(t, component, rule.To, rule.Ports, other, port) {
				return true
			}
		}
	}
	return !isolated
}

func within(namespace string, pod labels.Set) peer {
	return peer{labels.Set{"kubernetes.io/metadata.name": namespace}, pod}
}

// Who may connect to what: nobody has to the controllers but those who are named.
func TestNetwork_WhoMayConnect(t *testing.T) {
	base := networkOf(t, "base")
	prometheus := networkOf(t, "base", "overlays/prometheus")
	pages := networkOf(t, "base", "overlays/console")
	apiServers := within("steward-system", base.pod("apiserver"))
	others := within("default", labels.Set{"app": "other"})
	pretender := within("default", base.pod("apiserver"))
	monitoring := within("monitoring", labels.Set{"app": "prometheus"})
	for _, tc := range []struct {
		name            string
		network         network
		from            peer
		component, port string
		want            bool
	}{
		{"the aggregator", base, peer{}, "apiserver", "https", true},
		{"anybody with rights", base, others, "apiserver", "https", true},
		{"an API server", base, apiServers, "controllers", "grpc", true},
		{"an API server's labels elsewhere", base, pretender, "controllers", "grpc", false},
		{"anybody", base, others, "controllers", "grpc", false},
		{"somebody outside", base, peer{}, "controllers", "grpc", false},
		{"an API server", base, apiServers, "controllers", "metrics", false},
		{"anybody", base, others, "controllers", "metrics", false},
		{"Prometheus", base, monitoring, "controllers", "metrics", false},
		{"Prometheus that was let in", prometheus, monitoring, "controllers", "metrics", true},
		{"Prometheus that was let in", prometheus, monitoring, "apiservice-guard", "metrics", true},
		{"Prometheus", base, monitoring, "apiservice-guard", "metrics", false},
		{"Prometheus that was let in", prometheus, monitoring, "controllers", "grpc", false},
		{"Prometheus", prometheus, monitoring, "apiserver", "https", true},
		{"anybody", prometheus, others, "controllers", "metrics", false},
		{"anybody", prometheus, others, "controllers", "probes", false}, // the kubelet is not asked
		{"OpenShift's console", pages, within("openshift-console", labels.Set{"app": "console"}), "console", "https", true},
		{"anybody", pages, others, "console", "https", false},
		{"an API server", pages, apiServers, "console", "https", false},
	} {
		port, err := tc.network.port(tc.component, tc.port)
		must(t, err)
		if got := tc.network.admits(t, tc.component, networkingv1.PolicyTypeIngress, tc.from, port); got != tc.want {
			t.Errorf("%s to %s of %s: %v", tc.name, tc.port, tc.component, got)
		}
	}
}

// What Steward connects to, where egress is restricted; the base restricts none.
func TestNetwork_WhatStewardConnectsTo(t *testing.T) {
	base := networkOf(t, "base")
	restricted := networkOf(t, "base", "overlays/egress")
	grpc, err := base.port("controllers", "grpc")
	must(t, err)
	controllersPods := within("steward-system", base.pod("controllers"))
	for _, tc := range []struct {
		component string
		to        peer
		port      int32
		want      bool
	}{
		{"apiserver", peer{}, 6443, true}, {"apiserver", peer{}, 443, true}, {"controllers", peer{}, 6443, true},
		{"apiserver", within("kube-system", labels.Set{"k8s-app": "kube-dns"}), 53, true},
		{"apiserver", controllersPods, grpc, true},
		{"apiservice-guard", within("steward-system", base.pod("apiserver")), 8443, true},
		{"controllers", controllersPods, grpc, false},
		{"apiserver", within("default", nil), grpc, false},
		{"apiserver", peer{}, 80, false}, {"controllers", peer{}, 22, false},
	} {
		if got := restricted.admits(t, tc.component, networkingv1.PolicyTypeEgress, tc.to, tc.port); got != tc.want {
			t.Errorf("%s to %v, port %d: %v", tc.component, tc.to, tc.port, got)
		}
		if !base.admits(t, tc.component, networkingv1.PolicyTypeEgress, tc.to, tc.port) {
			t.Errorf("the base restricts %s to %v, port %d", tc.component, tc.to, tc.port)
		}
	}
}

// Ports that probes and PodMonitors name are there, and each process is one that a PodMonitor reads.
func TestNetwork_PortsExist(t *testing.T) {
	n := networkOf(t, "base", "overlays/copies", "overlays/install-plans", "overlays/operators", "overlays/payload", "overlays/standalone/certificates")
	read := map[string]int{}
	for component, deployment := range n.deployments {
		container := deployment.Spec.Template.Spec.Containers[0]
		for _, probe := range []*corev1.Probe{container.StartupProbe, container.LivenessProbe, container.ReadinessProbe} {
			if probe == nil {
				t.Fatalf("%s lacks a probe", component)
			}
			if _, err := n.port(component, probe.HTTPGet.Port.StrVal); err != nil {
				t.Error(err)
			}
		}
	}
	objects, _, err := rendered(t.Context(), "overlays/prometheus")
	must(t, err)
	monitors := 0
	for _, object := range objects {
		if object.GetKind() != "PodMonitor" {
			continue
		}
		monitors++
		spec := typed[struct {
			Spec struct {
				Selector            metav1.LabelSelector `json:"selector"`
				PodMetricsEndpoints []struct {
					Port   string `json:"port"`
					Scheme string `json:"scheme"`
				} `json:"podMetricsEndpoints"`
			} `json:"spec"`
		}](t, object).Spec
		for component := range n.deployments {
			if !selects(t, &spec.Selector, n.pod(component)) {
				continue
			}
			read[component]++
			if _, err := n.port(component, spec.PodMetricsEndpoints[0].Port); err != nil || spec.PodMetricsEndpoints[0].Scheme != "https" {
				t.Errorf("%s: %v, %+v", object.GetName(), err, spec.PodMetricsEndpoints)
			}
		}
	}
	if monitors != 2 {
		t.Errorf("%d PodMonitors", monitors)
	}
	for component := range n.deployments {
		if read[component] != 1 {
			t.Errorf("%d PodMonitors read %s", read[component], component)
		}
	}
}
