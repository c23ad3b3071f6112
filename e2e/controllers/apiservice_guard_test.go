package controllers_test

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/dynamic"

	"steward.dev/e2e/cluster"
	"steward.dev/e2e/faultproxy"
)

const (
	guardName = "steward-apiservice-guard"
	longGrace = "--apiservice-guard-grace=10m" // too long for anything to be withdrawn in a test
)

// As the Deployment has it: a slow kube-apiserver is no reason to lose the Lease.
var patientElection = []string{
	"--leader-elect=true", "--leader-elect-lease-duration=60s", "--leader-elect-renew-deadline=40s", "--leader-elect-retry-period=5s",
}

// guarded is a cluster with Steward, and the guard under exactly the rights and policies of deploy/base.
type guarded struct {
	*cluster.Cluster
	steward    *cluster.Steward
	kubeconfig string // of the guard's account
	guard      *cluster.Controllers
}

// prepareGuarded is one in which neither runs, and nothing is registered. Its test runs beside others, as it mostly waits.
func prepareGuarded(t *testing.T) *guarded {
	t.Helper()
	t.Parallel()
	c, err := cluster.Start(t.Context(), cluster.Options{Controllers: []string{"namespace", "serviceaccount", "garbagecollector", "clusterrole-aggregation"}})
	must(t, err)
	t.Cleanup(func() {
		if err := c.Stop(); err != nil {
			t.Error(err)
		}
	})
	g := &guarded{Cluster: c}
	g.steward, err = c.NewSteward("steward")
	must(t, err)
	must(t, c.DeployUnregistered(t.Context(), g.steward))
	authority := &corev1.ConfigMap{
		ObjectMeta: metav1.ObjectMeta{Name: "steward-apiserver-ca", Namespace: controllersNamespace},
		Data:       map[string]string{"ca.crt": string(g.steward.CA())},
	}
	_, err = c.Kube.CoreV1().ConfigMaps(controllersNamespace).Create(t.Context(), authority, metav1.CreateOptions{})
	must(t, err)
	g.kubeconfig, err = c.ServiceAccount(t.Context(), controllersNamespace, guardName)
	must(t, err)
	t.Cleanup(func() {
		if g.guard == nil {
			return
		}
		if t.Failed() {
			t.Logf("the guard:\n%s", g.guard.Process.Tail(40))
		}
		g.guard.Process.Kill()
	})
	return g
}

func startGuarded(t *testing.T) *guarded {
	t.Helper()
	g := prepareGuarded(t)
	g.startGuard(t)
	g.startSteward(t)
	return g
}

func (g *guarded) startSteward(t *testing.T) {
	t.Helper()
	must(t, g.steward.Start())
	must(t, g.steward.WaitReady(t.Context()))
	must(t, g.WaitAvailable(t.Context()))
}

func (g *guarded) startGuard(t *testing.T, flags ...string) {
	t.Helper()
	g.startGuardAt(t, 0, g.kubeconfig, flags...)
}

func (g *guarded) startGuardAt(t *testing.T, skew time.Duration, kubeconfig string, flags ...string) {
	t.Helper()
	var err error
	own := []string{"--reconcilers=apiservice-guard,apiservice-removal", fmt.Sprintf("--apiservice-guard-port=%d", g.steward.Port)}
	if !slices.Contains(flags, longGrace) {
		own = append(own, "--apiservice-guard-grace=10s")
	}
	g.guard, err = g.RunControllersAt(t.Context(), skew, kubeconfig, "guard", append(own, flags...)...)
	must(t, err)
}

func (g *guarded) registration(t *testing.T) (*unstructured.Unstructured, error) {
	t.Helper()
	return g.Any.Resource(apiServices).Get(t.Context(), registrationName, metav1.GetOptions{})
}

