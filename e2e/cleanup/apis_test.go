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

// registration is how an API server is registered.
type registration struct {
	group     string
	namespace string            // of its Service
	labels    map[string]string // of its APIService
}

// serveThings registers an API server until the test ends.
func serveThings(t *testing.T, as registration) *things {
	t.Helper()
	s := &things{group: as.group, all: map[string]*olm.Object{}}
	authority, err := cluster.NewAuthority("things")
	must(t, err)
	pair, err := authority.Server(t.TempDir(), "things", "localhost", "things."+as.namespace+".svc")
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
	_, err = shared.Any.Resource(services).Namespace(as.namespace).Create(t.Context(), service, metav1.CreateOptions{})
	must(t, err)
	registered := &olm.Object{Object: map[string]any{
		"apiVersion": "apiregistration.k8s.io/v1", "kind": "APIService",
		"spec": map[string]any{
			"group": s.group, "version": "v1", "groupPriorityMinimum": int64(1000), "versionPriority": int64(10),
			"caBundle": base64.StdEncoding.EncodeToString(authority.PEM),
			"service":  map[string]any{"namespace": as.namespace, "name": "things", "port": int64(listener.Addr().(*net.TCPAddr).Port)},
		},
	}}
	registered.SetName("v1." + s.group)
	registered.SetLabels(as.labels)
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

// served is an API that an operator says it serves, and what becomes of what is stored in it.
type served struct {
	name   string
	off    bool                      // without --cleanup-owned-apiservices
	other  func(*run, *registration) // nil: it is registered as OLM does it for this operator
	kept   string                    // why nothing of it is deleted, as it is said at the end
	stores bool                      // something is left
}

var apis = []served{
	{name: "R_000_18_OwnedAPIs"},
	{name: "R_000_18_OwnedAPIsAreLeftAlone", off: true, stores: true},
	// Finding 4: a bundle claims what a part of the cluster serves, or another operator.
	{name: "R_000_79_OfTheClusters", kept: servedByAnother, stores: true, other: func(r *run, as *registration) {
		as.namespace, as.labels = r.spaces[1], nil
	}},
	{name: "R_000_79_ServedElsewhere", kept: servedByAnother, stores: true, other: func(r *run, as *registration) {
		as.namespace = r.spaces[1]
	}},
	{name: "R_000_79_ServedForAnother", kept: servedByAnother, stores: true, other: func(r *run, as *registration) {
		as.labels = olm.OwnerLabels(r.namespace, "another.v1")
	}},
	{name: "R_000_79_ServedForItsNamesakeElsewhere", kept: servedByAnother, stores: true, other: func(r *run, as *registration) {
		as.labels = olm.OwnerLabels(r.spaces[1], csvName)
	}},
	// It may serve such a one: it is reserved all the same, and passed over in silence.
	{name: "R_000_79_OfAReservedGroup", stores: true, other: func(r *run, as *registration) {
		as.group = "things-" + r.id + ".k8s.io"
	}},
}

// R-000-18: what an operator stores in an API that it serves by itself is cleaned up under the same guards. R-000-79: what it
// only claims to serve is not.
func ownedAPIs(t *testing.T, kinds *scene, tc served) {
	r := newRun(t, kinds, 2)
	as := registration{group: "things-" + r.id + ".example.com", namespace: r.namespace, labels: olm.OwnerLabels(r.namespace, csvName)}
	if tc.other != nil {
		tc.other(r, &as)
	}
	// What keeps it is the rule, not RBAC.
	cleanable(t, as.group)
	s := serveThings(t, as)
	if !tc.off {
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
	// Only who may opt in agrees to more.
	for _, user := range []string{tenant, olmAccount} {
		_, err = r.as(t, user).Resource(olm.CSVs).Namespace(r.namespace).Patch(t.Context(), csvName, types.MergePatchType, patch, metav1.PatchOptions{})
		if err := refusedBy(olm.OptInPolicy, err); err != nil {
			t.Errorf("%s claims an API: %v", user, err)
		}
	}
	_, err = shared.Any.Resource(olm.CSVs).Namespace(r.namespace).Patch(t.Context(), csvName, types.MergePatchType, patch, metav1.PatchOptions{})
	must(t, err)
	r.finishAll(t, 4*glance)
	r.uninstall(t)
	r.ends(t, patience)
	if left := len(s.objects(r.spaces[0])); (left == 1) != tc.stores {
		t.Errorf("%d are left", left)
	}
	if len(s.objects(r.spaces[1])) != 1 {
		t.Error("what lies elsewhere was deleted")
	}
	if sent := writes(t, s.group, ""); tc.stores && len(sent) > 0 {
		t.Errorf("the controllers sent %+v", sent)
	}
	if there, _ := r.operandsIn(t, r.spaces[0]); len(there) > 0 {
		t.Error(fmt.Errorf("%q are left", there))
	}
	if tc.kept != "" {
		r.tells(t, "Normal", "CleanupCompleted", "things."+s.group+" ("+tc.kept+")")
	}
}
