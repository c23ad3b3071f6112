package cases

import (
	"bytes"
	"compress/gzip"
	"crypto/tls"
	"crypto/x509"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"reflect"
	"regexp"
	"strings"
	"testing"
	"time"

	"k8s.io/client-go/rest"
	"sigs.k8s.io/yaml"
)

// What is said on the wire, through the aggregator and directly: both must be Kubernetes' language.

func eachWay(t *testing.T, run func(t *testing.T, config *rest.Config)) {
	t.Run("aggregator", func(t *testing.T) { run(t, shared.Config) })
	t.Run("direct", func(t *testing.T) { run(t, masters(t, steward)) })
}

func TestProtocol_ErrorsAreKubernetesStatuses(t *testing.T) {
	one := inNamespace("payments") + "/ledger-queue.v1.0.3"
	for _, tc := range []struct {
		method, path string
		code         int32
		reason       string
		message      string // contained
	}{
		{"GET", one[:len(one)-1], 404, "NotFound", `installedoperators.views.operators.coreos.com "ledger-queue.v1.0." not found`},
		{"GET", apiPath + "/nothings", 404, "NotFound", "the server could not find the requested resource"},
		{"GET", apiPath + "/namespaces/payments/nothings/x", 404, "NotFound", "the server could not find the requested resource"},
		{"GET", one + "/nothing", 404, "NotFound", ""},
		{"POST", inNamespace("payments"), 405, "MethodNotAllowed", "InstalledOperators are computed from ClusterServiceVersions; change these"},
		{"PUT", one, 405, "MethodNotAllowed", "InstalledOperators are computed from ClusterServiceVersion "},
		{"PATCH", one, 405, "MethodNotAllowed", ""},
		{"DELETE", one, 405, "MethodNotAllowed", ""},
		{"DELETE", inNamespace("payments"), 405, "MethodNotAllowed", ""},
		{"GET", listPath + "?labelSelector=a%20in%20(b", 400, "BadRequest", "unable to parse"},
		{"GET", listPath + "?labelSelector=-bad-=x", 400, "BadRequest", ""},
		{"GET", listPath + "?fieldSelector=spec.version%3D1", 400, "BadRequest", `"spec.version" is not a known field selector: only "metadata.name", "metadata.namespace"`},
		{"GET", listPath + "?fieldSelector=nonsense", 400, "BadRequest", ""},
		{"GET", listPath + "?limit=many", 400, "BadRequest", "strconv.ParseInt"},
		{"GET", listPath + "?resourceVersion=yesterday", 400, "BadRequest", "invalid resource version"},
		{"GET", listPath + "?continue=made-up", 400, "BadRequest", ""},
		{"GET", listPath + "?resourceVersion=12&resourceVersionMatch=Exact", 410, "Expired", "too old"},
		{"GET", listPath + "?resourceVersion=99999999999999", 504, "Timeout", "Too large resource version"},
		{"GET", listPath + "?resourceVersion=99999999999999999999999", 410, "Expired", "too old"},
		{"GET", listPath + "?resourceVersionMatch=Exact", 422, "Invalid", "resourceVersionMatch is forbidden unless resourceVersion is provided"},
	} {
		t.Run(tc.method+" "+strings.TrimPrefix(tc.path, apiPath), func(t *testing.T) {
			eachWay(t, func(t *testing.T, config *rest.Config) {
				status := call(t, config, tc.method, tc.path).status(t)
				if status.Code != tc.code || string(status.Reason) != tc.reason || !strings.Contains(status.Message, tc.message) {
					t.Errorf("%d %s %q, want %d %s %q", status.Code, status.Reason, status.Message, tc.code, tc.reason, tc.message)
				}
			})
		})
	}
}

