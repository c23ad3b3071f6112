package previews_test

import (
	"context"
	"crypto/sha256"
	"errors"
	"slices"
	"strings"
	"testing"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/discovery"
)

// found is what a snapshot keeps of an object.
type found struct {
	uid     string
	content [sha256.Size]byte // of what a write changes
	going   bool
	copied  bool // a copy of a ClusterServiceVersion
}

// thing names an object in any version.
type thing struct{ group, kind, namespace, name string }

func (o thing) String() string {
	name := o.name
	if o.namespace != "" {
		name = o.namespace + "/" + name
	}
	return o.kind + " " + name
}

// everything is all objects of the cluster.
type everything map[thing]found

// unread are the groups and resources that change by themselves, or are computed from others.
var unread = []string{"views.operators.coreos.com/", "events.k8s.io/", "/events", "coordination.k8s.io/leases", "/componentstatuses"}

// snapshot reads all objects that the cluster has, by discovery.
func snapshot(t *testing.T) everything {
	t.Helper()
	client, err := discovery.NewDiscoveryClientForConfig(shared.Config)
	must(t, err)
	lists, err := client.ServerPreferredResources()
	var partly *discovery.ErrGroupDiscoveryFailed
	if err != nil && !errors.As(err, &partly) {
		t.Fatal(err)
	}
	all := everything{}
	for _, list := range lists {
		version, err := schema.ParseGroupVersion(list.GroupVersion)
		must(t, err)
		for _, each := range list.APIResources {
			resource := version.WithResource(each.Name)
			name := resource.Group + "/" + resource.Resource
			skip := slices.ContainsFunc(unread, func(prefix string) bool { return strings.HasPrefix(name, prefix) })
			if skip || strings.Contains(each.Name, "/") || !slices.Contains([]string(each.Verbs), "list") {
				continue
			}
			all.read(t, resource, each.Kind)
		}
	}
	return all
}

func (e everything) read(t *testing.T, resource schema.GroupVersionResource, kind string) {
	t.Helper()
	options := metav1.ListOptions{Limit: 500}
	for {
		page, err := shared.Any.Resource(resource).List(t.Context(), options)
		if apierrors.IsNotFound(err) || apierrors.IsMethodNotSupported(err) {
			return // its definition has gone meanwhile
		}
		must(t, err)
		for i := range page.Items {
			object := &page.Items[i]
			_, copied := object.GetLabels()["olm.copiedFrom"]
			e[thing{resource.Group, kind, object.GetNamespace(), object.GetName()}] = found{
				uid: string(object.GetUID()), content: sha256.Sum256(content(object)), going: object.GetDeletionTimestamp() != nil, copied: copied,
			}
		}
		if options.Continue = page.GetContinue(); options.Continue == "" {
			return
		}
	}
}

// became says in the words of previews what became of an object between two snapshots; "" where it never was.
func (e everything) became(later everything, object thing) string {
	before, was := e[object]
	after, is := later[object]
	switch {
	case !was && !is:
		return ""
	case !was:
		return "Create"
	case !is || before.uid != after.uid || (after.going && !before.going):
		return "Delete"
	case before.content != after.content:
		return "Update"
	}
	return "Unchanged"
}

// changed are all objects of which something became.
func (e everything) changed(later everything) (list []thing) {
	for object := range e {
		if e.became(later, object) != "Unchanged" {
			list = append(list, object)
		}
	}
	for object := range later {
		if _, was := e[object]; !was {
			list = append(list, object)
		}
	}
	slices.SortFunc(list, func(a, b thing) int { return strings.Compare(a.String(), b.String()) })
	return list
}

// written is the object that a step is about: OLM knows Secrets of bundles by another name.
func (s step) written() thing {
	kind := s.Kind
	if kind == "BundleSecret" {
		kind = "Secret"
	}
	group := s.Group
	if resource, known := resources[kind]; known {
		group = resource.Group // by kind alone, as OLM
	}
	namespace := s.Namespace
	if slices.Contains([]string{"CustomResourceDefinition", "ClusterRole", "ClusterRoleBinding"}, kind) {
		namespace = ""
	}
	return thing{group, kind, namespace, s.Name}
}

// remove deletes objects that a case leaves in the cluster, and waits until they are gone.
func remove(t *testing.T, resource schema.GroupVersionResource, names ...string) {
	t.Helper()
	ctx := context.WithoutCancel(t.Context())
	for _, name := range names {
		err := shared.Any.Resource(resource).Delete(ctx, name, metav1.DeleteOptions{})
		if !apierrors.IsNotFound(err) {
			must(t, err)
		}
	}
	eventually(t, func() error {
		for _, name := range names {
			if _, err := shared.Any.Resource(resource).Get(ctx, name, metav1.GetOptions{}); !apierrors.IsNotFound(err) {
				return errors.Join(errors.New(name+" is still there"), err)
			}
		}
		return nil
	})
}
