package cases

import (
	"crypto/tls"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/gorilla/websocket"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/client-go/rest"

	"steward.dev/e2e/check"
	"steward.dev/e2e/olm"
)

// anyOrigin is what the OpenShift console's backend sends.
const anyOrigin = "http://localhost"

// routes is how a WebSocket can reach Steward, for an administrator.
func routes(t *testing.T) map[string]*rest.Config {
	t.Helper()
	return map[string]*rest.Config{"aggregator": shared.Config, "direct": masters(t, steward)}
}

// socket is a watch over a WebSocket.
type socket struct {
	*websocket.Conn
	t     *testing.T
	pongs []string
}

// message is one message, and how the WebSocket ended when there is none.
type message struct {
	kind  int // of gorilla's constants; 0 = none
	text  string
	event struct {
		Type   string
		Object unstructured.Unstructured
	}
	end error
}

// summary is the event's type and what it is about.
func (m message) summary() string {
	if m.kind == 0 {
		return fmt.Sprintf("end: %v", m.end)
	}
	if m.event.Type == "ERROR" {
		return "ERROR " + field(&m.event.Object, "reason")
	}
	return m.event.Type + " " + m.event.Object.GetName()
}

// tryUpgrade asks for a WebSocket; headers are in pairs, an empty value takes one away. Without a WebSocket the answer
// is a plain one.
func tryUpgrade(t *testing.T, config *rest.Config, path string, headers ...string) (*socket, answer) {
	t.Helper()
	settings, err := rest.TLSConfigFor(config)
	must(t, err)
	settings = settings.Clone()
	settings.NextProtos = []string{"http/1.1"}
	fields := http.Header{"Origin": {anyOrigin}}
	if config.BearerToken != "" {
		fields.Set("Authorization", "Bearer "+config.BearerToken)
	}
	for i := 0; i+1 < len(headers); i += 2 {
		fields.Set(headers[i], headers[i+1])
		if headers[i+1] == "" {
			fields.Del(headers[i])
		}
	}
	dialer := websocket.Dialer{TLSClientConfig: settings, HandshakeTimeout: patience}
	conn, response, err := dialer.DialContext(t.Context(), strings.Replace(config.Host, "https:", "wss:", 1)+path, fields)
	if response == nil {
		t.Fatalf("%s: %v", path, err)
	}
	got := answer{Code: response.StatusCode, Proto: response.Proto, Header: response.Header}
	if err != nil {
		if !errors.Is(err, websocket.ErrBadHandshake) {
			t.Fatalf("%s: %v", path, err)
		}
		got.Body, err = io.ReadAll(response.Body)
		must(t, err)
		return nil, got
	}
	t.Cleanup(func() { conn.Close() })
	s := &socket{Conn: conn, t: t}
	conn.SetPongHandler(func(data string) error {
		s.pongs = append(s.pongs, data)
		return nil
	})
	return s, got
}

func upgrade(t *testing.T, config *rest.Config, path string, headers ...string) *socket {
	t.Helper()
	s, got := tryUpgrade(t, config, path, headers...)
	if s == nil {
		t.Fatalf("%s: no WebSocket: %d %.300s", path, got.Code, got.Body)
	}
	return s
}

func (s *socket) next() (m message) {
	s.t.Helper()
	must(s.t, s.SetReadDeadline(time.Now().Add(patience)))
	kind, text, err := s.ReadMessage()
	if err != nil {
		return message{end: err}
	}
	m.kind, m.text = kind, string(text)
	if kind == websocket.TextMessage {
		must(s.t, json.Unmarshal(text, &m.event))
	}
	return m
}

// expect reads one event, which must look as a kube-apiserver's does.
func (s *socket) expect(want string) *olm.Object {
	s.t.Helper()
	m := s.next()
	if m.summary() != want {
		s.t.Fatalf("got %s, want %s", m.summary(), want)
	}
	if m.kind != websocket.TextMessage || strings.Index(m.text, "\n") != len(m.text)-1 {
		s.t.Errorf("%s: opcode %d, want one line of text: %.200q", want, m.kind, m.text)
	}
	return &m.event.Object
}

// closes checks that the WebSocket ends in order, with nothing more.
func (s *socket) closes() {
	s.t.Helper()
	m := s.next()
	if !websocket.IsCloseError(m.end, websocket.CloseNormalClosure) {
		s.t.Errorf("want close code 1000 and nothing before, got %s", m.summary())
	}
}

// setStatus changes a CSV so that its views change.
func setStatus(t *testing.T, namespace, name, text string) {
	t.Helper()
	must(t, olm.MutateStatus(t.Context(), shared.Any, olm.CSVs, namespace, name, func(csv *olm.Object) {
		must(t, unstructured.SetNestedField(csv.Object, text, "status", "message"))
	}))
}