func TestProtocol_MediaTypes(t *testing.T) {
	const table = "application/json;as=Table;g=meta.k8s.io;v=v1"
	one, list := inNamespace("payments")+"/ledger-queue.v1.0.3", inNamespace("payments")
	for _, tc := range []struct {
		path, accept string
		code         int
		kind         string
	}{
		{list, "", 200, "InstalledOperatorList"},
		{list, "*/*", 200, "InstalledOperatorList"},
		{list, "application/*", 200, "InstalledOperatorList"},
		{list, "application/json", 200, "InstalledOperatorList"},
		{list, "application/vnd.kubernetes.protobuf,application/json", 200, "InstalledOperatorList"},
		{list, "text/html, application/json;q=0.5", 200, "InstalledOperatorList"},
		{list, table, 200, "Table"},
		{one, table, 200, "Table"},
		{list, table + ",application/json", 200, "Table"},
		{list, "application/json;v=v1;g=meta.k8s.io;as=PartialObjectMetadataList", 200, "PartialObjectMetadataList"},
		{one, "application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1", 200, "PartialObjectMetadata"},
		{list, "application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1", 406, "Status"},
		{one, "application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1", 406, "Status"},
		{list, "application/json;as=Nonsense;g=meta.k8s.io;v=v1", 406, "Status"},
		{list, "application/json;as=Table;g=meta.k8s.io;v=v9,application/json", 200, "InstalledOperatorList"},
		{list, "application/vnd.kubernetes.protobuf", 406, "Status"},
		{list, "text/html", 406, "Status"},
	} {
		t.Run(tc.accept, func(t *testing.T) {
			eachWay(t, func(t *testing.T, config *rest.Config) {
				got := call(t, config, "GET", tc.path, "Accept", tc.accept)
				if got.Code != tc.code {
					t.Fatalf("HTTP %d, want %d: %.300s", got.Code, tc.code, got.Body)
				}
				if kind := got.decoded(t)["kind"]; kind != tc.kind {
					t.Errorf("kind %v, want %s", kind, tc.kind)
				}
				if kind := got.Header.Get("Content-Type"); !strings.HasPrefix(kind, "application/json") {
					t.Errorf("Content-Type %q", kind)
				}
			})
		})
	}
}

func TestProtocol_YAMLIsTheSameObject(t *testing.T) {
	for _, path := range []string{inNamespace("payments"), inNamespace("shop-prod") + "/tidepool-postgres.v5.3.1", inNamespace("payments") + "/nothing"} {
		got := call(t, masters(t, steward), "GET", path, "Accept", "application/yaml")
		if kind := got.Header.Get("Content-Type"); kind != "application/yaml" {
			t.Errorf("%s: Content-Type %q", path, kind)
		}
		var fromYAML map[string]any
		must(t, yaml.UnmarshalStrict(got.Body, &fromYAML))
		fromJSON := call(t, masters(t, steward), "GET", path).decoded(t)
		dropListNumber(fromYAML)
		dropListNumber(fromJSON)
		if !reflect.DeepEqual(fromYAML, fromJSON) {
			t.Errorf("%s: YAML and JSON differ", path)
		}
	}
}

func TestProtocol_Tables(t *testing.T) {
	const accept = "application/json;as=Table;g=meta.k8s.io;v=v1"
	for include, want := range map[string]string{"": "PartialObjectMetadata", "Metadata": "PartialObjectMetadata", "Object": "InstalledOperator", "None": ""} {
		got := call(t, shared.Config, "GET", inNamespace("payments")+"?includeObject="+include, "Accept", accept).decoded(t)
		columns, _ := got["columnDefinitions"].([]any)
		rows, _ := got["rows"].([]any)
		if len(rows) < 5 || len(columns) < 6 {
			t.Fatalf("%d rows, %d columns", len(rows), len(columns))
		}
		first, _ := columns[0].(map[string]any)
		if first["name"] != "Name" || first["type"] != "string" || first["format"] != "name" {
			t.Errorf("first column %v", first)
		}
		for _, column := range columns {
			for _, key := range []string{"name", "type", "format", "description", "priority"} {
				if _, found := column.(map[string]any)[key]; !found {
					t.Errorf("column %v has no %s", column, key)
				}
			}
		}
		for _, each := range rows {
			row := each.(map[string]any)
			object, _ := row["object"].(map[string]any)
			kind, _ := object["kind"].(string)
			if cells, _ := row["cells"].([]any); len(cells) != len(columns) || kind != want {
				t.Fatalf("includeObject=%s: %d cells for %d columns, object %q, want %q", include, len(cells), len(columns), kind, want)
			}
		}
	}
	status := call(t, shared.Config, "GET", inNamespace("payments")+"?includeObject=Half", "Accept", accept).status(t)
	if status.Code != http.StatusBadRequest {
		t.Errorf("includeObject=Half: %+v", status)
	}
}

