package payload_test

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	rbacv1 "k8s.io/api/rbac/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/rest"

	"steward.dev/e2e/check"
	"steward.dev/e2e/cluster"
	"steward.dev/e2e/embedded"
	"steward.dev/e2e/olm"
)

// published is a folder of a published case.
func published(t *testing.T, name string) string {
	t.Helper()
	root, err := cluster.Root()
	must(t, err)
	path, exists := olm.Published(root, filepath.Join("cases", name))
	if !exists {
		t.Skipf("%s is not there", path)
	}
	return path
}

// worker brings a cluster to what payloads say, one after the other.
type worker struct {
	*testing.T
	any dynamic.Interface
	// applies a folder as far as it can be: until it is complete, or refused, or something has failed.
	applies func(folder string, flags ...string)
	// follows lets it look again at the last folder.
	follows func()
	// kubeconfig of whoever runs commands.
	kubeconfig string
}

// onEach runs a case by the commands and by the reconciler, on `steward up` and on a real kube-apiserver under the overlay's account.
func onEach(t *testing.T, play func(w *worker)) {
	on := func(name string, make func(*testing.T) *worker) {
		t.Run(name, func(t *testing.T) { play(make(t)) })
	}
	on("up, commands", func(t *testing.T) *worker {
		up, err := embedded.Start(filepath.Join(t.TempDir(), "up"))
		must(t, err)
		t.Cleanup(func() { must(t, up.Stop(check.Patience)) })
		return byCommands(t, up.Any, up.Kubeconfig)
	})
	on("up, reconciler", func(t *testing.T) *worker {
		data := filepath.Join(t.TempDir(), "up")
		up, err := embedded.Start(data)
		must(t, err)
		t.Cleanup(func() { must(t, up.Stop(check.Patience)) })
		w := &worker{T: t, any: up.Any, kubeconfig: up.Kubeconfig}
		w.follows = func() {} // it does by itself
		w.applies = func(folder string, flags ...string) {
			before := w.told()
			must(t, up.Stop(check.Patience))
			next, err := embedded.Start(data, append([]string{"--reconcilers=payload", "--payload-dir=" + folder, "--payload-interval=1s"}, flags...)...)
			must(t, err)
			up, w.any, w.kubeconfig = next, next.Any, next.Kubeconfig
			w.settles(folder, before)
		}
		return w
	})
	on("cluster, commands", func(t *testing.T) *worker {
		newScene(t)
		return byCommands(t, shared.Any, account)
	})
	on("cluster, reconciler", func(t *testing.T) *worker {
		s := newScene(t)
		w := &worker{T: t, any: shared.Any, kubeconfig: account}
		w.follows = func() {}
		w.applies = func(folder string, flags ...string) {
			before := w.told()
			if s.process != nil {
				s.stops()
			}
			s.dir = folder
			s.starts(flags...)
			w.settles(folder, before)
		}
		return w
	})
}

func byCommands(t *testing.T, any dynamic.Interface, kubeconfig string) *worker {
	w := &worker{T: t, any: any, kubeconfig: kubeconfig}
	var again []string
	w.follows = func() { w.applies(again[0], again[1:]...) }
	w.applies = func(folder string, flags ...string) {
		again = append([]string{folder}, flags...)
		printed, said, code := run(t, append([]string{"payload", "apply", folder, "--yes", "--kubeconfig", kubeconfig}, flags...)...)
		t.Logf("exit code %d\n%s%s", code, printed, said)
	}
	return w
}

// told are the Events by which the reconciler says that it is done with a folder, or why not, each with its version.
func (w *worker) told() map[types.UID]string {
	w.Helper()
	told := map[types.UID]string{}
	list, err := w.any.Resource(core("events")).Namespace(accountNamespace).List(w.Context(), metav1.ListOptions{})
	must(w.T, err)
	for _, event := range list.Items {
		switch reason, _, _ := unstructured.NestedString(event.Object, "reason"); reason {
		case "UpdateCompleted", "PayloadRefused", "ObjectFailed":
			told[event.GetUID()] = event.GetResourceVersion()
		}
	}
	return told
}

