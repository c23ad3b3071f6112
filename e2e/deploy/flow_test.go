package deploy

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/rest"
)

// asked is a request, and the FlowSchema that it is to belong to.
type asked struct{ method, path, want string }

// belong waits until every request of a user belongs to the FlowSchema that it is meant for.
func belong(t *testing.T, user string, requests []asked) {
	t.Helper()
	uids := map[string]string{}
	eventually(t, func() error {
		schemas, err := shared.Kube.FlowcontrolV1().FlowSchemas().List(t.Context(), metav1.ListOptions{})
		if err != nil {
			return err
		}
		for _, each := range schemas.Items {
			uids[string(each.UID)] = each.Name
			for _, condition := range each.Status.Conditions {
				if condition.Type == "Dangling" && condition.Status == "True" && strings.HasPrefix(each.Name, "steward") {
					return fmt.Errorf("%s: %s", each.Name, condition.Message)
				}
			}
		}
		return nil
	})
	client, err := rest.HTTPClientFor(configOf(user))
	must(t, err)
	for _, tc := range requests {
		eventually(t, func() error {
			request, err := http.NewRequestWithContext(t.Context(), tc.method, shared.URL()+tc.path, strings.NewReader(""))
			must(t, err)
			request.Header.Set("Content-Type", "application/merge-patch+json")
			response, err := client.Do(request)
			must(t, err)
			response.Body.Close()
			if got := uids[response.Header.Get("X-Kubernetes-PF-FlowSchema-UID")]; got != tc.want {
				return fmt.Errorf("%s %s: %q, want %q", tc.method, tc.path, got, tc.want)
			}
			return nil
		})
	}
}

const (
	tokenReviews  = "/apis/authentication.k8s.io/v1/tokenreviews"
	accessReviews = "/apis/authorization.k8s.io/v1/subjectaccessreviews"
)

// Requests of the controllers go to the priority levels that they are meant for.
func TestFlowSchemas_OfTheControllers(t *testing.T) {
	belong(t, controllers, []asked{
		{"GET", "/apis/coordination.k8s.io/v1/namespaces/steward-system/leases/steward-controllers", "steward-leader-election"},
		{"PUT", "/apis/coordination.k8s.io/v1/namespaces/steward-system/leases/steward-controllers", "steward-leader-election"},
		{"POST", "/apis/coordination.k8s.io/v1/namespaces/steward-system/leases", "steward-leader-election"},
		{"POST", accessReviews, "steward-reviews"},
		{"POST", tokenReviews, "steward-reviews"},
		{"GET", "/apis/operators.coreos.com/v1alpha1/clusterserviceversions?limit=500", "steward-guards"},
		{"GET", "/apis/operators.coreos.com/v1alpha1/namespaces/default/clusterserviceversions/x", "steward-guards"},
		{"PATCH", "/apis/operators.coreos.com/v1alpha1/namespaces/default/clusterserviceversions/x", "steward-guards"},
		{"PATCH", "/apis/operators.coreos.com/v1alpha1/namespaces/default/clusterserviceversions/x/status", "steward-guards"},
		{"GET", "/apis/operators.coreos.com/v1/namespaces/default/operatorgroups", "steward-guards"},
		{"GET", "/api/v1/namespaces", "steward-guards"},
		{"GET", "/api/v1/namespaces/default", "steward-guards"},
		{"GET", "/apis/apiextensions.k8s.io/v1/customresourcedefinitions/x", "steward-guards"},
		{"GET", "/apis/apiextensions.k8s.io/v1/customresourcedefinitions?fieldSelector=metadata.name%3Dclusterserviceversions.operators.coreos.com", "steward-guards"},
		{"GET", "/apis/apiregistration.k8s.io/v1/apiservices/x", "steward-guards"},
		{"GET", "/apis/apps/v1/namespaces/default/deployments/x", "steward-guards"},
		{"GET", "/apis/admissionregistration.k8s.io/v1/validatingadmissionpolicies/steward-cleanup-opt-in", "steward-guards"},
		{"GET", "/apis/admissionregistration.k8s.io/v1/validatingadmissionpolicybindings", "steward-guards"},
		{"GET", "/apis/apiregistration.k8s.io/v1/apiservices/v1.example.com", "steward-guards"},
		{"GET", "/apis/rbac.authorization.k8s.io/v1/clusterroles", "steward-guards"},
		{"PATCH", "/apis/admissionregistration.k8s.io/v1/validatingwebhookconfigurations/x", "steward-guards"},
		// What there is most of stays among the others.
		{"DELETE", "/apis/example.com/v1/namespaces/default/widgets/x", "service-accounts"},
		{"GET", "/apis/example.com/v1/widgets", "service-accounts"},
		{"POST", "/api/v1/namespaces/default/events", "service-accounts"},
	})
}

// So do the API server's: all that a request may have to wait for, and nothing else.
func TestFlowSchemas_OfTheAPIServer(t *testing.T) {
	belong(t, apiServer, []asked{
		{"POST", tokenReviews, "steward-reviews"},
		{"POST", accessReviews, "steward-reviews"},
		{"GET", "/apis/operators.coreos.com/v1alpha1/clusterserviceversions?limit=500", "steward-apiserver-reads"},
		{"GET", "/apis/operators.coreos.com/v1/operatorgroups", "steward-apiserver-reads"},
		{"GET", "/api/v1/namespaces?limit=1", "steward-apiserver-reads"},
		{"GET", "/apis/operators.coreos.com/v1alpha1/installplans?limit=100", "steward-apiserver-reads"},
		{"GET", "/apis/apiextensions.k8s.io/v1/customresourcedefinitions?limit=50", "steward-apiserver-reads"},
		{"GET", "/api/v1/namespaces/kube-system/configmaps/extension-apiserver-authentication", "steward-apiserver-reads"},
		{"GET", "/api/v1/namespaces/default/secrets", "service-accounts"},
	})
}
