package cases

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/util/rand"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/dynamic/dynamicinformer"
	"k8s.io/client-go/features"
	featurestesting "k8s.io/client-go/features/testing"
	"k8s.io/client-go/tools/cache"

	"steward.dev/e2e/olm"
)

const optInFinalizer = "operatorframework.io/delete-custom-resources"

// cleanable is an operator that supports cleanup and is opted in, and owns one definition; with its OperatorGroup, whose
// status is as OLM writes it.
func cleanable(namespace, name, definition string, targets ...string) (group, csv *olm.Object) {
	group = olm.Synced(olm.OperatorGroup(namespace, "one", targets...), targets...)
	csv = olm.CSV(name, group, targets...)
	csv.SetFinalizers([]string{optInFinalizer})
	spec := csv.Object["spec"].(map[string]any)
	spec["cleanup"] = map[string]any{"enabled": true}
	spec["customresourcedefinitions"] = map[string]any{"owned": []any{
		map[string]any{"name": definition, "version": "v1", "kind": "Widget", "displayName": "Widget", "description": "A widget."},
	}}
	return group, csv
}

// releaseAll lets go of the opt-in when the case ends: nobody cleans up here.
func releaseAll(t *testing.T, namespace, name string) {
	t.Cleanup(func() {
		_ = olm.Mutate(context.Background(), shared.Any, olm.CSVs, namespace, name, func(csv *olm.Object) { csv.SetFinalizers(nil) })
	})
}

func cleanupStatus(t *testing.T, namespace, name string) (*olm.Object, error) {
	t.Helper()
	return shared.Any.Resource(olm.CleanupStatuses).Namespace(namespace).Get(t.Context(), name, metav1.GetOptions{})
}

// inPhase checks what the phase is.
func inPhase(t *testing.T, namespace, name, phase string) func() error {
	return func() error {
		status, err := cleanupStatus(t, namespace, name)
		if err == nil && field(status, "status", "phase") != phase {
			err = fmt.Errorf("%v, want phase %s", status.Object["status"], phase)
		}
		return err
	}
}

func definitionName() string { return "widgets." + rand.String(6) + ".example.com" }

// R-PRJ-06, R-000-47: what uninstalling an operator would do is told before, by kubectl.
func TestCleanupStatus_R_000_47_Kubectl(t *testing.T) {
	home, target := space(t), space(t)
	definition := definitionName()
	group, csv := cleanable(home, "widgets.v1", definition, home, target)
	create(t, group, csv)
	releaseAll(t, home, "widgets.v1")
	soon(t, "a new CSV", inPhase(t, home, "widgets.v1", "Ready"))

	out := lines(kubectl(t, "get", "cus", "-n", home))
	if want := []string{"NAME", "PHASE", "PENDING", "BLOCKERS", "AGE"}; !slices.Equal(columns(out[0]), want) {
		t.Errorf("columns %q, want %q", columns(out[0]), want)
	}
	if got := strings.Fields(out[1]); len(got) != 4 || !slices.Equal(got[:3], []string{"widgets.v1", "Ready", "0"}) || !strings.ContainsAny(got[3], "smh") {
		t.Errorf("row %q", out[1])
	}
	out = lines(kubectl(t, "get", "cleanupstatuses", "-n", home, "-o", "wide"))
	if !strings.Contains(out[0], "TARGETS") || !strings.Contains(out[1], "2 namespaces") || !strings.Contains(out[1], definition) {
		t.Errorf("wide:\n%s", strings.Join(out, "\n"))
	}
	if out := kubectl(t, "get", "cus", "-n", home, "-o", "name"); strings.TrimSpace(out) != "cleanupstatus.views.operators.coreos.com/widgets.v1" {
		t.Errorf("names: %q", out)
	}
	text := kubectl(t, "get", "cus", "widgets.v1", "-n", home, "-o", "yaml")
	for _, want := range []string{"phase: Ready", "optedIn: true", "enabled: true", "pendingCount: 0", "plural: widgets", "kind: Widget", "- " + target} {
		if !strings.Contains(text, want) {
			t.Errorf("no %q in:\n%s", want, text)
		}
	}
	for _, absent := range []string{"finalizers", "ownerReferences", "managedFields", "deletionTimestamp", "blockers"} {
		if strings.Contains(text, absent) {
			t.Errorf("%s in:\n%s", absent, text)
		}
	}
	for _, path := range []string{"cus", "cus.status", "cleanupstatuses.status.blockers", "cus.status.pendingDeletion"} {
		if out := kubectl(t, "explain", path); strings.Contains(out, "<empty>") {
			t.Errorf("explain %s: something is not described:\n%s", path, out)
		}
	}
	for _, args := range [][]string{{"delete", "cus", "widgets.v1"}, {"annotate", "cus", "widgets.v1", "a=b"}} {
		if said := refused(t, shared.Admin, append(args, "-n", home)...); !strings.Contains(said, "(MethodNotAllowed)") || !strings.Contains(said, "computed from ClusterServiceVersion "+home+"/widgets.v1; change that one") {
			t.Errorf("%q: %s", args, said)
		}
	}
	// It belongs to the operator, not to where the operator works.
	if _, err := cleanupStatus(t, target, "widgets.v1"); err == nil {
		t.Error("it is in a target namespace, too")
	}

	must(t, olm.Mutate(t.Context(), shared.Any, olm.CSVs, home, "widgets.v1", func(csv *olm.Object) { csv.SetFinalizers(nil) }))
	soon(t, "an opt-in that is taken back", inPhase(t, home, "widgets.v1", "NotOptedIn"))
	must(t, olm.Mutate(t.Context(), shared.Any, olm.CSVs, home, "widgets.v1", func(csv *olm.Object) {
		csv.Object["spec"].(map[string]any)["cleanup"] = map[string]any{"enabled": false}
	}))
	soon(t, "a support that is taken back", inPhase(t, home, "widgets.v1", "Disabled"))
}

