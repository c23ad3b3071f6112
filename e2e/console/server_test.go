package console

import (
	"crypto/tls"
	"encoding/base64"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/gorilla/websocket"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"steward.dev/e2e/check"
)

const (
	configMaps = "/api/v1/namespaces/" + namespace + "/configmaps"
	jsonType   = "application/json"
)

func bearer(token string) []string { return []string{"Authorization", "Bearer " + token} }

// names are those of a list.
func names(t *testing.T, list string) (names []string) {
	t.Helper()
	var read struct {
		Items []metav1.PartialObjectMetadata
	}
	must(t, json.Unmarshal([]byte(list), &read))
	for _, item := range read.Items {
		names = append(names, item.Namespace+"/"+item.Name)
	}
	return names
}

func configMap(name string) *corev1.ConfigMap {
	return &corev1.ConfigMap{TypeMeta: metav1.TypeMeta{APIVersion: "v1", Kind: "ConfigMap"}, ObjectMeta: metav1.ObjectMeta{Name: name}}
}

func text(t *testing.T, object any) string {
	t.Helper()
	made, err := json.Marshal(object)
	must(t, err)
	return string(made)
}

// Beside a ConsolePlugin: files, and nothing of the API.
func TestPlugin_ServesFilesAlone(t *testing.T) {
	s := serve(t)
	if s.key != "" || !strings.HasPrefix(s.url, "https://") {
		t.Errorf("it says %s with the key %q", s.url, s.key)
	}
	s.expect(t, 200, "GET", "/plugin-manifest.json", "")
	hashed := s.expect(t, 200, "GET", "/"+script, "", "Accept-Encoding", "gzip")
	if hashed.header.Get("Content-Encoding") != "gzip" || !strings.Contains(hashed.header.Get("Cache-Control"), "immutable") {
		t.Errorf("%v", hashed.header)
	}
	s.expect(t, 304, "GET", "/"+script, "", "Accept-Encoding", "gzip", "If-None-Match", hashed.header.Get("ETag"))
	for _, path := range []string{"/healthz", "/livez", "/readyz"} {
		s.expect(t, 200, "GET", path, "")
	}
	for _, path := range []string{"/", "/api/v1/namespaces", "/apis", "/version", "/console-config.json", "/..%2fstandalone%2findex.html"} {
		s.expect(t, 404, "GET", path, "", bearer(adminToken)...)
	}
	s.expect(t, 405, "POST", "/plugin-manifest.json", "{}")
}

