package bundles_test

import (
	"bytes"
	"encoding/json"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"steward.dev/e2e/bundles"
	"steward.dev/e2e/cluster"
	"steward.dev/e2e/olm"
)

// onlyOurs are errors of lint that operator-sdk does not have, and why.
var onlyOurs = []struct{ pattern, reason string }{
	{`the file is left out, as by OLM`, "operator-sdk reads no file that it cannot decode, and says nothing of it"},
	{`is a folder: it is not read`, "the validators see decoded manifests alone; opm cannot unpack a folder in manifests/"},
	{`is installed as one of`, "groups are not looked at there"},
	{`is none that a plan installs`, "its list of kinds is checked by another validator of operator-registry"},
	{`apiVersion: is missing`, "likewise"},
	{`is gone since Kubernetes`, "a warning there, unless a version of Kubernetes is given"},
	{`annotations: |dependencies`, "metadata/ is checked by operator-registry"},
	{`no file has annotations`, "likewise"},
	{`rules\[|\.rules: `, "what an API server refuses of a Role is not looked at there"},
	{`metadata\.name: .* (may hold no|is no (label|name) of DNS)`, "names of other objects are not looked at there"},
	{`metadata\.(labels|annotations): `, "keys and values of labels are not looked at there"},
	{`OLM knows "deployment" alone`, "a field that is not empty is enough there"},
	{`there is no install mode|is there twice`, "types of install modes are not looked at there"},
	{`the bundle has no|there is another ClusterServiceVersion`, "the loader takes one of several"},
	{`must be (a list|a mapping|a text|a boolean)|: is missing$|is no version`, "what cannot be decoded is not loaded there"},
}

// onlyTheirs are errors of operator-sdk that lint does not have, and why.
var onlyTheirs = []struct{ pattern, reason string }{}

// judged is what operator-framework/api's validators say of a bundle.
type judged struct {
	Path, Unread     string
	Errors, Warnings []string
}

// judge asks them of all bundles.
func judge(t *testing.T, paths []string) map[string]judged {
	root, err := cluster.Root()
	must(t, err)
	command := exec.CommandContext(t.Context(), "go", "run", ".")
	command.Dir = filepath.Join(root, "e2e", "bundlevalidator")
	command.Stdin = strings.NewReader(strings.Join(paths, "\n") + "\n")
	var said bytes.Buffer
	command.Stderr = &said
	out, err := command.Output()
	if err != nil {
		t.Fatalf("%v\n%s", err, said.String())
	}
	all := map[string]judged{}
	decoder := json.NewDecoder(bytes.NewReader(out))
	for decoder.More() {
		var each judged
		must(t, decoder.Decode(&each))
		all[each.Path] = each
	}
	return all
}

// errorsOf are those of `steward bundle lint`.
func errorsOf(t *testing.T, path string) (texts []string) {
	report, _ := lintOf(t, path)
	for _, each := range report.Findings {
		if each.Severity == "error" {
			texts = append(texts, each.Message)
		}
	}
	return texts
}

// unexplained are the texts that no row of the table has a reason for.
func unexplained(texts []string, table []struct{ pattern, reason string }) (left []string) {
next:
	for _, text := range texts {
		for _, row := range table {
			if regexp.MustCompile(row.pattern).MatchString(text) {
				continue next
			}
		}
		left = append(left, text)
	}
	return left
}

// agree compares both: where one has errors, the other one has some, too, or the table says why not.
func agree(t *testing.T, paths []string) {
	all := judge(t, paths)
	var both, neither int
	for _, path := range paths {
		theirs, ours := all[path], errorsOf(t, path)
		if theirs.Unread != "" {
			theirs.Errors = append(theirs.Errors, theirs.Unread)
		}
		switch {
		case len(theirs.Errors) > 0 && len(ours) > 0:
			both++
		case len(theirs.Errors) == 0 && len(ours) == 0:
			neither++
		case len(ours) == 0:
			if left := unexplained(theirs.Errors, onlyTheirs); len(left) > 0 {
				t.Errorf("%s: only operator-sdk says: %s", path, strings.Join(left, "; "))
			}
		default:
			if left := unexplained(ours, onlyOurs); len(left) > 0 {
				t.Errorf("%s: only lint says: %s", path, strings.Join(left, "; "))
			}
		}
	}
	t.Logf("%d bundles: both find errors in %d, neither in %d", len(paths), both, neither)
}

func TestRealBundles_BesideOperatorSdk(t *testing.T) {
	paths := allBundles(t)
	agree(t, paths)
}

