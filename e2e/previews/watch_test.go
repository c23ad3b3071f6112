package previews_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/dynamic/dynamicinformer"
	"k8s.io/client-go/tools/cache"

	"steward.dev/e2e/check"
	"steward.dev/e2e/cluster"
	"steward.dev/e2e/olm"
)

var planPreviews = schema.GroupVersionResource{Group: "views.operators.coreos.com", Version: "v1alpha1", Resource: "planpreviews"}

func direct(t *testing.T, s *cluster.Steward) dynamic.Interface {
	t.Helper()
	config, err := s.WithUser("direct-admin", "system:masters")
	must(t, err)
	config.QPS = -1
	client, err := dynamic.NewForConfig(config)
	must(t, err)
	return client
}

func small(t *testing.T, namespace, name string) {
	t.Helper()
	plan(t, namespace, name, "reed.v1", planned{manifest: csv(namespace, "reed.v1")}, planned{manifest: configMap(namespace, name, "1")})
}

// Informers, in both of their ways, and kubectl follow plans that come, are executed, and go.
func TestWatch_R_PRJ_06_PlanPreviews(t *testing.T) {
	for _, watchList := range []string{"false", "true"} {
		t.Run("WatchList="+watchList, func(t *testing.T) {
			t.Setenv("KUBE_FEATURE_WatchListClient", watchList)
			namespace := space(t)
			following, err := shared.FollowAs(t.Context(), shared.Admin, "get", "ppv", "-n", namespace, "-w", "--output-watch-events")
			must(t, err)
			t.Cleanup(func() { _ = following.Stop() })
			client, err := dynamic.NewForConfig(shared.Config)
			must(t, err)
			informer := dynamicinformer.NewFilteredDynamicInformer(client, planPreviews, namespace, 0, cache.Indexers{}, nil).Informer()
			stop := make(chan struct{})
			t.Cleanup(func() { close(stop) })
			go informer.Run(stop)
			held := func(phase string) {
				t.Helper()
				eventually(t, func() error {
					item, ok, _ := informer.GetStore().GetByKey(namespace + "/install-1")
					got := ""
					if ok {
						got, _, _ = unstructured.NestedString(item.(*olm.Object).Object, "status", "phase")
					}
					if got != phase || ok != (phase != "") {
						return fmt.Errorf("the informer holds %q, not %q", got, phase)
					}
					return nil
				})
			}
			says := func(word string) {
				t.Helper()
				eventually(t, func() error {
					if said := following.Said(); !strings.Contains(said, word) {
						return fmt.Errorf("kubectl does not say %s:\n%s", word, said)
					}
					return nil
				})
			}
			small(t, namespace, "install-1")
			held("RequiresApproval")
			says("RequiresApproval")
			approve(t, namespace, "install-1")
			held("Complete")
			says("Complete")
			must(t, shared.Any.Resource(installPlans).Namespace(namespace).Delete(t.Context(), "install-1", metav1.DeleteOptions{}))
			held("")
			says("DELETED")
		})
	}
}

// What one replica said another one goes on with: a watch from a list's number, and pages.
func TestWatch_R_PRJ_06_PlanPreviewsOnAnotherReplica(t *testing.T) {
	replica, err := shared.NewSteward("replica")
	must(t, err)
	replica.Kubeconfig = steward.Kubeconfig
	must(t, replica.Start(gate))
	must(t, replica.WaitReady(t.Context()))
	t.Cleanup(func() { _ = replica.Stop() })
	here, there := direct(t, steward), direct(t, replica)
	namespace := space(t)
	small(t, namespace, "install-1")
	// A replica knows no state from before its start: the other source has to have changed since.
	must(t, olm.CreateCRDs(t.Context(), shared.Any, olm.Definition(namespace+".example.com", "Later", "Namespaced", "v1")))
	small(t, namespace, "install-2")
	for _, client := range []dynamic.Interface{here, there} {
		eventually(t, func() error {
			_, err := client.Resource(planPreviews).Namespace(namespace).Get(t.Context(), "install-2", metav1.GetOptions{})
			return err
		})
	}
	whole, err := here.Resource(planPreviews).Namespace(namespace).List(t.Context(), metav1.ListOptions{})
	must(t, err)
	watch, err := there.Resource(planPreviews).Namespace(namespace).Watch(t.Context(), metav1.ListOptions{ResourceVersion: whole.GetResourceVersion()})
	must(t, err)
	defer watch.Stop()
	first, err := here.Resource(planPreviews).Namespace(namespace).List(t.Context(), metav1.ListOptions{Limit: 1})
	must(t, err)
	small(t, namespace, "install-3")
	second, err := there.Resource(planPreviews).Namespace(namespace).List(t.Context(), metav1.ListOptions{Limit: 1, Continue: first.GetContinue()})
	must(t, err)
	var names []string
	for _, each := range append(first.Items, second.Items...) {
		names = append(names, each.GetName())
	}
	if !slices.Equal(names, []string{"install-1", "install-2"}) || second.GetContinue() != "" {
		t.Errorf("the pages are %q, and more: %q", names, second.GetContinue())
	}
	select {
	case event := <-watch.ResultChan():
		object, ok := event.Object.(*olm.Object)
		if event.Type != "ADDED" || !ok || object.GetName() != "install-3" {
			t.Errorf("the watch on the other replica begins with %s %v", event.Type, event.Object)
		}
	case <-time.After(check.Patience):
		t.Error("nothing came on the other replica")
	}
}