// settles waits until the reconciler has told more than before.
func (w *worker) settles(folder string, before map[types.UID]string) {
	w.Helper()
	eventually(w.T, func() error {
		for uid, version := range w.told() {
			if before[uid] != version {
				return nil
			}
		}
		return fmt.Errorf("nothing is said of %s", folder)
	})
}

func (w *worker) puts(object *olm.Object) {
	w.Helper()
	_, err := w.any.Resource(resourceOf(object)).Namespace(object.GetNamespace()).Create(w.Context(), object, metav1.CreateOptions{})
	if !apierrors.IsAlreadyExists(err) {
		must(w.T, err)
	}
}

// leaves has an object be taken away when the case ends.
func (w *worker) leaves(object *olm.Object) {
	any := w.any
	w.Cleanup(func() {
		if w.any != any {
			return // of a process that has ended, with all that it had
		}
		takenAway(w.T, object)
	})
}

// live is the object, or nil.
func (w *worker) live(object *olm.Object) *olm.Object {
	w.Helper()
	live, err := w.any.Resource(resourceOf(object)).Namespace(object.GetNamespace()).Get(w.Context(), object.GetName(), metav1.GetOptions{})
	if apierrors.IsNotFound(err) {
		return nil
	}
	must(w.T, err)
	return live
}

func (w *worker) record() (r record) {
	w.Helper()
	live := w.live(configMap(accountNamespace, recordName))
	if live == nil {
		return r
	}
	data, _, _ := unstructured.NestedStringMap(live.Object, "data")
	r = record{Version: data["version"], Completed: data["completed"], Upgradeable: data["upgradeable"], Message: data["message"]}
	if text := data["removals"]; text != "" {
		must(w.T, json.Unmarshal([]byte(text), &r.Removals))
	}
	return r
}

// Case 46: a release holds an object once for each profile and feature set.
func TestCase46_AnObjectForEachProfile(t *testing.T) {
	folder := filepath.Join(published(t, "46-release-payload"), "payload")
	contains(t, succeeds(t, "payload", "lint", folder), "in order")
	settings, old := configMap("default", "tide-settings"), configMap("default", "tide-old")
	tides := object("apiextensions.k8s.io/v1", "CustomResourceDefinition", "", "tides.sea.example.com", nil)
	onEach(t, func(w *worker) {
		for _, each := range []*olm.Object{settings, old, tides} {
			w.leaves(each)
		}
		w.puts(old)
		w.applies(folder)
		check := func(profile, sets string, kept bool) {
			w.Helper()
			live, definition := w.live(settings), w.live(tides)
			if live == nil || dataOf(live, "profile") != profile || definition == nil || definition.GetAnnotations()["release.openshift.io/feature-set"] != sets {
				w.Errorf("%s: the settings are %v, the definition is %v", profile, live, definition)
			}
			if (w.live(old) != nil) != kept {
				w.Errorf("%s: is %s there? %v, want %v", profile, identity(old), !kept, kept)
			}
			if r := w.record(); r.Completed == "" {
				w.Errorf("%s: the record is %+v", profile, r)
			}
		}
		check("self-managed-high-availability", "Default", true)
		w.applies(folder, "--cluster-profile=ibm-cloud-managed", "--payload-feature-set=TechPreviewNoUpgrade")
		check("ibm-cloud-managed", "TechPreviewNoUpgrade,DevPreviewNoUpgrade", false)
	})
}