func (g *guarded) awaitUnregistered(t *testing.T) {
	t.Helper()
	eventually(t, func() error {
		if _, err := g.registration(t); !apierrors.IsNotFound(err) {
			return fmt.Errorf("the APIService is still there: %w", errors.Join(err))
		}
		return nil
	})
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

func (g *guarded) awaitEvent(t *testing.T, reason string) {
	t.Helper()
	eventually(t, func() error {
		events, err := g.Kube.CoreV1().Events(controllersNamespace).List(t.Context(), metav1.ListOptions{FieldSelector: "reason=" + reason})
		if err == nil && len(events.Items) == 0 {
			err = fmt.Errorf("no Event says %s", reason)
		}
		return err
	})
}

// A namespace of somebody else can be deleted, sooner or later.
func (g *guarded) namespacesCanBeDeleted(t *testing.T) {
	t.Helper()
	namespaces := g.Kube.CoreV1().Namespaces()
	made, err := namespaces.Create(t.Context(), &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{GenerateName: "left-"}}, metav1.CreateOptions{})
	must(t, err)
	must(t, namespaces.Delete(t.Context(), made.Name, metav1.DeleteOptions{}))
	g.awaitNoNamespace(t, made.Name)
}

func (g *guarded) awaitNoNamespace(t *testing.T, name string) {
	t.Helper()
	eventually(t, func() error {
		namespace, err := g.Kube.CoreV1().Namespaces().Get(t.Context(), name, metav1.GetOptions{})
		if apierrors.IsNotFound(err) {
			return nil
		}
		return fmt.Errorf("the namespace is still there: %v %w", namespace.Status.Conditions, errors.Join(err))
	})
}

// Nothing is registered before somebody serves it: an image that cannot be pulled does no harm.
func TestGuard_R_004_44_RegistersWhatIsServed(t *testing.T) {
	g := prepareGuarded(t)
	g.startGuard(t)
	g.awaitEvent(t, "NotServed")
	if _, err := g.registration(t); !apierrors.IsNotFound(err) {
		t.Fatalf("there is an APIService that nobody serves: %v", err)
	}
	g.namespacesCanBeDeleted(t)
	g.startSteward(t)
	made, err := g.registration(t)
	must(t, err)
	role, err := g.Kube.RbacV1().ClusterRoles().Get(t.Context(), guardName, metav1.GetOptions{})
	must(t, err)
	if owners := made.GetOwnerReferences(); len(owners) != 1 || owners[0].UID != role.UID {
		t.Errorf("its owners are %v", owners)
	}
	// By hand: while it is served it is there.
	must(t, g.Any.Resource(apiServices).Delete(t.Context(), registrationName, metav1.DeleteOptions{}))
	must(t, g.WaitAvailable(t.Context()))
}

// A tool that applies all manifests, and the APIService of an earlier version, again and again, while nobody serves it, does not keep it
// there.
func TestGuard_R_004_44_WhateverIsAppliedAgain(t *testing.T) {
	g := startGuarded(t)
	g.steward.Process.Kill()
	g.awaitPhase(t, "Withdrawn")
	stop, stopped := make(chan struct{}), make(chan error, 1)
	applied := make(chan struct{}, 1)
	go func() {
		for {
			err := g.Deploy(t.Context(), g.steward)
			select {
			case applied <- struct{}{}:
			default:
			}
			select {
			case <-stop:
				stopped <- err
				return
			case <-time.After(5 * time.Second):
			}
		}
	}()
	<-applied
	g.namespacesCanBeDeleted(t)
	g.awaitEvent(t, "WithdrawnAgain")
	g.startSteward(t)
	close(stop)
	must(t, <-stopped)
	must(t, g.WaitAvailable(t.Context()))
	g.namespacesCanBeDeleted(t)
}

