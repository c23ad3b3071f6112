package cleanup_test

import (
	"context"
	"crypto/tls"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"net"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/uuid"

	"steward.dev/e2e/cluster"
	"steward.dev/e2e/olm"
)

var (
	services    = schema.GroupVersionResource{Version: "v1", Resource: "services"}
	apiServices = schema.GroupVersionResource{Group: "apiregistration.k8s.io", Version: "v1", Resource: "apiservices"}
)

// things are an API that an operator serves by itself: they are kept in memory, and can be listed and deleted. Beside them
// there are checks, which can only be created.
type things struct {
	group string

	mutex sync.Mutex
	all   map[string]*olm.Object // by "namespace/name"
}

func (s *things) add(namespace, name string) {
	object := &olm.Object{Object: map[string]any{"apiVersion": s.group + "/v1", "kind": "Thing"}}
	object.SetNamespace(namespace)
	object.SetName(name)
	object.SetUID(uuid.NewUUID())
	object.SetResourceVersion("1")
	s.mutex.Lock()
	defer s.mutex.Unlock()
	s.all[namespace+"/"+name] = object
}

// objects are those in a namespace, or all.
func (s *things) objects(namespace string) []olm.Object {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	list := []olm.Object{}
	for _, object := range s.all {
		if namespace == "" || object.GetNamespace() == namespace {
			list = append(list, *object)
		}
	}
	return list
}

func (s *things) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	path := strings.Split(strings.Trim(r.URL.Path, "/"), "/") // apis GROUP v1 [namespaces NS] things [NAME]
	namespace := ""
	if len(path) > 4 && path[3] == "namespaces" {
		namespace = path[4]
		path = slices.Delete(path, 3, 5)
	}
	switch {
	case len(path) < 3 || path[1] != s.group:
		http.NotFound(w, r)
	case len(path) == 3:
		resource := func(name, kind string, verbs ...string) metav1.APIResource {
			return metav1.APIResource{Name: name, Kind: kind, Namespaced: true, Verbs: verbs}
		}
		answer(w, http.StatusOK, metav1.APIResourceList{
			TypeMeta: metav1.TypeMeta{Kind: "APIResourceList", APIVersion: "v1"}, GroupVersion: s.group + "/v1",
			APIResources: []metav1.APIResource{resource("things", "Thing", "list", "delete"), resource("checks", "Check", "create")},
		})
	case r.Method == http.MethodGet && path[3] == "things" && len(path) == 4:
		list := unstructured.UnstructuredList{Object: map[string]any{
			"apiVersion": s.group + "/v1", "kind": "ThingList", "metadata": map[string]any{"resourceVersion": "1"},
		}, Items: s.objects(namespace)}
		answer(w, http.StatusOK, &list)
	case r.Method == http.MethodDelete && path[3] == "things" && len(path) == 5:
		var options metav1.DeleteOptions
		_ = json.NewDecoder(r.Body).Decode(&options)
		s.remove(w, namespace+"/"+path[4], options.Preconditions)
	default:
		refuse(w, http.StatusMethodNotAllowed, metav1.StatusReasonMethodNotAllowed)
	}
}

func (s *things) remove(w http.ResponseWriter, name string, preconditions *metav1.Preconditions) {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	object := s.all[name]
	switch {
	case object == nil:
		refuse(w, http.StatusNotFound, metav1.StatusReasonNotFound)
	case preconditions == nil || preconditions.UID == nil || *preconditions.UID != object.GetUID():
		refuse(w, http.StatusConflict, metav1.StatusReasonConflict)
	default:
		delete(s.all, name)
		answer(w, http.StatusOK, metav1.Status{TypeMeta: metav1.TypeMeta{Kind: "Status", APIVersion: "v1"}, Status: metav1.StatusSuccess})
	}
}

func refuse(w http.ResponseWriter, code int, reason metav1.StatusReason) {
	answer(w, code, metav1.Status{
		TypeMeta: metav1.TypeMeta{Kind: "Status", APIVersion: "v1"}, Status: metav1.StatusFailure, Reason: reason, Code: int32(code),
	})
}

func answer(w http.ResponseWriter, code int, object any) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(code)
	_ = json.NewEncoder(w).Encode(object)
}