// Case 48: a payload does not name Steward's record, and so nobody's object goes that came under a name.
func TestCase48_ThePayloadNamesTheRecord(t *testing.T) {
	at := published(t, "48-payload-record")
	first, second := filepath.Join(at, "1"), filepath.Join(at, "2")
	contains(t, fails(t, 1, "payload", "lint", second), "1.yaml:", "steward-payload-record")
	victim := configMap("default", "victim")
	onEach(t, func(w *worker) {
		w.leaves(victim)
		w.puts(victim)
		w.applies(first)
		if w.live(victim) != nil {
			w.Fatal("the object is still there")
		}
		w.puts(victim)
		was := w.live(victim).GetUID()
		for range 2 {
			w.applies(second)
			if live := w.live(victim); live == nil || live.GetUID() != was || live.GetDeletionTimestamp() != nil {
				w.Fatalf("somebody else's object was deleted: %v", live)
			}
			if r := w.record(); len(r.Removals) != 1 || r.of(victim).State == "" {
				w.Fatalf("the record is %+v", r)
			}
		}
	})
}

// With OLM's definitions every operator would go.
func TestCase48_DefinitionsOfOlm(t *testing.T) {
	s := newScene(t)
	where := s.namespace()
	csvs := object("apiextensions.k8s.io/v1", "CustomResourceDefinition", "", "clusterserviceversions.operators.coreos.com", nil)
	folder := s.folder("4.5.0", files{"0000_10_some_a.yaml": docs(applied(configMap(where, "first")), deleted(csvs))})
	contains(t, succeeds(t, "payload", "lint", folder), "hint", "--allow-olm-deletes")
	operator := olm.CSV("some.v1", olm.OperatorGroup(where, "group"))
	operator.SetNamespace(where)
	s.there(operator)
	for _, command := range []string{"preview", "preflight"} {
		contains(t, fails(t, 1, "payload", command, folder, "--kubeconfig", account), "there are ClusterServiceVersions")
	}
	contains(t, fails(t, 1, "payload", "apply", folder, "--yes", "--kubeconfig", account), "there are ClusterServiceVersions")
	if live := s.found(csvs); live.GetDeletionTimestamp() != nil {
		t.Fatal("the definition is being deleted")
	}
	if r := s.record(); r.Version != "" {
		t.Errorf("something was begun: %+v", r)
	}
}

// Case 49: a removal ends although the manifest that asked for it is gone.
func TestCase49_ARemovalOutlivesItsManifest(t *testing.T) {
	at := published(t, "49-dropped-removal")
	fin, old, made := namespaced("fin"), finalized(configMap("fin", "old")), configMap("fin", "new")
	onEach(t, func(w *worker) {
		w.leaves(fin)
		w.leaves(made)
		w.leaves(old)
		eventually(w.T, func() error { // the one of the case before may still be going
			if live := w.live(fin); live != nil && live.GetDeletionTimestamp() != nil {
				return fmt.Errorf("%s is being deleted", identity(fin))
			}
			return nil
		})
		w.puts(fin)
		w.puts(old)
		w.applies(filepath.Join(at, "1"))
		if state := w.record().of(old).State; state != "Ongoing" {
			w.Fatalf("the removal is %q", state)
		}
		w.applies(filepath.Join(at, "2"))
		contains(w.T, fails(w.T, 1, "payload", "preflight", filepath.Join(at, "3"), "--kubeconfig", w.kubeconfig), "ResourceDeletesInProgress")
		_, err := w.any.Resource(core("configmaps")).Namespace("fin").Patch(w.Context(), "old", types.MergePatchType, []byte(`{"metadata":{"finalizers":null}}`), metav1.PatchOptions{})
		must(w.T, err)
		eventually(w.T, func() error {
			if w.live(old) != nil {
				return fmt.Errorf("%s is still there", identity(old))
			}
			return nil
		})
		succeeds(w.T, "payload", "preflight", filepath.Join(at, "3"), "--kubeconfig", w.kubeconfig)
		w.follows()
		eventually(w.T, func() error {
			if r := w.record(); r.Upgradeable != "True" {
				return fmt.Errorf("the record is %+v", r)
			}
			return nil
		})
		w.applies(filepath.Join(at, "3"))
		if r := w.record(); r.Version != version(w.T, filepath.Join(at, "3")) || r.Completed == "" {
			w.Errorf("the record is %+v", r)
		}
	})
}

