package olmbundle

import (
	_ "embed"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/yaml"
)

// template is what people read of the ClusterServiceVersion, and what does not follow from the overlay.
//
//go:embed csv.yaml
var template []byte

//go:embed icon.svg
var icon []byte

func makeCSV(from *sorted, options Options) (*object, error) {
	csv := &object{}
	if err := yaml.UnmarshalStrict(template, &csv.Object); err != nil {
		return nil, fmt.Errorf("csv.yaml: %w", err)
	}
	csv.SetName("steward.v" + options.Version)
	namespace, err := suggestedNamespace(from.policies)
	if err != nil {
		return nil, err
	}
	annotations := csv.GetAnnotations()
	annotations["containerImage"] = options.Image
	annotations["operatorframework.io/suggested-namespace"] = Namespace
	annotations["operatorframework.io/suggested-namespace-template"] = namespace
	csv.SetAnnotations(annotations)
	spec := csv.Object["spec"].(fields)
	spec["version"] = options.Version
	if options.Replaces != "" {
		spec["replaces"] = options.Replaces
	}
	spec["icon"] = []any{fields{"base64data": base64.StdEncoding.EncodeToString(icon), "mediatype": "image/svg+xml"}}
	spec["relatedImages"] = []any{fields{"name": imageName, "image": options.Image}}
	deployments, err := deploymentsOf(from, options.Image)
	if err != nil {
		return nil, err
	}
	var rights []any
	for _, account := range slices.Sorted(slices.Values(from.accounts)) {
		rights = append(rights, fields{"serviceAccountName": account, "rules": from.clusterRules[account]})
	}
	spec["install"] = fields{"strategy": "deployment", "spec": fields{"clusterPermissions": rights, "deployments": deployments}}
	return csv, nil
}

// suggestedNamespace is the namespace as consoles make it who install an operator.
func suggestedNamespace(policies []*object) (string, error) {
	at := slices.IndexFunc(policies, func(each *object) bool { return each.GetKind() == "Namespace" })
	if at < 0 || policies[at].GetName() != Namespace {
		return "", fmt.Errorf("the overlay has no namespace %s", Namespace)
	}
	text, err := json.Marshal(policies[at].Object)
	return string(text), err
}

// deploymentsOf are the overlay's, with the image.
func deploymentsOf(from *sorted, image string) (deployments []any, err error) {
	for _, each := range from.deployments {
		spec := each.DeepCopy().Object["spec"].(fields)
		containers, _, err := unstructured.NestedSlice(spec, "template", "spec", "containers")
		if err != nil {
			return nil, err
		}
		for _, container := range containers {
			container := container.(fields)
			if container["image"] != imageName {
				return nil, fmt.Errorf("Deployment %s has the image %v", each.GetName(), container["image"])
			}
			container["image"] = image
		}
		if err := unstructured.SetNestedSlice(spec, containers, "template", "spec", "containers"); err != nil {
			return nil, err
		}
		labels := fields{}
		for key, value := range each.GetLabels() {
			labels[key] = value
		}
		deployments = append(deployments, fields{"name": each.GetName(), "label": labels, "spec": spec})
	}
	slices.SortFunc(deployments, func(a, b any) int {
		return strings.Compare(a.(fields)["name"].(string), b.(fields)["name"].(string))
	})
	return deployments, nil
}
