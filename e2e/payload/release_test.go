package payload_test

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	utilyaml "k8s.io/apimachinery/pkg/util/yaml"

	"steward.dev/e2e/cluster"
	"steward.dev/e2e/olm"
)

// The repositories of OpenShift whose manifests make a payload together, each with the folder that they lie in.
var releaseRepositories = []string{
	"machine-config-operator/install", "cluster-version-operator/install", "cluster-monitoring-operator/manifests", "console-operator/manifests",
	"cluster-network-operator/manifests", "cluster-storage-operator/manifests", "operator-framework-olm/manifests", "cluster-samples-operator/manifests",
}

// releaseFolder puts their manifests into one folder, as a release has them. They are read from bare mirrors in STEWARD_MIRRORS, or
// else in .mirror beside the project: openshift+NAME/repo.
func releaseFolder(t *testing.T) string {
	t.Helper()
	mirrors := os.Getenv("STEWARD_MIRRORS")
	if mirrors == "" {
		root, err := cluster.Root()
		must(t, err)
		mirrors = filepath.Join(root, "..", ".mirror")
	}
	folder := t.TempDir()
	for _, each := range releaseRepositories {
		name, inside, _ := strings.Cut(each, "/")
		repository := filepath.Join(mirrors, "openshift+"+name, "repo")
		if _, err := os.Stat(repository); err != nil {
			t.Skipf("there is no mirror of %s", name)
		}
		git := func(args ...string) []byte {
			text, err := exec.CommandContext(t.Context(), "git", append([]string{"--git-dir", repository}, args...)...).Output()
			must(t, err)
			return text
		}
		for _, path := range strings.Fields(string(git("ls-tree", "--name-only", "HEAD", inside+"/"))) {
			file := filepath.Base(path)
			if !strings.HasPrefix(file, "0000_") || !slices.Contains([]string{".yaml", ".yml", ".json"}, filepath.Ext(file)) {
				continue
			}
			must(t, os.WriteFile(filepath.Join(folder, file), git("show", "HEAD:"+path), 0o644))
		}
	}
	must(t, os.WriteFile(filepath.Join(folder, "release-metadata"), []byte(metadata("4.22.0")), 0o644))
	return folder
}

// documentsOf are the objects of all files of a folder.
func documentsOf(t *testing.T, folder string) (documents []*olm.Object) {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(folder, "0000_*"))
	must(t, err)
	for _, file := range files {
		text, err := os.ReadFile(file)
		must(t, err)
		for decoder := utilyaml.NewYAMLOrJSONDecoder(bytes.NewReader(text), 4096); ; {
			object := &olm.Object{}
			err := decoder.Decode(&object.Object)
			if err == io.EOF {
				break
			}
			must(t, err)
			if len(object.Object) > 0 {
				documents = append(documents, object)
			}
		}
	}
	return documents
}

var counted = regexp.MustCompile(`Payload \S+ \(\w+\): (.*)`)

// release is a cluster of its own, since what OpenShift ships has OLM's definitions among it.
type release struct {
	*testing.T
	*cluster.Cluster
	documents []*olm.Object
	resources map[schema.GroupVersionKind]metav1.APIResource // that are served
}

// The manifests of eight repositories of OpenShift are linted, previewed and applied together, for two cluster profiles and two feature sets; a
// second time nothing changes. Definitions and namespaces that other repositories bring are small ones of this test.
func TestRelease_EightRepositories(t *testing.T) {
	folder := releaseFolder(t)
	own, err := cluster.Start(t.Context(), cluster.Options{})
	must(t, err)
	t.Cleanup(func() { must(t, own.Stop()) })
	r := &release{T: t, Cluster: own, documents: documentsOf(t, folder)}
	image := "--release-image=quay.io/openshift/release@sha256:0123456789abcdef"
	said := succeeds(t, "payload", "lint", folder, image)
	t.Logf("%d documents: %s", len(r.documents), said)
	contains(t, said, fmt.Sprintf("in order: %d manifests", len(r.documents)))

	r.bringsTheRest()
	for _, profile := range []string{"self-managed-high-availability", "ibm-cloud-managed"} {
		for _, set := range []string{"Default", "TechPreviewNoUpgrade"} {
			flags := []string{folder, image, "--cluster-profile=" + profile, "--payload-feature-set=" + set, "--kubeconfig", own.Admin}
			what := profile + ", " + set
			seen := succeeds(t, append([]string{"payload", "preview"}, flags...)...)
			contains(t, seen, "all that the payload names are")
			contains(t, succeeds(t, append([]string{"payload", "preflight"}, flags...)...), "may begin")
			apply := append([]string{"payload", "apply", "--yes", "--payload-wait-timeout=0s"}, flags...)
			first := succeeds(t, apply...)
			t.Logf("%s:\n%s\n%s", what, counted.FindString(seen), counted.FindString(first))
			again := counted.FindStringSubmatch(succeeds(t, apply...))
			if again == nil || strings.Contains(again[1], "created") || strings.Contains(again[1], "updated") || !strings.Contains(again[1], "unchanged") {
				t.Errorf("%s: the second time it says %q", what, again)
			}
			if os.Getenv("STEWARD_MEASURE") != "" {
				r.measures(what, folder, image, apply)
			}
		}
	}
}