// With a token of their own everybody sees what kubectl shows them, and does what they may.
func TestToken_IsTheUsersRights(t *testing.T) {
	s := serve(t, "--standalone", "--kubeconfig="+shared.Admin)
	if s.key != "" {
		t.Error("there is a key")
	}
	tenant, err := shared.ServiceAccount(t.Context(), namespace, "tenant")
	must(t, err)
	for _, name := range []string{"first", "second"} {
		_, err := shared.Kube.CoreV1().ConfigMaps(namespace).Create(t.Context(), configMap(name), metav1.CreateOptions{})
		must(t, err)
	}
	for _, row := range []struct{ token, kubeconfig, path, kind string }{
		{tenantToken, tenant, configMaps, "configmaps"},
		{adminToken, shared.Admin, configMaps, "configmaps"},
		{adminToken, shared.Admin, "/api/v1/namespaces", "namespaces"},
	} {
		listed := s.expect(t, 200, "GET", row.path+"?limit=500", "", append(bearer(row.token), "Accept", jsonType)...)
		seen, err := shared.KubectlAs(t.Context(), row.kubeconfig, "get", row.kind, "-n", namespace, "-o", "json")
		must(t, err)
		if got, want := names(t, listed.body), names(t, seen); !slices.Equal(got, want) || len(got) == 0 {
			t.Errorf("%s: %v, and kubectl says %v", row.path, got, want)
		}
		if listed.header.Get("Content-Type") != jsonType || listed.header.Get("X-Content-Type-Options") != "nosniff" || listed.header.Get("Audit-Id") == "" {
			t.Errorf("%v", listed.header)
		}
	}
	s.expect(t, 403, "GET", "/api/v1/namespaces", "", bearer(tenantToken)...)
	for _, headers := range [][]string{
		nil, bearer("nonsense"), {"Cookie", "token=" + adminToken}, {"X-Forwarded-Access-Token", adminToken}, {"Authorization", "Basic YWRtaW46YWRtaW4="},
	} {
		s.expect(t, 401, "GET", "/api/v1/namespaces", "", headers...)
	}
	// Nobody is somebody else by a header.
	s.expect(t, 403, "GET", "/api/v1/namespaces", "", append(bearer(tenantToken), "Impersonate-User", "system:admin", "Impersonate-Group", "system:masters",
		"X-Remote-User", "system:admin", "X-Remote-Group", "system:masters")...)

	written := append(bearer(tenantToken), "Content-Type", jsonType)
	s.expect(t, 201, "POST", configMaps+"?fieldManager=page", text(t, configMap("third")), written...)
	s.expect(t, 409, "POST", configMaps, text(t, configMap("third")), written...)
	patched := s.expect(t, 200, "PATCH", configMaps+"/third", `{"data":{"a":"b"}}`, append(bearer(tenantToken), "Content-Type", "application/merge-patch+json")...)
	if !strings.Contains(patched.body, `"a":"b"`) {
		t.Error(patched.body)
	}
	// What a deletion says of itself arrives with it.
	for _, row := range []struct {
		want    int
		options string
	}{
		{409, `"preconditions":{"uid":"another"}`},
		{200, `"dryRun":["All"]`},
	} {
		s.expect(t, row.want, "DELETE", configMaps+"/third", `{"apiVersion":"v1","kind":"DeleteOptions",`+row.options+`}`, written...)
		s.expect(t, 200, "GET", configMaps+"/third", "", bearer(tenantToken)...)
	}
	s.expect(t, 200, "DELETE", configMaps+"/third", "", bearer(tenantToken)...)
	tooLong := append(slices.Clone(written), "Expect", "100-continue")
	if got := s.expect(t, 413, "POST", configMaps, strings.Repeat("x", 3<<20+1), tooLong...); !strings.Contains(got.body, `"kind":"Status"`) {
		t.Error(got.body)
	}
}

// What does not pass, whoever asks.
func TestToken_Refusals(t *testing.T) {
	s := serve(t, "--standalone", "--kubeconfig="+shared.Admin)
	for _, row := range []struct {
		want         int
		method, path string
	}{
		{403, "POST", "/api/v1/namespaces/default/pods/p/exec?command=sh"},
		{403, "GET", "/api/v1/namespaces/default/pods/p/%65xec?command=sh"},
		{403, "GET", "/api/v1/namespaces/default/pods/p/attach"},
		{403, "POST", "/api/v1/namespaces/default/pods/p/portforward"},
		{403, "GET", "/api/v1/namespaces/default/services/kubernetes/proxy/"},
		{403, "GET", "/api/v1/nodes/n/proxy/pods"},
		{400, "GET", "/api/v1/namespaces/default/pods/p//exec"},
		{400, "GET", "/api/../metrics"},
		{405, "OPTIONS", "/api/v1/namespaces"},
		{404, "GET", "/metrics"},
		{404, "GET", "/logs/"},
		{404, "GET", "/debug/pprof/"},
	} {
		s.expect(t, row.want, row.method, row.path, "", bearer(adminToken)...)
	}
	for _, path := range []string{"/", "/operators/somewhere"} {
		got := s.expect(t, 200, "GET", path, "")
		if got.body != page || !strings.HasPrefix(got.header.Get("Content-Security-Policy"), "default-src 'none'") {
			t.Errorf("%s: %v %s", path, got.header, got.body)
		}
	}
	got := s.expect(t, 200, "GET", "/console-config.json", "")
	if !strings.Contains(got.body, `"authentication":"token"`) {
		t.Error(got.body)
	}
	s.expect(t, 200, "GET", "/version", "", bearer(tenantToken)...)
	s.expect(t, 200, "GET", "/openapi/v3", "", bearer(tenantToken)...)
}