// version is what release-metadata of a folder says.
func version(t *testing.T, folder string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(folder, "release-metadata"))
	must(t, err)
	var said struct{ Version string }
	must(t, json.Unmarshal(text, &said))
	return said.Version
}

// Case 49, the second: a removal that the server refuses, and that nothing asks for any more, is dropped once the payload is complete.
func TestCase49_ARefusedRemovalIsDropped(t *testing.T) {
	s := newScene(t)
	where := s.namespace()
	kept := seen(configMap(where, "kept"))
	s.there(kept)
	denies(t, "DELETE", "kept")
	asks := files{"0000_10_some_a.yaml": docs(deleted(kept))}
	s.pays("4.5.0", asks)
	s.starts()
	s.removes(kept, "Failed")
	s.notUpgradeable(kept)
	s.pays("4.5.1", files{"0000_10_some_b.yaml": docs(applied(configMap(where, "new")))})
	s.completes("4.5.1")
	s.tells("Normal", "RemovalDropped", identity(kept))
	s.upgradeable()
	s.all(kept)
	s.stops()

	// The same by the commands.
	fails(t, 1, "payload", "apply", s.folder("4.5.2", asks), "--yes", "--kubeconfig", account)
	if state := s.record().of(kept).State; state != "Failed" {
		t.Fatalf("the removal is %q", state)
	}
	next := s.folder("4.5.3", files{"0000_10_some_b.yaml": docs(applied(configMap(where, "new")))})
	contains(t, succeeds(t, "payload", "apply", next, "--yes", "--kubeconfig", account), "no longer removed "+identity(kept))
	minor := s.folder("4.6.0", files{"0000_10_some_b.yaml": docs(applied(configMap(where, "new")))})
	succeeds(t, "payload", "preflight", minor, "--kubeconfig", account)
	s.all(kept)
}

// Without a payload the record is followed, also after a restart.
func TestCase49_AnEmptyFolder(t *testing.T) {
	s := newScene(t)
	where := s.namespace()
	held := finalized(configMap(where, "held"))
	s.there(held)
	s.pays("4.5.0", files{"0000_10_some_a.yaml": docs(deleted(held))})
	s.starts()
	s.removes(held, "Ongoing")
	s.stops()
	for _, dir := range []string{t.TempDir(), filepath.Join(t.TempDir(), "none")} {
		s.dir = dir
		s.starts()
		s.tells("Warning", "PayloadRefused")
		s.metric("steward_payload_refused", 1)
		s.notUpgradeable(held)
		if strings.HasSuffix(dir, "none") {
			s.releases(held)
			s.removes(held, "Completed")
			s.upgradeable()
		}
		s.stops()
	}
}