// discovers learns what is served.
func (r *release) discovers() {
	r.Helper()
	r.resources = map[schema.GroupVersionKind]metav1.APIResource{}
	_, lists, err := r.Kube.Discovery().ServerGroupsAndResources()
	must(r.T, err)
	for _, list := range lists {
		version, err := schema.ParseGroupVersion(list.GroupVersion)
		must(r.T, err)
		for _, each := range list.APIResources {
			if !strings.Contains(each.Name, "/") {
				r.resources[version.WithKind(each.Kind)] = each
			}
		}
	}
}

// get reads an object.
func (r *release) get(object *olm.Object) error {
	kind := object.GroupVersionKind()
	at := kind.GroupVersion().WithResource(r.resources[kind].Name)
	_, err := r.Any.Resource(at).Namespace(object.GetNamespace()).Get(r.Context(), object.GetName(), metav1.GetOptions{})
	return err
}

// measures logs how long the application of what is there already takes, against reading each of its objects, four at a time.
func (r *release) measures(what, folder, image string, apply []string) {
	r.Helper()
	r.discovers()
	there := slices.DeleteFunc(slices.Clone(r.documents), func(object *olm.Object) bool { return r.get(object) != nil })
	timed := func(args ...string) time.Duration {
		began := time.Now()
		succeeds(r.T, args...)
		return time.Since(began)
	}
	for range 3 {
		gets, err := atATime(4, there, r.get)()
		must(r.T, err)
		read, took := timed("payload", "lint", folder, image), timed(apply...)
		r.Logf("%s: unchanged %v, bare GETs of %d objects %v: %.2f, without reading the folder (%v) %.2f", what, took.Round(time.Millisecond), len(there),
			gets.Round(time.Millisecond), took.Seconds()/gets.Seconds(), read.Round(time.Millisecond), (took-read).Seconds()/gets.Seconds())
	}
}

// bringsTheRest makes the definitions and the namespaces that the documents need, and do not bring.
func (r *release) bringsTheRest() {
	r.Helper()
	r.discovers()
	brought, namespaces := map[schema.GroupKind]bool{}, map[string]bool{"default": true, "kube-system": true}
	for _, each := range r.documents {
		switch each.GetKind() {
		case "CustomResourceDefinition":
			spec, _ := each.Object["spec"].(map[string]any)
			names, _ := spec["names"].(map[string]any)
			group, _ := spec["group"].(string)
			kind, _ := names["kind"].(string)
			brought[schema.GroupKind{Group: group, Kind: kind}] = true
		case "Namespace":
			namespaces[each.GetName()] = true
		}
	}
	for _, each := range r.documents {
		kind := each.GroupVersionKind()
		if _, served := r.resources[kind]; served || brought[kind.GroupKind()] {
			continue
		}
		brought[kind.GroupKind()] = true
		scope := "Cluster"
		if slices.ContainsFunc(r.documents, func(other *olm.Object) bool {
			return other.GroupVersionKind().GroupKind() == kind.GroupKind() && other.GetNamespace() != ""
		}) {
			scope = "Namespaced"
		}
		small := definition(kind.Group, kind.Kind, scope)
		version := small.Object["spec"].(map[string]any)["versions"].([]any)[0].(map[string]any)
		version["name"] = kind.Version
		if kind.Kind == "ClusterOperator" { // as OpenShift's own
			version["schema"].(map[string]any)["openAPIV3Schema"].(map[string]any)["required"] = []any{"spec"}
		}
		if strings.HasSuffix(kind.Group, ".k8s.io") {
			small.SetAnnotations(map[string]string{"api-approved.kubernetes.io": "unapproved, of a test"})
		}
		must(r.T, olm.CreateCRDs(r.Context(), r.Any, small))
	}
	for _, each := range r.documents {
		if name := each.GetNamespace(); name != "" && !namespaces[name] {
			namespaces[name] = true
			must(r.T, olm.Create(r.Context(), r.Any, olm.Namespace(name)))
		}
	}
}
