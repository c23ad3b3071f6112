package olm_test

import (
	"testing"

	"steward.dev/e2e/cluster"
	"steward.dev/e2e/olm"
)

// Where this is skipped, the other tests know OLM and its operators only by what this project made up of them.
func TestPublished(t *testing.T) {
	root, err := cluster.Root()
	if err != nil {
		t.Fatal(err)
	}
	for _, tc := range []struct {
		folder, otherwise string
		read              func(root string) ([]*olm.Object, error)
		kind              string
	}{
		{olm.PublishedCRDs, "the small definitions of examples/ stand for OLM's", olm.CRDs, "CustomResourceDefinition"},
		{olm.PublishedCSVs, "there are no operators but those of examples/", olm.RealCSVs, "ClusterServiceVersion"},
	} {
		t.Run(tc.folder, func(t *testing.T) {
			path, exists := olm.Published(root, tc.folder)
			if !exists {
				t.Skipf("%s is not there: %s", path, tc.otherwise)
			}
			objects, err := tc.read(root)
			if err != nil || len(objects) == 0 {
				t.Fatalf("%d objects, %v", len(objects), err)
			}
			for _, object := range objects {
				if object.GetKind() != tc.kind {
					t.Errorf("%s is a %s", object.GetName(), object.GetKind())
				}
			}
		})
	}
}
