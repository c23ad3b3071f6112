package plugin_test

import (
	"fmt"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"steward.dev/e2e/olm"
)

// completed is what kubectl offers a shell behind `kubectl steward WORDS`, without its last line.
func completed(t *testing.T, words ...string) []string {
	t.Helper()
	cmd := exec.Command(filepath.Join(shared.KubectlDir(), "kubectl"), append([]string{"__complete", "steward"}, words...)...)
	cmd.Dir = t.TempDir()
	cmd.Env = []string{"KUBECONFIG=" + shared.Admin, "HOME=" + cmd.Dir, "PATH=" + pluginDir + ":/usr/bin:/bin"}
	said, err := cmd.Output()
	must(t, err)
	lines := []string{}
	for _, line := range strings.Split(string(said), "\n") {
		if line != "" && !strings.HasPrefix(line, ":") {
			lines = append(lines, strings.SplitN(line, "\t", 2)[0])
		}
	}
	return lines
}

// kubectl completes commands, flags, and what the cluster and the kubeconfig name.
func TestHabits_Completion(t *testing.T) {
	t.Parallel()
	s := newScene(t)
	for _, row := range []struct {
		words []string
		want  string // among what is offered
	}{
		{[]string{"unin"}, "uninstall"},
		{[]string{"copied-csvs", "ver"}, "verify"},
		{[]string{"status", "--no-h"}, "--no-headers"},
		{[]string{"status", "-n", s.namespace, ""}, csvName},
		{[]string{"uninstall", "-n", s.namespace, "csv/"}, "csv/" + csvName},
		{[]string{"status", "-n", s.namespace[:7]}, s.namespace},
		{[]string{"status", "-o", ""}, "json"},
	} {
		found := false
		offered := completed(t, row.words...)
		for _, word := range offered {
			found = found || word == row.want
		}
		if !found {
			t.Errorf("%q: %q is not among %q", row.words, row.want, offered)
		}
	}
	if offered := completed(t, "status", "--server=https://127.0.0.1:1", "-n", s.namespace, ""); len(offered) != 0 {
		t.Errorf("offers %q, and nobody is there to ask", offered)
	}
}

// Errors name who refused, as kubectl's do; words are not data.
func TestHabits_Errors(t *testing.T) {
	t.Parallel()
	s := newScene(t)
	for _, row := range []struct {
		args []string
		code int
		want string
	}{
		{[]string{"status", "--nope"}, 2, "error: "},
		{[]string{"status", "-n", s.namespace, "nope"}, 1, "error: Steward does not know the ClusterServiceVersion "},
		{[]string{"status", "-A", "--as=nobody"}, 3, "Error from server (Forbidden): "},
		{[]string{"status", "-A", "--server=https://127.0.0.1:1"}, 1, "error: "},
	} {
		stdout, stderr, code := start(t, shared.Admin, row.args...).wait(t)
		if code != row.code || !strings.HasPrefix(stderr, row.want) || strings.Count(stderr, "\n") != 1 || stdout != "" {
			t.Errorf("%q: %d, %q, %q; want %d, %q", row.args, code, stdout, stderr, row.code, row.want)
		}
	}
}

// The versions of a kube-apiserver and of Steward behind it, which whoever may do nothing else is told, too.
func TestHabits_Version(t *testing.T) {
	t.Parallel()
	kubeconfig, err := shared.User("versions")
	must(t, err)
	for _, each := range []string{shared.Admin, kubeconfig} {
		eventually(t, func() error {
			stdout, stderr, code := run(t, each, "version")
			lines := strings.Split(stdout, "\n")
			if code != 0 || stderr != "" || len(lines) != 4 || !strings.HasPrefix(lines[1], "Kubernetes Version: v1.") ||
				!strings.HasPrefix(lines[0], strings.Replace(lines[2], "Server", "Client", 1)) {
				return fmt.Errorf("%d: %s%s", code, stdout, stderr)
			}
			return nil
		})
	}
}

// -A wins over -n, several operators may be named with their kind, and labels select.
func TestHabits_Status(t *testing.T) {
	t.Parallel()
	s := newScene(t)
	run := func(args ...string) string {
		stdout, stderr, code := start(t, shared.Admin, append([]string{"status"}, args...)...).wait(t)
		if code != 0 || stderr != "" {
			t.Errorf("%q: %d, %q", args, code, stderr)
		}
		return stdout
	}
	if said := run("-A", "-n", "default"); !strings.Contains(said, csvName) || !strings.Contains(said, "NAMESPACE") {
		t.Errorf("-A: %s", said)
	}
	if said := run("-n", s.namespace, "--no-headers"); !strings.HasPrefix(said, csvName+" ") {
		t.Errorf("--no-headers: %s", said)
	}
	// As with kubectl that is no answer.
	if stdout, stderr, code := start(t, shared.Admin, "status", "-n", s.namespace, "-l", "nobody=has").wait(t); code != 0 || stdout != "" || stderr != "No operators found\n" {
		t.Errorf("-l: %d, %q, %q", code, stdout, stderr)
	}
	if said := run("-n", s.namespace, "csv/"+csvName, "clusterserviceversions.operators.coreos.com/"+csvName); strings.Count(said, "Phase ") != 2 {
		t.Errorf("two: %s", said)
	}
	if _, stderr, _ := start(t, shared.Admin, "status", "-n", s.namespace, "-v=6").wait(t); !strings.Contains(stderr, "/namespaces/"+s.namespace+"/cleanupstatuses?") {
		t.Errorf("-v=6: %s", stderr)
	}
	stdout, stderr, code := start(t, shared.Admin, "status", "-n", s.namespace, "-o", "yaml").wait(t)
	if code != 0 || !strings.Contains(stdout, "kind: StatusReport\n") || !strings.HasPrefix(stderr, "NAME ") {
		t.Errorf("-o yaml: %d, %s%s", code, stdout, stderr)
	}
}

