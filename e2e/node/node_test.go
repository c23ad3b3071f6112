package node_test

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/yaml"

	"steward.dev/e2e/check"
	"steward.dev/e2e/cluster"
	"steward.dev/e2e/node"
	"steward.dev/e2e/olm"
)

const (
	namespace        = "steward-system"
	repository       = "docker.io/library/steward"
	registrationName = "v1alpha1.views.operators.coreos.com"
	// How soon an installed Steward answers, at most: a promise of docs/install.md.
	answers = 60 * time.Second
	// How long anything takes on a node that is not under load, at most.
	patience = 5 * time.Minute
)

var must = check.Must

// scene is a node on which Steward's image is, and nothing else of it.
type scene struct {
	*node.Node
	root    string
	install string // the manifests that `./dev image` leaves beside the image
	image   image
	before  []string // all objects of the cluster before Steward came
}

// image is what a folder holds that `./dev image` has filled.
type image struct{ folder, archive, tag, digest string }

// name is how the manifests call it, and a node that has loaded the archive knows it.
func (i image) name() string { return repository + ":" + i.tag + "@" + i.digest }

func imageIn(t *testing.T, folder string) image {
	t.Helper()
	archives, _ := filepath.Glob(filepath.Join(folder, "steward-*.tar"))
	if len(archives) != 1 {
		t.Fatalf("%d archives of images in %s: ./dev image makes one", len(archives), folder)
	}
	text, err := os.ReadFile(filepath.Join(folder, "kustomization.yaml"))
	must(t, err)
	var component struct {
		Images []struct{ NewTag, Digest string }
	}
	must(t, yaml.Unmarshal(text, &component))
	if len(component.Images) != 1 {
		t.Fatalf("%s names %d images", folder, len(component.Images))
	}
	return image{folder: folder, archive: archives[0], tag: component.Images[0].NewTag, digest: component.Images[0].Digest}
}

// TestNode is Steward's life on a cluster, from an archive and one file of manifests to nothing. The steps stand on each other.
func TestNode(t *testing.T) {
	s := start(t)
	for _, step := range []struct {
		name string
		run  func(t *testing.T, s *scene)
	}{
		{"Install", testInstall},
		{"Rotation", testRotation},
		{"Upgrade", testUpgrade},
		{"Uninstall", testUninstall},
		// Families make what stays (copies, Operators), so they come last.
		{"Overlays", testOverlays},
	} {
		if !t.Run(step.name, func(t *testing.T) { step.run(t, s) }) {
			t.FailNow()
		}
	}
}

func start(t *testing.T) *scene {
	t.Helper()
	if os.Getenv("STEWARD_NODE") == "" {
		t.Skip("STEWARD_NODE is not set: building a node takes minutes")
	}
	root, err := cluster.Root()
	must(t, err)
	folder := os.Getenv("STEWARD_IMAGE")
	if folder == "" {
		folder = filepath.Join(root, "bin", "image")
	}
	made := imageIn(t, folder)
	began := time.Now()
	if err := node.Build(t.Context()); errors.Is(err, node.ErrUnable) {
		t.Skip(err)
	} else {
		must(t, err)
	}
	built := time.Now()
	n, err := node.Start(t.Context())
	must(t, err)
	t.Logf("programs of the node after %s, the node %s later", built.Sub(began).Round(time.Second), time.Since(built).Round(time.Second))
	t.Cleanup(func() {
		if t.Failed() {
			t.Log(n.Logs(15))
		}
		must(t, n.Stop())
	})
	s := &scene{Node: n, root: root, image: made, install: filepath.Join(folder, "install.yaml")}
	must(t, olm.InstallCRDs(t.Context(), s.Any, root))
	objects, err := olm.Examples(root)
	must(t, err)
	must(t, olm.Create(t.Context(), s.Any, objects...))
	// Users of the load: no administrators, whom the cluster lets pass before all others.
	s.kubectl(t, "create", "clusterrolebinding", "viewer", "--clusterrole=view", "--user=viewer")
	// The kube-apiserver registers the APIs of definitions by itself, a moment later.
	await(t, func() error {
		definitions, err := s.Any.Resource(olm.Definitions).List(t.Context(), metav1.ListOptions{})
		if err != nil {
			return err
		}
		for _, each := range definitions.Items {
			group, _, _ := unstructured.NestedString(each.Object, "spec", "group")
			versions, _, _ := unstructured.NestedSlice(each.Object, "spec", "versions")
			for _, version := range versions {
				fields, _ := version.(map[string]any)
				if served, _ := fields["served"].(bool); served {
					_, err := s.Any.Resource(apiServices).Get(t.Context(), fmt.Sprintf("%v.%s", fields["name"], group), metav1.GetOptions{})
					if err != nil {
						return err
					}
				}
			}
		}
		return nil
	})
	s.before, err = s.objects(t.Context(), "events")
	must(t, err)
	return s
}

