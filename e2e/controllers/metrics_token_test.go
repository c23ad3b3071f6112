package controllers_test

import (
	"fmt"
	"path/filepath"
	"testing"

	authenticationv1 "k8s.io/api/authentication/v1"
	authorizationv1 "k8s.io/api/authorization/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"steward.dev/e2e/cluster"
)

// The token that Prometheus shows is one that ends, that reads metrics and nothing else, and that is worth nothing once its Secret is
// deleted, which is then made anew; all of it under exactly the rights and policies of deploy/.
func TestMetricsToken(t *testing.T) {
	c, err := cluster.Start(t.Context(), cluster.Options{Controllers: []string{"namespace", "serviceaccount"}})
	must(t, err)
	t.Cleanup(func() {
		if err := c.Stop(); err != nil {
			t.Error(err)
		}
	})
	root, err := cluster.Root()
	must(t, err)
	must(t, c.ApplyManifests(t.Context(), "base", filepath.Join("overlays", "standalone", "certificates")))
	kubeconfig, err := c.ServiceAccount(t.Context(), controllersNamespace, "steward-certificates")
	must(t, err)
	run, err := c.RunControllersAs(t.Context(), kubeconfig, "token", "--reconcilers=metrics-token")
	must(t, err)
	t.Cleanup(func() {
		if t.Failed() {
			t.Logf("metrics-token:\n%s", run.Tail(40))
		}
		run.Kill()
	})
	_, err = c.Kubectl(t.Context(), "apply", "-f", filepath.Join(root, "deploy", "overlays", "prometheus", "reader.yaml"))
	must(t, err)

	secrets := c.Kube.CoreV1().Secrets(controllersNamespace)
	token := func(but string) (text string) {
		eventually(t, func() error {
			secret, err := secrets.Get(t.Context(), "steward-metrics-reader", metav1.GetOptions{})
			if err != nil {
				return err
			}
			text = string(secret.Data["token"])
			if text == "" || text == but {
				return fmt.Errorf("no token yet")
			}
			return nil
		})
		return text
	}
	reviewed := func(token string) authenticationv1.TokenReviewStatus {
		review, err := c.Kube.AuthenticationV1().TokenReviews().Create(t.Context(),
			&authenticationv1.TokenReview{Spec: authenticationv1.TokenReviewSpec{Token: token}}, metav1.CreateOptions{})
		must(t, err)
		return review.Status
	}
	first := token("")
	status := reviewed(first)
	if want := "system:serviceaccount:steward-system:steward-metrics-reader"; !status.Authenticated || status.User.Username != want {
		t.Fatalf("the token is that of %q: %s", status.User.Username, status.Error)
	}
	may := func(spec authorizationv1.SubjectAccessReviewSpec) bool {
		spec.User, spec.Groups = status.User.Username, status.User.Groups
		review, err := c.Kube.AuthorizationV1().SubjectAccessReviews().Create(t.Context(),
			&authorizationv1.SubjectAccessReview{Spec: spec}, metav1.CreateOptions{})
		must(t, err)
		return review.Status.Allowed
	}
	eventually(t, func() error {
		if !may(authorizationv1.SubjectAccessReviewSpec{NonResourceAttributes: &authorizationv1.NonResourceAttributes{Verb: "get", Path: "/metrics"}}) {
			return fmt.Errorf("it may not read metrics")
		}
		return nil
	})
	if may(authorizationv1.SubjectAccessReviewSpec{ResourceAttributes: &authorizationv1.ResourceAttributes{Verb: "get", Resource: "secrets", Namespace: controllersNamespace}}) {
		t.Error("it may read Secrets")
	}
	must(t, secrets.Delete(t.Context(), "steward-metrics-reader", metav1.DeleteOptions{}))
	eventually(t, func() error {
		if reviewed(first).Authenticated {
			return fmt.Errorf("the token outlives its Secret")
		}
		return nil
	})
	if second := token(first); !reviewed(second).Authenticated {
		t.Error("the next token is no good")
	}
}