// Case 52: what is not ready to be applied is named before the first write, or by lint.
func TestCase52_ManifestsThatAreNotReady(t *testing.T) {
	s := newScene(t)
	where := s.namespace()
	image := files{"0000_10_some_a.yaml": docs(applied(with(configMap(where, "image"), "image", "{{.ReleaseImage}}")))}
	folder := s.folder("4.5.0", image)
	contains(t, fails(t, 1, "payload", "lint", folder), "0000_10_some_a.yaml:", "{{.ReleaseImage}}", "--release-image")
	contains(t, fails(t, 1, "payload", "apply", folder, "--yes", "--kubeconfig", account), "{{.ReleaseImage}}")
	succeeds(t, "payload", "apply", folder, "--yes", "--kubeconfig", account, "--release-image=quay.io/release@sha256:12")
	if value := dataOf(s.found(configMap(where, "image")), "image"); value != "quay.io/release@sha256:12" {
		t.Errorf("the image is %q", value)
	}

	label := applied(configMap(where, "label"))
	label.SetLabels(map[string]string{deletion: "true"})
	almost := s.folder("4.5.1", files{
		"0000_10_some_a.yaml": docs(label), "0000_20_some_b.yaml": docs(annotated(applied(configMap(where, "case")), "release.openshift.io/Delete", "true")),
	})
	contains(t, succeeds(t, "payload", "lint", almost), "0000_10_some_a.yaml:", "0000_20_some_b.yaml:", "asks for no removal")

	// A kind that only the cluster knows, without the namespace that it needs.
	known := definition("example.com", "Stray", "Namespaced")
	must(t, olm.CreateCRDs(t.Context(), shared.Any, known))
	s.leaves(known)
	stray := s.folder("4.5.2", files{
		"0000_10_some_a.yaml": docs(applied(configMap(where, "first"))),
		"0000_20_some_b.yaml": docs(applied(object("example.com/v1", "Stray", "", "stray", nil))),
	})
	contains(t, fails(t, 1, "payload", "apply", stray, "--yes", "--kubeconfig", shared.Admin), "0000_20_some_b.yaml:", "it names none")
	if _, err := shared.Kube.CoreV1().ConfigMaps(where).Get(t.Context(), "first", metav1.GetOptions{}); !apierrors.IsNotFound(err) {
		t.Errorf("something was written before: %v", err)
	}
	contains(t, fails(t, 1, "payload", "lint", s.folder("4.5.2", files{"a.yaml": docs(applied(object("v1", "Secret", "", "stray", nil)))})), "it names none")

	// One object by two of its groups.
	twice := s.folder("4.5.3", files{
		"0000_10_some_a.yaml": docs(applied(namespaced("twice")), deleted(object("project.openshift.io/v1", "Project", "", "twice", nil))),
	})
	contains(t, fails(t, 1, "payload", "lint", twice), `Namespace "twice" is deleted here, and applied by`)
}

// Case 52 by the reconciler: it refuses the same, and writes nothing of the payload.
func TestCase52_TheReconcilerRefusesTheSame(t *testing.T) {
	s := newScene(t)
	where := s.namespace()
	known := definition("example.com", "Stray", "Namespaced")
	must(t, olm.CreateCRDs(t.Context(), shared.Any, known))
	s.leaves(known)
	first := files{"0000_10_some_a.yaml": docs(applied(configMap(where, "first")))}
	for part, text := range map[string]string{
		"{{.ReleaseImage}} is not known": docs(applied(with(configMap(where, "image"), "image", "{{.ReleaseImage}}"))),
		`Stray.example.com "stray"`:      docs(applied(object("example.com/v1", "Stray", "", "stray", nil))),
		`Namespace "twice" is deleted`:   docs(applied(namespaced("twice")), deleted(object("project.openshift.io/v1", "Project", "", "twice", nil))),
	} {
		s.pays("4.5.0", first.and(files{"0000_20_some_b.yaml": text}))
		s.starts()
		s.tells("Warning", "PayloadRefused", "0000_20_some_b.yaml", part)
		s.metric("steward_payload_refused", 1)
		s.stops()
	}
	if _, err := shared.Kube.CoreV1().ConfigMaps(where).Get(t.Context(), "first", metav1.GetOptions{}); !apierrors.IsNotFound(err) {
		t.Errorf("something was written: %v", err)
	}
}

// An applied object has to become healthy before the level behind it is begun; what the process waits for is named.
func TestHealth_ALevelWaits(t *testing.T) {
	s := newScene(t)
	where := s.namespace()
	sick := applied(deployment(where, "sick"))
	sick.SetLabels(map[string]string{unhealthy: ""})
	behind := configMap(where, "behind")
	wanted := files{"0000_10_some_a.yaml": docs(sick), "0000_20_some_b.yaml": docs(applied(behind))}
	s.pays("4.5.0", wanted)
	s.starts("--payload-wait-timeout=1s")
	s.tells("Normal", "WaitingForObject", identity(sick), "not seen by its controller")
	s.tells("Warning", "ObjectFailed", identity(sick), "after 1s")
	if _, err := shared.Kube.CoreV1().ConfigMaps(where).Get(t.Context(), "behind", metav1.GetOptions{}); !apierrors.IsNotFound(err) {
		t.Errorf("%s did not wait: %v", identity(behind), err)
	}
	contains(t, fails(t, 1, "payload", "apply", s.folder("4.5.0", wanted), "--yes", "--kubeconfig", account, "--payload-wait-timeout=1s"),
		"waiting for "+identity(sick))
	_, err := shared.Any.Resource(resourceOf(sick)).Namespace(where).Patch(t.Context(), "sick", types.MergePatchType,
		[]byte(`{"metadata":{"labels":{"`+unhealthy+`":null}}}`), metav1.PatchOptions{})
	must(t, err)
	healthy := applied(deployment(where, "sick"))
	s.pays("4.5.1", files{"0000_10_some_a.yaml": docs(healthy), "0000_20_some_b.yaml": docs(applied(behind))})
	s.completes("4.5.1")
	s.all(behind)
}

