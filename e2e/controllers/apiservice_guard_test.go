package controllers_test

import (
	"errors"
	"fmt"
	"path/filepath"
	"reflect"
	"slices"
	"testing"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/dynamic"

	"steward.dev/e2e/cluster"
)

const guardName = "steward-apiservice-guard"

// guarded is a cluster with Steward, and the guard under exactly the rights and policies of deploy/overlays/apiservice-guard.
type guarded struct {
	*cluster.Cluster
	steward    *cluster.Steward
	kubeconfig string // of the guard's account
	guard      *cluster.Controllers
}

func startGuarded(t *testing.T) *guarded {
	t.Helper()
	c, err := cluster.Start(t.Context(), cluster.Options{Controllers: []string{"namespace", "serviceaccount"}})
	must(t, err)
	t.Cleanup(func() {
		if err := c.Stop(); err != nil {
			t.Error(err)
		}
	})
	g := &guarded{Cluster: c}
	g.steward, err = c.RunSteward(t.Context(), "steward")
	must(t, err)
	must(t, c.ApplyManifests(t.Context(), filepath.Join("overlays", "apiservice-guard")))
	g.kubeconfig, err = c.ServiceAccount(t.Context(), controllersNamespace, guardName)
	must(t, err)
	g.startGuard(t)
	t.Cleanup(func() {
		if t.Failed() {
			t.Logf("the guard:\n%s", g.guard.Process.Tail(40))
		}
		g.guard.Process.Kill()
	})
	return g
}

func (g *guarded) startGuard(t *testing.T, flags ...string) {
	t.Helper()
	var err error
	g.guard, err = g.RunControllersAs(t.Context(), g.kubeconfig, "guard",
		append([]string{"--reconcilers=apiservice-guard", "--apiservice-guard-grace=10s"}, flags...)...)
	must(t, err)
}

func (g *guarded) registration(t *testing.T) (*unstructured.Unstructured, error) {
	t.Helper()
	return g.Any.Resource(apiServices).Get(t.Context(), registrationName, metav1.GetOptions{})
}

func (g *guarded) phase(t *testing.T) string {
	t.Helper()
	record, err := g.Kube.CoreV1().ConfigMaps(controllersNamespace).Get(t.Context(), guardName, metav1.GetOptions{})
	if apierrors.IsNotFound(err) {
		return ""
	}
	must(t, err)
	return record.Data["phase"]
}

func (g *guarded) awaitPhase(t *testing.T, wanted string) {
	t.Helper()
	eventually(t, func() error {
		if phase := g.phase(t); phase != wanted {
			return fmt.Errorf("the record says %q, and not %q", phase, wanted)
		}
		return nil
	})
}

// kept is what of an APIService must be the same when it is back.
func kept(object *unstructured.Unstructured) map[string]any {
	managers := slices.DeleteFunc(object.GetManagedFields(), func(entry metav1.ManagedFieldsEntry) bool { return entry.Subresource != "" })
	return map[string]any{
		"spec": object.Object["spec"], "labels": object.GetLabels(), "annotations": object.GetAnnotations(),
		"finalizers": object.GetFinalizers(), "managers": managers,
	}
}

// While nobody serves the API, namespaces can be deleted after the grace period; once somebody does it is there again, the same, and
// whoever applied it may go on applying it.
func TestGuard_R_004_44_WithdrawsAndRestores(t *testing.T) {
	g := startGuarded(t)
	before, err := g.registration(t)
	must(t, err)
	namespace := "left-" + fmt.Sprint(g.steward.Port)
	_, err = g.Kube.CoreV1().Namespaces().Create(t.Context(), &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: namespace}},
		metav1.CreateOptions{})
	must(t, err)

	g.steward.Process.Kill()
	must(t, g.Kube.CoreV1().Namespaces().Delete(t.Context(), namespace, metav1.DeleteOptions{}))
	g.awaitPhase(t, "Withdrawn")
	if _, err := g.registration(t); !apierrors.IsNotFound(err) {
		t.Errorf("the APIService is still there: %v", err)
	}
	eventually(t, func() error {
		_, err := g.Kube.CoreV1().Namespaces().Get(t.Context(), namespace, metav1.GetOptions{})
		if apierrors.IsNotFound(err) {
			return nil
		}
		return fmt.Errorf("the namespace is still there: %w", errors.Join(err))
	})

	// Its record outlives it.
	g.guard.Process.Kill()
	must(t, g.steward.Start())
	must(t, g.steward.WaitReady(t.Context()))
	g.startGuard(t)
	g.awaitPhase(t, "Restored")
	eventually(t, func() error {
		after, err := g.registration(t)
		if err != nil {
			return err
		}
		if !reflect.DeepEqual(kept(before), kept(after)) {
			return fmt.Errorf("it was\n%v\nand is\n%v", kept(before), kept(after))
		}
		return nil
	})
	must(t, g.WaitAvailable(t.Context()))
	must(t, g.Deploy(t.Context(), g.steward))
}