// kubectl fails the test where kubectl fails.
func (s *scene) kubectl(t *testing.T, args ...string) string {
	t.Helper()
	out, err := s.Kubectl(t.Context(), args...)
	must(t, err)
	return out
}

// await polls until a check is satisfied, and says what it lacked in the end.
func await(t *testing.T, check func() error) {
	t.Helper()
	deadline := time.Now().Add(patience)
	for {
		err := check()
		if err == nil {
			return
		}
		if time.Now().After(deadline) {
			t.Fatalf("not within %s: %v", patience, err)
		}
		select {
		case <-t.Context().Done():
			t.Fatal(err)
		case <-time.After(200 * time.Millisecond):
		}
	}
}

// testInstall installs as README.md says, on a node that sees only the archive and the one file.
func testInstall(t *testing.T, s *scene) {
	var began time.Time
	for _, command := range s.documented(t, "README.md", "Install on a cluster", "./dev image") {
		// As they are where `./dev image` makes them.
		placed := strings.NewReplacer("bin/image/steward-*.tar", s.image.archive, "bin/image/install.yaml", s.install).Replace(command)
		switch program, _, _ := strings.Cut(command, " "); program {
		case "./dev":
			t.Logf("%s: made %s before", command, filepath.Base(s.image.archive))
		case "ctr":
			_, err := s.Exec(t.Context(), strings.Fields(placed)...)
			must(t, err)
		case "kubectl":
			if began.IsZero() {
				began = time.Now()
			}
			t.Logf("$ %s\n%s", command, s.kubectl(t, strings.Fields(placed)[1:]...))
		default:
			t.Errorf("nobody knows how to run %q", command)
		}
	}
	took := time.Since(began)
	t.Logf("installedoperators %s after kubectl apply", took.Round(100*time.Millisecond))
	if took > answers {
		t.Errorf("that is later than %s", answers)
	}
	s.awaitAnswers(t)
	for _, command := range s.documented(t, "docs/install.md", "By manifests", "doctor") {
		args := strings.Fields(command)[1:]
		if args[0] != "steward" {
			t.Logf("$ %s\n%s", command, s.kubectl(t, args...))
			continue
		}
		out, err := s.steward(t, args[1:]...)
		if err != nil {
			t.Errorf("%s: %v\n%s", command, err, out)
		}
	}
	s.awaitReady(t)
	pods, err := s.Kube.CoreV1().Pods(namespace).List(t.Context(), metav1.ListOptions{})
	must(t, err)
	for _, pod := range pods.Items {
		for _, each := range pod.Status.ContainerStatuses {
			if each.RestartCount > 0 {
				t.Errorf("%s was started %d times", pod.Name, each.RestartCount+1)
			}
		}
	}
	ns, err := s.Kube.CoreV1().Namespaces().Get(t.Context(), namespace, metav1.GetOptions{})
	must(t, err)
	if ns.Labels["pod-security.kubernetes.io/enforce"] != "restricted" {
		t.Errorf("pods of %s may be %q", namespace, ns.Labels["pod-security.kubernetes.io/enforce"])
	}
	// What only the controllers can answer goes by gRPC, with certificates of the same authority.
	await(t, func() error {
		_, err := s.Kubectl(t.Context(), "get", "--raw",
			"/apis/views.operators.coreos.com/v1alpha1/namespaces/payments-operators/cleanupstatuses/ledger-queue.v1.0.3/pending")
		return err
	})
}