// Reads may name what they know already.
func TestProtocol_ResourceVersions(t *testing.T) {
	eachWay(t, func(t *testing.T, config *rest.Config) {
		list := call(t, config, "GET", inNamespace("payments")).decoded(t)
		known := list["metadata"].(map[string]any)["resourceVersion"].(string)
		for _, query := range []string{
			"resourceVersion=0", "resourceVersion=0&resourceVersionMatch=NotOlderThan",
			"resourceVersion=" + known, "resourceVersion=" + known + "&resourceVersionMatch=NotOlderThan",
			"resourceVersion=0&limit=2",
		} {
			got := call(t, config, "GET", inNamespace("payments")+"?"+query).decoded(t)
			if items, _ := got["items"].([]any); got["kind"] != "InstalledOperatorList" || len(items) != len(list["items"].([]any)) {
				t.Errorf("%s: %v with %d items", query, got["kind"], len(items))
			}
		}
		empty := call(t, config, "GET", inNamespace("no-such-namespace")).decoded(t)
		if items, ok := empty["items"].([]any); !ok || len(items) != 0 || empty["metadata"].(map[string]any)["resourceVersion"] == "" {
			t.Errorf("a namespace that does not exist: %v", empty)
		}
	})
}

// transport makes direct requests with one TLS version and one HTTP version.
func transport(t *testing.T, version uint16, protocols ...string) *http.Client {
	t.Helper()
	config, err := rest.TLSConfigFor(masters(t, steward))
	must(t, err)
	config.MinVersion, config.MaxVersion = version, version
	config.NextProtos = protocols
	client := &http.Client{Timeout: patience, Transport: &http.Transport{
		TLSClientConfig: config, ForceAttemptHTTP2: protocols[0] == "h2", DisableCompression: true,
	}}
	t.Cleanup(client.CloseIdleConnections)
	return client
}

func TestProtocol_HTTPAndTLSVersions(t *testing.T) {
	for _, version := range []uint16{tls.VersionTLS12, tls.VersionTLS13} {
		for protocol, want := range map[string]string{"h2": "HTTP/2.0", "http/1.1": "HTTP/1.1"} {
			t.Run(tls.VersionName(version)+" "+want, func(t *testing.T) {
				client := transport(t, version, protocol)
				for range 3 { // on one connection
					response, err := client.Get(steward.URL() + inNamespace("payments"))
					must(t, err)
					var list struct{ Items []any }
					err = json.NewDecoder(response.Body).Decode(&list)
					response.Body.Close()
					if err != nil || response.Proto != want || response.TLS.Version != version || len(list.Items) == 0 {
						t.Fatalf("%s, TLS %x, %d items, %v", response.Proto, response.TLS.Version, len(list.Items), err)
					}
				}
			})
		}
	}
}

func TestProtocol_GzipIsTheSameBytes(t *testing.T) {
	for _, protocol := range []string{"h2", "http/1.1"} {
		client := transport(t, tls.VersionTLS13, protocol)
		read := func(encoding string) (http.Header, []byte) {
			request, err := http.NewRequestWithContext(t.Context(), "GET", steward.URL()+listPath+"?resourceVersion=0", nil)
			must(t, err)
			request.Header.Set("Accept-Encoding", encoding)
			response, err := client.Do(request)
			must(t, err)
			defer response.Body.Close()
			body, err := io.ReadAll(response.Body)
			must(t, err)
			return response.Header, body
		}
		// What other cases leave behind goes meanwhile.
		eventually(t, func() error {
			_, plain := read("identity")
			header, body := read("gzip")
			if len(plain) > 128<<10 && header.Get("Content-Encoding") != "gzip" {
				t.Errorf("%s: %d bytes were not compressed", protocol, len(plain))
			}
			if header.Get("Content-Encoding") == "gzip" {
				reader, err := gzip.NewReader(bytes.NewReader(body))
				must(t, err)
				t.Logf("%s: %d bytes went as %d", protocol, len(plain), len(body))
				if body, err = io.ReadAll(reader); err != nil {
					t.Fatal(err)
				}
				if !strings.Contains(header.Get("Vary"), "Accept-Encoding") {
					t.Errorf("Vary %q", header.Get("Vary"))
				}
			}
			var a, b map[string]any
			must(t, json.Unmarshal(plain, &a))
			must(t, json.Unmarshal(body, &b))
			dropListNumber(a)
			dropListNumber(b)
			if !reflect.DeepEqual(a, b) {
				return fmt.Errorf("%s: the compressed list is another one", protocol)
			}
			return nil
		})
	}
}

