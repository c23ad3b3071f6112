package installplans_test

import (
	"context"
	"crypto/tls"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"strconv"
	"strings"
	"sync"
	"testing"

	admissionv1 "k8s.io/api/admission/v1"
	admissionregistrationv1 "k8s.io/api/admissionregistration/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"steward.dev/e2e/olm"
)

// Objects with the label answered are shown to a webhook, which answers as their annotations say.
const (
	answered = "e2e.example.com/answered"
	// answer is a code and a reason: "409 Conflict".
	answer = "e2e.example.com/answer"
	// times is how often it is given before the object is let through; without it, for ever.
	times = "e2e.example.com/times"
	// operation is the only one that is answered so; without it, each is.
	operation = "e2e.example.com/operation"
	// warning is what is said about what is let through.
	warning = "e2e.example.com/warning"
	// held has the answer wait until the case lets the objects of the namespace go, or nobody waits for it any more.
	held = "e2e.example.com/held"
)

var webhook struct {
	server *httptest.Server
	mutex  sync.Mutex
	given  map[string]int           // answers that were no, by namespace and name
	holds  map[string]chan struct{} // closed when a namespace's objects may go
}

// holds has what is to be held in a namespace wait until the function that it returns is called, or the case has ended.
func holds(t *testing.T, namespace string) (letGo func()) {
	t.Helper()
	release := make(chan struct{})
	webhook.mutex.Lock()
	webhook.holds[namespace] = release
	webhook.mutex.Unlock()
	letGo = sync.OnceFunc(func() { close(release) })
	t.Cleanup(letGo)
	return letGo
}

// answering has the webhook answer about an object.
func answering(object *olm.Object, annotations ...string) *olm.Object {
	object.SetLabels(map[string]string{answered: ""})
	set := map[string]string{}
	for i := 0; i+1 < len(annotations); i += 2 {
		set[annotations[i]] = annotations[i+1]
	}
	object.SetAnnotations(set)
	return object
}

func startWebhook(ctx context.Context) error {
	webhook.given, webhook.holds = map[string]int{}, map[string]chan struct{}{}
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
	none, fail := admissionregistrationv1.SideEffectClassNone, admissionregistrationv1.Fail
	_, err = shared.Kube.AdmissionregistrationV1().ValidatingWebhookConfigurations().Create(ctx,
		&admissionregistrationv1.ValidatingWebhookConfiguration{
			ObjectMeta: metav1.ObjectMeta{Name: "answers"},
			Webhooks: []admissionregistrationv1.ValidatingWebhook{{
				Name:                    "answers.example.com",
				ClientConfig:            admissionregistrationv1.WebhookClientConfig{URL: &webhook.server.URL, CABundle: authority},
				AdmissionReviewVersions: []string{"v1"}, SideEffects: &none, FailurePolicy: &fail,
				ObjectSelector: &metav1.LabelSelector{MatchLabels: map[string]string{answered: ""}},
				Rules: []admissionregistrationv1.RuleWithOperations{{
					Operations: []admissionregistrationv1.OperationType{admissionregistrationv1.Create, admissionregistrationv1.Update},
					Rule:       admissionregistrationv1.Rule{APIGroups: []string{"*"}, APIVersions: []string{"*"}, Resources: []string{"*"}},
				}},
			}},
		}, metav1.CreateOptions{})
	return err
}

func stopWebhook() {
	if webhook.server != nil {
		webhook.server.Close()
	}
}

func review(w http.ResponseWriter, r *http.Request) {
	var asked admissionv1.AdmissionReview
	object := &olm.Object{}
	if err := json.NewDecoder(r.Body).Decode(&asked); err != nil || object.UnmarshalJSON(asked.Request.Object.Raw) != nil {
		http.Error(w, fmt.Sprint(err), http.StatusBadRequest)
		return
	}
	said := object.GetAnnotations()
	tried := asked.Request.DryRun != nil && *asked.Request.DryRun
	if said[held] != "" && !tried {
		webhook.mutex.Lock()
		release := webhook.holds[object.GetNamespace()]
		webhook.mutex.Unlock()
		select {
		case <-release:
		case <-r.Context().Done():
		}
	}
	meant := said[operation] == "" || said[operation] == string(asked.Request.Operation)
	response := &admissionv1.AdmissionResponse{UID: asked.Request.UID, Allowed: said[answer] == "" || !meant}
	if limit, err := strconv.Atoi(said[times]); err == nil && !response.Allowed {
		key := object.GetNamespace() + "/" + object.GetName()
		webhook.mutex.Lock()
		webhook.given[key]++
		response.Allowed = webhook.given[key] > limit
		webhook.mutex.Unlock()
	}
	if text := said[warning]; text != "" {
		response.Warnings = []string{text}
	}
	if !response.Allowed {
		code, reason, _ := strings.Cut(said[answer], " ")
		number, _ := strconv.Atoi(code)
		response.Result = &metav1.Status{
			Status: metav1.StatusFailure, Code: int32(number), Reason: metav1.StatusReason(reason), Message: "the case wants " + said[answer],
		}
	}
	asked.Request, asked.Response = nil, response
	w.Header().Set("Content-Type", "application/json")
	_ = json.NewEncoder(w).Encode(asked)
}
