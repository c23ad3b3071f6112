package cases

import (
	"context"
	"fmt"
	"net/http"
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/util/rand"

	"steward.dev/e2e/cluster"
)

// R-004-49: Kubernetes' own words for a user who may nothing.
func TestAccess_R_004_49_NobodyIsForbidden(t *testing.T) {
	bob := user(t, "bob")
	for _, tc := range []struct {
		args []string
		want string
	}{
		{[]string{"get", "iop", "-A"}, `Error from server (Forbidden): installedoperators.views.operators.coreos.com is forbidden: User "bob" cannot list resource "installedoperators" in API group "views.operators.coreos.com" at the cluster scope`},
		{[]string{"get", "iop", "-n", "payments"}, `User "bob" cannot list resource "installedoperators" in API group "views.operators.coreos.com" in the namespace "payments"`},
		{[]string{"get", "iop", "certloop.v1.8.2", "-n", "payments"}, `installedoperators.views.operators.coreos.com "certloop.v1.8.2" is forbidden: User "bob" cannot get resource "installedoperators" in API group "views.operators.coreos.com" in the namespace "payments"`},
	} {
		if said := refused(t, bob, tc.args...); !strings.Contains(said, tc.want) {
			t.Errorf("kubectl %s: %q, want %q", strings.Join(tc.args, " "), said, tc.want)
		}
	}
	// The same words from Steward itself, where the kube-apiserver has not refused before.
	direct, err := steward.WithUser("bob")
	must(t, err)
	for path, want := range map[string]string{
		listPath:                `installedoperators.views.operators.coreos.com is forbidden: User "bob" cannot list resource "installedoperators" in API group "views.operators.coreos.com" at the cluster scope`,
		inNamespace("payments"): `installedoperators.views.operators.coreos.com is forbidden: User "bob" cannot list resource "installedoperators" in API group "views.operators.coreos.com" in the namespace "payments"`,
		inNamespace("payments") + "/certloop.v1.8.2": `installedoperators.views.operators.coreos.com "certloop.v1.8.2" is forbidden: User "bob" cannot get resource "installedoperators" in API group "views.operators.coreos.com" in the namespace "payments"`,
		// Whether a name exists is none of bob's business either.
		inNamespace("payments") + "/nothing": `installedoperators.views.operators.coreos.com "nothing" is forbidden: User "bob" cannot get resource "installedoperators" in API group "views.operators.coreos.com" in the namespace "payments"`,
		"/metrics":                           `forbidden: User "bob" cannot get path "/metrics"`,
	} {
		status := call(t, direct, http.MethodGet, path).status(t)
		if status.Code != http.StatusForbidden || status.Reason != "Forbidden" || status.Message != want {
			t.Errorf("%s: %+v, want message %q", path, status, want)
		}
	}
}

// R-004-49: the role view in one namespace shows that namespace, by aggregation of our ClusterRole.
func TestAccess_R_004_49_ViewOfOneNamespace(t *testing.T) {
	alice := user(t, "alice")
	kubectl(t, "create", "rolebinding", "alice-views", "--clusterrole=view", "--user=alice", "-n", "team-blue")
	t.Cleanup(func() {
		_, _ = shared.Kubectl(context.Background(), "delete", "rolebinding", "alice-views", "-n", "team-blue")
	})
	var out string
	eventually(t, func() (err error) {
		out, err = shared.KubectlAs(t.Context(), alice, "get", "iop", "-n", "team-blue")
		return err
	})
	if !strings.Contains(out, "certloop.v1.8.2") || !strings.Contains(out, "quarry-backup.v0.9.4") {
		t.Errorf("alice sees:\n%s", out)
	}
	for _, args := range [][]string{{"get", "iop", "-A"}, {"get", "iop", "-n", "team-green"}, {"get", "iop", "certloop.v1.8.2", "-n", "web"}} {
		if said := refused(t, alice, args...); !strings.Contains(said, "Forbidden") {
			t.Errorf("kubectl %s: %q", strings.Join(args, " "), said)
		}
	}
	for verb, want := range map[string]string{"get": "yes", "list": "yes", "watch": "yes", "delete": "no"} {
		out, _ := shared.KubectlAs(t.Context(), alice, "auth", "can-i", verb, "installedoperators", "-n", "team-blue")
		if strings.TrimSpace(out) != want {
			t.Errorf("can-i %s: %q, want %q", verb, out, want)
		}
	}
	if out, err := shared.KubectlAs(t.Context(), alice, "explain", "iop.scope"); err != nil {
		t.Errorf("explain as a tenant: %q, %v", out, err)
	}
}

