// Package olmbundle_test proves that the bundle of deploy/olm is what deploy/overlays/beside-olm is, without a cluster: the same objects,
// the same pods, for each account the same rights; and that OLM's own checks and Steward's find nothing wrong with it.
package olmbundle_test

import (
	"bytes"
	"encoding/json"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"steward.dev/e2e/check"
	"steward.dev/e2e/cluster"
	"steward.dev/e2e/olm"
	"steward.dev/e2e/olmbundle"
	"steward.dev/e2e/overlay"
	"steward.dev/e2e/rights"
)

var must = check.Must

type fields = map[string]any

// kept are the objects of deploy/olm.
type kept struct {
	folder              string
	csv                 *olm.Object
	manifests, policies []*olm.Object
}

func readKept(t *testing.T) *kept {
	t.Helper()
	root, err := cluster.Root()
	must(t, err)
	found := &kept{folder: filepath.Join(root, filepath.FromSlash(olmbundle.Folder))}
	found.manifests, err = olm.Read(filepath.Join(found.folder, "manifests"))
	must(t, err)
	found.policies, err = olm.Read(filepath.Join(found.folder, olmbundle.PoliciesFile))
	must(t, err)
	at := slices.IndexFunc(found.manifests, func(each *olm.Object) bool { return each.GetKind() == "ClusterServiceVersion" })
	if at < 0 {
		t.Fatalf("%s has no ClusterServiceVersion", found.folder)
	}
	found.csv = found.manifests[at]
	found.manifests = slices.Delete(found.manifests, at, at+1)
	return found
}

func readOverlay(t *testing.T) []*olm.Object {
	t.Helper()
	root, err := cluster.Root()
	must(t, err)
	objects, err := overlay.Render(filepath.Join(root, filepath.FromSlash(olmbundle.Overlay)))
	must(t, err)
	return objects
}

// keyOf names an object by its kind; those without a namespace in a bundle are in Steward's.
func keyOf(each *olm.Object) string {
	namespace := each.GetNamespace()
	if namespace == "" {
		namespace = olmbundle.Namespace
	}
	return strings.Join([]string{each.GetKind(), namespace, each.GetName()}, " ")
}

func byKey(objects []*olm.Object) map[string]*olm.Object {
	found := map[string]*olm.Object{}
	for _, each := range objects {
		found[keyOf(each)] = each
	}
	return found
}

func strategy(t *testing.T, csv *olm.Object, field string) (entries []fields) {
	t.Helper()
	list, _, err := unstructured.NestedSlice(csv.Object, "spec", "install", "spec", field)
	must(t, err)
	for _, each := range list {
		entries = append(entries, each.(fields))
	}
	return entries
}

// bare is an object without where it is, and without OLM's marks.
func bare(each *olm.Object) fields {
	made := each.DeepCopy()
	made.SetNamespace("")
	labels := made.GetLabels()
	maps.DeleteFunc(labels, func(key, _ string) bool { return strings.HasPrefix(key, "olm.owner") })
	made.SetLabels(labels)
	return made.Object
}

// Every object of the overlay is in the bundle or in the policies, as it is there; or OLM makes it of the ClusterServiceVersion.
func TestBundle_HasEveryObject(t *testing.T) {
	bundle := readKept(t)
	there := byKey(append(slices.Clone(bundle.manifests), bundle.policies...))
	made := map[string]bool{}
	for _, each := range readOverlay(t) {
		key := keyOf(each)
		found := there[key]
		delete(there, key)
		switch {
		case found != nil && !reflect.DeepEqual(bare(found), bare(each)):
			t.Errorf("%s is %v, and in the overlay %v", key, bare(found), bare(each))
		case found == nil:
			made[key] = true
		}
	}
	want := []string{
		"ClusterRole steward-system steward-apiserver", "ClusterRole steward-system steward-certificates", "ClusterRole steward-system steward-controllers",
		"ClusterRoleBinding steward-system steward-apiserver", "ClusterRoleBinding steward-system steward-apiserver:auth-delegator",
		"ClusterRoleBinding steward-system steward-certificates", "ClusterRoleBinding steward-system steward-controllers",
		"Deployment steward-system steward-apiserver", "Deployment steward-system steward-apiservice-guard",
		"Deployment steward-system steward-certificates", "Deployment steward-system steward-controllers",
		"RoleBinding kube-system steward-apiserver:authentication-reader",
		"ServiceAccount steward-system steward-apiserver", "ServiceAccount steward-system steward-apiservice-guard",
		"ServiceAccount steward-system steward-certificates", "ServiceAccount steward-system steward-controllers",
	}
	if got := slices.Sorted(maps.Keys(made)); !slices.Equal(got, want) {
		t.Errorf("OLM makes %q; want %q", got, want)
	}
	if left := slices.Sorted(maps.Keys(there)); !slices.Equal(left, []string{"OperatorGroup steward-system steward"}) {
		t.Errorf("the overlay does not have %q", left)
	}
}

