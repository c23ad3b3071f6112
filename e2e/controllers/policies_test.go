package controllers_test

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"steward.dev/e2e/cluster"
	"steward.dev/e2e/olm"
)

var policies = schema.GroupVersionResource{
	Group: "admissionregistration.k8s.io", Version: "v1", Resource: "validatingadmissionpolicies",
}

// Each process, under exactly the rights of its account, knows which policies narrow it, and says within a minute that one is gone:
// by a metric, and by an Event that names it. Applying the manifests ends that.
func TestPolicies_MissingOnesAreTold(t *testing.T) {
	c, err := cluster.Start(t.Context(), cluster.Options{Controllers: []string{"namespace", "serviceaccount", "clusterrole-aggregation"}})
	must(t, err)
	t.Cleanup(func() {
		if err := c.Stop(); err != nil {
			t.Error(err)
		}
	})
	root, err := cluster.Root()
	must(t, err)
	must(t, olm.InstallCRDs(t.Context(), c.Any, root))
	folders := []string{"base"}
	for _, overlay := range []string{"standalone/certificates", "copies", "install-plans", "operators", "payload"} {
		folders = append(folders, filepath.Join("overlays", filepath.FromSlash(overlay)))
	}
	must(t, c.ApplyManifests(t.Context(), folders...))
	deployed, err := c.Any.Resource(policies).List(t.Context(), metav1.ListOptions{})
	must(t, err)

	families := []struct{ account, reconcilers, removed string }{
		{"steward-controllers", "cleanup", "steward-controllers-writes"},
		{"steward-certificates", "certificates", "steward-certificates-secrets"},
		{"steward-apiservice-guard", "apiservice-guard", "steward-apiservice-guard-registration"},
		{"steward-copied-csvs", "copied-csvs", "steward-copied-csvs-writes"},
		{"steward-install-plans", "install-plans", "steward-install-plans-writes"},
		{"steward-operators", "operators", "steward-operators-deletions"},
		{"steward-payload", "payload", "steward-payload-writes"},
	}
	runs := map[string]*cluster.Controllers{}
	for _, family := range families {
		kubeconfig, err := c.ServiceAccount(t.Context(), controllersNamespace, family.account)
		must(t, err)
		flags := []string{"--reconcilers=" + family.reconcilers}
		if family.reconcilers == "payload" {
			flags = append(flags, "--payload-dir="+t.TempDir())
		}
		run, err := c.RunControllersAs(t.Context(), kubeconfig, family.account, flags...)
		must(t, err)
		runs[family.account] = run
		t.Cleanup(func() {
			if t.Failed() {
				t.Logf("%s:\n%s", family.account, run.Tail(20))
			}
			run.Kill()
		})
	}
	missing := func(account, policy string) (float64, error) {
		return runs[account].Metric(t.Context(), `steward_policy_missing{policy="`+policy+`"}`)
	}
	// Every policy that is deployed is somebody's.
	for _, policy := range deployed.Items {
		eventually(t, func() error {
			for account := range runs {
				value, err := missing(account, policy.GetName())
				if err == nil && value == 0 {
					return nil
				}
				if err == nil {
					return fmt.Errorf("%s: %s is said to be missing", account, policy.GetName())
				}
			}
			return fmt.Errorf("nobody looks at %s", policy.GetName())
		})
	}
	for _, family := range families {
		must(t, c.Any.Resource(policies).Delete(t.Context(), family.removed, metav1.DeleteOptions{}))
	}
	gone := time.Now()
	for _, family := range families {
		eventually(t, func() error {
			value, err := missing(family.account, family.removed)
			if err == nil && value != 1 {
				err = fmt.Errorf("%s: %s is not said to be missing", family.account, family.removed)
			}
			return err
		})
		eventually(t, func() error {
			events, err := c.Kube.CoreV1().Events(controllersNamespace).List(t.Context(), metav1.ListOptions{FieldSelector: "reason=PolicyMissing"})
			if err != nil {
				return err
			}
			for _, event := range events.Items {
				if event.InvolvedObject.Name == family.account && strings.Contains(event.Message, family.removed+" does not exist") {
					return nil
				}
			}
			return fmt.Errorf("no Event names %s", family.removed)
		})
	}
	if took := time.Since(gone); took > time.Minute {
		t.Errorf("it took %s", took)
	}
	must(t, c.ApplyManifests(t.Context(), folders...))
	for _, family := range families {
		eventually(t, func() error {
			value, err := missing(family.account, family.removed)
			if err == nil && value != 0 {
				err = fmt.Errorf("%s: %s is still said to be missing", family.account, family.removed)
			}
			return err
		})
	}
}