// Deleting the manifests, in whichever order, leaves a cluster in which namespaces can be deleted.
func TestGuard_R_004_44_ManifestsAreDeletedInAnyOrder(t *testing.T) {
	for name, sort := range map[string]func(documents []string){
		"as kustomize has them": func([]string) {},
		"the last first":        slices.Reverse[[]string],
		"at random": func(documents []string) {
			rand.Shuffle(len(documents), func(i, k int) { documents[i], documents[k] = documents[k], documents[i] })
		},
	} {
		t.Run(name, func(t *testing.T) {
			g := startGuarded(t)
			root, err := cluster.Root()
			must(t, err)
			text, err := g.Kubectl(t.Context(), "kustomize", filepath.Join(root, "deploy", "base"))
			must(t, err)
			documents := strings.Split(text, "\n---\n")
			sort(documents)
			file := filepath.Join(g.Dir, "deleted.yaml")
			must(t, os.WriteFile(file, []byte(strings.Join(documents, "\n---\n")), 0o644))
			remove := func() error {
				out, err := g.Kubectl(t.Context(), "delete", "--ignore-not-found", "--wait=false", "-f", file)
				if err != nil {
					err = fmt.Errorf("%w: %s", err, out)
				}
				return err
			}
			if err := remove(); err != nil && !strings.Contains(err.Error(), "kubectl steward remove") {
				t.Error(err)
			}
			// With their Deployments.
			g.steward.Process.Kill()
			g.guard.Process.Kill()
			g.awaitUnregistered(t)
			g.namespacesCanBeDeleted(t)
			eventually(t, remove)
			g.awaitNoNamespace(t, controllersNamespace)
		})
	}
}

// Who deletes the namespace is told what to do; where nobody tells them, the guard takes the APIService along.
func TestGuard_R_004_44_TheNamespaceIsDeletedByHand(t *testing.T) {
	g := prepareGuarded(t)
	g.startGuard(t, patientElection...)
	g.startSteward(t)
	eventually(t, func() error {
		out, err := g.Kubectl(t.Context(), "delete", "namespace", controllersNamespace, "--dry-run=server")
		if err == nil || !strings.Contains(err.Error(), "kubectl steward remove") {
			return fmt.Errorf("%s: %w", out, errors.Join(errors.New("nobody says what to do"), err))
		}
		return nil
	})
	// Without the policies.
	_, err := g.Kubectl(t.Context(), "delete", "validatingadmissionpolicybindings,validatingadmissionpolicies", "--all")
	must(t, err)
	eventually(t, func() error {
		_, err := g.Kubectl(t.Context(), "delete", "namespace", controllersNamespace, "--dry-run=server")
		return err
	})
	must(t, g.Kube.CoreV1().Namespaces().Delete(t.Context(), controllersNamespace, metav1.DeleteOptions{}))
	g.steward.Process.Kill()
	g.awaitUnregistered(t)
	g.awaitNoNamespace(t, controllersNamespace)
	g.namespacesCanBeDeleted(t)
}

// A kube-apiserver under load makes it later, and no less certain; and it needs no policies.
func TestGuard_R_004_44_TheKubeAPIServerIsSlow(t *testing.T) {
	g := prepareGuarded(t)
	_, err := g.Kubectl(t.Context(), "delete", "validatingadmissionpolicybindings,validatingadmissionpolicies", "--all")
	must(t, err)
	pair, err := g.ServingPair("slow")
	must(t, err)
	proxy, err := faultproxy.Start(faultproxy.Options{
		Name: "guard", Upstream: g.URL(), CAFile: g.ServingCAFile(), Cert: pair.Cert, Key: pair.Key, Journal: &faultproxy.Journal{},
	})
	must(t, err)
	t.Cleanup(func() { must(t, proxy.Stop()) })
	asked := 0
	proxy.Add(
		faultproxy.Rule{When: func(*faultproxy.Request) bool { asked++; return asked%5 == 0 }, Do: faultproxy.Fail(429)},
		faultproxy.Rule{When: func(*faultproxy.Request) bool { return true }, Do: faultproxy.After(func() {
			time.Sleep(2*time.Second + rand.N(3*time.Second))
		})})
	through, err := g.At(g.kubeconfig, "guard-slow", proxy.URL)
	must(t, err)
	g.startGuardAt(t, 0, through, patientElection...)
	g.startSteward(t)
	g.steward.Process.Kill()
	g.awaitUnregistered(t)
	g.namespacesCanBeDeleted(t)
	g.startSteward(t)
}

