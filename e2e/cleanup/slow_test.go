package cleanup_test

import (
	"crypto/tls"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"maps"
	"net"
	"net/http"
	"slices"
	"sync"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"steward.dev/e2e/cluster"
	"steward.dev/e2e/faultproxy"
	"steward.dev/e2e/olm"
)

// Finding 10: admission that takes its time over each DELETE, longer than guards are good for, makes a cleanup slow and
// nothing else: each is sent once, and answered. Finding 9, R-000-65: how far it is is told meanwhile.
func TestSlowAdmission(t *testing.T) {
	alone(t)
	kinds := newScene(t, 0)
	t.Run("All", func(t *testing.T) {
		for _, takes := range []time.Duration{2 * time.Second, 5 * time.Second, 20 * time.Second} {
			t.Run(takes.String(), func(t *testing.T) {
				t.Parallel()
				slowAdmission(t, kinds, takes)
			})
		}
	})
}

// tellsWithin is how soon a change is in the status: it is looked at every two seconds, and written every ten.
const tellsWithin = 12 * time.Second

func slowAdmission(t *testing.T, kinds *scene, takes time.Duration) {
	const count = 20 // eight at a time
	r := newRun(t, kinds, 1)
	var all []string
	for i := range count {
		widget := &olm.Object{Object: map[string]any{"apiVersion": r.group + "/v1", "kind": "Widget"}}
		widget.SetName(fmt.Sprintf("widget-%02d", i))
		_, err := shared.Any.Resource(r.widgets()).Namespace(r.spaces[0]).Create(t.Context(), widget, metav1.CreateOptions{})
		must(t, err)
		all = append(all, widget.GetName())
	}
	hook := admit(t, r, takes)
	eventually(t, func() error {
		dryRun := metav1.DeleteOptions{DryRun: []string{metav1.DryRunAll}}
		if err := shared.Any.Resource(r.widgets()).Namespace(r.spaces[0]).Delete(t.Context(), all[0], dryRun); err != nil {
			return err
		}
		return hook.works()
	})
	r.install(t, synced(r.namespace, "group", r.spaces[0]))
	r.uninstall(t)
	r.ends(t, 2*patience)
	if there, _ := r.operandsIn(t, r.spaces[0]); len(there) > 0 {
		t.Errorf("%q are left", there)
	}
	asked := hook.all()
	if got := slices.Sorted(maps.Keys(asked)); !slices.Equal(got, all) {
		t.Errorf("asked for %q, want %q", got, all)
	}
	for name, times := range asked {
		if times != 1 {
			t.Errorf("asked %d times for %s", times, name)
		}
	}
	r.toldOf(t)
}

// toldOf checks that the status, or the cleanup's end, told of every custom resource soon after it was gone.
func (r *run) toldOf(t *testing.T) {
	t.Helper()
	requests := r.journal.All()
	others := butDeletions(requests)
	for _, gone := range requests {
		if kindOf(&gone) != deletion || !gone.Succeeded() {
			continue
		}
		told := slices.IndexFunc(requests, func(request faultproxy.Request) bool {
			return slices.Contains([]kind{telling, ending, releasing}, kindOf(&request)) && request.Began.After(gone.Answered)
		})
		if told < 0 {
			t.Errorf("nobody was told that %s is gone", gone.Path)
			continue
		}
		took, slack := requests[told].Began.Sub(gone.Answered), slackBetween(others, gone.Answered, requests[told].Began)
		if took > tellsWithin+slack {
			t.Errorf("it was told after %s that %s is gone, and nothing here took longer than %s", took, gone.Path, slack)
		}
	}
}

// slowHook admits every DELETE, after a while.
type slowHook struct {
	takes time.Duration

	mutex sync.Mutex
	dry   int
	asked map[string]int // by name
}

func (h *slowHook) works() error {
	h.mutex.Lock()
	defer h.mutex.Unlock()
	if h.dry == 0 {
		return fmt.Errorf("nobody asks the webhook yet")
	}
	return nil
}

func (h *slowHook) all() map[string]int {
	h.mutex.Lock()
	defer h.mutex.Unlock()
	return maps.Clone(h.asked)
}

func (h *slowHook) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	var review struct {
		Request struct {
			UID, Name string
			DryRun    bool
		}
	}
	if err := json.NewDecoder(r.Body).Decode(&review); err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	h.mutex.Lock()
	if review.Request.DryRun {
		h.dry++
	} else {
		h.asked[review.Request.Name]++
	}
	h.mutex.Unlock()
	if !review.Request.DryRun {
		select {
		case <-time.After(h.takes):
		case <-r.Context().Done(): // the API server hung up
			return
		}
	}
	answer(w, http.StatusOK, map[string]any{
		"apiVersion": "admission.k8s.io/v1", "kind": "AdmissionReview",
		"response": map[string]any{"uid": review.Request.UID, "allowed": true},
	})
}

// admit has the API server ask a webhook about every DELETE of widgets in the run's namespaces, until the test ends.
func admit(t *testing.T, r *run, takes time.Duration) *slowHook {
	t.Helper()
	hook := &slowHook{takes: takes, asked: map[string]int{}}
	authority, err := cluster.NewAuthority("slow-" + r.id)
	must(t, err)
	pair, err := authority.Server(t.TempDir(), "slow", "localhost")
	must(t, err)
	certificate, err := tls.LoadX509KeyPair(pair.Cert, pair.Key)
	must(t, err)
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	must(t, err)
	server := &http.Server{Handler: hook, TLSConfig: &tls.Config{Certificates: []tls.Certificate{certificate}}}
	go func() { _ = server.ServeTLS(listener, "", "") }()
	t.Cleanup(func() { _ = server.Close() })
	webhooks := policies.GroupVersion().WithResource("validatingwebhookconfigurations")
	object := &olm.Object{Object: map[string]any{
		"apiVersion": "admissionregistration.k8s.io/v1", "kind": "ValidatingWebhookConfiguration",
		"webhooks": []any{map[string]any{
			"name": "slow.example.com", "sideEffects": "None", "admissionReviewVersions": []any{"v1"},
			"timeoutSeconds": int64(30), "failurePolicy": "Fail",
			"namespaceSelector": map[string]any{"matchLabels": map[string]any{"e2e": r.id}},
			"clientConfig": map[string]any{
				"url":      fmt.Sprintf("https://localhost:%d/", listener.Addr().(*net.TCPAddr).Port),
				"caBundle": base64.StdEncoding.EncodeToString(authority.PEM),
			},
			"rules": []any{map[string]any{
				"apiGroups": []any{r.group}, "apiVersions": []any{"*"}, "resources": []any{"widgets"}, "operations": []any{"DELETE"},
			}},
		}},
	}}
	object.SetName("slow-" + r.id)
	_, err = shared.Any.Resource(webhooks).Create(t.Context(), object, metav1.CreateOptions{})
	must(t, err)
	return hook
}