// The pods are the overlay's, but for the image's tag.
func TestBundle_HasTheSamePods(t *testing.T) {
	bundle := readKept(t)
	want := map[string]*olm.Object{}
	for _, each := range readOverlay(t) {
		if each.GetKind() == "Deployment" {
			want[each.GetName()] = each
		}
	}
	images := map[string]bool{}
	for _, each := range strategy(t, bundle.csv, "deployments") {
		name := each["name"].(string)
		made := want[name]
		delete(want, name)
		if made == nil {
			t.Errorf("the overlay has no Deployment %s", name)
			continue
		}
		text, err := json.Marshal(each["spec"])
		must(t, err)
		for _, container := range each["spec"].(fields)["template"].(fields)["spec"].(fields)["containers"].([]any) {
			image := container.(fields)["image"].(string)
			images[image] = true
			text = bytes.ReplaceAll(text, []byte(`"image":"`+image+`"`), []byte(`"image":"steward"`))
		}
		overlays, err := json.Marshal(made.Object["spec"])
		must(t, err)
		if !bytes.Equal(text, overlays) {
			t.Errorf("%s is\n%s\nand in the overlay\n%s", name, text, overlays)
		}
		labels := fields{}
		for key, value := range made.GetLabels() {
			labels[key] = value
		}
		if !reflect.DeepEqual(each["label"], any(labels)) {
			t.Errorf("%s has the labels %v, and in the overlay %v", name, each["label"], labels)
		}
	}
	if len(want) > 0 {
		t.Errorf("the bundle lacks the Deployments %q", slices.Sorted(maps.Keys(want)))
	}
	related, _, err := unstructured.NestedSlice(bundle.csv.Object, "spec", "relatedImages")
	must(t, err)
	if len(images) != 1 || len(related) != 1 || !images[related[0].(fields)["image"].(string)] ||
		!images[bundle.csv.GetAnnotations()["containerImage"]] {
		t.Errorf("the images are %v, related ones %v", images, related)
	}
}

// For every account the bundle grants what the overlay grants, one verb on one resource at a time.
func TestBundle_GrantsWhatTheOverlayGrants(t *testing.T) {
	bundle := readKept(t)
	want, err := rights.Of(olmbundle.Namespace, append(readOverlay(t), theClusters()...))
	must(t, err)
	got, err := rights.Of(olmbundle.Namespace, append(slices.Clone(bundle.manifests), bundle.policies...))
	must(t, err)
	for _, each := range strategy(t, bundle.csv, "clusterPermissions") {
		got.Add(each["serviceAccountName"].(string), "", each["rules"].([]any))
	}
	// OLM would grant these in every namespace, as Steward's OperatorGroup selects all.
	if permissions := strategy(t, bundle.csv, "permissions"); len(permissions) > 0 {
		t.Errorf("the bundle asks for rights in its namespace: %v", permissions)
	}
	if len(want) != 4 {
		t.Errorf("the overlay has rights for %q", slices.Sorted(maps.Keys(want)))
	}
	for account, all := range want {
		if len(all) < 10 {
			t.Errorf("%s has %d rights in the overlay", account, len(all))
		}
	}
	// The one that is wider: only kube-system has a ConfigMap of this name.
	var narrow, wide []string
	for _, verb := range []string{"get", "list", "watch"} {
		narrow = append(narrow, "steward-apiserver kube-system: "+verb+" configmaps/extension-apiserver-authentication")
		wide = append(wide, "steward-apiserver everywhere: "+verb+" configmaps/extension-apiserver-authentication")
	}
	if lacks := want.Beyond(got); !slices.Equal(lacks, narrow) {
		t.Errorf("the bundle does not grant %q", lacks)
	}
	if more := got.Beyond(want); !slices.Equal(more, wide) {
		t.Errorf("the bundle grants %q, too", more)
	}
}

func object(kind, namespace, name string) *olm.Object {
	made := &olm.Object{Object: fields{"apiVersion": "rbac.authorization.k8s.io/v1", "kind": kind}}
	made.SetNamespace(namespace)
	made.SetName(name)
	return made
}

// theClusters are the roles that every cluster has, as far as the overlay binds them. TestItself of e2e/realolm compares what is
// granted in a cluster with what its own roles say.
func theClusters() []*olm.Object {
	delegator := object("ClusterRole", "", "system:auth-delegator")
	delegator.Object["rules"] = []any{
		fields{"apiGroups": []any{"authentication.k8s.io"}, "resources": []any{"tokenreviews"}, "verbs": []any{"create"}},
		fields{"apiGroups": []any{"authorization.k8s.io"}, "resources": []any{"subjectaccessreviews"}, "verbs": []any{"create"}},
	}
	reader := object("Role", "kube-system", "extension-apiserver-authentication-reader")
	reader.Object["rules"] = []any{fields{"apiGroups": []any{""}, "resources": []any{"configmaps"},
		"resourceNames": []any{"extension-apiserver-authentication"}, "verbs": []any{"get", "list", "watch"}}}
	return []*olm.Object{delegator, reader}
}

