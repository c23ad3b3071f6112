package cases

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"maps"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/metadata"

	"steward.dev/e2e/olm"
)

// world is what the cluster holds now, read as Steward reads it.
type world struct{ csvs, groups, namespaces []*olm.Object }

func readWorld(t *testing.T) world {
	t.Helper()
	return world{
		csvs:       listAll(t, olm.CSVs),
		groups:     listAll(t, olm.OperatorGroups),
		namespaces: listAll(t, olm.Namespaces),
	}
}

// targets is where a CSV's operator works, by its OperatorGroup's spec: names of namespaces that exist; nil without
// exactly one group.
func (w world) targets(t *testing.T, csv *olm.Object) (group *olm.Object, mode string, names []string) {
	t.Helper()
	for _, each := range w.groups {
		if each.GetNamespace() != csv.GetNamespace() {
			continue
		}
		if group != nil {
			return nil, "", nil
		}
		group = each
	}
	if group == nil {
		return nil, "", nil
	}
	wanted, err := olm.Targets(group, w.namespaces)
	must(t, err)
	mode = "MultiNamespace"
	switch {
	case len(wanted) == 0:
		mode = ""
	case slices.Equal(wanted, []string{""}):
		mode = "AllNamespaces"
	case slices.Equal(wanted, []string{csv.GetNamespace()}):
		mode = "OwnNamespace"
	case len(wanted) == 1:
		mode = "SingleNamespace"
	}
	for _, namespace := range w.namespaces {
		if mode == "AllNamespaces" || slices.Contains(wanted, namespace.GetName()) {
			names = append(names, namespace.GetName())
		}
	}
	return group, mode, names
}

func listAll(t *testing.T, resource schema.GroupVersionResource) []*olm.Object {
	t.Helper()
	list, err := shared.Any.Resource(resource).List(t.Context(), metav1.ListOptions{})
	must(t, err)
	var out []*olm.Object
	for i := range list.Items {
		out = append(out, &list.Items[i])
	}
	return out
}

// R-004-43, R-PRJ-06: the list is exactly what OLM's copies plus the originals would be, for all operators and
// namespaces at once.
func TestDropIn_R_004_43_ExactlyTheRightSet(t *testing.T) {
	// Namespaces of other cases may be going away meanwhile, so this is asked until both sides agree.
	eventually(t, func() error {
		w := readWorld(t)
		want := map[string]bool{}
		for _, csv := range w.csvs {
			want[csv.GetNamespace()+"/"+csv.GetName()] = true
			_, _, names := w.targets(t, csv)
			for _, name := range names {
				want[name+"/"+csv.GetName()] = true
			}
		}
		got := map[string]bool{}
		names, _ := keys(t)
		for _, name := range names {
			got[name] = true
		}
		if maps.Equal(got, want) {
			return nil
		}
		var missing, extra []string
		for key := range want {
			if !got[key] {
				missing = append(missing, key)
			}
		}
		for key := range got {
			if !want[key] {
				extra = append(extra, key)
			}
		}
		return fmt.Errorf("missing %q, too many %q", missing, extra)
	})
}

// R-004-43: each object equals OLM's copy, field by field, for every operator there is.
func TestDropIn_R_004_43_EqualsTheCopyFieldByField(t *testing.T) {
	w := readWorld(t)
	for _, csv := range w.csvs {
		if strings.HasPrefix(csv.GetNamespace(), "case-") {
			continue // what another case left is going
		}
		t.Run(csv.GetName(), func(t *testing.T) {
			group, mode, names := w.targets(t, csv)
			if group == nil || mode == "" {
				t.Skip("its OperatorGroup reaches nothing: the cases of the rules look at that")
			}
			where := append([]string{csv.GetNamespace()}, names...)
			if mode == "AllNamespaces" { // a few of them
				where = []string{csv.GetNamespace(), "payments", "kube-system"}
			}
			for _, namespace := range where {
				checkView(t, w, csv, group, mode, slices.Contains(names, namespace), namespace)
			}
		})
	}
}

