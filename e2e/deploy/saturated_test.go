package deploy

import (
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"regexp"
	"strconv"
	"sync"
	"sync/atomic"
	"testing"

	authenticationv1 "k8s.io/api/authentication/v1"
	authorizationv1 "k8s.io/api/authorization/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"

	"steward.dev/e2e/olm"
)

const slowPath = "/apis/slow.example.com/v1"

var apiServices = schema.GroupVersionResource{Group: "apiregistration.k8s.io", Version: "v1", Resource: "apiservices"}

// slowAPI is an aggregated API whose requests are answered when the test ends: what an API server is to the kube-apiserver
// while it waits for its reviews.
type slowAPI struct {
	end     chan struct{}
	held    atomic.Int64 // requests that wait now
	cutOff  atomic.Int64 // requests that the kube-apiserver gave up
	clients sync.WaitGroup
}

func newSlowAPI(t *testing.T) *slowAPI {
	t.Helper()
	slow := &slowAPI{end: make(chan struct{})}
	server := httptest.NewTLSServer(slow)
	t.Cleanup(server.Close)
	_, port, err := net.SplitHostPort(server.Listener.Addr().String())
	must(t, err)
	number, err := strconv.ParseInt(port, 10, 64)
	must(t, err)

	namespace := space(t)
	service := &olm.Object{Object: map[string]any{
		"apiVersion": "v1", "kind": "Service", "spec": map[string]any{"type": "ExternalName", "externalName": "localhost"},
	}}
	service.SetName("slow")
	services := schema.GroupVersionResource{Version: "v1", Resource: "services"}
	_, err = shared.Any.Resource(services).Namespace(namespace).Create(t.Context(), service, metav1.CreateOptions{})
	must(t, err)
	registration := &olm.Object{Object: map[string]any{
		"apiVersion": "apiregistration.k8s.io/v1", "kind": "APIService",
		"spec": map[string]any{
			"group": "slow.example.com", "version": "v1", "groupPriorityMinimum": int64(10), "versionPriority": int64(10),
			"insecureSkipTLSVerify": true, // nothing is said here that anybody must not hear
			"service":               map[string]any{"name": "slow", "namespace": namespace, "port": number},
		},
	}}
	registration.SetName("v1.slow.example.com")
	_, err = shared.Any.Resource(apiServices).Create(t.Context(), registration, metav1.CreateOptions{})
	must(t, err)
	t.Cleanup(func() {
		must(t, shared.Any.Resource(apiServices).Delete(context.Background(), registration.GetName(), metav1.DeleteOptions{}))
	})
	eventually(t, func() error {
		return shared.Kube.Discovery().RESTClient().Get().AbsPath(slowPath).Do(t.Context()).Error()
	})
	return slow
}

func (s *slowAPI) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	switch r.URL.Path {
	case slowPath:
		w.Header().Set("Content-Type", "application/json")
		fmt.Fprint(w, `{"kind":"APIResourceList","apiVersion":"v1","groupVersion":"slow.example.com/v1","resources":[]}`)
	case slowPath + "/wait":
		s.held.Add(1)
		defer s.held.Add(-1)
		select {
		case <-s.end:
		case <-r.Context().Done():
			s.cutOff.Add(1)
		}
	default:
		http.NotFound(w, r)
	}
}

// ask keeps `each` requests of every user under way until the test ends, those that are refused anew.
func (s *slowAPI) ask(t *testing.T, users []string, each int) {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	for _, user := range users {
		client, err := rest.HTTPClientFor(configOf(user))
		must(t, err)
		for range each {
			s.clients.Go(func() {
				for ctx.Err() == nil {
					request, err := http.NewRequestWithContext(ctx, http.MethodGet, shared.URL()+slowPath+"/wait", http.NoBody)
					if err != nil {
						return
					}
					if response, err := client.Do(request); err == nil {
						io.Copy(io.Discard, response.Body)
						response.Body.Close()
					}
				}
			})
		}
	}
	t.Cleanup(func() {
		cancel()
		close(s.end)
		s.clients.Wait()
	})
}