// OLM deletes the role that owns the APIService with the operator, by these labels. On Roles they would mean that OLM grants them in every
// namespace.
func TestBundle_TheAPIServiceGoesWithIt(t *testing.T) {
	bundle := readKept(t)
	want := map[string]string{"olm.owner": bundle.csv.GetName(), "olm.owner.namespace": olmbundle.Namespace, "olm.owner.kind": "ClusterServiceVersion"}
	for _, each := range bundle.manifests {
		owner := keyOf(each) == "ClusterRole steward-system steward-apiservice-guard"
		for key, value := range want {
			if label := each.GetLabels()[key]; owner && label != value || !owner && label != "" {
				t.Errorf("%s has the label %s=%s", keyOf(each), key, label)
			}
		}
		if each.GetNamespace() != "" {
			t.Errorf("%s has the namespace %s", keyOf(each), each.GetNamespace())
		}
	}
}

// hints are what `steward bundle lint` says of the bundle, and why it stays.
var hints = []string{
	// Steward's executor drops OLM's marks; OLM itself does not, and the bundle is for OLM.
	"metadata.labels: olm.owner is not installed",
	"metadata.labels: olm.owner.kind is not installed",
	"metadata.labels: olm.owner.namespace is not installed",
}

// Both linters find nothing but these hints.
func TestBundle_IsClean(t *testing.T) {
	bundle := readKept(t)
	var report struct {
		Findings []struct{ Severity, Path, Message string }
	}
	must(t, json.Unmarshal(steward(t, "bundle", "lint", bundle.folder, "-o", "json"), &report))
	var found []string
	for _, each := range report.Findings {
		if each.Severity != "hint" {
			t.Errorf("steward bundle lint: %v", each)
		}
		found = append(found, each.Message)
	}
	if !slices.Equal(found, hints) {
		t.Errorf("steward bundle lint says %q", found)
	}
	root, err := cluster.Root()
	must(t, err)
	validator := filepath.Join(t.TempDir(), "bundlevalidator")
	build := exec.CommandContext(t.Context(), "go", "build", "-o", validator, ".")
	build.Dir = filepath.Join(root, "e2e", "bundlevalidator")
	if out, err := build.CombinedOutput(); err != nil {
		if strings.Contains(string(out), "dial tcp") || strings.Contains(string(out), "module lookup disabled") {
			t.Skipf("the checks of operator-framework/api were not run, as they cannot be downloaded: %s", out)
		}
		t.Fatalf("%v\n%s", err, out)
	}
	command := exec.CommandContext(t.Context(), validator)
	command.Stdin = strings.NewReader(bundle.folder + "\n")
	out, err := command.Output()
	must(t, err)
	var said struct {
		Unread           string
		Errors, Warnings []string
	}
	must(t, json.Unmarshal(out, &said))
	if said.Unread != "" || len(said.Errors) > 0 {
		t.Errorf("%s %q", said.Unread, said.Errors)
	}
	if len(said.Warnings) > 0 {
		t.Errorf("warnings: %q", said.Warnings)
	}
}

// The image's labels and the folder's annotations say the same, and another version differs in what it has to.
func TestBundle_OfAnotherVersion(t *testing.T) {
	root, err := cluster.Root()
	must(t, err)
	bundle, err := olmbundle.Generate(root, olmbundle.Options{Version: "9.8.7", Replaces: "steward.v0.1.0", Image: "registry.example.com/steward@sha256:abc"})
	must(t, err)
	folder := t.TempDir()
	must(t, bundle.Write(folder))
	must(t, bundle.Write(folder))
	for path, words := range map[string][]string{
		"manifests/steward.clusterserviceversion.yaml": {"name: steward.v9.8.7\n", "replaces: steward.v0.1.0\n", "version: 9.8.7\n",
			"image: registry.example.com/steward@sha256:abc\n"},
		"manifests/steward-apiservice-guard.clusterrole.yaml": {"olm.owner: steward.v9.8.7\n"},
		"metadata/annotations.yaml":                           {"package.v1: steward\n"},
		"Dockerfile":                                          {"package.v1=steward\n"},
	} {
		text, err := os.ReadFile(filepath.Join(folder, filepath.FromSlash(path)))
		must(t, err)
		for _, word := range words {
			if !strings.Contains(string(text), word) {
				t.Errorf("%s does not have %q", path, word)
			}
		}
	}
}