// The guard's clock may go wrong.
func TestGuard_R_004_44_OtherClocks(t *testing.T) {
	if cluster.FakeTime() == "" {
		t.Skip("the clock was not changed: the library faketime is not installed")
	}
	g := prepareGuarded(t)
	g.startGuard(t)
	g.startSteward(t)
	for _, skew := range []time.Duration{5 * time.Minute, -5 * time.Minute} {
		g.guard.Process.Kill()
		g.startGuardAt(t, skew, g.kubeconfig, longGrace)
		// For a moment nobody serves it, and the guard looks several times meanwhile.
		g.steward.Process.Kill()
		eventually(t, func() error {
			condition, err := g.Available(t.Context())
			if err == nil && condition.Status != metav1.ConditionFalse {
				err = fmt.Errorf("the condition is %s", condition.Status)
			}
			return err
		})
		const looks = `controller_runtime_reconcile_total{controller="apiservice-guard",result="requeue_after"}`
		before, err := g.guard.Metric(t.Context(), looks)
		must(t, err)
		eventually(t, func() error {
			now, err := g.guard.Metric(t.Context(), looks)
			if err == nil && now < before+5 {
				err = fmt.Errorf("%v looks", now-before)
			}
			return err
		})
		if _, err := g.registration(t); err != nil {
			t.Errorf("%s: what was away for a moment was withdrawn: %v", skew, err)
		}
		// For long.
		g.guard.Process.Kill()
		g.startGuardAt(t, skew, g.kubeconfig)
		g.awaitUnregistered(t)
		g.namespacesCanBeDeleted(t)
		g.startSteward(t)
	}
}

// What is restored from before the guard registered anything is guarded as what it made itself.
func TestGuard_R_004_44_EtcdIsRestored(t *testing.T) {
	g := prepareGuarded(t)
	must(t, g.Register(t.Context(), g.steward))
	g.startSteward(t)
	saved := filepath.Join(t.TempDir(), "etcd")
	must(t, g.SaveEtcd(saved))
	g.startGuard(t, patientElection...)
	adopted := func() error {
		made, err := g.registration(t)
		if err == nil && len(made.GetOwnerReferences()) != 1 {
			err = errors.New("it has no owner")
		}
		return err
	}
	eventually(t, adopted)
	must(t, g.RestoreEtcd(t.Context(), saved))
	g.namespacesCanBeDeleted(t)
	must(t, g.WaitServed(t.Context()))
	eventually(t, adopted)
	g.steward.Process.Kill()
	g.awaitPhase(t, "Withdrawn")
	g.namespacesCanBeDeleted(t)
	g.startSteward(t)
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
	g.steward.Process.Kill()
	g.namespacesCanBeDeleted(t)
	g.awaitPhase(t, "Withdrawn")
	if _, err := g.registration(t); !apierrors.IsNotFound(err) {
		t.Errorf("the APIService is still there: %v", err)
	}

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
	must(t, g.Register(t.Context(), g.steward))
	// Switched off, the guard gives back what it holds, whoever serves it.
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
	owned := func(owner map[string]any) error {
		object := map[string]any{
			"apiVersion": "apiregistration.k8s.io/v1", "kind": "APIService",
			"metadata": map[string]any{"name": registrationName, "ownerReferences": []any{owner}},
			"spec": map[string]any{
				"group": "views.operators.coreos.com", "version": "v1alpha1", "groupPriorityMinimum": int64(1000), "versionPriority": int64(15),
				"service": map[string]any{"name": "steward-apiserver", "namespace": controllersNamespace},
			},
		}
		return create(object, as.Resource(apiServices))
	}
	must(t, owned(map[string]any{"apiVersion": "rbac.authorization.k8s.io/v1", "kind": "ClusterRole", "name": guardName, "uid": "a"}))
	refused("another owner", func() error {
		return owned(map[string]any{"apiVersion": "rbac.authorization.k8s.io/v1", "kind": "ClusterRole", "name": "admin", "uid": "a"})
	})
	refused("listing APIServices", func() error {
		_, err := as.Resource(apiServices).List(t.Context(), metav1.ListOptions{})
		return err
	})
}
