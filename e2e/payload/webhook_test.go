package payload_test

import (
	"context"
	"crypto/tls"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"sync"
	"testing"

	admissionv1 "k8s.io/api/admission/v1"
	admissionregistrationv1 "k8s.io/api/admissionregistration/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"steward.dev/e2e/olm"
)

// Objects with this label are shown to a webhook when the account writes or deletes them. It lets everything through, but holds up
// or denies what a case asks for.
const watched = "e2e.example.com/watched"

var webhook struct {
	server *httptest.Server
	mutex  sync.Mutex
	holds  map[string]*held // by operation and name
	denies map[string]bool
}

// held is a write that waits in the kube-apiserver: it has left the reconciler, and nothing has come of it.
type held struct {
	arrived chan struct{} // closed when it is there
	release chan struct{} // closed to let it through
	gone    chan struct{} // closed when nobody waits for it any more: its client was killed
	once    [3]sync.Once
}

// holds has one operation (CREATE, UPDATE, DELETE) on objects of a name wait, until it is released or the case ends.
func holds(t *testing.T, operation, name string) *held {
	t.Helper()
	h := &held{arrived: make(chan struct{}), release: make(chan struct{}), gone: make(chan struct{})}
	key := operation + " " + name
	webhook.mutex.Lock()
	webhook.holds[key] = h
	webhook.mutex.Unlock()
	t.Cleanup(func() {
		h.lets()
		webhook.mutex.Lock()
		delete(webhook.holds, key)
		webhook.mutex.Unlock()
	})
	return h
}

// denies has one operation on objects of a name be refused until the case ends.
func denies(t *testing.T, operation, name string) {
	t.Helper()
	set := func(denied bool) {
		webhook.mutex.Lock()
		defer webhook.mutex.Unlock()
		webhook.denies[operation+" "+name] = denied
	}
	set(true)
	t.Cleanup(func() { set(false) })
}

func (h *held) lets() { h.once[1].Do(func() { close(h.release) }) }

// waits returns once the write is there.
func (h *held) waits(t *testing.T) {
	t.Helper()
	comes(t, h.arrived, "the write does not come")
}

// ends returns once nobody waits for the write's answer any more: it is not carried out.
func (h *held) ends(t *testing.T) {
	t.Helper()
	comes(t, h.gone, "the write is still waited for")
}

func comes(t *testing.T, signal chan struct{}, otherwise string) {
	t.Helper()
	eventually(t, func() error {
		select {
		case <-signal:
			return nil
		default:
			return fmt.Errorf("%s", otherwise)
		}
	})
}

func startWebhook(ctx context.Context) error {
	webhook.holds, webhook.denies = map[string]*held{}, map[string]bool{}
	pair, err := shared.ServingPair("webhook")
	if err != nil {
		return err
	}
	certificate, err := tls.LoadX509KeyPair(pair.Cert, pair.Key)
	if err != nil {
		return err
	}
	authority, err := os.ReadFile(shared.ServingCAFile())
	if err != nil {
		return err
	}
	webhook.server = httptest.NewUnstartedServer(http.HandlerFunc(review))
	webhook.server.TLS = &tls.Config{Certificates: []tls.Certificate{certificate}}
	webhook.server.StartTLS()
	none, fail, seconds := admissionregistrationv1.SideEffectClassNone, admissionregistrationv1.Fail, int32(30)
	_, err = shared.Kube.AdmissionregistrationV1().ValidatingWebhookConfigurations().Create(ctx,
		&admissionregistrationv1.ValidatingWebhookConfiguration{
			ObjectMeta: metav1.ObjectMeta{Name: "holds"},
			Webhooks: []admissionregistrationv1.ValidatingWebhook{{
				Name:                    "holds.example.com",
				ClientConfig:            admissionregistrationv1.WebhookClientConfig{URL: &webhook.server.URL, CABundle: authority},
				AdmissionReviewVersions: []string{"v1"}, SideEffects: &none, FailurePolicy: &fail, TimeoutSeconds: &seconds,
				ObjectSelector: &metav1.LabelSelector{MatchLabels: map[string]string{watched: ""}},
				MatchConditions: []admissionregistrationv1.MatchCondition{
					{Name: "is-the-account", Expression: "request.userInfo.username == '" + accountUser + "'"},
				},
				Rules: []admissionregistrationv1.RuleWithOperations{{
					Operations: []admissionregistrationv1.OperationType{
						admissionregistrationv1.Create, admissionregistrationv1.Update, admissionregistrationv1.Delete,
					},
					Rule: admissionregistrationv1.Rule{APIGroups: []string{"*"}, APIVersions: []string{"*"}, Resources: []string{"*"}},
				}},
			}},
		}, metav1.CreateOptions{})
	return err
}

func stopWebhook() {
	if webhook.server == nil {
		return
	}
	webhook.mutex.Lock()
	for _, each := range webhook.holds {
		each.lets()
	}
	webhook.mutex.Unlock()
	webhook.server.Close()
}

func review(w http.ResponseWriter, r *http.Request) {
	var asked admissionv1.AdmissionReview
	object := &olm.Object{}
	// Read to its end: only then is it noticed that a client goes.
	body, err := io.ReadAll(r.Body)
	if err == nil {
		err = json.Unmarshal(body, &asked)
	}
	if err != nil {
		http.Error(w, fmt.Sprint(err), http.StatusBadRequest)
		return
	}
	raw := asked.Request.Object.Raw
	if len(raw) == 0 {
		raw = asked.Request.OldObject.Raw
	}
	if err := object.UnmarshalJSON(raw); err != nil {
		http.Error(w, fmt.Sprint(err), http.StatusBadRequest)
		return
	}
	webhook.mutex.Lock()
	key := string(asked.Request.Operation) + " " + object.GetName()
	h, denied := webhook.holds[key], webhook.denies[key]
	webhook.mutex.Unlock()
	if h != nil {
		h.once[0].Do(func() { close(h.arrived) })
		select {
		case <-h.release:
		case <-r.Context().Done():
			h.once[2].Do(func() { close(h.gone) })
			return
		}
	}
	response := &admissionv1.AdmissionResponse{UID: asked.Request.UID, Allowed: !denied}
	if denied {
		response.Result = &metav1.Status{Code: http.StatusForbidden, Reason: metav1.StatusReasonForbidden, Message: "a policy says no"}
	}
	asked.Request, asked.Response = nil, response
	w.Header().Set("Content-Type", "application/json")
	_ = json.NewEncoder(w).Encode(asked)
}