func listVersion(t *testing.T, namespace string) string {
	t.Helper()
	list, err := shared.Any.Resource(olm.InstalledOperators).Namespace(namespace).List(t.Context(), metav1.ListOptions{})
	must(t, err)
	return list.GetResourceVersion()
}

// What happens after a list comes as one message each, however it is reached.
func TestWebSocket_ListThenWatch(t *testing.T) {
	for route, config := range routes(t) {
		t.Run(route, func(t *testing.T) {
			home := space(t)
			group := olm.OperatorGroup(home, "own", home)
			create(t, group, olm.CSV("first", group, home))
			eventually(t, complete(t, home, "first"))

			s := upgrade(t, config, inNamespace(home)+"?watch=true&resourceVersion="+listVersion(t, home))
			create(t, olm.CSV("second", group, home)) // and its status, by a second write
			added := s.expect("ADDED second")
			setStatus(t, home, "second", "changed")
			modified := s.expect("MODIFIED second")
			for field(modified, "status", "message") != "changed" {
				modified = s.expect("MODIFIED second")
			}
			must(t, shared.Any.Resource(olm.CSVs).Namespace(home).Delete(t.Context(), "second", metav1.DeleteOptions{}))
			deleted := s.expect("DELETED second")
			versions := []string{added.GetResourceVersion(), modified.GetResourceVersion(), deleted.GetResourceVersion()}
			if !slices.IsSortedFunc(versions, compareVersions) || versions[0] == versions[1] || versions[1] == versions[2] {
				t.Errorf("the numbers do not rise: %v", versions)
			}
			if added.GetUID() == "" || added.GetUID() != deleted.GetUID() {
				t.Errorf("added %v, deleted %v", added.GetUID(), deleted.GetUID())
			}
		})
	}
}

func compareVersions(a, b string) int {
	if len(a) != len(b) {
		return len(a) - len(b)
	}
	return strings.Compare(a, b)
}

// One object, without a list before: what there is comes first. The client's messages are ignored, its pings answered.
func TestWebSocket_OneObject(t *testing.T) {
	for route, config := range routes(t) {
		t.Run(route, func(t *testing.T) {
			home := space(t)
			group := olm.OperatorGroup(home, "own", home)
			create(t, group, olm.CSV("one", group, home), olm.CSV("other", group, home))
			eventually(t, complete(t, home, "one"))
			eventually(t, complete(t, home, "other"))

			s := upgrade(t, config, inNamespace(home)+"?watch=true&fieldSelector=metadata.name%3Done")
			s.expect("ADDED one")
			must(t, s.WriteMessage(websocket.TextMessage, []byte("hello?")))
			must(t, s.WriteMessage(websocket.BinaryMessage, make([]byte, 64<<10)))
			must(t, s.WriteMessage(websocket.PingMessage, []byte("there?")))
			setStatus(t, home, "other", "changed")
			setStatus(t, home, "one", "changed")
			for last := s.expect("MODIFIED one"); field(last, "status", "message") != "changed"; {
				last = s.expect("MODIFIED one")
			}
			// Nothing says that the pong comes before the event; it comes while one reads.
			for i := 0; i < 20 && len(s.pongs) == 0; i++ {
				setStatus(t, home, "one", fmt.Sprint("again ", i))
				s.expect("MODIFIED one")
			}
			if !slices.Equal(s.pongs, []string{"there?"}) {
				t.Errorf("pongs: %q", s.pongs)
			}
			// The client's close is answered.
			must(t, s.WriteMessage(websocket.CloseMessage, websocket.FormatCloseMessage(websocket.CloseGoingAway, "")))
			if m := s.next(); !websocket.IsCloseError(m.end, websocket.CloseGoingAway) {
				t.Errorf("after the client's close: %s", m.summary())
			}
		})
	}
}

// A client that came too late is told so, and nothing more.
func TestWebSocket_TooOld(t *testing.T) {
	for route, config := range routes(t) {
		t.Run(route, func(t *testing.T) {
			// A state from before this replica started.
			number := listVersion(t, "payments")
			old := number[:len(number)-21] + strings.Repeat("0", 21)
			s := upgrade(t, config, listPath+"?watch=true&resourceVersion="+old)
			status := s.expect("ERROR Expired")
			if field(status, "code") != "410" || field(status, "kind") != "Status" {
				t.Errorf("%v", status.Object)
			}
			s.closes()
		})
	}
}

