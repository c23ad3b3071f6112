package payload_test

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/rand"

	"steward.dev/e2e/cluster"
	"steward.dev/e2e/olm"
)

var clusterOperators = schema.GroupVersionResource{Group: "config.openshift.io", Version: "v1", Resource: "clusteroperators"}

// removal is what the record says of one object.
type removal struct{ Group, Kind, Namespace, Name, UID, State, Since, Version, Note string }

func (r removal) String() string {
	return fmt.Sprintf("%s.%s %s/%s %s since %s (%s)", r.Kind, r.Group, r.Namespace, r.Name, r.State, r.Version, r.Note)
}

// record is what the ConfigMap of the record says; the zero value: there is none.
type record struct {
	Version, Hash, State, Completed, Upgradeable, Reason, Message string
	Removals                                                      []removal
}

func (r record) of(object *olm.Object) removal {
	kind := object.GroupVersionKind()
	for _, each := range r.Removals {
		if each.Group == kind.Group && each.Kind == kind.Kind && each.Namespace == object.GetNamespace() && each.Name == object.GetName() {
			return each
		}
	}
	return removal{}
}

// scene is a cluster without a record, a payload, and the process that applies it.
type scene struct {
	*testing.T
	name    string // begins the names of what the case is about
	dir     string // of the payload, as the kubelet makes it of a ConfigMap
	ships   int    // how many payloads there were
	hash    string // the record's before the payload
	began   time.Time
	process *cluster.Controllers
	left    []*olm.Object // what the case is about
}

func newScene(t *testing.T) *scene {
	t.Helper()
	s := &scene{T: t, name: "payload-" + rand.String(6), dir: t.TempDir()}
	ctx := t.Context()
	for _, err := range []error{
		shared.Kube.CoreV1().ConfigMaps(accountNamespace).Delete(ctx, recordName, metav1.DeleteOptions{}),
		shared.Any.Resource(clusterOperators).Delete(ctx, accountName, metav1.DeleteOptions{}),
		shared.Kube.CoreV1().Events(accountNamespace).DeleteCollection(ctx, metav1.DeleteOptions{}, metav1.ListOptions{}),
	} {
		if err != nil && !apierrors.IsNotFound(err) {
			t.Fatal(err)
		}
	}
	s.began = time.Now()
	t.Cleanup(func() {
		if s.process != nil {
			if t.Failed() {
				t.Logf("the record: %+v; the end of the process's log:\n%s", s.record(), s.process.Tail(40))
			}
			must(t, s.process.Stop())
		}
		slices.Reverse(s.left)
		for _, each := range s.left {
			takenAway(t, each)
		}
	})
	return s
}

// there has objects be in the cluster before the payload, and deletes them when the case ends.
func (s *scene) there(objects ...*olm.Object) {
	s.Helper()
	for _, each := range objects {
		must(s.T, olm.CreateAs(s.Context(), shared.Any, resourceOf(each), each))
		s.leaves(each)
	}
}

// leaves has what the case is about be taken away when it ends, after the process, finalizers and all.
func (s *scene) leaves(objects ...*olm.Object) { s.left = append(s.left, objects...) }

func takenAway(t *testing.T, object *olm.Object) {
	ctx, at := context.Background(), shared.Any.Resource(resourceOf(object)).Namespace(object.GetNamespace())
	if len(object.GetFinalizers()) > 0 {
		_, _ = at.Patch(ctx, object.GetName(), types.MergePatchType, []byte(`{"metadata":{"finalizers":null}}`), metav1.PatchOptions{})
	}
	if err := at.Delete(ctx, object.GetName(), metav1.DeleteOptions{}); err != nil && !apierrors.IsNotFound(err) {
		t.Logf("%s stays: %v", identity(object), err)
	}
}

// namespace makes one that the payload finds, and says its name.
func (s *scene) namespace() string {
	s.Helper()
	s.there(namespaced(s.name))
	return s.name
}

// releases takes the finalizers of an object off.
func (s *scene) releases(object *olm.Object) {
	s.Helper()
	_, err := shared.Any.Resource(resourceOf(object)).Namespace(object.GetNamespace()).Patch(s.Context(), object.GetName(), types.MergePatchType,
		[]byte(`{"metadata":{"finalizers":null}}`), metav1.PatchOptions{})
	must(s.T, err)
}