var uuid5 = regexp.MustCompile(`^[0-9a-f]{8}-[0-9a-f]{4}-5[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$`)

func checkView(t *testing.T, w world, csv, group *olm.Object, mode string, targeted bool, namespace string) {
	t.Helper()
	got, err := view(t.Context(), namespace, csv.GetName())
	must(t, err)

	// Identity is Steward's own. It is checked, then removed, and the rest must be OLM's.
	home := w.namespaces[slices.IndexFunc(w.namespaces, func(n *olm.Object) bool { return n.GetName() == namespace })]
	born := csv.GetCreationTimestamp()
	if later := home.GetCreationTimestamp(); later.After(born.Time) {
		born = later
	}
	if at := got.GetCreationTimestamp(); !at.Equal(&born) {
		t.Errorf("%s: creationTimestamp %s, want the later of the CSV's and the namespace's, %s", namespace, at, born)
	}
	if uid := string(got.GetUID()); !uuid5.MatchString(uid) {
		t.Errorf("%s: uid %q is no UUIDv5", namespace, uid)
	}
	if !numeric.MatchString(got.GetResourceVersion()) {
		t.Errorf("%s: resourceVersion %q", namespace, got.GetResourceVersion())
	}
	wantScope := map[string]any{
		"installNamespace": csv.GetNamespace(), "operatorGroup": group.GetName(), "installMode": mode,
		"targeted": targeted, "cleanupOptedIn": false,
	}
	if scope, _, _ := unstructured.NestedMap(got.Object, "scope"); !reflect.DeepEqual(scope, wantScope) {
		t.Errorf("%s: scope %v, want %v", namespace, scope, wantScope)
	}
	delete(got.Object, "scope")
	for _, own := range []string{"uid", "creationTimestamp", "resourceVersion"} {
		unstructured.RemoveNestedField(got.Object, "metadata", own)
	}

	want := olm.View(csv, namespace)
	for _, key := range slices.Sorted(maps.Keys(merged(got.Object, want.Object))) {
		if !reflect.DeepEqual(got.Object[key], want.Object[key]) {
			t.Errorf("%s: %s is\n%.2000s\nwant\n%.2000s", namespace, key, asJSON(got.Object[key]), asJSON(want.Object[key]))
		}
	}
}

var numeric = regexp.MustCompile(`^[1-9][0-9]*$`)

func merged(a, b map[string]any) map[string]any {
	out := maps.Clone(a)
	maps.Copy(out, b)
	return out
}

func asJSON(value any) string {
	text, _ := json.Marshal(value)
	return string(text)
}

// R-004-49: nothing tells one tenant about another.
func TestDropIn_R_004_49_LeaksNoOtherTargets(t *testing.T) {
	got, err := view(t.Context(), "payments", "tidepool-postgres.v5.3.1")
	must(t, err)
	if text := asJSON(got.Object); strings.Contains(text, "shop-prod") || strings.Contains(text, "shop-staging") {
		t.Errorf("the view in payments names other targets: %s", text)
	}
	for _, object := range listAll(t, olm.InstalledOperators) {
		annotations := object.GetAnnotations()
		if _, found := annotations[olm.TargetsAnnotation]; found {
			t.Fatalf("%s/%s carries %s", object.GetNamespace(), object.GetName(), olm.TargetsAnnotation)
		}
		if len(object.GetOwnerReferences())+len(object.GetFinalizers())+len(object.GetManagedFields()) > 0 || object.GetDeletionTimestamp() != nil {
			t.Fatalf("%s/%s: metadata %v", object.GetNamespace(), object.GetName(), object.Object["metadata"])
		}
	}
}