// Why an operator watches a namespace: an administrator is told by which rule, a tenant what there is to see.
func TestWhy(t *testing.T) {
	t.Parallel()
	s := newScene(t)
	space, operator := s.spaces[0], s.namespace+"/"+csvName
	said := func(kubeconfig string, args ...string) string {
		stdout, stderr, code := run(t, kubeconfig, append([]string{"why"}, args...)...)
		if code != 0 {
			t.Errorf("%q: %d, %q", args, code, stderr)
		}
		return stdout
	}
	has := func(text string, parts ...string) {
		t.Helper()
		for _, part := range parts {
			if !strings.Contains(text, part) {
				t.Errorf("no %q in %s", part, text)
			}
		}
	}
	eventually(t, func() error {
		if text := said(shared.Admin, space); !strings.Contains(text, operator) {
			return fmt.Errorf("not shown yet: %s", text)
		}
		return nil
	})
	has(said(shared.Admin, space), operator+" watches "+space+", which shows it\n", "  yes      OperatorGroup "+s.namespace+"/group targets "+s.spaces[0]+", "+s.spaces[1]+" by name\n",
		"MultiNamespace is supported by the operator\n")
	has(said(shared.Admin, "default", csvName), operator+" does not watch default, which does not show it\n", "by name, and not default\n")
	has(said(shared.Admin, s.namespace, csvName), operator+" does not watch "+s.namespace+", which shows it\n", "It is installed in this namespace")
	has(said(shared.Admin, space, csvName, "-o", "yaml"), "kind: WhyReport\n", "watches: \"yes\"\n")

	user := "asker-of-" + s.namespace
	kubeconfig, err := shared.User(user)
	must(t, err)
	for _, args := range [][]string{
		{"create", "rolebinding", user, "--clusterrole=view", "--user=" + user, "-n", space},
		{"create", "role", user, "--verb=get,list", "--resource=installedoperators.views.operators.coreos.com", "-n", space},
		{"create", "rolebinding", user + "-sees", "--role=" + user, "--user=" + user, "-n", space},
	} {
		_, err := shared.Kubectl(t.Context(), args...)
		must(t, err)
	}
	eventually(t, func() error {
		stdout, stderr, _ := run(t, kubeconfig, "why", space)
		if !strings.Contains(stdout, operator+" is shown by "+space+"\n") || !strings.Contains(stdout, "Nothing of "+s.namespace+" may be read\n") {
			return fmt.Errorf("%s%s", stdout, stderr)
		}
		return nil
	})
	if _, stderr, code := run(t, kubeconfig, "why", s.namespace); code != 3 || !strings.HasPrefix(stderr, "Error from server (Forbidden): ") {
		t.Errorf("%d: %s", code, stderr)
	}
}

// The tree of an operator goes down to what its resources own.
func TestTree(t *testing.T) {
	t.Parallel()
	s := newScene(t)
	s.operands(t)
	widget := s.list(t)[0]
	space, name, _ := strings.Cut(widget, "/")
	object, err := shared.Any.Resource(s.resource("widgets")).Namespace(space).Get(t.Context(), name, metav1.GetOptions{})
	must(t, err)
	settings := &olm.Object{Object: map[string]any{"apiVersion": "v1", "kind": "ConfigMap"}}
	settings.SetName("settings")
	settings.SetOwnerReferences([]metav1.OwnerReference{{APIVersion: s.group + "/v1", Kind: "Widget", Name: name, UID: object.GetUID()}})
	s.create(t, schema.GroupVersionResource{Version: "v1", Resource: "configmaps"}, space, settings)
	stdout, stderr, code := run(t, shared.Admin, "tree", csvName, "-n", s.namespace)
	if code != 0 || stderr != "" {
		t.Errorf("%d: %s", code, stderr)
	}
	for _, part := range []string{
		"ClusterServiceVersion " + s.namespace + "/" + csvName + "  Succeeded\n", "\n  Subscription " + s.namespace + "/", "\n  Deployment " + s.namespace + "/",
		"\n  CustomResourceDefinition gadgets." + s.group, "\n    Namespace " + space + "  ",
		"\n      Widget " + widget + "\n        ConfigMap " + space + "/settings\n",
	} {
		if !strings.Contains(stdout, part) {
			t.Errorf("no %q in %s", part, stdout)
		}
	}
	// Whoever may read less is told what is missing.
	user := "climber-of-" + s.namespace
	kubeconfig, err := shared.User(user)
	must(t, err)
	_, err = shared.Kubectl(t.Context(), "create", "role", user, "--verb=get,list", "--resource=clusterserviceversions.operators.coreos.com", "-n", s.namespace)
	must(t, err)
	_, err = shared.Kubectl(t.Context(), "create", "rolebinding", user, "--role="+user, "--user="+user, "-n", s.namespace)
	must(t, err)
	eventually(t, func() error {
		stdout, stderr, code := run(t, kubeconfig, "tree", csvName, "-n", s.namespace)
		if code != 0 || !strings.Contains(stderr, "Not read: subscriptions: ") || !strings.Contains(stdout, "ClusterServiceVersion "+s.namespace) {
			return fmt.Errorf("%d: %s%s", code, stdout, stderr)
		}
		return nil
	})
}
