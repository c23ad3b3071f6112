package operators_test

import (
	"context"
	"fmt"
	"testing"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"steward.dev/e2e/olm"
)

// scene is a namespace of its own, in which one operator is installed.
type scene struct {
	t     *testing.T
	home  string
	group *olm.Object
}

var count int

func newScene(t *testing.T) *scene {
	t.Helper()
	count++
	s := &scene{t: t, home: fmt.Sprintf("operators-%d-%s", count, time.Now().Format("150405"))}
	s.group = olm.Synced(olm.OperatorGroup(s.home, "group", s.home), s.home)
	s.create(olm.Namespace(s.home), s.group)
	t.Cleanup(func() {
		_ = shared.Any.Resource(olm.Namespaces).Delete(context.Background(), s.home, metav1.DeleteOptions{})
	})
	return s
}

func (s *scene) create(objects ...*olm.Object) {
	s.t.Helper()
	must(s.t, olm.Create(s.t.Context(), shared.Any, objects...))
}

// grant makes objects of the whole cluster.
func (s *scene) grant(resource schema.GroupVersionResource, objects ...*olm.Object) {
	s.t.Helper()
	for _, each := range objects {
		must(s.t, olm.CreateAs(s.t.Context(), shared.Any, resource, each))
	}
}

func lookUp(resource schema.GroupVersionResource, namespace, name string) (*olm.Object, error) {
	return shared.Any.Resource(resource).Namespace(namespace).Get(context.Background(), name, metav1.GetOptions{})
}

func (s *scene) found(resource schema.GroupVersionResource, namespace, name string) {
	s.t.Helper()
	_, err := lookUp(resource, namespace, name)
	must(s.t, err)
}

func gone(resource schema.GroupVersionResource, namespace, name string) func() error {
	return func() error {
		if _, err := lookUp(resource, namespace, name); !apierrors.IsNotFound(err) {
			return fmt.Errorf("%s %s/%s is there: %v", resource.Resource, namespace, name, err)
		}
		return nil
	}
}