// pays puts a release in the place of the one before, as the kubelet does: files are links into a folder that is exchanged at once.
func (s *scene) pays(version string, wanted files) {
	s.Helper()
	s.hash = s.record().Hash
	s.ships++
	folder := fmt.Sprintf("..%d", s.ships)
	must(s.T, os.Mkdir(filepath.Join(s.dir, folder), 0o755))
	wanted = wanted.and(files{"release-metadata": metadata(version)})
	for name, text := range wanted {
		must(s.T, os.WriteFile(filepath.Join(s.dir, folder, name), []byte(text), 0o644))
	}
	must(s.T, os.Symlink(folder, filepath.Join(s.dir, "..data_tmp")))
	must(s.T, os.Rename(filepath.Join(s.dir, "..data_tmp"), filepath.Join(s.dir, "..data")))
	for name := range wanted {
		if err := os.Symlink(filepath.Join("..data", name), filepath.Join(s.dir, name)); err != nil && !os.IsExist(err) {
			s.Fatal(err)
		}
	}
	entries, err := os.ReadDir(s.dir)
	must(s.T, err)
	for _, entry := range entries {
		if _, stays := wanted[entry.Name()]; !stays && !strings.HasPrefix(entry.Name(), "..") {
			must(s.T, os.Remove(filepath.Join(s.dir, entry.Name())))
		}
	}
}

func metadata(version string) string {
	return fmt.Sprintf(`{"kind": "cincinnati-metadata-v0", "version": %q, "previous": [], "metadata": {}}`, version)
}

// starts starts the process, as the overlay's Deployment does.
func (s *scene) starts(more ...string) {
	s.Helper()
	process, err := shared.RunControllersAs(s.Context(), account, "payload-"+time.Now().Format("150405.000"), append([]string{
		"--reconcilers=payload", "--payload-dir=" + s.dir, "--payload-interval=1s", "--leader-elect-lease-duration=6s",
		"--leader-elect-renew-deadline=5s", "--leader-elect-retry-period=500ms", "--v=2",
	}, more...)...)
	must(s.T, err)
	s.process = process
}

func (s *scene) stops() {
	s.Helper()
	must(s.T, s.process.Stop())
}

func (s *scene) record() (r record) {
	s.Helper()
	made, err := shared.Kube.CoreV1().ConfigMaps(accountNamespace).Get(context.Background(), recordName, metav1.GetOptions{})
	if apierrors.IsNotFound(err) {
		return r
	}
	must(s.T, err)
	data := made.Data
	r = record{
		Version: data["version"], Hash: data["hash"], State: data["state"], Completed: data["completed"],
		Upgradeable: data["upgradeable"], Reason: data["reason"], Message: data["message"],
	}
	if text := data["removals"]; text != "" {
		must(s.T, json.Unmarshal([]byte(text), &r.Removals))
	}
	return r
}

// says waits until the record is as it is wanted to be.
func (s *scene) says(what string, is func(record) bool) record {
	s.Helper()
	var r record
	eventually(s.T, func() error {
		if r = s.record(); !is(r) {
			return fmt.Errorf("want %s; the record is %+v", what, r)
		}
		return nil
	})
	return r
}

// completes waits until the payload that was shipped last was applied as a whole.
func (s *scene) completes(version string) record {
	s.Helper()
	r := s.says("the update to "+version+" completed", func(r record) bool {
		return r.Version == version && r.State == "Reconciling" && r.Completed != "" && r.Hash != s.hash
	})
	if _, err := time.Parse(time.RFC3339, r.Completed); err != nil {
		s.Error(err)
	}
	return r
}

// removes waits until the record says that an object's removal has come that far.
func (s *scene) removes(object *olm.Object, state string) removal {
	s.Helper()
	r := s.says(identity(object)+" to be "+state, func(r record) bool { return r.of(object).State == state }).of(object)
	if _, err := time.Parse(time.RFC3339, r.Since); err != nil {
		s.Errorf("%s: %v", identity(object), err)
	}
	return r
}

