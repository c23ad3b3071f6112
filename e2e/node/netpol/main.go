// Command netpol enforces the NetworkPolicies of a cluster of one node: every second it reads policies, pods and namespaces, and
// writes what follows from them as one nftables table.
//
//	netpol KUBECONFIG
//
// What the node itself sends, the kubelet's probes and the kube-apiserver's requests among it, is not forwarded, and so never refused.
package main

import (
	"context"
	"fmt"
	"log"
	"os"
	"os/exec"
	"slices"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
	networkingv1 "k8s.io/api/networking/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/util/intstr"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/tools/clientcmd"
)

func main() {
	if len(os.Args) != 2 {
		log.Fatal("usage: netpol KUBECONFIG")
	}
	config, err := clientcmd.BuildConfigFromFlags("", os.Args[1])
	if err != nil {
		log.Fatal(err)
	}
	client, err := kubernetes.NewForConfig(config)
	if err != nil {
		log.Fatal(err)
	}
	last := ""
	for ; ; time.Sleep(time.Second) {
		rules, err := read(context.Background(), client)
		if err == nil && rules != last {
			command := exec.Command("nft", "-f", "-")
			command.Stdin, command.Stderr = strings.NewReader(rules), os.Stderr
			if err = command.Run(); err == nil {
				last = rules
				log.Printf("%d rules", strings.Count(rules, "accept\n"))
			}
		}
		if err != nil {
			log.Print(err)
		}
	}
}

func read(ctx context.Context, client kubernetes.Interface) (string, error) {
	policies, err := client.NetworkingV1().NetworkPolicies("").List(ctx, metav1.ListOptions{})
	if err != nil {
		return "", err
	}
	pods, err := client.CoreV1().Pods("").List(ctx, metav1.ListOptions{})
	if err != nil {
		return "", err
	}
	namespaces, err := client.CoreV1().Namespaces().List(ctx, metav1.ListOptions{})
	if err != nil {
		return "", err
	}
	w := world{policies: policies.Items, namespaces: map[string]labels.Set{}}
	for _, each := range namespaces.Items {
		w.namespaces[each.Name] = each.Labels
	}
	for _, each := range pods.Items {
		ends := each.Status.Phase == corev1.PodSucceeded || each.Status.Phase == corev1.PodFailed
		if each.Status.PodIP != "" && !each.Spec.HostNetwork && !ends {
			w.pods = append(w.pods, each)
		}
	}
	return w.table()
}

type world struct {
	policies   []networkingv1.NetworkPolicy
	pods       []corev1.Pod
	namespaces map[string]labels.Set
}

// direction is one of the two in which a policy can select traffic.
type direction struct {
	kind         networkingv1.PolicyType
	mine, theirs string
	priority     int
}

var directions = []direction{
	{networkingv1.PolicyTypeIngress, "daddr", "saddr", 1},
	{networkingv1.PolicyTypeEgress, "saddr", "daddr", 2},
}

func (w *world) table() (string, error) {
	var out strings.Builder
	out.WriteString("table ip netpol\ndelete table ip netpol\ntable ip netpol {\n")
	for _, d := range directions {
		var verdicts []string
		for i := range w.pods {
			pod := &w.pods[i]
			isolated, allowed, err := w.allowed(d, pod)
			if err != nil {
				return "", err
			}
			if !isolated {
				continue
			}
			slices.Sort(allowed)
			chain := strings.ToLower(string(d.kind)) + "-" + strings.ReplaceAll(pod.Status.PodIP, ".", "-")
			fmt.Fprintf(&out, "chain %s {\n%s\ndrop\n}\n", chain, strings.Join(slices.Compact(allowed), "\n"))
			verdicts = append(verdicts, fmt.Sprintf("%s : jump %s", pod.Status.PodIP, chain))
		}
		fmt.Fprintf(&out, "chain %s {\ntype filter hook forward priority filter + %d; policy accept;\nct state established,related accept\n",
			strings.ToLower(string(d.kind)), d.priority)
		if slices.Sort(verdicts); len(verdicts) > 0 {
			fmt.Fprintf(&out, "ip %s vmap { %s }\n", d.mine, strings.Join(verdicts, ", "))
		}
		out.WriteString("}\n")
	}
	out.WriteString("}\n")
	return out.String(), nil
}

