package olm

import (
	"fmt"
	"strings"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

// The virtual resources.
var (
	InstalledOperators = schema.GroupVersionResource{Group: "views.operators.coreos.com", Version: "v1alpha1", Resource: "installedoperators"}
	CleanupStatuses    = schema.GroupVersionResource{Group: "views.operators.coreos.com", Version: "v1alpha1", Resource: "cleanupstatuses"}
)

const lastApplied = "kubectl.kubernetes.io/last-applied-configuration"

// View is what a CSV must look like in a namespace: what OLM's copy there would carry, under another kind. It covers
// what OLM's rules decide (labels, annotations, spec, status); identity and the block `scope` are Steward's own.
func View(csv *Object, namespace string) *Object {
	view := csv.DeepCopy()
	view.SetAPIVersion(InstalledOperators.GroupVersion().String())
	view.SetKind("InstalledOperator")
	view.Object["metadata"] = map[string]any{"name": csv.GetName(), "namespace": namespace}

	labels := map[string]string{}
	for key, value := range csv.GetLabels() {
		// At home it is the original, which is a component of its Operator.
		if namespace == csv.GetNamespace() || !strings.HasPrefix(key, "operators.coreos.com/") {
			labels[key] = value
		}
	}
	annotations := map[string]string{}
	for key, value := range csv.GetAnnotations() {
		// The targets are other tenants' names; the applied configuration is the object once more.
		if key != TargetsAnnotation && key != lastApplied {
			annotations[key] = value
		}
	}
	status, _, _ := unstructured.NestedMap(csv.Object, "status")
	if status == nil {
		status = map[string]any{}
	}
	if status["cleanup"] != nil {
		status["cleanup"] = map[string]any{} // its contents name objects in other namespaces
	}
	if namespace != csv.GetNamespace() {
		labels[CopiedFromLabel] = csv.GetNamespace()
		status["reason"] = "Copied"
		status["message"] = fmt.Sprintf("The operator is running in %s but is managing this namespace", csv.GetNamespace())
	}
	view.Object["status"] = status
	view.SetLabels(labels)
	view.SetAnnotations(annotations)
	return view
}
