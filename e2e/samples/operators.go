// Package samples plays the operators of examples/, which are only data: nothing runs them.
package samples

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/dynamic"

	"steward.dev/e2e/olm"
)

const (
	// FinishAfter is how long the operators need for a custom resource that is being deleted.
	FinishAfter = 3 * time.Second
	// hangs ends the names of finalizers that are never removed, so that there is a cleanup to abort.
	hangs = "/hangs"
)

// Operators are those of the definitions in a folder. They remove finalizers that begin with their definition's group, from
// objects that are being deleted; they change nothing else.
type Operators struct {
	client    dynamic.Interface
	resources map[schema.GroupVersionKind]schema.GroupVersionResource
}

// New reads the definitions in the folder apis of the folder examples.
func New(client dynamic.Interface, examples string) (*Operators, error) {
	definitions, err := olm.Read(filepath.Join(examples, "apis"))
	if err != nil {
		return nil, err
	}
	operators := &Operators{client, map[schema.GroupVersionKind]schema.GroupVersionResource{}}
	for _, definition := range definitions {
		group, _, _ := unstructured.NestedString(definition.Object, "spec", "group")
		kind, _, _ := unstructured.NestedString(definition.Object, "spec", "names", "kind")
		plural, _, _ := unstructured.NestedString(definition.Object, "spec", "names", "plural")
		versions, _, _ := unstructured.NestedSlice(definition.Object, "spec", "versions")
		for _, each := range versions {
			if version, _ := each.(map[string]any); version["storage"] == true {
				at := schema.GroupVersion{Group: group, Version: version["name"].(string)}
				operators.resources[at.WithKind(kind)] = at.WithResource(plural)
			}
		}
	}
	return operators, nil
}

// Create makes the definitions and the custom resources of the folder examples.
func (o *Operators) Create(ctx context.Context, examples string) error {
	definitions, err := olm.Read(filepath.Join(examples, "apis"))
	if err != nil {
		return err
	}
	if err := olm.CreateCRDs(ctx, o.client, definitions...); err != nil {
		return err
	}
	return o.createResources(ctx, examples, func(error) bool { return false })
}

// Restore makes the custom resources of the folder examples that are not there.
func (o *Operators) Restore(ctx context.Context, examples string) error {
	return o.createResources(ctx, examples, apierrors.IsAlreadyExists)
}

func (o *Operators) createResources(ctx context.Context, examples string, ignored func(error) bool) error {
	objects, err := olm.Read(filepath.Join(examples, "resources"))
	if err != nil {
		return err
	}
	for _, object := range objects {
		if err := olm.CreateAs(ctx, o.client, o.resources[object.GroupVersionKind()], object); err != nil && !ignored(err) {
			return fmt.Errorf("create %s %s/%s: %w", object.GetKind(), object.GetNamespace(), object.GetName(), err)
		}
	}
	return nil
}

// Deploy makes the Deployments of the operators of the folder examples, which a cleanup looks for. No pod runs.
func (o *Operators) Deploy(ctx context.Context, examples string) error {
	csvs, err := olm.Read(filepath.Join(examples, "operators"))
	if err != nil {
		return err
	}
	for _, csv := range csvs {
		deployments, _, _ := unstructured.NestedSlice(csv.Object, "spec", "install", "spec", "deployments")
		for _, each := range deployments {
			deployment := &olm.Object{Object: map[string]any{"apiVersion": "apps/v1", "kind": "Deployment"}}
			deployment.Object["spec"] = each.(map[string]any)["spec"]
			deployment.SetName(each.(map[string]any)["name"].(string))
			deployment.SetNamespace(csv.GetNamespace())
			if err := olm.CreateAs(ctx, o.client, olm.Deployments, deployment); err != nil {
				return err
			}
		}
	}
	return nil
}

// Run plays them until the context ends. It reports each error once in a row.
func (o *Operators) Run(ctx context.Context, report func(error)) {
	last := ""
	for ctx.Err() == nil {
		err := o.Finish(ctx, time.Now())
		if err != nil && ctx.Err() == nil && err.Error() != last {
			report(err)
		}
		last = ""
		if err != nil {
			last = err.Error()
		}
		select {
		case <-ctx.Done():
		case <-time.After(time.Second):
		}
	}
}

// Finish removes the finalizers of each object whose deletion began FinishAfter ago, or earlier.
func (o *Operators) Finish(ctx context.Context, now time.Time) error {
	var failed []error
	for _, resource := range o.resources {
		list, err := o.client.Resource(resource).List(ctx, metav1.ListOptions{})
		if err != nil {
			failed = append(failed, unlessGone(err))
			continue
		}
		for i := range list.Items {
			failed = append(failed, unlessGone(o.finish(ctx, resource, &list.Items[i], now)))
		}
	}
	return errors.Join(failed...)
}

func (o *Operators) finish(ctx context.Context, resource schema.GroupVersionResource, object *olm.Object, now time.Time) error {
	deleted := object.GetDeletionTimestamp()
	if deleted == nil || now.Sub(deleted.Time) < FinishAfter {
		return nil
	}
	before := object.GetFinalizers()
	left := slices.DeleteFunc(slices.Clone(before), func(finalizer string) bool {
		return strings.HasPrefix(finalizer, resource.Group+"/") && !strings.HasSuffix(finalizer, hangs)
	})
	if len(left) == len(before) {
		return nil
	}
	// The resourceVersion makes sure that nobody has changed the finalizers since they were read.
	patch, err := json.Marshal(map[string]any{
		"metadata": map[string]any{"resourceVersion": object.GetResourceVersion(), "finalizers": left},
	})
	if err != nil {
		return err
	}
	_, err = o.client.Resource(resource).Namespace(object.GetNamespace()).
		Patch(ctx, object.GetName(), types.MergePatchType, patch, metav1.PatchOptions{})
	return err
}

// unlessGone is nil for what the next pass sees anew, or not at all.
func unlessGone(err error) error {
	if apierrors.IsNotFound(err) || apierrors.IsConflict(err) {
		return nil
	}
	return err
}