// Bytes that are no HTTP, or too much of it, end in an error or a closed connection: never in silence, never in a crash.
func TestProtocol_BadHTTPEnds(t *testing.T) {
	pool := x509.NewCertPool()
	pool.AppendCertsFromPEM(steward.Anonymous().CAData)
	address, err := url.Parse(steward.URL())
	must(t, err)
	for name, text := range map[string]string{
		"no HTTP":            "\x00\x01\x02\x03 what\r\n\r\n",
		"no such version":    "GET / HTTP/7.3\r\nHost: x\r\n\r\n",
		"spaces in the path": "GET /a b c HTTP/1.1\r\nHost: x\r\n\r\n",
		"no host":            "GET /apis HTTP/1.1\r\n\r\n",
		"two lengths":        "POST /apis HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\nContent-Length: 7\r\n\r\nhello",
		"length and chunks":  "POST /apis HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
		"negative length":    "POST /apis HTTP/1.1\r\nHost: x\r\nContent-Length: -5\r\n\r\n",
		"an endless header":  "GET /apis HTTP/1.1\r\nHost: x\r\nX-Long: " + strings.Repeat("a", 3<<20) + "\r\n\r\n",
		"an endless path":    "GET /" + strings.Repeat("a", 3<<20) + " HTTP/1.1\r\nHost: x\r\n\r\n",
		"a broken escape":    "GET /apis/%zz HTTP/1.1\r\nHost: x\r\n\r\n",
	} {
		t.Run(name, func(t *testing.T) {
			conn, err := tls.Dial("tcp", address.Host, &tls.Config{RootCAs: pool, NextProtos: []string{"http/1.1"}})
			must(t, err)
			defer conn.Close()
			must(t, conn.SetDeadline(time.Now().Add(30*time.Second))) // less than a header may take
			_, _ = io.WriteString(conn, text)                         // it may be cut off half-way
			head := make([]byte, 64)
			n, err := conn.Read(head)
			if timeout, ok := err.(net.Error); ok && timeout.Timeout() {
				t.Fatal("neither an answer nor an end")
			}
			if n > 0 && !refusal.Match(head[:n]) {
				t.Errorf("answered %q", head[:n])
			}
		})
	}
	if !steward.Running() {
		t.Fatal("steward has ended")
	}
	if got := call(t, steward.Anonymous(), "GET", "/livez"); got.Code != http.StatusOK {
		t.Errorf("livez: %d %s", got.Code, got.Body)
	}
}

var refusal = regexp.MustCompile(`^HTTP/1\.[01] (4\d\d|505) `)

// Header values that one HTTP library takes and another refuses: some answer, or an end of the stream.
func TestProtocol_OddHeadersEnd(t *testing.T) {
	for _, protocol := range []string{"h2", "http/1.1"} {
		client := transport(t, tls.VersionTLS13, protocol)
		for _, value := range []string{"", " leading", "trailing ", "a\tb", "caf\u00e9", strings.Repeat("a", 100<<10)} {
			request, err := http.NewRequestWithContext(t.Context(), "GET", steward.URL()+"/livez", nil)
			must(t, err)
			request.Header.Set("X-Odd", value)
			response, err := client.Do(request)
			var failed net.Error
			if err == nil {
				response.Body.Close()
			} else if errors.As(err, &failed) && failed.Timeout() {
				t.Errorf("%s, %.20q: neither an answer nor an end: %v", protocol, value, err)
			}
		}
	}
}