// socket is a watch over a WebSocket, or the plain answer where there is none.
func (s *served) socket(t *testing.T, path, token string, headers http.Header) (*websocket.Conn, int) {
	t.Helper()
	if headers == nil {
		headers = http.Header{}
	}
	if headers.Get("Origin") == "" {
		headers.Set("Origin", s.url)
	}
	dialer := websocket.Dialer{TLSClientConfig: &tls.Config{InsecureSkipVerify: true, NextProtos: []string{"http/1.1"}}, HandshakeTimeout: check.Patience}
	if token != "" {
		dialer.Subprotocols = []string{"base64url.bearer.authorization.k8s.io." + base64.RawURLEncoding.EncodeToString([]byte(token)), "steward.watch"}
	}
	conn, response, err := dialer.DialContext(t.Context(), strings.Replace(s.url, "http", "ws", 1)+path, headers)
	if response == nil {
		t.Fatal(err)
	}
	if err != nil {
		_, _ = io.Copy(io.Discard, response.Body)
		if !errors.Is(err, websocket.ErrBadHandshake) {
			t.Fatal(err)
		}
		return nil, response.StatusCode
	}
	t.Cleanup(func() { conn.Close() })
	if token != "" && conn.Subprotocol() != "steward.watch" {
		t.Errorf("the subprotocol is %q", conn.Subprotocol())
	}
	return conn, response.StatusCode
}

// next is the next event: its type, and the name of what it is about.
func next(t *testing.T, conn *websocket.Conn) string {
	t.Helper()
	must(t, conn.SetReadDeadline(time.Now().Add(check.Patience)))
	kind, message, err := conn.ReadMessage()
	must(t, err)
	var event struct {
		Type   string
		Object metav1.PartialObjectMetadata
	}
	must(t, json.Unmarshal(message, &event))
	if kind != websocket.TextMessage {
		t.Errorf("a message of kind %d", kind)
	}
	return event.Type + " " + event.Object.Name
}

func (s *served) watchShowsAChange(t *testing.T, token string) {
	t.Helper()
	name := "watched-" + strings.ToLower(strings.NewReplacer("_", "-", "/", "-").Replace(t.Name()))
	listed := s.expect(t, 200, "GET", configMaps, "", bearer(token)...)
	var list metav1.PartialObjectMetadataList
	must(t, json.Unmarshal([]byte(listed.body), &list))
	conn, code := s.socket(t, configMaps+"?watch=true&resourceVersion="+list.ResourceVersion, token, nil)
	if conn == nil {
		t.Fatalf("no WebSocket: %d", code)
	}
	api := shared.Kube.CoreV1().ConfigMaps(namespace)
	_, err := api.Create(t.Context(), configMap(name), metav1.CreateOptions{})
	must(t, err)
	if got := next(t, conn); got != "ADDED "+name {
		t.Error(got)
	}
	must(t, api.Delete(t.Context(), name, metav1.DeleteOptions{}))
	if got := next(t, conn); got != "DELETED "+name {
		t.Error(got)
	}
}

func TestToken_WatchByWebSocket(t *testing.T) {
	s := serve(t, "--standalone", "--kubeconfig="+shared.Admin)
	s.watchShowsAChange(t, tenantToken)
	for _, row := range []struct {
		want        int
		path, token string
	}{
		{401, configMaps + "?watch=true", ""},
		{401, configMaps + "?watch=true", "nonsense"},
		{403, "/api/v1/namespaces?watch=true", tenantToken},
		{403, configMaps, adminToken},
		{403, "/api/v1/namespaces/default/pods/p/exec?command=sh", adminToken},
	} {
		if conn, code := s.socket(t, row.path, row.token, nil); conn != nil || code != row.want {
			t.Errorf("%s: %d, want %d", row.path, code, row.want)
		}
	}
	// A watch that its client leaves ends at the kube-apiserver, too: nothing waits for it when the program ends.
	conn, _ := s.socket(t, configMaps+"?watch=true", tenantToken, nil)
	must(t, conn.Close())
	s.expect(t, 200, "GET", configMaps, "", bearer(tenantToken)...)
}