// A list and a get say the same, and its own number too; none is newer than the list.
func TestDropIn_ListAgreesWithGet(t *testing.T) {
	list, err := shared.Any.Resource(olm.InstalledOperators).Namespace("shop-prod").List(t.Context(), metav1.ListOptions{})
	must(t, err)
	if list.GetKind() != "InstalledOperatorList" || !numeric.MatchString(list.GetResourceVersion()) {
		t.Errorf("kind %q, resourceVersion %q", list.GetKind(), list.GetResourceVersion())
	}
	uids := map[string]bool{}
	for i := range list.Items {
		item := &list.Items[i]
		uids[string(item.GetUID())] = true
		if compareVersions(item.GetResourceVersion(), list.GetResourceVersion()) > 0 {
			t.Errorf("%s: number %s in a list of %s", item.GetName(), item.GetResourceVersion(), list.GetResourceVersion())
		}
		got, err := view(t.Context(), "shop-prod", item.GetName())
		must(t, err)
		if !reflect.DeepEqual(got, item) {
			t.Errorf("%s differs between list and get", item.GetName())
		}
	}
	if len(uids) != len(list.Items) {
		t.Errorf("%d UIDs for %d objects", len(uids), len(list.Items))
	}
	elsewhere, err := view(t.Context(), "web", "certloop.v1.8.2")
	must(t, err)
	if uids[string(elsewhere.GetUID())] {
		t.Error("the same UID in two namespaces")
	}
}

// Metadata clients (garbage collector, namespace controller, informers) walk a list of media types.
func TestDropIn_MetadataOnly(t *testing.T) {
	client, err := metadata.NewForConfig(shared.Config)
	must(t, err)
	at := client.Resource(olm.InstalledOperators)
	list, err := at.List(t.Context(), metav1.ListOptions{})
	must(t, err)
	for _, item := range list.Items {
		if !uuid5.MatchString(string(item.UID)) || item.CreationTimestamp.IsZero() || compareVersions(item.ResourceVersion, list.ResourceVersion) > 0 {
			t.Fatalf("metadata %+v in a list of %s", item.ObjectMeta, list.ResourceVersion)
		}
	}
	one, err := at.Namespace("team-blue").Get(t.Context(), "certloop.v1.8.2", metav1.GetOptions{})
	must(t, err)
	full, err := view(t.Context(), "team-blue", "certloop.v1.8.2")
	must(t, err)
	if one.UID != full.GetUID() || one.ResourceVersion != full.GetResourceVersion() || !maps.Equal(one.Labels, full.GetLabels()) || !maps.Equal(one.Annotations, full.GetAnnotations()) {
		t.Errorf("metadata %+v", one)
	}
}

// The icon that a user interface shows comes as an image, once: its tag saves the next transfer.
func TestDropIn_IconIsAnImage(t *testing.T) {
	object, err := view(t.Context(), "team-blue", "certloop.v1.8.2")
	must(t, err)
	icons, _, err := unstructured.NestedSlice(object.Object, "spec", "icon")
	must(t, err)
	icon := icons[0].(map[string]any)
	want, err := base64.StdEncoding.DecodeString(icon["base64data"].(string))
	must(t, err)

	path := inNamespace("team-blue") + "/certloop.v1.8.2/icon"
	got := call(t, shared.Config, "GET", path)
	if got.Code != 200 || got.Header.Get("Content-Type") != icon["mediatype"] || !bytes.Equal(got.Body, want) {
		t.Fatalf("code %d, type %q, %d bytes; want 200, %v, %d bytes", got.Code, got.Header.Get("Content-Type"), len(got.Body), icon["mediatype"], len(want))
	}
	if again := call(t, shared.Config, "GET", path, "If-None-Match", got.Header.Get("ETag")); again.Code != 304 {
		t.Errorf("code %d for a client that has it; want 304", again.Code)
	}
	if none := call(t, shared.Config, "GET", strings.Replace(path, "certloop", "nothing", 1)); none.Code != 404 {
		t.Errorf("code %d for no operator; want 404", none.Code)
	}
}