// queued is how many requests wait for a place of a priority level.
func queued(ctx context.Context, level string) (int, error) {
	text, err := shared.Kube.Discovery().RESTClient().Get().AbsPath("/metrics").DoRaw(ctx)
	if err != nil {
		return 0, err
	}
	sum := 0
	series := regexp.MustCompile(`(?m)^apiserver_flowcontrol_current_inqueue_requests\{.*priority_level="` + level + `".*\} (\d+)$`)
	for _, found := range series.FindAllSubmatch(text, -1) {
		number, err := strconv.Atoi(string(found[1]))
		if err != nil {
			return 0, err
		}
		sum += number
	}
	return sum, nil
}

// review asks who a token belongs to, and whether somebody may do something that nobody has asked yet.
func review(ctx context.Context, client kubernetes.Interface, number int) error {
	token := &authenticationv1.TokenReview{Spec: authenticationv1.TokenReviewSpec{Token: fmt.Sprintf("made-up-%d", number)}}
	if _, err := client.AuthenticationV1().TokenReviews().Create(ctx, token, metav1.CreateOptions{}); err != nil {
		return err
	}
	access := &authorizationv1.SubjectAccessReview{Spec: authorizationv1.SubjectAccessReviewSpec{
		User: "somebody", ResourceAttributes: &authorizationv1.ResourceAttributes{Verb: "list", Resource: fmt.Sprintf("widgets%d", number)},
	}}
	_, err := client.AuthorizationV1().SubjectAccessReviews().Create(ctx, access, metav1.CreateOptions{})
	return err
}

// All places of the level of service accounts are held by requests that wait, as those do that came to the API server
// through the aggregator. The reviews that would let them go on are answered all the same; those of another account are not.
func TestSaturated_ReviewsAreAnswered(t *testing.T) {
	slow := newSlowAPI(t)
	const ordinary = "system:serviceaccount:busy:ordinary"
	wait, err := createRole(t.Context(), rbacv1.PolicyRule{APIGroups: []string{"slow.example.com"}, Resources: []string{"*"}, Verbs: []string{"*"}})
	must(t, err)
	t.Cleanup(func() { must(t, deleteRole(context.Background(), wait)) })
	var users []string
	for i := range 12 {
		users = append(users, fmt.Sprintf("system:serviceaccount:busy:account-%d", i))
		must(t, bind(t.Context(), users[i], wait))
	}
	reviews, err := createRole(t.Context(), rbacv1.PolicyRule{
		APIGroups: []string{"authentication.k8s.io", "authorization.k8s.io"},
		Resources: []string{"tokenreviews", "subjectaccessreviews"}, Verbs: []string{"create"},
	})
	must(t, err)
	t.Cleanup(func() { must(t, deleteRole(context.Background(), reviews)) })
	must(t, bind(t.Context(), ordinary, reviews))
	clients := map[string]kubernetes.Interface{}
	for _, user := range []string{ordinary, apiServer, controllers} {
		clients[user], err = kubernetes.NewForConfig(configOf(user))
		must(t, err)
		eventually(t, func() error { return review(t.Context(), clients[user], 0) })
	}
	belong(t, apiServer, []asked{{"POST", tokenReviews, "steward-reviews"}, {"POST", accessReviews, "steward-reviews"}})

	// More than the level has places, and all that others can lend it.
	slow.ask(t, users, 60)
	number := 0
	eventually(t, func() error {
		if waiting, err := queued(t.Context(), "workload-low"); err != nil || waiting == 0 {
			return fmt.Errorf("%d requests are queued: %v", waiting, err)
		}
		cutOff := slow.cutOff.Load()
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		other := make(chan error, 1)
		first := number
		go func() { other <- review(ctx, clients[ordinary], first) }()
		for _, user := range []string{apiServer, controllers} {
			for range 20 {
				number++
				if err := review(t.Context(), clients[user], number); err != nil {
					return fmt.Errorf("%s: %w", user, err)
				}
			}
		}
		cancel()
		err := <-other
		// Whatever was answered then says nothing.
		if slow.cutOff.Load() != cutOff {
			return fmt.Errorf("places became free meanwhile")
		}
		if err == nil {
			return fmt.Errorf("the level is not full: a review in it was answered")
		}
		return nil
	})
	t.Logf("reviews were answered while %d requests were held", slow.held.Load())
}