// When its time is up, or the server stops, a watch ends in order.
func TestWebSocket_Ends(t *testing.T) {
	for route, config := range routes(t) {
		t.Run(route, func(t *testing.T) {
			began := time.Now()
			s := upgrade(t, config, listPath+"?watch=true&fieldSelector=metadata.name%3Dnothing&timeoutSeconds=1")
			s.closes()
			took := time.Since(began)
			t.Logf("ended after %s", took.Round(time.Millisecond))
			if took < 900*time.Millisecond {
				t.Errorf("ended after %s, want a second", took)
			}
		})
	}
	t.Run("stop", func(t *testing.T) {
		beside, err := steward.Beside("websocket-stop")
		must(t, err)
		must(t, beside.Start("--shutdown-delay-duration=0s"))
		must(t, beside.WaitReady(t.Context()))
		s := upgrade(t, masters(t, beside), listPath+"?watch=true&fieldSelector=metadata.name%3Dnothing")
		ended := make(chan error, 1)
		go func() { ended <- beside.Stop() }()
		s.closes()
		must(t, <-ended)
	})
}

// The token of a client that can set no headers.
func TestWebSocket_TokenAmongSubprotocols(t *testing.T) {
	home := space(t)
	kubectl(t, "create", "rolebinding", "reader", "--clusterrole=steward-view", "--serviceaccount="+home+":default", "-n", home)
	var token string
	eventually(t, func() (err error) {
		token, err = shared.Token(t.Context(), home, "default")
		return err
	})
	eventually(t, func() error {
		got, err := tryCall(t.Context(), steward.WithToken(token), http.MethodGet, inNamespace(home), nil)
		if err == nil && got.Code != http.StatusOK {
			err = fmt.Errorf("%d", got.Code)
		}
		return err
	})
	const name = "base64url.bearer.authorization.k8s.io."
	good := name + base64.RawURLEncoding.EncodeToString([]byte(token))
	bad := name + base64.RawURLEncoding.EncodeToString([]byte("nobody's"))
	for route, config := range map[string]*rest.Config{"aggregator": rest.AnonymousClientConfig(shared.Config), "direct": steward.Anonymous()} {
		for _, tc := range []struct {
			offered, selected string
			code              int
		}{
			{good + ", base64.binary.k8s.io", "base64.binary.k8s.io", http.StatusSwitchingProtocols},
			{"base64.binary.k8s.io," + good, "base64.binary.k8s.io", http.StatusSwitchingProtocols},
			{good, "", http.StatusUnauthorized},
			{good + "," + good + ",x", "", http.StatusUnauthorized},
			{bad + ",x", "", http.StatusUnauthorized},
			{"x," + name + "!", "", http.StatusUnauthorized},
			{"x", "", http.StatusForbidden},
			{good + ",x,y", "", http.StatusBadRequest},
		} {
			_, got := tryUpgrade(t, config, inNamespace(home)+"?watch=true", "Sec-WebSocket-Protocol", tc.offered)
			offered := strings.ReplaceAll(strings.ReplaceAll(tc.offered, good, "GOOD"), bad, "BAD")
			if got.Code != tc.code || got.Header.Get("Sec-WebSocket-Protocol") != tc.selected {
				t.Errorf("%s, %s: %d, subprotocol %q; want %d, %q", route, offered, got.Code, got.Header.Get("Sec-WebSocket-Protocol"), tc.code, tc.selected)
			}
		}
	}
}

// outcome begins a watch; the function returns all that a client can see of it when it has ended: status, subprotocol,
// the kinds of messages, the end.
func outcome(t *testing.T, config *rest.Config, path string, headers ...string) func() string {
	t.Helper()
	s, got := tryUpgrade(t, config, path, headers...)
	text := fmt.Sprintf("%d %q", got.Code, got.Header.Get("Sec-WebSocket-Protocol"))
	if s == nil {
		return func() string { return text }
	}
	return func() string {
		for {
			m := s.next()
			if m.kind == 0 {
				return text + fmt.Sprintf(" end: %v", m.end)
			}
			text += fmt.Sprintf(" %d:%s/%s:%t", m.kind, m.event.Type, field(&m.event.Object, "kind"), strings.HasSuffix(m.text, "\n"))
		}
	}
}