// Direct requests: who is believed, and who is not. 200 only for the right reason.
func TestAccess_DirectCredentials(t *testing.T) {
	namespace := space(t)
	path := inNamespace(namespace)
	for _, subject := range []string{"--user=direct-carol", "--group=direct-group", "--serviceaccount=" + namespace + ":default"} {
		kubectl(t, "create", "rolebinding", "r-"+rand.String(5), "--clusterrole=steward-view", subject, "-n", namespace)
	}
	var token string
	eventually(t, func() (err error) {
		token, err = shared.Token(t.Context(), namespace, "default")
		return err
	})
	stranger, err := cluster.NewAuthority("stranger")
	must(t, err)
	asCarol := http.Header{"X-Remote-User": {"direct-carol"}}
	carol, err := steward.WithUser("direct-carol")
	must(t, err)
	grouped, err := steward.WithUser("direct-dan", "direct-group")
	must(t, err)
	ungrouped, err := steward.WithUser("direct-dan")
	must(t, err)
	proxied, err := steward.WithFrontProxy("front-proxy-client", asCarol)
	must(t, err)
	proxiedGroup, err := steward.WithFrontProxy("front-proxy-client", http.Header{"X-Remote-User": {"direct-dan"}, "X-Remote-Group": {"other", "direct-group"}})
	must(t, err)
	proxiedNobody, err := steward.WithFrontProxy("front-proxy-client", http.Header{})
	must(t, err)
	wrongName, err := steward.WithFrontProxy("some-other-name", asCarol)
	must(t, err)
	foreign, err := steward.WithCertificate(stranger, "front-proxy-client", asCarol)
	must(t, err)
	foreignUser, err := steward.WithCertificate(stranger, "direct-carol", nil)
	must(t, err)
	forging, err := steward.WithUser("direct-eve")
	must(t, err)

	for _, tc := range []struct {
		name   string
		got    func() answer
		accept []int
	}{
		{"a ServiceAccount's token", func() answer { return call(t, steward.WithToken(token), "GET", path) }, []int{200}},
		{"a client certificate", func() answer { return call(t, carol, "GET", path) }, []int{200}},
		{"a client certificate's group", func() answer { return call(t, grouped, "GET", path) }, []int{200}},
		{"the same user without the group", func() answer { return call(t, ungrouped, "GET", path) }, []int{403}},
		{"the front proxy for a user", func() answer { return call(t, proxied, "GET", path) }, []int{200}},
		{"the front proxy for a group", func() answer { return call(t, proxiedGroup, "GET", path) }, []int{200}},
		{"the front proxy for nobody", func() answer { return call(t, proxiedNobody, "GET", path) }, []int{401, 403}},
		{"the front proxy's authority, another name", func() answer { return call(t, wrongName, "GET", path) }, []int{401, 403}},
		{"the front proxy's name, another authority", func() answer { return call(t, foreign, "GET", path) }, []int{401, 403}},
		{"a user's certificate of another authority", func() answer { return call(t, foreignUser, "GET", path) }, []int{401, 403}},
		{"forged headers without a certificate", func() answer { return call(t, steward.Anonymous(), "GET", path, "X-Remote-User", "direct-carol") }, []int{401, 403}},
		{"forged headers with a user's certificate", func() answer { return call(t, forging, "GET", path, "X-Remote-User", "direct-carol") }, []int{403}},
		{"forged group headers", func() answer {
			return call(t, steward.Anonymous(), "GET", path, "X-Remote-User", "x", "X-Remote-Group", "system:masters")
		}, []int{401, 403}},
		{"impersonation without the right to", func() answer { return call(t, forging, "GET", path, "Impersonate-User", "direct-carol") }, []int{400, 403}},
		{"no credentials", func() answer { return call(t, steward.Anonymous(), "GET", path) }, []int{401, 403}},
		{"a made-up token", func() answer { return call(t, steward.WithToken("made-up"), "GET", path) }, []int{401}},
		{"an empty token", func() answer { return call(t, steward.Anonymous(), "GET", path, "Authorization", "Bearer ") }, []int{401, 403}},
		{"a password", func() answer { return call(t, steward.Anonymous(), "GET", path, "Authorization", "Basic YTpi") }, []int{401, 403}},
		{"metrics without credentials", func() answer { return call(t, steward.Anonymous(), "GET", "/metrics") }, []int{401, 403}},
		{"health without credentials", func() answer { return call(t, steward.Anonymous(), "GET", "/livez") }, []int{200}},
		{"readiness without credentials", func() answer { return call(t, steward.Anonymous(), "GET", "/readyz") }, []int{200}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			check := func() error {
				got := tc.got()
				for _, code := range tc.accept {
					if got.Code == code {
						return nil
					}
				}
				return fmt.Errorf("HTTP %d, want one of %v: %.300s", got.Code, tc.accept, got.Body)
			}
			if tc.accept[0] == http.StatusOK {
				eventually(t, check) // the RoleBinding is young, and reviews are cached
			} else if err := check(); err != nil {
				t.Error(err)
			}
		})
	}
}

// Through the aggregator, identities arrive whole: a ServiceAccount with its groups, and who an administrator acts as.
func TestAccess_ThroughTheAggregator(t *testing.T) {
	namespace := space(t)
	kubectl(t, "create", "rolebinding", "accounts", "--clusterrole=steward-view", "--group=system:serviceaccounts:"+namespace, "-n", namespace)
	var account string
	eventually(t, func() (err error) {
		account, err = shared.ServiceAccount(t.Context(), namespace, "default")
		return err
	})
	eventually(t, func() error {
		out, err := shared.KubectlAs(t.Context(), account, "get", "iop", "-n", namespace, "-o", "name")
		if err == nil && !strings.Contains(out, "certloop") {
			err = fmt.Errorf("%q", out)
		}
		return err
	})
	if said := refused(t, account, "get", "iop", "-n", "payments"); !strings.Contains(said, `User "system:serviceaccount:`+namespace+`:default" cannot list`) {
		t.Errorf("an account elsewhere: %q", said)
	}
	kubectl(t, "get", "iop", "-n", namespace, "--as=frank", "--as-group=system:serviceaccounts:"+namespace)
	if said := refused(t, shared.Admin, "get", "iop", "-n", namespace, "--as=frank"); !strings.Contains(said, `User "frank" cannot list`) {
		t.Errorf("acting as somebody without rights: %q", said)
	}
}

// A 401 and a 403 are Statuses in Kubernetes' form.
func TestAccess_RefusalsAreStatuses(t *testing.T) {
	status := call(t, steward.WithToken("made-up"), "GET", listPath).status(t)
	if status.Reason != "Unauthorized" || status.Message != "Unauthorized" {
		t.Errorf("%+v", status)
	}
	call(t, steward.Anonymous(), "GET", listPath).status(t)
}