// A preview refuses whatever apply would refuse.
func TestCommands_PreviewRefusesWhatApplyRefuses(t *testing.T) {
	s := newScene(t)
	where := s.namespace()
	nowhere := s.folder("4.5.0", files{"0000_10_some_a.yaml": docs(applied(configMap(s.name+"-nowhere", "a")))})
	if seen := preview(t, nowhere, 1)["ConfigMap a"]; seen.Action != "refused" || !strings.Contains(seen.Reason, "not found") {
		t.Errorf("%+v", seen)
	}
	fails(t, 1, "payload", "apply", nowhere, "--yes", "--kubeconfig", account)
	inside := s.folder("4.5.1", files{
		"0000_10_some_a.yaml": docs(applied(configMap(where, "inside"))), "0000_20_some_b.yaml": docs(deleted(namespaced(where))),
	})
	for _, command := range [][]string{{"preview", inside}, {"preflight", inside}, {"apply", inside, "--yes"}} {
		contains(t, fails(t, 1, append([]string{"payload", "--kubeconfig", account}, command...)...), "is applied in a namespace that")
	}
	s.all(namespaced(where))
}

// Roles and bindings are asked about before the first write.
func TestFaults_RightsThatARoleGives(t *testing.T) {
	s := newScene(t)
	where := s.namespace()
	giver := object("rbac.authorization.k8s.io/v1", "ClusterRole", "", s.name, map[string]any{"rules": []any{
		map[string]any{"apiGroups": []any{""}, "resources": []any{"secrets"}, "verbs": []any{"list"}},
	}})
	binding := object("rbac.authorization.k8s.io/v1", "RoleBinding", where, "gives", map[string]any{
		"roleRef":  map[string]any{"apiGroup": "rbac.authorization.k8s.io", "kind": "ClusterRole", "name": s.name},
		"subjects": []any{map[string]any{"kind": "ServiceAccount", "name": "some", "namespace": where}},
	})
	s.leaves(giver)
	folder := s.folder("4.5.0", files{
		"0000_10_some_a.yaml": docs(applied(configMap(where, "first"))), "0000_20_some_b.yaml": docs(applied(giver), applied(binding)),
	})
	kubeconfig := s.somebody(rule("", "configmaps", "namespaces"), rule("rbac.authorization.k8s.io", "clusterroles", "rolebindings"),
		rbacv1.PolicyRule{APIGroups: []string{"config.openshift.io"}, Resources: []string{"*"}, Verbs: []string{"get", "list"}})
	for _, command := range [][]string{{"preflight", folder}, {"apply", folder, "--yes"}} {
		printed, said, code := run(t, append([]string{"payload", "--kubeconfig", kubeconfig}, command...)...)
		if code == 0 {
			t.Errorf("whoever may not list secrets may %q", command[0])
		}
		contains(t, printed+said, "escalate clusterroles", "bind clusterroles", "list secrets")
	}
	if _, err := shared.Kube.CoreV1().ConfigMaps(where).Get(t.Context(), "first", metav1.GetOptions{}); !apierrors.IsNotFound(err) {
		t.Errorf("something was written before: %v", err)
	}
	succeeds(t, "payload", "apply", folder, "--yes", "--kubeconfig", account)
}