// The same requests for ConfigMaps, of the kube-apiserver itself.
func TestWebSocket_LikeKubeAPIServer(t *testing.T) {
	home := space(t)
	group := olm.OperatorGroup(home, "own", home)
	create(t, group, olm.CSV("one", group, home))
	eventually(t, complete(t, home, "one"))
	_, err := shared.Kube.CoreV1().ConfigMaps(home).Create(t.Context(), &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: "one"}}, metav1.CreateOptions{})
	must(t, err)

	const watch = "?watch=true&timeoutSeconds=SECONDS&fieldSelector=metadata.name%3Done"
	for _, tc := range []struct {
		name, query string
		headers     []string
		plain       bool // 200 without a WebSocket, which the aggregator does not pass on
	}{
		{name: "watch", query: watch},
		{name: "from any state", query: watch + "&resourceVersion=0"},
		{name: "with bookmarks", query: watch + "&allowWatchBookmarks=true"},
		{name: "watch-list", query: watch + "&allowWatchBookmarks=true&sendInitialEvents=true&resourceVersionMatch=NotOlderThan"},
		{name: "table", query: watch, headers: []string{"Accept", "application/json;as=Table;v=v1;g=meta.k8s.io"}},
		{name: "metadata", query: watch, headers: []string{"Accept", "application/json;as=PartialObjectMetadata;v=v1;g=meta.k8s.io"}},
		{name: "no origin", query: watch, headers: []string{"Origin", ""}},
		{name: "opaque origin", query: watch, headers: []string{"Origin", "null"}},
		{name: "subprotocol", query: watch, headers: []string{"Sec-WebSocket-Protocol", "base64.binary.k8s.io"}},
		{name: "two subprotocols", query: watch, headers: []string{"Sec-WebSocket-Protocol", "a, b"}},
		{name: "unknown selector, no origin", query: watch + "&labelSelector=((", headers: []string{"Origin", ""}},
		{name: "YAML", query: watch, headers: []string{"Accept", "application/yaml"}},
		{name: "bad parameters", query: watch + "&resourceVersionMatch=NotOlderThan"},
		{name: "a list", query: "?limit=1", plain: true},
		{name: "one object", query: "/one", plain: true},
		{name: "nothing", query: "/nothing"},
	} {
		// Watches end after a second; whoever is too slow to say all until then has more.
		var differences, before []string
		for seconds := 1; seconds == 1 || len(differences) > 0 && seconds < 60; seconds *= 5 {
			before, differences = append(before, differences...), nil
			query := strings.Replace(tc.query, "SECONDS", fmt.Sprint(seconds), 1)
			wanted := outcome(t, shared.Config, "/api/v1/namespaces/"+home+"/configmaps"+query, tc.headers...)
			ours := map[string]func() string{}
			for route, config := range routes(t) {
				if !tc.plain || route != "aggregator" {
					ours[route] = outcome(t, config, inNamespace(home)+query, tc.headers...)
				}
			}
			want := strings.ReplaceAll(wanted(), "/ConfigMap:", "/InstalledOperator:")
			t.Logf("%s, %d s: %s", tc.name, seconds, want)
			for route, got := range ours {
				if got := got(); got != want {
					differences = append(differences, fmt.Sprintf("%s, %s:\n got %s\nwant %s", tc.name, route, got, want))
				}
			}
		}
		for _, difference := range differences {
			t.Error(difference)
		}
		if len(before) > 0 && len(differences) == 0 {
			check.Flaky(t, before[0])
		}
	}
}

// A client that does not know how to ask is told before anything is switched.
func TestWebSocket_BadHandshakes(t *testing.T) {
	home := space(t)
	const key = "dGhlIHNhbXBsZSBub25jZQ=="
	for name, config := range map[string]*rest.Config{"kube-apiserver": shared.Config, "direct": masters(t, steward)} {
		path := inNamespace(home)
		if name == "kube-apiserver" {
			path = "/api/v1/namespaces/" + home + "/configmaps"
		}
		config = rest.CopyConfig(config)
		config.NextProtos = []string{"http/1.1"}
		for _, tc := range []struct {
			name         string
			key, version string
			want         int
		}{
			{"no key", "", "13", http.StatusBadRequest},
			{"no version", key, "", http.StatusBadRequest},
			{"old version", key, "8", http.StatusBadRequest},
		} {
			got := call(t, config, http.MethodGet, path+"?watch=true", "Connection", "Upgrade", "Upgrade", "websocket",
				"Origin", anyOrigin, "Sec-WebSocket-Key", tc.key, "Sec-WebSocket-Version", tc.version)
			if got.Code != tc.want {
				t.Errorf("%s, %s: %d %.200s", name, tc.name, got.Code, got.Body)
			}
			if tc.key != "" && got.Header.Get("Sec-WebSocket-Version") != "13" {
				t.Errorf("%s, %s: does not say which version it speaks", name, tc.name)
			}
			if name == "direct" {
				got.status(t)
			}
		}
	}
}

// Clients that do not read, or are gone without a word, are nobody else's business.
func TestWebSocket_Bystanders(t *testing.T) {
	home := space(t)
	group := olm.OperatorGroup(home, "own", home)
	create(t, group)
	path := inNamespace(home) + "?watch=true&resourceVersion=" + listVersion(t, home)
	config := masters(t, steward)
	upgrade(t, config, path) // reads nothing
	quick := upgrade(t, config, path)
	gone := upgrade(t, config, path)
	must(t, gone.NetConn().(*tls.Conn).NetConn().Close())
	create(t, olm.CSV("one", group, home))
	last := quick.expect("ADDED one")
	for i := range 20 {
		want := fmt.Sprintf("change %d", i)
		setStatus(t, home, "one", want)
		for field(last, "status", "message") != want {
			last = quick.expect("MODIFIED one")
		}
	}
}