// serveThings registers an API server in an operator's namespace until the test ends.
func serveThings(t *testing.T, r *run) *things {
	t.Helper()
	s := &things{group: "things-" + r.id + ".example.com", all: map[string]*olm.Object{}}
	cleanable(t, s.group)
	authority, err := cluster.NewAuthority("things")
	must(t, err)
	pair, err := authority.Server(t.TempDir(), "things", "localhost", "things."+r.namespace+".svc")
	must(t, err)
	certificate, err := tls.LoadX509KeyPair(pair.Cert, pair.Key)
	must(t, err)
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	must(t, err)
	server := &http.Server{Handler: s, TLSConfig: &tls.Config{Certificates: []tls.Certificate{certificate}}}
	go func() { _ = server.ServeTLS(listener, "", "") }()
	t.Cleanup(func() { _ = server.Close() })

	service := &olm.Object{Object: map[string]any{
		"apiVersion": "v1", "kind": "Service", "spec": map[string]any{"type": "ExternalName", "externalName": "localhost"},
	}}
	service.SetName("things")
	_, err = shared.Any.Resource(services).Namespace(r.namespace).Create(t.Context(), service, metav1.CreateOptions{})
	must(t, err)
	registered := &olm.Object{Object: map[string]any{
		"apiVersion": "apiregistration.k8s.io/v1", "kind": "APIService",
		"spec": map[string]any{
			"group": s.group, "version": "v1", "groupPriorityMinimum": int64(1000), "versionPriority": int64(10),
			"caBundle": base64.StdEncoding.EncodeToString(authority.PEM),
			"service":  map[string]any{"namespace": r.namespace, "name": "things", "port": int64(listener.Addr().(*net.TCPAddr).Port)},
		},
	}}
	registered.SetName("v1." + s.group)
	// As OLM makes it: by these labels, and by where its Service lies, it is this operator's (R-000-79).
	registered.SetLabels(map[string]string{
		"olm.owner": csvName, "olm.owner.namespace": r.namespace, "olm.owner.kind": "ClusterServiceVersion",
	})
	_, err = shared.Any.Resource(apiServices).Create(t.Context(), registered, metav1.CreateOptions{})
	must(t, err)
	// One that nobody serves keeps namespaces from being deleted.
	t.Cleanup(func() {
		must(t, shared.Any.Resource(apiServices).Delete(context.Background(), registered.GetName(), metav1.DeleteOptions{}))
	})
	at := shared.Any.Resource(schema.GroupVersionResource{Group: s.group, Version: "v1", Resource: "things"})
	eventually(t, func() error {
		_, err := at.List(t.Context(), metav1.ListOptions{})
		return err
	})
	return s
}

// R-000-18: what an operator stores in an API that it serves by itself is cleaned up under the same guards.
func ownedAPIs(t *testing.T, kinds *scene, on bool) {
	r := newRun(t, kinds, 2)
	s := serveThings(t, r)
	if on {
		r.flags = append(slices.Clone(soloFlags), "--cleanup-owned-apiservices")
	}
	r.api = s.group
	entry := func(name, kind string) map[string]any {
		return map[string]any{"name": name, "group": s.group, "version": "v1", "kind": kind}
	}
	for _, space := range r.spaces {
		s.add(space, "some")
	}
	r.oracle.note(s.objects(""))
	r.install(t, synced(r.namespace, "group", r.spaces[0]), "a")
	patch, err := json.Marshal(map[string]any{"spec": map[string]any{
		"apiservicedefinitions": map[string]any{"owned": []any{entry("things", "Thing"), entry("checks", "Check")}},
	}})
	must(t, err)
	_, err = shared.Any.Resource(olm.CSVs).Namespace(r.namespace).Patch(t.Context(), csvName, types.MergePatchType, patch, metav1.PatchOptions{})
	must(t, err)
	r.finishAll(t, 4*glance)
	r.uninstall(t)
	r.ends(t, patience)
	left := len(s.objects(r.spaces[0]))
	if want := map[bool]int{true: 0, false: 1}[on]; left != want {
		t.Errorf("%d are left, want %d", left, want)
	}
	if len(s.objects(r.spaces[1])) != 1 {
		t.Error("what lies elsewhere was deleted")
	}
	if there, _ := r.operandsIn(t, r.spaces[0]); len(there) > 0 {
		t.Error(fmt.Errorf("%q are left", there))
	}
}