// R-000-59, R-004-49: another owner anywhere stands in the way, and is counted, not named.
func TestCleanupStatus_R_004_49_OthersAreCounted(t *testing.T) {
	home, elsewhere := space(t), space(t)
	definition := definitionName()
	group, csv := cleanable(home, "widgets.v1", definition, home)
	create(t, group, csv)
	releaseAll(t, home, "widgets.v1")
	soon(t, "a new CSV", inPhase(t, home, "widgets.v1", "Ready"))
	group, csv = cleanable(elsewhere, "other.v1", definition, elsewhere)
	create(t, group, csv)
	releaseAll(t, elsewhere, "other.v1")
	soon(t, "another owner", inPhase(t, home, "widgets.v1", "Refused"))
	status, err := cleanupStatus(t, home, "widgets.v1")
	must(t, err)
	blockers, _, _ := unstructured.NestedSlice(status.Object, "status", "blockers")
	if len(blockers) != 1 || asJSON(blockers[0]) != asJSON(map[string]any{
		"message": "other operators own the same definitions", "objectsElsewhere": 1, "reason": "SharedOwner",
	}) {
		t.Errorf("blockers %s", asJSON(blockers))
	}
	if text := kubectl(t, "get", "cus", "-n", home, "-o", "yaml"); strings.Contains(text, elsewhere) {
		t.Errorf("another namespace is named:\n%s", text)
	}
	if out := kubectl(t, "get", "cus", "-n", home); !strings.Contains(out, "SharedOwner") {
		t.Errorf("no blocker in:\n%s", out)
	}

	// What is pending elsewhere is counted, too.
	must(t, olm.MutateStatus(t.Context(), shared.Any, olm.CSVs, home, "widgets.v1", func(csv *olm.Object) {
		csv.Object["status"].(map[string]any)["cleanup"] = map[string]any{"pendingDeletion": []any{map[string]any{
			"group": strings.TrimPrefix(definition, "widgets."), "kind": "Widget", "instances": []any{
				map[string]any{"name": "mine", "namespace": home}, map[string]any{"name": "theirs", "namespace": elsewhere},
			},
		}}}
	}))
	soon(t, "what is pending", func() error {
		status, err := cleanupStatus(t, home, "widgets.v1")
		if err == nil && field(status, "status", "pendingCount") != "2" {
			err = fmt.Errorf("%v", status.Object["status"])
		}
		return err
	})
	status, err = cleanupStatus(t, home, "widgets.v1")
	must(t, err)
	pending, _, _ := unstructured.NestedSlice(status.Object, "status", "pendingDeletion")
	if asJSON(pending) != asJSON([]any{map[string]any{"kind": "Widget", "name": "mine", "namespace": home, "resource": definition}}) ||
		field(status, "status", "pendingElsewhere") != "1" {
		t.Errorf("%s", asJSON(status.Object["status"]))
	}
}