// mutations are what authors get wrong: each is found by both.
var mutations = map[string]func(csv *olm.Object, definitions []*olm.Object) []*olm.Object{
	"owned definition missing": func(_ *olm.Object, definitions []*olm.Object) []*olm.Object { return definitions[1:] },
	"owned version wrong": func(csv *olm.Object, definitions []*olm.Object) []*olm.Object {
		owned, _, _ := unstructured.NestedSlice(csv.Object, "spec", "customresourcedefinitions", "owned")
		owned[0].(map[string]any)["version"] = "v9"
		_ = unstructured.SetNestedSlice(csv.Object, owned, "spec", "customresourcedefinitions", "owned")
		return definitions
	},
	"definition not owned": func(_ *olm.Object, definitions []*olm.Object) []*olm.Object {
		return append(definitions, olm.Definition("more.example.com", "More", "Namespaced", "v1"))
	},
	"no install mode": func(csv *olm.Object, definitions []*olm.Object) []*olm.Object {
		unstructured.RemoveNestedField(csv.Object, "spec", "installModes")
		return definitions
	},
	"no strategy": func(csv *olm.Object, definitions []*olm.Object) []*olm.Object {
		unstructured.RemoveNestedField(csv.Object, "spec", "install", "strategy")
		return definitions
	},
	"no deployments": func(csv *olm.Object, definitions []*olm.Object) []*olm.Object {
		unstructured.RemoveNestedField(csv.Object, "spec", "install", "spec", "deployments")
		return definitions
	},
	"version is none": func(csv *olm.Object, definitions []*olm.Object) []*olm.Object {
		_ = unstructured.SetNestedField(csv.Object, "one", "spec", "version")
		return definitions
	},
	"lowest Kubernetes is none": func(csv *olm.Object, definitions []*olm.Object) []*olm.Object {
		_ = unstructured.SetNestedField(csv.Object, "one", "spec", "minKubeVersion")
		return definitions
	},
	"examples are no JSON": func(csv *olm.Object, definitions []*olm.Object) []*olm.Object {
		_ = unstructured.SetNestedField(csv.Object, "[{", "metadata", "annotations", "alm-examples")
		return definitions
	},
	"an example of another kind": func(csv *olm.Object, definitions []*olm.Object) []*olm.Object {
		_ = unstructured.SetNestedField(csv.Object, `[{"apiVersion":"a.b/v1","kind":"C"}]`, "metadata", "annotations", "alm-examples")
		return definitions
	},
	"definition of another name": func(_ *olm.Object, definitions []*olm.Object) []*olm.Object {
		definitions[0].SetName("other." + definitions[0].GetName())
		return definitions
	},
	"two versions are stored": func(_ *olm.Object, definitions []*olm.Object) []*olm.Object {
		versions, _, _ := unstructured.NestedSlice(definitions[0].Object, "spec", "versions")
		more := map[string]any{}
		for key, value := range versions[0].(map[string]any) {
			more[key] = value
		}
		more["name"] = "v9"
		_ = unstructured.SetNestedSlice(definitions[0].Object, append(versions, more), "spec", "versions")
		return definitions
	},
	"a name that no label takes": func(csv *olm.Object, definitions []*olm.Object) []*olm.Object {
		csv.SetName(strings.Repeat("x", 70) + ".v1.0.0")
		return definitions
	},
	"an annotation in another case": func(csv *olm.Object, definitions []*olm.Object) []*olm.Object {
		_ = unstructured.SetNestedField(csv.Object, "<1.0.0", "metadata", "annotations", "olm.skiprange")
		return definitions
	},
	"an account of its own": func(csv *olm.Object, definitions []*olm.Object) []*olm.Object {
		deployments, _, _ := unstructured.NestedSlice(csv.Object, "spec", "install", "spec", "deployments")
		name, _, _ := unstructured.NestedString(deployments[0].(map[string]any), "spec", "template", "spec", "serviceAccountName")
		account := &olm.Object{Object: map[string]any{"apiVersion": "v1", "kind": "ServiceAccount"}}
		account.SetName(name)
		return append(definitions, account)
	},
}

// The published operators of ../shared, each as a bundle that is right, and one of them wrong in every way.
func TestLint_BesideOperatorSdk(t *testing.T) {
	root, err := cluster.Root()
	must(t, err)
	if path, exists := olm.Published(root, olm.PublishedCSVs); !exists {
		t.Skipf("%s is not there", path)
	}
	csvs, err := olm.RealCSVs(root)
	must(t, err)
	var right []string
	for _, csv := range csvs {
		definitions := olm.DefinitionsOf(csv)
		path := write(t, csv, definitions)
		right = append(right, path)
	}
	agree(t, right)
	var wrong []string
	for name, mutate := range mutations {
		csv := csvs[0].DeepCopy()
		folder := write(t, csv, mutate(csv, olm.DefinitionsOf(csv)))
		wrong = append(wrong, folder)
		if len(errorsOf(t, folder)) == 0 {
			t.Errorf("lint does not find: %s", name)
		}
	}
	for path, theirs := range judge(t, wrong) {
		if len(theirs.Errors) == 0 && theirs.Unread == "" {
			t.Errorf("%s: operator-sdk finds nothing: is it a mutation?", path)
		}
	}
}

// write makes the folder of a bundle.
func write(t *testing.T, csv *olm.Object, objects []*olm.Object) string {
	folder := t.TempDir()
	must(t, bundles.Write(folder, csv, objects))
	return folder
}
