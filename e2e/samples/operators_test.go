package samples_test

import (
	"fmt"
	"path/filepath"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/dynamic/fake"

	"steward.dev/e2e/check"
	"steward.dev/e2e/cluster"
	"steward.dev/e2e/olm"
	"steward.dev/e2e/samples"
)

var now = time.Date(2026, 11, 25, 12, 0, 0, 0, time.UTC)

// object is one of a group with finalizers, whose deletion began some time ago; never where that is 0.
func object(group string, ago time.Duration, finalizers ...string) *olm.Object {
	o := &olm.Object{Object: map[string]any{"apiVersion": group + "/v1", "kind": "PostgresCluster"}}
	o.SetNamespace("shop")
	o.SetName("orders")
	o.SetFinalizers(finalizers)
	if ago > 0 {
		deleted := metav1.NewTime(now.Add(-ago))
		o.SetDeletionTimestamp(&deleted)
	}
	return o
}

func TestFinalizersGo(t *testing.T) {
	const group, other = "tidepool.example.com", "elsewhere.example.com"
	root, err := cluster.Root()
	check.Must(t, err)
	for name, tc := range map[string]struct {
		object *olm.Object
		left   []string
	}{
		"a few seconds after the deletion":      {object(group, samples.FinishAfter, group+"/shutdown"), nil},
		"not earlier":                           {object(group, time.Second, group+"/shutdown"), []string{group + "/shutdown"}},
		"not without a deletion":                {object(group, 0, group+"/shutdown"), []string{group + "/shutdown"}},
		"not the one that hangs on purpose":     {object(group, time.Hour, group+"/hangs"), []string{group + "/hangs"}},
		"not another's":                         {object(group, time.Hour, "a.example.com/b", group+"/shutdown"), []string{"a.example.com/b"}},
		"not of a group that begins like it":    {object(group, time.Hour, group+".au/b"), []string{group + ".au/b"}},
		"not of definitions that are not there": {object(other, time.Hour, other+"/shutdown"), []string{other + "/shutdown"}},
	} {
		t.Run(name, func(t *testing.T) {
			resource := tc.object.GroupVersionKind().GroupVersion().WithResource("postgresclusters")
			kinds := map[schema.GroupVersionResource]string{resource: "PostgresClusterList"}
			definitions, err := olm.Read(filepath.Join(root, "examples", "apis"))
			check.Must(t, err)
			for _, gvr := range served(definitions) {
				kinds[gvr] = "AnyList"
			}
			client := fake.NewSimpleDynamicClientWithCustomListKinds(runtime.NewScheme(), kinds)
			_, err = client.Resource(resource).Namespace("shop").Create(t.Context(), tc.object, metav1.CreateOptions{})
			check.Must(t, err)
			operators, err := samples.New(client, filepath.Join(root, "examples"))
			check.Must(t, err)
			check.Must(t, operators.Finish(t.Context(), now))
			got, err := client.Resource(resource).Namespace("shop").Get(t.Context(), "orders", metav1.GetOptions{})
			check.Must(t, err)
			if fmt.Sprint(got.GetFinalizers()) != fmt.Sprint(tc.left) {
				t.Errorf("left are %q, want %q", got.GetFinalizers(), tc.left)
			}
		})
	}
}

// served is what the definitions define, in each version.
func served(definitions []*olm.Object) (all []schema.GroupVersionResource) {
	for _, each := range definitions {
		spec := each.Object["spec"].(map[string]any)
		for _, version := range spec["versions"].([]any) {
			all = append(all, schema.GroupVersionResource{
				Group: spec["group"].(string), Version: version.(map[string]any)["name"].(string),
				Resource: spec["names"].(map[string]any)["plural"].(string),
			})
		}
	}
	return all
}