// Who puts it back meanwhile is left alone, until it has been available once.
func TestGuard_R_004_44_Yields(t *testing.T) {
	g := startGuarded(t)
	before, err := g.registration(t)
	must(t, err)
	g.steward.Process.Kill()
	g.awaitPhase(t, "Withdrawn")
	theirs := &unstructured.Unstructured{Object: map[string]any{
		"apiVersion": "apiregistration.k8s.io/v1", "kind": "APIService",
		"metadata": map[string]any{"name": registrationName}, "spec": before.Object["spec"],
	}}
	theirs, err = g.Any.Resource(apiServices).Create(t.Context(), theirs, metav1.CreateOptions{})
	must(t, err)
	eventually(t, func() error {
		events, err := g.Kube.CoreV1().Events(controllersNamespace).List(t.Context(), metav1.ListOptions{FieldSelector: "reason=Yielded"})
		if err == nil && len(events.Items) == 0 {
			err = errors.New("nobody says that the guard yields")
		}
		return err
	})
	must(t, g.steward.Start())
	must(t, g.WaitAvailable(t.Context()))
	g.awaitPhase(t, "")
	left, err := g.registration(t)
	must(t, err)
	if left.GetUID() != theirs.GetUID() {
		t.Error("it is not theirs any more")
	}
	// Guarded again; switched off, the guard gives back what it holds, whoever serves it.
	g.steward.Process.Kill()
	g.awaitPhase(t, "Withdrawn")
	g.guard.Process.Kill()
	g.startGuard(t, "--apiservice-guard=false")
	g.awaitPhase(t, "Restored")
}

// What a stolen token of the guard could be used for.
func TestGuard_RefusesItsAccount(t *testing.T) {
	g := startGuarded(t)
	g.guard.Process.Kill()
	config, err := cluster.ClientFor(g.kubeconfig)
	must(t, err)
	as, err := dynamic.NewForConfig(config)
	must(t, err)
	// A policy counts a moment after it was made.
	refused := func(what string, try func() error) {
		t.Helper()
		eventually(t, func() error {
			if err := try(); !apierrors.IsForbidden(err) {
				return fmt.Errorf("%s: %w", what, errors.Join(errors.New("is not refused"), err))
			}
			return nil
		})
	}
	for _, patch := range []string{
		`{"spec":{"insecureSkipTLSVerify":true,"caBundle":null}}`, `{"spec":{"versionPriority":16}}`, `{"metadata":{"labels":{"a":"b"}}}`,
	} {
		refused(patch, func() error {
			_, err := as.Resource(apiServices).Patch(t.Context(), registrationName, types.MergePatchType, []byte(patch),
				metav1.PatchOptions{DryRun: []string{metav1.DryRunAll}})
			return err
		})
	}
	must(t, g.Any.Resource(apiServices).Delete(t.Context(), registrationName, metav1.DeleteOptions{}))
	create := func(object map[string]any, resource dynamic.ResourceInterface) error {
		_, err := resource.Create(t.Context(), &unstructured.Unstructured{Object: object}, metav1.CreateOptions{DryRun: []string{metav1.DryRunAll}})
		return err
	}
	for _, row := range []struct {
		name, group, version, service string
		insecure, permitted           bool
	}{
		{registrationName, "views.operators.coreos.com", "v1alpha1", "steward-apiserver", false, true},
		{registrationName, "views.operators.coreos.com", "v1alpha1", "steward-apiserver", true, false},
		{registrationName, "views.operators.coreos.com", "v1alpha1", "evil", false, false},
		{"v2.views.operators.coreos.com", "views.operators.coreos.com", "v2", "steward-apiserver", false, false},
		{"v1.example.com", "example.com", "v1", "steward-apiserver", false, false},
	} {
		object := map[string]any{
			"apiVersion": "apiregistration.k8s.io/v1", "kind": "APIService", "metadata": map[string]any{"name": row.name},
			"spec": map[string]any{
				"group": row.group, "version": row.version, "groupPriorityMinimum": int64(1000), "versionPriority": int64(15),
				"insecureSkipTLSVerify": row.insecure, "service": map[string]any{"name": row.service, "namespace": controllersNamespace},
			},
		}
		if row.permitted {
			must(t, create(object, as.Resource(apiServices)))
			continue
		}
		refused(fmt.Sprintf("%+v", row), func() error { return create(object, as.Resource(apiServices)) })
	}
	maps := as.Resource(corev1.SchemeGroupVersion.WithResource("configmaps")).Namespace(controllersNamespace)
	record := map[string]any{"apiVersion": "v1", "kind": "ConfigMap", "metadata": map[string]any{"name": "other"}}
	refused("another ConfigMap", func() error { return create(record, maps) })
	refused("listing APIServices", func() error {
		_, err := as.Resource(apiServices).List(t.Context(), metav1.ListOptions{})
		return err
	})
}