// somebody is the kubeconfig of a user with these rights and no others.
func (s *scene) somebody(rules ...rbacv1.PolicyRule) string {
	s.Helper()
	name := s.name + "-somebody"
	roles, bindings := shared.Kube.RbacV1().ClusterRoles(), shared.Kube.RbacV1().ClusterRoleBindings()
	_, err := roles.Create(s.Context(), &rbacv1.ClusterRole{ObjectMeta: metav1.ObjectMeta{Name: name}, Rules: rules}, metav1.CreateOptions{})
	must(s.T, err)
	_, err = bindings.Create(s.Context(), &rbacv1.ClusterRoleBinding{
		ObjectMeta: metav1.ObjectMeta{Name: name}, RoleRef: rbacv1.RoleRef{APIGroup: rbacv1.GroupName, Kind: "ClusterRole", Name: name},
		Subjects: []rbacv1.Subject{{APIGroup: rbacv1.GroupName, Kind: "User", Name: name}},
	}, metav1.CreateOptions{})
	must(s.T, err)
	for _, each := range []string{"ClusterRole", "ClusterRoleBinding"} {
		s.leaves(object("rbac.authorization.k8s.io/v1", each, "", name, nil))
	}
	kubeconfig, err := shared.User(name)
	must(s.T, err)
	return kubeconfig
}

// The account, whatever rights it was given, touches nothing of Steward's own, and gives no rights to Steward's accounts.
func TestPolicy_NothingOfStewardsOwn(t *testing.T) {
	s := newScene(t)
	where := s.namespace()
	config := rest.CopyConfig(shared.Config)
	config.Impersonate.UserName = accountUser
	config.Impersonate.Groups = []string{"system:serviceaccounts", "system:authenticated"}
	as, err := dynamic.NewForConfig(config)
	must(t, err)
	binding := func(namespace, name string, subject map[string]any) *olm.Object {
		kind := "RoleBinding"
		if namespace == "" {
			kind = "ClusterRoleBinding"
		}
		return object("rbac.authorization.k8s.io/v1", kind, namespace, name, map[string]any{
			"roleRef":  map[string]any{"apiGroup": "rbac.authorization.k8s.io", "kind": "ClusterRole", "name": "view"},
			"subjects": []any{subject},
		})
	}
	role := object("rbac.authorization.k8s.io/v1", "ClusterRole", "", s.name, map[string]any{"rules": []any{}})
	more := role.DeepCopy()
	more.SetLabels(map[string]string{rightsLabel: "true"})
	other := map[string]any{"kind": "ServiceAccount", "namespace": where, "name": "some"}
	for _, test := range []struct {
		what   string
		object *olm.Object
		denied bool
	}{
		{"a binding for an account of Steward", binding("", s.name, map[string]any{"kind": "ServiceAccount", "namespace": accountNamespace, "name": accountName}), true},
		{"one for it as a user", binding(where, s.name, map[string]any{"apiGroup": "rbac.authorization.k8s.io", "kind": "User", "name": accountUser}), true},
		{"one for all of Steward's accounts", binding(where, s.name, map[string]any{"apiGroup": "rbac.authorization.k8s.io", "kind": "Group", "name": "system:serviceaccounts:" + accountNamespace}), true},
		{"one for another account", binding(where, s.name, other), false},
		{"a role that adds to its rights", more, true},
		{"another role", role, false},
		{"a binding of Steward's in kube-system", binding("kube-system", "steward-apiserver:more", other), true},
		{"a definition of Steward's", definition("steward.operatorframework.io", "Widget", "Namespaced"), true},
	} {
		_, err := as.Resource(resourceOf(test.object)).Namespace(test.object.GetNamespace()).Create(t.Context(), test.object, metav1.CreateOptions{DryRun: []string{metav1.DryRunAll}})
		if !test.denied {
			if err != nil {
				t.Errorf("%s: %v", test.what, err)
			}
		} else if refused := refusal(writesPolicy, err); refused != nil {
			t.Errorf("%s: %v", test.what, refused)
		}
	}
}
