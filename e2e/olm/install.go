package olm

import (
	"encoding/json"
	"slices"
	"strings"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/labels"
)

// Keys that OLM writes.
const (
	GroupAnnotation          = "olm.operatorGroup"
	GroupNamespaceAnnotation = "olm.operatorNamespace"
	TargetsAnnotation        = "olm.targetNamespaces"
	CopiedFromLabel          = "olm.copiedFrom"
	ManagedLabel             = "olm.managed"
)

// Namespace is a new namespace, with labels in pairs.
func Namespace(name string, labels ...string) *Object {
	object := &Object{Object: map[string]any{"apiVersion": "v1", "kind": "Namespace"}}
	object.SetName(name)
	set := map[string]string{}
	for i := 0; i+1 < len(labels); i += 2 {
		set[labels[i]] = labels[i+1]
	}
	object.SetLabels(set)
	return object
}

// OperatorGroup is a new OperatorGroup; without targets it means all namespaces.
func OperatorGroup(namespace, name string, targets ...string) *Object {
	spec := map[string]any{}
	if len(targets) > 0 {
		spec["targetNamespaces"] = anySlice(targets)
	}
	return operatorGroup(namespace, name, spec)
}

// SelectorGroup is a new OperatorGroup that selects namespaces by one label.
func SelectorGroup(namespace, name, key, value string) *Object {
	return operatorGroup(namespace, name, map[string]any{
		"selector": map[string]any{"matchLabels": map[string]any{key: value}},
	})
}

func operatorGroup(namespace, name string, spec map[string]any) *Object {
	object := &Object{Object: map[string]any{
		"apiVersion": "operators.coreos.com/v1", "kind": "OperatorGroup", "spec": spec,
	}}
	object.SetNamespace(namespace)
	object.SetName(name)
	return object
}

// Synced is an OperatorGroup with the status that OLM writes; without targets it means all namespaces.
func Synced(group *Object, targets ...string) *Object {
	if len(targets) == 0 {
		targets = []string{metav1.NamespaceAll}
	}
	group.Object["status"] = map[string]any{"lastUpdated": time.Now().UTC().Format(time.RFC3339), "namespaces": anySlice(targets)}
	return group
}

// Targets is what OLM would make of an OperatorGroup's spec among the namespaces there are: [""] for all, else names.
func Targets(group *Object, namespaces []*Object) ([]string, error) {
	names, _, err := unstructured.NestedStringSlice(group.Object, "spec", "targetNamespaces")
	if err != nil {
		return nil, err
	}
	if len(names) > 0 {
		return slices.Sorted(slices.Values(names)), nil
	}
	raw, found, err := unstructured.NestedMap(group.Object, "spec", "selector")
	if err != nil {
		return nil, err
	}
	if !found || len(raw) == 0 {
		return []string{metav1.NamespaceAll}, nil
	}
	encoded, err := json.Marshal(raw)
	if err != nil {
		return nil, err
	}
	var wanted metav1.LabelSelector
	if err := json.Unmarshal(encoded, &wanted); err != nil {
		return nil, err
	}
	selector, err := metav1.LabelSelectorAsSelector(&wanted)
	if err != nil {
		return nil, err
	}
	names = []string{}
	for _, namespace := range namespaces {
		if selector.Matches(labels.Set(namespace.GetLabels())) {
			names = append(names, namespace.GetName())
		}
	}
	slices.Sort(names)
	return names, nil
}

// Installed returns a CSV as it is once OLM has installed it beside an OperatorGroup with these targets.
func Installed(csv *Object, group *Object, targets ...string) *Object {
	csv = csv.DeepCopy()
	csv.SetNamespace(group.GetNamespace())
	csv.SetAnnotations(with(csv.GetAnnotations(),
		GroupAnnotation, group.GetName(),
		GroupNamespaceAnnotation, group.GetNamespace(),
		TargetsAnnotation, strings.Join(slices.Sorted(slices.Values(targets)), ",")))
	csv.SetLabels(with(csv.GetLabels(), ManagedLabel, "true"))
	csv.Object["status"] = succeeded(time.Now())
	return csv
}

// CSV is a new, small, installed CSV.
func CSV(name string, group *Object, targets ...string) *Object {
	csv := &Object{Object: map[string]any{
		"apiVersion": "operators.coreos.com/v1alpha1", "kind": "ClusterServiceVersion",
		"spec": map[string]any{
			"displayName": "Operator " + name,
			"version":     "1.0.0",
			"install": map[string]any{
				"strategy": "deployment",
				"spec":     map[string]any{"deployments": []any{}},
			},
			"installModes": []any{
				map[string]any{"type": "OwnNamespace", "supported": true},
				map[string]any{"type": "SingleNamespace", "supported": true},
				map[string]any{"type": "MultiNamespace", "supported": true},
				map[string]any{"type": "AllNamespaces", "supported": true},
			},
		},
	}}
	csv.SetName(name)
	return Installed(csv, group, targets...)
}

// succeeded is a status after an installation: the history of phases, then the last one again as the present.
func succeeded(now time.Time) map[string]any {
	stamp := now.UTC().Format(time.RFC3339)
	step := func(phase, reason, message string) map[string]any {
		return map[string]any{
			"phase": phase, "reason": reason, "message": message,
			"lastTransitionTime": stamp, "lastUpdateTime": stamp,
		}
	}
	history := []any{
		step("Pending", "RequirementsUnknown", "requirements not yet checked"),
		step("InstallReady", "AllRequirementsMet", "all requirements found, attempting install"),
		step("Installing", "InstallSucceeded", "waiting for install components to report healthy"),
		step("Succeeded", "InstallSucceeded", "install strategy completed with no errors"),
	}
	status := step("Succeeded", "InstallSucceeded", "install strategy completed with no errors")
	status["conditions"] = history
	status["cleanup"] = map[string]any{}
	return status
}

// with returns a copy of a map with keys and values, in pairs, added.
func with(base map[string]string, pairs ...string) map[string]string {
	merged := map[string]string{}
	for key, value := range base {
		merged[key] = value
	}
	for i := 0; i+1 < len(pairs); i += 2 {
		merged[pairs[i]] = pairs[i+1]
	}
	return merged
}

func anySlice(values []string) []any {
	out := make([]any, len(values))
	for i, value := range values {
		out[i] = value
	}
	return out
}