func TestCleanupStatus_ChunksAndSelectors(t *testing.T) {
	home := space(t)
	group := olm.OperatorGroup(home, "one", home)
	create(t, group)
	for i := range 5 {
		csv := olm.CSV(fmt.Sprintf("part-%d", i), group, home)
		csv.SetLabels(map[string]string{"parity": []string{"even", "odd"}[i%2]})
		create(t, csv)
	}
	names := func(args ...string) string {
		out := kubectl(t, append([]string{"get", "cus", "-n", home, "-o", "jsonpath={.items[*].metadata.name}"}, args...)...)
		return strings.TrimSpace(out)
	}
	soon(t, "five CSVs", func() error {
		if got := names(); len(strings.Fields(got)) != 5 {
			return fmt.Errorf("%q", got)
		}
		return nil
	})
	for _, tc := range []struct {
		args []string
		want string
	}{
		{[]string{"--chunk-size=2"}, "part-0 part-1 part-2 part-3 part-4"},
		{[]string{"-l", "parity=odd"}, "part-1 part-3"},
		{[]string{"-l", "parity!=odd", "--chunk-size=1"}, "part-0 part-2 part-4"},
		{[]string{"--field-selector", "metadata.name=part-3"}, "part-3"},
		{[]string{"--field-selector", "metadata.name!=part-3", "-l", "parity=odd"}, "part-1"},
	} {
		if got := names(tc.args...); got != tc.want {
			t.Errorf("%q: %q, want %q", tc.args, got, tc.want)
		}
	}
	if said := refused(t, shared.Admin, "get", "cus", "-n", home, "--field-selector", "status.phase=Ready"); !strings.Contains(said, "is not a known field selector") {
		t.Errorf("a field selector that there is not: %s", said)
	}
	list, err := shared.Any.Resource(olm.CleanupStatuses).Namespace(home).List(t.Context(), metav1.ListOptions{Limit: 2})
	must(t, err)
	if len(list.Items) != 2 || list.GetRemainingItemCount() == nil || *list.GetRemainingItemCount() != 3 {
		t.Errorf("a page of %d, %v remain", len(list.Items), list.GetRemainingItemCount())
	}
}

// R-PRJ-06: client-go's informers and kubectl's watch follow.
func TestCleanupStatus_R_PRJ_06_Watches(t *testing.T) {
	for _, watchList := range []bool{false, true} {
		t.Run(fmt.Sprint("WatchList=", watchList), func(t *testing.T) {
			featurestesting.SetFeatureDuringTest(t, features.WatchListClient, watchList)
			home := space(t)
			client, err := dynamic.NewForConfig(shared.Config)
			must(t, err)
			informer := dynamicinformer.NewFilteredDynamicInformer(client, olm.CleanupStatuses, home, 0, cache.Indexers{}, nil).Informer()
			ctx, stop := context.WithCancel(context.Background())
			var done sync.WaitGroup
			done.Go(func() { informer.Run(ctx.Done()) })
			t.Cleanup(func() { stop(); done.Wait() })
			held := func(phase string) func() error {
				return func() error {
					item, ok, _ := informer.GetStore().GetByKey(home + "/widgets.v1")
					if ok && field(item.(*olm.Object), "status", "phase") == phase || !ok && phase == "" {
						return nil
					}
					return fmt.Errorf("the informer holds %v, want phase %q", item, phase)
				}
			}
			eventually(t, func() error {
				if !informer.HasSynced() {
					return fmt.Errorf("not synced")
				}
				return nil
			})
			group, csv := cleanable(home, "widgets.v1", definitionName(), home)
			create(t, group, csv)
			releaseAll(t, home, "widgets.v1")
			soon(t, "a new CSV", held("Ready"))
			// The OperatorGroup is another object, of which it depends.
			must(t, shared.Any.Resource(olm.OperatorGroups).Namespace(home).Delete(t.Context(), "one", metav1.DeleteOptions{}))
			soon(t, "an OperatorGroup that goes", held("Refused"))
			release(t, olm.CSVs, home, "widgets.v1")
			soon(t, "an opt-in that is taken back", held("NotOptedIn"))
			must(t, shared.Any.Resource(olm.CSVs).Namespace(home).Delete(t.Context(), "widgets.v1", metav1.DeleteOptions{}))
			soon(t, "a deleted CSV", held(""))
		})
	}
}

