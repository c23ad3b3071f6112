package olm

import (
	"context"
	"fmt"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/dynamic"
)

// The resources that Steward reads, and their definitions.
var (
	CSVs           = schema.GroupVersionResource{Group: "operators.coreos.com", Version: "v1alpha1", Resource: "clusterserviceversions"}
	OperatorGroups = schema.GroupVersionResource{Group: "operators.coreos.com", Version: "v1", Resource: "operatorgroups"}
	OLMConfigs     = schema.GroupVersionResource{Group: "operators.coreos.com", Version: "v1", Resource: "olmconfigs"}
	Namespaces     = schema.GroupVersionResource{Version: "v1", Resource: "namespaces"}
	Definitions    = schema.GroupVersionResource{Group: "apiextensions.k8s.io", Version: "v1", Resource: "customresourcedefinitions"}
)

var resources = map[string]schema.GroupVersionResource{
	"ClusterServiceVersion":    CSVs,
	"OperatorGroup":            OperatorGroups,
	"OLMConfig":                OLMConfigs,
	"Namespace":                Namespaces,
	"CustomResourceDefinition": Definitions,
}

// Create writes objects that do not exist yet. A status goes to the status subresource, as OLM writes it.
func Create(ctx context.Context, client dynamic.Interface, objects ...*Object) error {
	for _, object := range objects {
		if err := create(ctx, client, object); err != nil {
			return fmt.Errorf("create %s %s/%s: %w", object.GetKind(), object.GetNamespace(), object.GetName(), err)
		}
	}
	return nil
}

func create(ctx context.Context, client dynamic.Interface, object *Object) error {
	resource, ok := resources[object.GetKind()]
	if !ok {
		return fmt.Errorf("unknown kind")
	}
	return CreateAs(ctx, client, resource, object)
}

// CreateAs is Create for an object of any resource.
func CreateAs(ctx context.Context, client dynamic.Interface, resource schema.GroupVersionResource, object *Object) error {
	at := client.Resource(resource).Namespace(object.GetNamespace())
	// Published CSVs may carry fields that the definition does not know; real clusters prune them, too.
	if _, err := at.Create(ctx, object, metav1.CreateOptions{FieldValidation: metav1.FieldValidationIgnore}); err != nil {
		return err
	}
	status, ok := object.Object["status"]
	if !ok || resource == Definitions {
		return nil
	}
	// Whoever watches such objects may have written it meanwhile.
	return MutateStatus(ctx, client, resource, object.GetNamespace(), object.GetName(), func(made *Object) { made.Object["status"] = status })
}

// InstallCRDs writes the definitions of OLM's APIs (CRDs), and those of more that are not among them, and waits until the
// API server serves them.
func InstallCRDs(ctx context.Context, client dynamic.Interface, root string, more ...*Object) error {
	definitions, err := CRDs(root)
	if err != nil {
		return err
	}
	known := map[string]bool{}
	for _, definition := range definitions {
		known[definition.GetName()] = true
	}
	for _, definition := range more {
		if !known[definition.GetName()] {
			definitions = append(definitions, definition)
		}
	}
	return CreateCRDs(ctx, client, definitions...)
}

// CreateCRDs writes definitions and waits until the API server serves them. One whose namesake is on its way out, as that of an
// earlier test may be, waits for that to be gone.
func CreateCRDs(ctx context.Context, client dynamic.Interface, definitions ...*Object) error {
	ctx, cancel := context.WithTimeout(ctx, 2*time.Minute)
	defer cancel()
	for _, definition := range definitions {
		for terminating(ctx, client, definition.GetName()) {
			select {
			case <-ctx.Done():
				return fmt.Errorf("an earlier %s is still being deleted: %w", definition.GetName(), ctx.Err())
			case <-time.After(50 * time.Millisecond):
			}
		}
	}
	if err := Create(ctx, client, definitions...); err != nil {
		return err
	}
	for _, definition := range definitions {
		for !established(ctx, client, definition.GetName()) {
			select {
			case <-ctx.Done():
				return fmt.Errorf("%s is not established: %w", definition.GetName(), ctx.Err())
			case <-time.After(50 * time.Millisecond):
			}
		}
	}
	return nil
}

func terminating(ctx context.Context, client dynamic.Interface, name string) bool {
	definition, err := client.Resource(Definitions).Get(ctx, name, metav1.GetOptions{})
	return err == nil && definition.GetDeletionTimestamp() != nil
}

// established looks at the condition, and lists once: the condition comes a moment before the server serves.
func established(ctx context.Context, client dynamic.Interface, name string) bool {
	definition, err := client.Resource(Definitions).Get(ctx, name, metav1.GetOptions{})
	if err != nil {
		return false
	}
	versions, _, _ := unstructured.NestedSlice(definition.Object, "spec", "versions")
	for _, each := range versions {
		version, _ := each.(map[string]any)
		if version["served"] != true {
			continue
		}
		_, err := client.Resource(schema.GroupVersionResource{
			Group:    text(definition, "spec", "group"),
			Version:  version["name"].(string),
			Resource: text(definition, "spec", "names", "plural"),
		}).List(ctx, metav1.ListOptions{Limit: 1})
		if err != nil {
			return false
		}
	}
	return true
}

// Mutate reads an object, changes it and writes it back, spec and all; it tries again when somebody else was faster.
func Mutate(ctx context.Context, client dynamic.Interface, resource schema.GroupVersionResource, namespace, name string, change func(*Object)) error {
	return mutate(ctx, client, resource, namespace, name, change, dynamic.ResourceInterface.Update)
}

// MutateStatus is Mutate for the status subresource.
func MutateStatus(ctx context.Context, client dynamic.Interface, resource schema.GroupVersionResource, namespace, name string, change func(*Object)) error {
	return mutate(ctx, client, resource, namespace, name, change,
		func(at dynamic.ResourceInterface, ctx context.Context, object *Object, options metav1.UpdateOptions, _ ...string) (*Object, error) {
			return at.UpdateStatus(ctx, object, options)
		})
}

type update func(dynamic.ResourceInterface, context.Context, *Object, metav1.UpdateOptions, ...string) (*Object, error)

func mutate(ctx context.Context, client dynamic.Interface, resource schema.GroupVersionResource, namespace, name string, change func(*Object), write update) error {
	at := client.Resource(resource).Namespace(namespace)
	for {
		object, err := at.Get(ctx, name, metav1.GetOptions{})
		if err != nil {
			return err
		}
		change(object)
		if _, err = write(at, ctx, object, metav1.UpdateOptions{}); !apierrors.IsConflict(err) {
			return err
		}
	}
}