// allowed is whether any policy selects the pod's traffic in a direction, and the rules that let some of it through.
func (w *world) allowed(d direction, pod *corev1.Pod) (isolated bool, rules []string, err error) {
	for _, policy := range w.policies {
		kinds := policy.Spec.PolicyTypes
		if policy.Namespace != pod.Namespace || !slices.Contains(kinds, d.kind) {
			continue
		}
		if selects, err := matches(&policy.Spec.PodSelector, pod.Labels); err != nil || !selects {
			if err != nil {
				return false, nil, err
			}
			continue
		}
		isolated = true
		if d.kind == networkingv1.PolicyTypeIngress {
			for _, rule := range policy.Spec.Ingress {
				if rules, err = w.add(rules, d, pod, rule.From, rule.Ports); err != nil {
					return false, nil, err
				}
			}
			continue
		}
		for _, rule := range policy.Spec.Egress {
			if rules, err = w.add(rules, d, pod, rule.To, rule.Ports); err != nil {
				return false, nil, err
			}
		}
	}
	return isolated, rules, nil
}

// peer is an address, or several, and the pods that have it.
type peer struct {
	match string
	pods  []corev1.Pod
}

func (w *world) add(rules []string, d direction, pod *corev1.Pod, selected []networkingv1.NetworkPolicyPeer,
	ports []networkingv1.NetworkPolicyPort) ([]string, error) {
	peers := []peer{{"", w.pods}}
	if len(selected) > 0 {
		peers = nil
	}
	for _, each := range selected {
		found, err := w.peers(d, pod.Namespace, each)
		if err != nil {
			return nil, err
		}
		peers = append(peers, found...)
	}
	for _, from := range peers {
		if len(ports) == 0 {
			rules = append(rules, from.match+" accept")
		}
		for _, port := range ports {
			protocol := corev1.ProtocolTCP
			if port.Protocol != nil {
				protocol = *port.Protocol
			}
			match := fmt.Sprintf("%s meta l4proto %s", from.match, strings.ToLower(string(protocol)))
			switch {
			case port.Port == nil:
				rules = append(rules, match+" accept")
			case port.Port.Type == intstr.Int:
				last := port.Port.IntVal
				if port.EndPort != nil {
					last = *port.EndPort
				}
				rules = append(rules, fmt.Sprintf("%s th dport %d-%d accept", match, port.Port.IntVal, last))
			default:
				// A name is one of the pod that is connected to.
				targets := []corev1.Pod{*pod}
				if d.kind == networkingv1.PolicyTypeEgress {
					targets = from.pods
				}
				for _, target := range targets {
					for _, number := range portsOf(&target, port.Port.StrVal, protocol) {
						rules = append(rules, fmt.Sprintf("%s ip daddr %s th dport %d accept", match, target.Status.PodIP, number))
					}
				}
			}
		}
	}
	return rules, nil
}

func (w *world) peers(d direction, namespace string, selected networkingv1.NetworkPolicyPeer) (peers []peer, err error) {
	if block := selected.IPBlock; block != nil {
		match := fmt.Sprintf("ip %s %s", d.theirs, block.CIDR)
		if len(block.Except) > 0 {
			match += fmt.Sprintf(" ip %s != { %s }", d.theirs, strings.Join(block.Except, ", "))
		}
		return []peer{{match, w.pods}}, nil
	}
	for _, each := range w.pods {
		if selected.NamespaceSelector == nil && each.Namespace != namespace {
			continue
		}
		inNamespace, err := matches(selected.NamespaceSelector, w.namespaces[each.Namespace])
		if err != nil {
			return nil, err
		}
		itself, err := matches(selected.PodSelector, each.Labels)
		if err != nil {
			return nil, err
		}
		if inNamespace && itself {
			peers = append(peers, peer{fmt.Sprintf("ip %s %s", d.theirs, each.Status.PodIP), []corev1.Pod{each}})
		}
	}
	return peers, nil
}

// matches is true where there is no selector.
func matches(selector *metav1.LabelSelector, set labels.Set) (bool, error) {
	if selector == nil {
		return true, nil
	}
	parsed, err := metav1.LabelSelectorAsSelector(selector)
	return err == nil && parsed.Matches(set), err
}

func portsOf(pod *corev1.Pod, name string, protocol corev1.Protocol) (numbers []int32) {
	for _, container := range append(slices.Clone(pod.Spec.InitContainers), pod.Spec.Containers...) {
		for _, port := range container.Ports {
			if port.Name == name && (port.Protocol == protocol || port.Protocol == "" && protocol == corev1.ProtocolTCP) {
				numbers = append(numbers, port.ContainerPort)
			}
		}
	}
	return numbers
}