// Behind a proxy that gives the token in a header.
func TestHeader_OriginsAreCompared(t *testing.T) {
	s := serve(t, "--standalone", "--kubeconfig="+shared.Admin, "--token-header=X-Forwarded-Access-Token")
	header := []string{"X-Forwarded-Access-Token", tenantToken}
	with := func(more ...string) []string { return append(slices.Clone(header), more...) }
	s.expect(t, 200, "GET", configMaps, "", header...)
	s.expect(t, 200, "GET", configMaps, "", with("Authorization", "Bearer nonsense")...)
	s.expect(t, 401, "GET", configMaps, "", bearer(tenantToken)...)
	object := text(t, configMap("by-header"))
	s.expect(t, 403, "POST", configMaps, object, with("Content-Type", jsonType)...)
	s.expect(t, 403, "POST", configMaps, object, with("Content-Type", jsonType, "Sec-Fetch-Site", "cross-site", "Origin", s.url)...)
	s.expect(t, 403, "POST", configMaps, object, with("Content-Type", jsonType, "Origin", "https://evil.example.com")...)
	s.expect(t, 201, "POST", configMaps, object, with("Content-Type", jsonType, "Sec-Fetch-Site", "same-origin")...)
	s.expect(t, 200, "DELETE", configMaps+"/by-header", "", with("Origin", s.url)...)
	watch := configMaps + "?watch=true"
	if conn, code := s.socket(t, watch, "", http.Header{"X-Forwarded-Access-Token": {tenantToken}}); conn == nil {
		t.Errorf("no WebSocket: %d", code)
	}
	if conn, code := s.socket(t, watch, "", http.Header{"X-Forwarded-Access-Token": {tenantToken}, "Origin": {"https://evil.example.com"}}); conn != nil || code != 403 {
		t.Errorf("a WebSocket of another origin: %d", code)
	}
	got := s.expect(t, 200, "GET", "/console-config.json", "")
	if !strings.Contains(got.body, `"authentication":"header"`) {
		t.Error(got.body)
	}
}

// On one's own machine: the kubeconfig's rights, for whoever has the key.
func TestKey_IsTheKubeconfigsRights(t *testing.T) {
	s := serve(t, "--standalone", "--kubeconfig="+shared.Admin, "--as-kubeconfig-user")
	if s.key == "" || !strings.HasPrefix(s.url, "http://127.0.0.1:") {
		t.Fatalf("%s with the key %q", s.url, s.key)
	}
	s.expect(t, 200, "GET", "/", "")
	s.expect(t, 200, "GET", "/api/v1/namespaces", "", bearer(s.key)...)
	s.watchShowsAChange(t, s.key)
	for _, headers := range [][]string{nil, bearer(adminToken), bearer(s.key[:63] + "x"), bearer(s.key + "0"), {"Cookie", "key=" + s.key}} {
		s.expect(t, 401, "GET", "/api/v1/namespaces", "", headers...)
	}
	for _, path := range []string{"/", "/api/v1/namespaces", "/console-config.json"} {
		s.expect(t, 403, "GET", path, "", append(bearer(s.key), "Host", "evil.example.com")...)
		s.expect(t, 200, "GET", path, "", append(bearer(s.key), "Host", "localhost:1")...)
	}
	if other := serve(t, "--standalone", "--kubeconfig="+shared.Admin, "--as-kubeconfig-user"); other.key == s.key {
		t.Error("two processes have one key")
	}
	log, err := os.ReadFile(s.process.Log)
	must(t, err)
	if strings.Count(string(log), s.key) != 1 {
		t.Error("the key is in the log")
	}
}

// It starts with what it needs, and says what it lacks.
func TestConsole_WhatItRefuses(t *testing.T) {
	empty := t.TempDir()
	must(t, os.MkdirAll(filepath.Join(empty, "plugin"), 0o755))
	admin := "--kubeconfig=" + shared.Admin
	for _, row := range []struct {
		code  int
		flags []string
		says  string
	}{
		{1, []string{"--files=" + filepath.Join(empty, "absent")}, "there is no folder"},
		{1, []string{"--files=" + empty}, "there is no file plugin-manifest.json"},
		{1, []string{"--files=" + empty, "--standalone", admin}, "there is no folder"},
		{1, []string{"--files=" + files, "--standalone", "--kubeconfig=" + filepath.Join(empty, "absent")}, "absent"},
		{2, []string{"--standalone"}, "--kubeconfig"},
		{2, []string{"--standalone", admin, "--as-kubeconfig-user", "--bind-address=0.0.0.0"}, "loopback"},
		{2, []string{"--standalone", admin, "--http", "--bind-address=0.0.0.0"}, "loopback"},
		{2, []string{"--nonsense"}, "nonsense"},
	} {
		if code, said := refused(t, row.flags...); code != row.code || !strings.Contains(said, row.says) {
			t.Errorf("%q: %d %s", row.flags, code, said)
		}
	}
}