func TestProtocol_BodyTooLarge(t *testing.T) {
	got, err := tryCall(t.Context(), masters(t, steward), "POST", inNamespace("payments"), make([]byte, 4<<20), "Content-Type", "application/json")
	if err == nil && got.Code != http.StatusMethodNotAllowed && got.Code != http.StatusRequestEntityTooLarge {
		t.Errorf("HTTP %d: %.300s", got.Code, got.Body)
	}
	if got := call(t, masters(t, steward), "GET", inNamespace("payments")); got.Code != http.StatusOK {
		t.Errorf("afterwards: %d", got.Code)
	}
}

// What only direct clients, probes and the aggregator itself ask for.
func TestProtocol_DiscoveryHealthAndVersion(t *testing.T) {
	config := masters(t, steward)
	for path, want := range map[string]string{
		"/apis":                            `"APIGroupList"`,
		"/apis/views.operators.coreos.com": `"APIGroup"`,
		apiPath:                            `"APIResourceList"`,
		apiPath + "/":                      `"APIResourceList"`,
		"/openapi/v3":                      `"apis/views.operators.coreos.com/v1alpha1"`,
		"/openapi/v3" + apiPath:            `"x-kubernetes-group-version-kind"`,
		"/openapi/v2":                      `"swagger"`,
		"/version":                         `"gitVersion"`,
		"/healthz":                         "ok",
		"/livez":                           "ok",
		"/readyz":                          "ok",
		"/readyz?verbose":                  "readyz check passed",
		"/metrics":                         "# TYPE ",
	} {
		if got := call(t, config, "GET", path); got.Code != http.StatusOK || !strings.Contains(string(got.Body), want) {
			t.Errorf("%s: %d, want %s in %.300s", path, got.Code, want, got.Body)
		}
	}
	for _, path := range []string{"/apis/views.operators.coreos.com/v9", "/apis/other.example.com", "/nothing", "/"} {
		if got := call(t, config, "GET", path); path != "/" && got.Code != http.StatusNotFound {
			t.Errorf("%s: %d: %.300s", path, got.Code, got.Body)
		}
	}

	const aggregated = "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList"
	got := call(t, config, "GET", "/apis", "Accept", aggregated+",application/json")
	if kind := got.decoded(t)["kind"]; kind != "APIGroupDiscoveryList" || got.Header.Get("Content-Type") != aggregated {
		t.Errorf("aggregated discovery: %v, Content-Type %q", kind, got.Header.Get("Content-Type"))
	}
	etag := got.Header.Get("ETag")
	if !strings.HasPrefix(etag, `"`) {
		t.Fatalf("ETag %q", etag)
	}
	if again := call(t, config, "GET", "/apis", "Accept", aggregated, "If-None-Match", etag); again.Code != http.StatusNotModified {
		t.Errorf("If-None-Match: %d", again.Code)
	}
}

// The aggregator multiplexes all users on one connection.
func TestProtocol_ManyRequestsOnOneConnection(t *testing.T) {
	client := transport(t, tls.VersionTLS13, "h2")
	results := make(chan error)
	const requests = 300
	for i := range requests {
		go func() {
			namespace := []string{"payments", "team-blue", "web", "kube-system"}[i%4]
			results <- func() error {
				response, err := client.Get(steward.URL() + inNamespace(namespace) + "/certloop.v1.8.2")
				if err != nil {
					return err
				}
				defer response.Body.Close()
				var object struct{ Metadata struct{ Namespace string } }
				if err := json.NewDecoder(response.Body).Decode(&object); err != nil {
					return err
				}
				if object.Metadata.Namespace != namespace {
					return fmt.Errorf("asked for %s, got %s", namespace, object.Metadata.Namespace)
				}
				return nil
			}()
		}()
	}
	failed := 0
	for range requests {
		if err := <-results; err != nil {
			if failed++; failed == 1 {
				t.Error(err)
			}
		}
	}
	if failed > 0 {
		t.Errorf("%d of %d requests failed", failed, requests)
	}
}