func TestCleanupStatus_R_PRJ_08_KubectlWatch(t *testing.T) {
	home := space(t)
	group, csv := cleanable(home, "widgets.v1", definitionName(), home)
	create(t, group, csv)
	releaseAll(t, home, "widgets.v1")
	soon(t, "a new CSV", inPhase(t, home, "widgets.v1", "Ready"))
	// Changes, until told to stop.
	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	var changing sync.WaitGroup
	changing.Go(func() {
		for i := 0; ctx.Err() == nil; i++ {
			finalizers := [][]string{nil, {optInFinalizer}}[i%2]
			_ = olm.Mutate(ctx, shared.Any, olm.CSVs, home, "widgets.v1", func(csv *olm.Object) { csv.SetFinalizers(finalizers) })
			time.Sleep(20 * time.Millisecond)
		}
	})
	following, err := shared.FollowAs(t.Context(), shared.Admin, "get", "cus", "-n", home, "-w", "--output-watch-events")
	must(t, err)
	eventually(t, func() error {
		count := map[string]int{}
		for _, line := range lines(following.Said()) {
			if cells := strings.Fields(line); len(cells) > 2 {
				count[cells[0]+" "+cells[2]]++
			}
		}
		if count["ADDED Ready"]+count["ADDED NotOptedIn"] != 1 || count["MODIFIED Ready"] < 3 || count["MODIFIED NotOptedIn"] < 3 {
			return fmt.Errorf("watched:\n%s", following.Said())
		}
		return nil
	})
	must(t, following.Stop())
	stop()
	changing.Wait()
}

// A replica that came later asks the cluster what was before.
func TestCleanupStatus_R_PRJ_06_FromBeforeTheStart(t *testing.T) {
	home := space(t)
	group, csv := cleanable(home, "widgets.v1", definitionName(), home)
	create(t, group, csv)
	releaseAll(t, home, "widgets.v1")
	soon(t, "a new CSV", inPhase(t, home, "widgets.v1", "Ready"))
	list, err := shared.Any.Resource(olm.CleanupStatuses).Namespace(home).List(t.Context(), metav1.ListOptions{})
	must(t, err)
	release(t, olm.CSVs, home, "widgets.v1")
	younger, err := steward.Beside("younger-" + rand.String(4))
	must(t, err)
	must(t, younger.Start())
	t.Cleanup(func() { _ = younger.Stop() })
	must(t, younger.WaitReady(t.Context()))
	path := apiPath + "/namespaces/" + home + "/cleanupstatuses"
	got := call(t, masters(t, younger), http.MethodGet, path+"?resourceVersionMatch=Exact&resourceVersion="+list.GetResourceVersion())
	if got.Code != http.StatusOK || !strings.Contains(string(got.Body), `"name":"widgets.v1"`) {
		t.Errorf("a list of then: %d %s", got.Code, got.Body)
	}
	// A watch that ends before it had the time to tell anything is opened again.
	eventually(t, func() error {
		got := call(t, masters(t, younger), http.MethodGet, path+"?watch=true&timeoutSeconds=5&resourceVersion="+list.GetResourceVersion())
		if got.Code == http.StatusOK && len(got.Body) == 0 {
			return errors.New("the watch has told nothing")
		}
		if !strings.HasPrefix(string(got.Body), `{"type":"MODIFIED"`) || !strings.Contains(string(got.Body), `"phase":"NotOptedIn"`) {
			t.Fatalf("a watch from then: %d %s", got.Code, got.Body)
		}
		return nil
	})
}

// R-004-49, R-000-74: whoever may view a namespace may read; the subresources are not theirs.
func TestCleanupStatus_R_004_49_Access(t *testing.T) {
	home := space(t)
	viewer := user(t, "viewer-of-"+home)
	kubectl(t, "create", "rolebinding", "views", "--clusterrole=view", "--user=viewer-of-"+home, "-n", home)
	eventually(t, func() error {
		_, err := shared.KubectlAs(t.Context(), viewer, "get", "cus", "-n", home)
		return err
	})
	for what, want := range map[string]string{
		"get cleanupstatuses": "yes", "list cleanupstatuses": "yes", "watch cleanupstatuses": "yes",
		"delete cleanupstatuses": "no", "get cleanupstatuses/pending": "no", "create cleanupstatuses/optin": "no", "create cleanupstatuses/uninstall": "no",
	} {
		verb, resource, _ := strings.Cut(what, " ")
		resource, subresource, _ := strings.Cut(resource, "/")
		out, _ := shared.KubectlAs(t.Context(), viewer, "auth", "can-i", verb, resource, "--subresource="+subresource, "-n", home)
		if strings.TrimSpace(out) != want {
			t.Errorf("can-i %s: %q, want %q", what, out, want)
		}
	}
	if said := refused(t, viewer, "get", "cus", "-A"); !strings.Contains(said, "Forbidden") {
		t.Errorf("everywhere: %s", said)
	}
}