// documented are the commands of the block of a document's section that has `one`.
func (s *scene) documented(t *testing.T, document, section, one string) (commands []string) {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(s.root, document))
	must(t, err)
	_, rest, _ := strings.Cut(string(text), "\n## "+section+"\n")
	rest, _, _ = strings.Cut(rest, "\n## ")
	blocks := strings.Split(rest, "\n```")
	for i := 1; i < len(blocks); i += 2 {
		if !strings.Contains(blocks[i], one) {
			continue
		}
		for line := range strings.Lines(strings.TrimSpace(blocks[i])) {
			command, _, _ := strings.Cut(line, "   #")
			commands = append(commands, strings.TrimSpace(command))
		}
	}
	if len(commands) == 0 {
		t.Fatalf("%s says nothing of %q in the section %q", document, one, section)
	}
	return commands
}

// awaitAnswers waits until somebody's kubectl shows all operators.
func (s *scene) awaitAnswers(t *testing.T) {
	t.Helper()
	await(t, func() error {
		out, err := s.Kubectl(t.Context(), "get", "installedoperators", "-A")
		if err == nil && !strings.Contains(out, "ledger-queue.v1.0.3") {
			return fmt.Errorf("not all are shown: %s", out)
		}
		return err
	})
}

// awaitReady waits until every pod of Steward's is Ready.
func (s *scene) awaitReady(t *testing.T) {
	t.Helper()
	await(t, func() error {
		deployments, err := s.Kube.AppsV1().Deployments(namespace).List(t.Context(), metav1.ListOptions{})
		if err != nil {
			return err
		}
		for _, each := range deployments.Items {
			if each.Status.ObservedGeneration != each.Generation || each.Status.UpdatedReplicas != *each.Spec.Replicas ||
				each.Status.Replicas != *each.Spec.Replicas || each.Status.ReadyReplicas != *each.Spec.Replicas {
				return fmt.Errorf("%d of %d pods of %s are ready", each.Status.ReadyReplicas, *each.Spec.Replicas, each.Name)
			}
		}
		return nil
	})
}

// testOverlays has every family run beside the others, each once.
func testOverlays(t *testing.T, s *scene) {
	_, err := s.Kube.CoreV1().ConfigMaps(namespace).Create(t.Context(), &corev1.ConfigMap{
		ObjectMeta: metav1.ObjectMeta{Name: "steward-payload"},
		Data: map[string]string{
			"release-metadata":     `{"kind": "cincinnati-metadata-v0", "version": "1.0.0"}`,
			"0000_10_shipped.yaml": "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: shipped, namespace: default}\n",
		},
	}, metav1.CreateOptions{})
	must(t, err)
	for _, family := range []string{"copies", "install-plans", "operators", "payload"} {
		t.Run(family, func(t *testing.T) {
			file := s.render(t, "overlays/"+family)
			s.kubectl(t, "apply", "-f", file)
			s.awaitReady(t)
			s.kubectl(t, "delete", "-f", file, "--wait=false")
			await(t, func() error {
				out, err := s.Kubectl(t.Context(), "get", "pods", "-n", namespace, "-o", "name")
				if err == nil && strings.Contains(out, "steward-"+strings.ReplaceAll(family, "copies", "copied-csvs")) {
					return fmt.Errorf("still there: %s", out)
				}
				return err
			})
		})
	}
}

// render is a folder of deploy/ with the image of the node, in a file.
func (s *scene) render(t *testing.T, folder string) string {
	t.Helper()
	return s.renderIn(t, filepath.Join(s.root, "deploy"), folder, s.image)
}

// renderIn is a folder of the deploy/ of any commit, with any image.
func (s *scene) renderIn(t *testing.T, deploy, folder string, made image) string {
	t.Helper()
	work, err := filepath.EvalSymlinks(t.TempDir())
	must(t, err)
	deploy, err = filepath.EvalSymlinks(deploy)
	must(t, err)
	path, err := filepath.Rel(work, filepath.Join(deploy, folder))
	must(t, err)
	named := []any{}
	// Older overlays have the repository in the name.
	for _, name := range []string{"steward", repository} {
		named = append(named, map[string]any{"name": name, "newName": repository, "newTag": made.tag, "digest": made.digest})
	}
	kustomization, err := yaml.Marshal(map[string]any{"resources": []any{path}, "images": named})
	must(t, err)
	must(t, os.WriteFile(filepath.Join(work, "kustomization.yaml"), kustomization, 0o644))
	file := filepath.Join(work, "manifests.yaml")
	must(t, os.WriteFile(file, []byte(s.kubectl(t, "kustomize", work)), 0o644))
	return file
}
