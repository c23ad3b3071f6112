// Package audit_test proves that Steward's audit log says what a real kube-apiserver's says: the same policy file, the
// same requests, the events of both compared field by field.
package audit_test

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"net/http"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"testing"
	"time"

	"k8s.io/apimachinery/pkg/util/rand"
	"k8s.io/client-go/rest"

	"steward.dev/e2e/check"
	"steward.dev/e2e/cluster"
	"steward.dev/e2e/olm"
)

const policy = `apiVersion: audit.k8s.io/v1
kind: Policy
omitManagedFields: true
rules:
- {level: None, users: [nobody-records-me]}
- {level: None, nonResourceURLs: ["/readyz*", "/livez", "/openapi*"]}
- {level: Metadata, nonResourceURLs: ["/version", "/healthz", "/nothing*"]}
- level: Metadata
  omitStages: [RequestReceived]
  verbs: [get]
  resources: [{group: views.operators.coreos.com, resources: [installedoperators]}]
- level: Request
  resources: [{group: views.operators.coreos.com, resources: ["*"]}]
- {level: None}
`

const listPath = "/apis/views.operators.coreos.com/v1alpha1/installedoperators"

var (
	shared  *cluster.Cluster
	steward *cluster.Steward
	// What both servers write.
	hubLog, ownLog string
	alice, bob     *rest.Config
)

func TestMain(m *testing.M) { cluster.Main(m, &shared, setUp) }

func setUp(ctx context.Context) error {
	dir, err := os.MkdirTemp("", "steward-audit-")
	if err != nil {
		return err
	}
	file := filepath.Join(dir, "policy.yaml")
	hubLog, ownLog = filepath.Join(dir, "hub.log"), filepath.Join(dir, "own.log")
	if err := os.WriteFile(file, []byte(policy), 0o600); err != nil {
		return err
	}
	shared, err = cluster.Start(ctx, cluster.Options{
		Controllers:    []string{"clusterrole-aggregation"},
		APIServerFlags: []string{"--audit-policy-file=" + file, "--audit-log-path=" + hubLog},
	})
	if err != nil {
		return err
	}
	root, err := cluster.Root()
	if err != nil {
		return err
	}
	if err := olm.InstallCRDs(ctx, shared.Any, root); err != nil {
		return err
	}
	steward, err = shared.RunSteward(ctx, "steward", "--audit-policy-file="+file, "--audit-log-path="+ownLog)
	if err != nil {
		return err
	}
	if err := shared.WaitServed(ctx); err != nil {
		return err
	}
	if _, err := shared.Kubectl(ctx, "create", "clusterrolebinding", "alice", "--clusterrole=view", "--user=alice"); err != nil {
		return err
	}
	for name, config := range map[string]**rest.Config{"alice": &alice, "bob": &bob} {
		kubeconfig, err := shared.User(name, "dev")
		if err != nil {
			return err
		}
		if *config, err = cluster.ClientFor(kubeconfig); err != nil {
			return err
		}
	}
	return check.Poll(func() error {
		if code, err := ask(ctx, alice, listPath, "probe-"+rand.String(8)); err != nil || code != http.StatusOK {
			return fmt.Errorf("alice may not list yet: %d, %w", code, err)
		}
		return nil
	})
}

// ask makes one GET under an audit id of the client's, reads the answer to its end, and returns its code.
func ask(ctx context.Context, config *rest.Config, path, id string) (int, error) {
	client, err := rest.HTTPClientFor(config)
	if err != nil {
		return 0, err
	}
	ctx, cancel := context.WithTimeout(ctx, check.Patience)
	defer cancel()
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, config.Host+path, nil)
	if err != nil {
		return 0, err
	}
	request.Header.Set("Audit-ID", id)
	request.Header.Set("User-Agent", "auditor/1.0")
	response, err := client.Do(request)
	if err != nil {
		return 0, err
	}
	defer response.Body.Close()
	_, err = io.Copy(io.Discard, response.Body)
	return response.StatusCode, err
}

type event = map[string]any

// eventsOf are those of one request, by stage.
func eventsOf(log, id string) (map[string]event, error) {
	file, err := os.Open(log)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	events := map[string]event{}
	lines := bufio.NewScanner(file)
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		var e event
		if err := json.Unmarshal(lines.Bytes(), &e); err != nil {
			return nil, fmt.Errorf("%s: %w", lines.Text(), err)
		}
		if e["auditID"] == id {
			events[e["stage"].(string)] = e
		}
	}
	return events, lines.Err()
}

// recorded waits for the events of these stages in both logs, and makes sure that there are no others.
func recorded(t *testing.T, hubID, ownID string, stages []string) (hub, own map[string]event) {
	t.Helper()
	slices.Sort(stages)
	check.Eventually(t, func() (err error) {
		for _, each := range []struct {
			log, id string
			events  *map[string]event
		}{{hubLog, hubID, &hub}, {ownLog, ownID, &own}} {
			if *each.events, err = eventsOf(each.log, each.id); err != nil {
				return err
			}
			if got := slices.Sorted(maps.Keys(*each.events)); !slices.Equal(got, stages) {
				return fmt.Errorf("%s: stages %q, want %q", each.log, got, stages)
			}
		}
		return nil
	})
	return hub, own
}

