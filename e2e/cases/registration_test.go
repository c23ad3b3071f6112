package cases

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"steward.dev/e2e/cluster"
	"steward.dev/e2e/olm"
)

// R-PRJ-02, R-004-44: the aggregator accepts Steward.
func TestRegistration_R_PRJ_02_APIServiceIsAvailable(t *testing.T) {
	want := metav1.Condition{Type: "Available", Status: "True", Reason: "Passed", Message: "all checks passed"}
	eventually(t, func() error {
		condition, err := shared.Available(t.Context())
		if err == nil && condition != want {
			err = fmt.Errorf("condition %+v, want %+v", condition, want)
		}
		return err
	})
}

// R-004-46: no verb is advertised that does not work, and none that would draw the garbage collector, the namespace
// controller or quota to virtual objects.
func TestRegistration_R_004_46_AdvertisesOnlyReads(t *testing.T) {
	list, err := shared.Kube.Discovery().ServerResourcesForGroupVersion("views.operators.coreos.com/v1alpha1")
	must(t, err)
	if len(list.APIResources) == 0 {
		t.Fatal("no resources")
	}
	for _, resource := range list.APIResources {
		reads := []string{"get", "list", "watch"}
		if resource.Name == "planpreviews" { // one that is created is a question, and stored nowhere
			reads = append(reads, "create")
		}
		for _, verb := range resource.Verbs {
			if !slices.Contains(reads, verb) {
				t.Errorf("%s advertises %s", resource.Name, verb)
			}
		}
	}
	operators := list.APIResources[slices.IndexFunc(list.APIResources, func(r metav1.APIResource) bool { return r.Name == "installedoperators" })]
	if !operators.Namespaced || operators.Kind != "InstalledOperator" || operators.SingularName != "installedoperator" || !slices.Contains(operators.ShortNames, "iop") {
		t.Errorf("%+v", operators)
	}
}

// The aggregator has taken over our part of the cluster's OpenAPI documents, old and new.
func TestRegistration_OpenAPIIsMerged(t *testing.T) {
	for _, path := range []string{"/openapi/v2", "/openapi/v3" + apiPath} {
		eventually(t, func() error {
			got, err := tryCall(t.Context(), shared.Config, "GET", path, nil, "Accept", "application/json")
			if err == nil && !strings.Contains(string(got.Body), `"kind":"InstalledOperator"`) {
				err = fmt.Errorf("%s: %d, nothing about InstalledOperator", path, got.Code)
			}
			return err
		})
	}
}

// Steward can do its work under the manifests' rights, and nothing else.
func TestRegistration_RunsUnderItsOwnRightsOnly(t *testing.T) {
	kubeconfig, err := shared.ServiceAccount(t.Context(), "steward-system", "steward-apiserver")
	must(t, err)
	config, err := cluster.ClientFor(kubeconfig)
	must(t, err)
	if config.BearerToken == "" || config.CertFile != "" {
		t.Fatal("Steward does not run as its ServiceAccount")
	}
	root, err := cluster.Root()
	must(t, err)
	_, published := olm.Published(root, olm.PublishedCRDs)
	for _, tc := range []struct {
		want string
		args []string
	}{
		{"yes", []string{"list", "clusterserviceversions.operators.coreos.com", "-A"}},
		{"yes", []string{"watch", "operatorgroups.operators.coreos.com", "-A"}},
		{"yes", []string{"watch", "namespaces"}},
		{"yes", []string{"list", "installplans.operators.coreos.com", "-A"}},
		{"yes", []string{"watch", "customresourcedefinitions.apiextensions.k8s.io"}},
		{"no", []string{"get", "installplans.operators.coreos.com", "-A"}},
		{"yes", []string{"create", "tokenreviews.authentication.k8s.io"}},
		{"yes", []string{"create", "subjectaccessreviews.authorization.k8s.io"}},
		{"yes", []string{"watch", "configmaps/extension-apiserver-authentication", "-n", "kube-system"}},
		{"no", []string{"list", "configmaps", "-n", "kube-system"}},
		{"no", []string{"get", "secrets", "-n", "steward-system"}},
		{"no", []string{"list", "installedoperators.views.operators.coreos.com", "-A"}},
		{"no", []string{"create", "clusterserviceversions.operators.coreos.com", "-A"}},
		{"no", []string{"update", "clusterserviceversions.operators.coreos.com/status", "-A"}},
		{"no", []string{"patch", "namespaces"}},
		{"no", []string{"impersonate", "users"}},
	} {
		if !published && strings.HasPrefix(tc.args[1], "installplans.") {
			t.Logf("not asked: can-i %s: kubectl says no of a kind that the cluster does not have", strings.Join(tc.args, " "))
			continue
		}
		eventually(t, func() error { // the manifests' roles and bindings are young
			out, _ := shared.KubectlAs(t.Context(), kubeconfig, append([]string{"auth", "can-i"}, tc.args...)...)
			if strings.TrimSpace(out) != tc.want {
				return fmt.Errorf("can-i %s: %q, want %q", strings.Join(tc.args, " "), out, tc.want)
			}
			return nil
		})
	}
}