// tells waits for an Event about the record, which has all parts.
func (s *scene) tells(kind, reason string, parts ...string) {
	s.Helper()
	eventually(s.T, func() error {
		events, err := shared.Kube.CoreV1().Events(accountNamespace).List(s.Context(), metav1.ListOptions{})
		if err != nil {
			return err
		}
		var said []string
		for _, event := range events.Items {
			said = append(said, event.Type+" "+event.Reason+" "+event.InvolvedObject.Name+": "+event.Message)
			if event.Type != kind || reason != "" && event.Reason != reason || event.InvolvedObject.Kind != "ConfigMap" || event.InvolvedObject.Name != recordName {
				continue
			}
			if !slices.ContainsFunc(parts, func(part string) bool { return !strings.Contains(event.Message, part) }) {
				return nil
			}
		}
		return fmt.Errorf("no %s Event %s has %q; they are\n%s", kind, reason, parts, strings.Join(said, "\n"))
	})
}

// metric waits for the value of a series of the process.
func (s *scene) metric(series string, want float64) {
	s.Helper()
	eventually(s.T, func() error {
		value, err := s.process.Metric(s.Context(), series)
		if err == nil && value != want {
			err = fmt.Errorf("%s is %v, want %v", series, value, want)
		}
		return err
	})
}

// upgradeable waits until the record, the ClusterOperator and the metric say that updates may begin.
func (s *scene) upgradeable() {
	s.Helper()
	s.says("Upgradeable", func(r record) bool { return r.Upgradeable == "True" && r.Reason == "" })
	s.conditions("True", "AsExpected")
	s.metric("steward_payload_upgradeable", 1)
}

// notUpgradeable waits until all of them say that they may not, for these objects.
func (s *scene) notUpgradeable(objects ...*olm.Object) {
	s.Helper()
	s.says("not Upgradeable", func(r record) bool {
		return r.Upgradeable == "False" && r.Reason == "ResourceDeletesInProgress" && names(r.Message, objects...)
	})
	s.conditions("False", "ResourceDeletesInProgress", objects...)
	s.metric("steward_payload_upgradeable", 0)
	s.tells("Warning", "ResourceDeletesInProgress", identities(objects...)...)
}

func names(text string, objects ...*olm.Object) bool {
	for _, each := range objects {
		if !strings.Contains(text, identity(each)) {
			return false
		}
	}
	return true
}

// conditions waits for the condition Upgradeable of Steward's ClusterOperator.
func (s *scene) conditions(status, reason string, objects ...*olm.Object) {
	s.Helper()
	eventually(s.T, func() error {
		operator, err := shared.Any.Resource(clusterOperators).Get(s.Context(), accountName, metav1.GetOptions{})
		if err != nil {
			return err
		}
		list, _, _ := unstructured.NestedSlice(operator.Object, "status", "conditions")
		for _, each := range list {
			condition := each.(map[string]any)
			message, _ := condition["message"].(string)
			if condition["type"] == "Upgradeable" && condition["status"] == status && condition["reason"] == reason && names(message, objects...) {
				return nil
			}
		}
		return fmt.Errorf("want Upgradeable %s %s; the conditions are %v", status, reason, list)
	})
}

func (s *scene) found(object *olm.Object) *olm.Object {
	s.Helper()
	live, err := shared.Any.Resource(resourceOf(object)).Namespace(object.GetNamespace()).Get(s.Context(), object.GetName(), metav1.GetOptions{})
	must(s.T, err)
	return live
}

// all fails unless the objects are there, and none is being deleted.
func (s *scene) all(objects ...*olm.Object) {
	s.Helper()
	for _, each := range objects {
		live, err := shared.Any.Resource(resourceOf(each)).Namespace(each.GetNamespace()).Get(s.Context(), each.GetName(), metav1.GetOptions{})
		if err != nil || live.GetDeletionTimestamp() != nil {
			s.Errorf("%s: %v; want that it is there, and stays", identity(each), err)
		}
	}
}

// gone waits until the objects are not there any more.
func (s *scene) gone(objects ...*olm.Object) {
	s.Helper()
	for _, each := range objects {
		eventually(s.T, func() error {
			_, err := shared.Any.Resource(resourceOf(each)).Namespace(each.GetNamespace()).Get(s.Context(), each.GetName(), metav1.GetOptions{})
			if !apierrors.IsNotFound(err) {
				return fmt.Errorf("%s: %v, want that it is gone", identity(each), err)
			}
			return nil
		})
	}
}