// compare wants equal events but for the fields that are each server's own.
func compare(t *testing.T, hub, own map[string]event, except ...string) {
	t.Helper()
	for stage, theirs := range hub {
		ours := own[stage]
		for _, field := range []string{"requestReceivedTimestamp", "stageTimestamp"} {
			if _, err := time.Parse("2006-01-02T15:04:05.000000Z", fmt.Sprint(ours[field])); err != nil {
				t.Errorf("%s: %s: %v", stage, field, err)
			}
		}
		fields := slices.Sorted(maps.Keys(theirs))
		for field := range ours {
			if _, both := theirs[field]; !both {
				fields = append(fields, field)
			}
		}
		for _, field := range fields {
			if slices.Contains(append(except, "requestReceivedTimestamp", "stageTimestamp"), field) {
				continue
			}
			if !reflect.DeepEqual(theirs[field], ours[field]) {
				t.Errorf("%s: %s: the kube-apiserver has %v, Steward %v", stage, field, theirs[field], ours[field])
			}
		}
	}
}

// withoutExtra drops what names the one certificate that was shown.
func withoutExtra(events map[string]event) {
	for _, e := range events {
		if user, ok := e["user"].(event); ok {
			delete(user, "extra")
		}
	}
}

var (
	ordinary    = []string{"RequestReceived", "ResponseComplete"}
	longRunning = []string{"RequestReceived", "ResponseStarted", "ResponseComplete"}
)

// The kube-apiserver forwards a request with its audit id: both logs have it, and say the same of it.
func TestAudit_ThroughTheAggregator(t *testing.T) {
	for name, tc := range map[string]struct {
		path   string
		stages []string
		code   int
	}{
		"list": {listPath + "?limit=5&x=%3C", ordinary, http.StatusOK},
		"get":  {"/apis/views.operators.coreos.com/v1alpha1/namespaces/default/installedoperators/no-such", []string{"ResponseComplete"}, http.StatusNotFound},
		// It ends by itself: when a client gives up, the kube-apiserver records a panic of its proxy.
		"watch":   {listPath + "?timeoutSeconds=1&watch=1", longRunning, http.StatusOK},
		"invalid": {listPath + "?labelSelector=a%3D%3D%3Db", ordinary, http.StatusBadRequest},
	} {
		t.Run(name, func(t *testing.T) {
			id := "through-" + rand.String(8)
			code, err := ask(t.Context(), alice, tc.path, id)
			check.Must(t, err)
			if code != tc.code {
				t.Errorf("code %d, want %d", code, tc.code)
			}
			hub, own := recorded(t, id, id, tc.stages)
			// The kube-apiserver knows a forwarded response by its code alone, and Steward hears of the address from it.
			compare(t, hub, own, "sourceIPs", "responseStatus", "annotations")
			for stage, theirs := range hub {
				ours := own[stage]
				if stage == "RequestReceived" {
					continue
				}
				if a, b := theirs["responseStatus"].(event)["code"], ours["responseStatus"].(event)["code"]; a != b {
					t.Errorf("%s: code %v and %v", stage, a, b)
				}
				if a, b := theirs["annotations"], ours["annotations"]; !reflect.DeepEqual(a, b) {
					t.Errorf("%s: annotations %v and %v", stage, a, b)
				}
			}
		})
	}
}

// Both are asked by the same user, without anybody between.
func TestAudit_AskedDirectly(t *testing.T) {
	direct := func(user string) *rest.Config {
		config, err := steward.WithUser(user, "dev")
		check.Must(t, err)
		return config
	}
	badToken := rest.AnonymousClientConfig(alice)
	badToken.BearerToken = "made-up"
	for name, tc := range map[string]struct {
		hub, own *rest.Config
		path     string
		stages   []string
		code     int
		// Fields that differ, and may.
		except []string
	}{
		// Two bindings allow it, and each server names one.
		"path":              {alice, direct("alice"), "/version", ordinary, http.StatusOK, []string{"annotations"}},
		"health":            {rest.AnonymousClientConfig(alice), steward.Anonymous(), "/healthz", ordinary, http.StatusOK, []string{"annotations"}},
		"unknown path":      {bob, direct("bob"), "/nothing/here", ordinary, http.StatusForbidden, nil},
		"forbidden list":    {bob, direct("bob"), listPath, ordinary, http.StatusForbidden, nil},
		"forbidden watch":   {bob, direct("bob"), listPath + "?watch=1", longRunning, http.StatusForbidden, nil},
		"forbidden object":  {bob, direct("bob"), "/apis/views.operators.coreos.com/v1alpha1/namespaces/default/installedoperators/x", []string{"ResponseComplete"}, http.StatusForbidden, nil},
		"a token of nobody": {badToken, steward.WithToken("made-up"), listPath, []string{"ResponseStarted"}, http.StatusUnauthorized, nil},
	} {
		t.Run(name, func(t *testing.T) {
			ids := []string{"hub-" + rand.String(8), "own-" + rand.String(8)}
			for i, config := range []*rest.Config{tc.hub, tc.own} {
				code, err := ask(t.Context(), config, tc.path, ids[i])
				check.Must(t, err)
				if code != tc.code {
					t.Errorf("%s: code %d, want %d", ids[i], code, tc.code)
				}
			}
			hub, own := recorded(t, ids[0], ids[1], tc.stages)
			withoutExtra(hub)
			withoutExtra(own)
			compare(t, hub, own, append(tc.except, "auditID")...)
		})
	}
}

// What the policy does not want is in neither log.
func TestAudit_NotRecorded(t *testing.T) {
	quiet, err := steward.WithUser("nobody-records-me", "system:masters")
	check.Must(t, err)
	id, after := "quiet-"+rand.String(8), "after-"+rand.String(8)
	_, err = ask(t.Context(), quiet, listPath, id)
	check.Must(t, err)
	_, err = ask(t.Context(), alice, listPath, after)
	check.Must(t, err)
	recorded(t, after, after, ordinary)
	events, err := eventsOf(ownLog, id)
	check.Must(t, err)
	if len(events) > 0 {
		t.Errorf("recorded: %v", events)
	}
}