// appears waits until an object is there.
func (s *scene) appears(object *olm.Object) {
	s.Helper()
	eventually(s.T, func() error {
		_, err := shared.Any.Resource(resourceOf(object)).Namespace(object.GetNamespace()).Get(s.Context(), object.GetName(), metav1.GetOptions{})
		return err
	})
}

// writing is one write of the account's, out of the audit log.
type writing struct {
	Verb                                     string
	ObjectRef                                struct{ Resource, Namespace, Name, APIGroup, Subresource string }
	ResponseStatus                           struct{ Code int }
	RequestReceivedTimestamp, StageTimestamp metav1.MicroTime
}

func (w writing) String() string {
	return fmt.Sprintf("%s %s %s/%s %s: %d", w.Verb, w.ObjectRef.Resource, w.ObjectRef.Namespace, w.ObjectRef.Name, w.ObjectRef.Subresource, w.ResponseStatus.Code)
}

func (w writing) about(object *olm.Object) bool {
	resource := resourceOf(object)
	return w.ObjectRef.Resource == resource.Resource && w.ObjectRef.APIGroup == resource.Group &&
		w.ObjectRef.Namespace == scopeOf(object) && w.ObjectRef.Name == object.GetName()
}

// scopeOf is the namespace that the audit log has for an object: of a Namespace, its name.
func scopeOf(object *olm.Object) string {
	if object.GetKind() == "Namespace" {
		return object.GetName()
	}
	return object.GetNamespace()
}

// ofRecord says whether it is about the record, and ofSteward about what Steward says of itself.
func (w writing) ofRecord() bool {
	return w.ObjectRef.Name == recordName || w.ObjectRef.Resource == "configmaps" && w.ObjectRef.Namespace == accountNamespace
}

func (w writing) ofSteward() bool {
	return w.ofRecord() || w.ObjectRef.Resource == "clusteroperators" && (w.ObjectRef.Name == accountName || w.ObjectRef.Name == "")
}

// writings are the account's since a moment, without Leases, Events and reviews.
func writings(t *testing.T, since time.Time) (list []writing) {
	t.Helper()
	file, err := os.Open(auditLog())
	must(t, err)
	defer file.Close()
	lines := bufio.NewScanner(file)
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		var entry writing
		if json.Unmarshal(lines.Bytes(), &entry) != nil { // the last line may be half written
			continue
		}
		if !entry.RequestReceivedTimestamp.Before(&metav1.MicroTime{Time: since}) {
			list = append(list, entry)
		}
	}
	must(t, lines.Err())
	return list
}

// wrote are the writes to what the payload is made of, since a moment.
func (s *scene) wrote(since time.Time) (list []writing) {
	s.Helper()
	return slices.DeleteFunc(writings(s.T, since), writing.ofSteward)
}

// writesNothing fails when there was any write since a moment.
func (s *scene) writesNothing(since time.Time) {
	s.Helper()
	if list := writings(s.T, since); len(list) > 0 {
		s.Errorf("it wrote %v", list)
	}
}

// tampers changes a ConfigMap of the payload, and waits until the process has gone over the payload again, and has put it right.
func (s *scene) tampers(object *olm.Object) {
	s.Helper()
	patch := []byte(`{"data":{"a":"tampered"}}`)
	at := shared.Any.Resource(resourceOf(object)).Namespace(object.GetNamespace())
	_, err := at.Patch(s.Context(), object.GetName(), types.MergePatchType, patch, metav1.PatchOptions{})
	must(s.T, err)
	eventually(s.T, func() error {
		live, err := at.Get(s.Context(), object.GetName(), metav1.GetOptions{})
		if err != nil {
			return err
		}
		if value, _, _ := unstructured.NestedString(live.Object, "data", "a"); value == "tampered" {
			return fmt.Errorf("%s is not put right", identity(object))
		}
		return nil
	})
}

// refusal is nil if the error is a policy's refusal, and else says what it is.
func refusal(policy string, err error) error {
	if err == nil {
		return fmt.Errorf("%s lets it through", policy)
	}
	if !apierrors.IsForbidden(err) || !strings.Contains(err.Error(), "ValidatingAdmissionPolicy '"+policy+"'") {
		return fmt.Errorf("want a refusal by %s, got: %w", policy, err)
	}
	return nil
}
