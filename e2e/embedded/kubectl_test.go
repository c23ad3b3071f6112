package embedded_test

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"steward.dev/e2e/cluster"
	"steward.dev/e2e/embedded"
)

const widgetCrd = `apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata:
  name: widgets.standalone.example.com
spec:
  group: standalone.example.com
  scope: Namespaced
  names: {plural: widgets, kind: Widget, shortNames: [wd]}
  versions:
  - name: v1
    served: true
    storage: true
    subresources: {status: {}}
    additionalPrinterColumns:
    - {name: Size, type: integer, jsonPath: .spec.size}
    - {name: Ready, type: string, jsonPath: '.status.conditions[?(@.type=="Ready")].status'}
    schema:
      openAPIV3Schema:
        type: object
        description: A thing of some size.
        properties:
          spec: {type: object, properties: {size: {type: integer, description: How large it is.}}}
          status: {type: object, x-kubernetes-preserve-unknown-fields: true}
`

const widget = `apiVersion: standalone.example.com/v1
kind: Widget
metadata: {name: one, namespace: workshop, labels: {color: red}}
spec: {size: 3}
`

// kubectl is one command line and fails the test when kubectl does.
func kubectl(t *testing.T, up *embedded.Up, args ...string) string {
	t.Helper()
	out, err := cluster.RunKubectl(t.Context(), home(up), up.Kubeconfig, nil, args...)
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// refused is a command line that must fail, and what kubectl said.
func refused(t *testing.T, up *embedded.Up, args ...string) string {
	t.Helper()
	out, err := cluster.RunKubectl(t.Context(), home(up), up.Kubeconfig, nil, args...)
	if err == nil {
		t.Fatalf("kubectl %s succeeded: %s", strings.Join(args, " "), out)
	}
	return err.Error()
}

// home is where kubectl keeps its caches: beside the server's data.
func home(up *embedded.Up) string { return filepath.Dir(up.Kubeconfig) }

func expect(t *testing.T, got string, want ...string) {
	t.Helper()
	for _, w := range want {
		if !strings.Contains(got, w) {
			t.Errorf("no %q in:\n%s", w, got)
		}
	}
}

func file(t *testing.T, name, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	return path
}

// The daily commands, one after the other, as somebody who tries Steward out would type them.
func TestKubectlDailyCommands(t *testing.T) {
	up := start(t, t.TempDir(), "--load", examples(t))
	t.Run("what is installed", func(t *testing.T) {
		table := kubectl(t, up, "get", "installedoperators", "-A")
		expect(t, table, "NAMESPACE", "DISPLAY", "certloop.v1.8.2", "ledger-queue.v1.0.3", "Succeeded")
		if n := len(strings.Split(strings.TrimSpace(table), "\n")); n < 20 {
			t.Errorf("%d lines; AllNamespaces operators should be everywhere", n)
		}
		expect(t, kubectl(t, up, "get", "csv", "-A"), "certloop.v1.8.2")
		expect(t, kubectl(t, up, "get", "operatorgroups", "-A", "-o", "jsonpath={.items[*].status.namespaces}"), "shop-prod")
	})
	t.Run("discovery", func(t *testing.T) {
		expect(t, kubectl(t, up, "api-resources"), "installedoperators", "namespaces", "clusterserviceversions", "customresourcedefinitions")
		expect(t, kubectl(t, up, "api-versions"), "views.operators.coreos.com/v1alpha1", "operators.coreos.com/v1alpha1", "v1")
		expect(t, kubectl(t, up, "version"), "Server Version")
		expect(t, kubectl(t, up, "explain", "installedoperators.scope"), "installNamespace")
	})
	t.Run("apply", func(t *testing.T) {
		expect(t, kubectl(t, up, "create", "namespace", "workshop"), "created")
		expect(t, kubectl(t, up, "apply", "-f", file(t, "crd.yaml", widgetCrd)), "created")
		kubectl(t, up, "wait", "crd/widgets.standalone.example.com", "--for=condition=Established", "--timeout=60s")
		manifest := file(t, "widget.yaml", widget)
		expect(t, kubectl(t, up, "apply", "-f", manifest), "created")
		expect(t, kubectl(t, up, "apply", "-f", manifest), "unchanged")
		changed := file(t, "widget.yaml", strings.Replace(widget, "size: 3", "size: 4", 1))
		expect(t, kubectl(t, up, "diff", "-f", manifest))
		expect(t, kubectl(t, up, "apply", "-f", changed, "--dry-run=server"), "configured (server dry run)")
		expect(t, kubectl(t, up, "get", "wd", "-n", "workshop"), "one    3")
		expect(t, kubectl(t, up, "apply", "-f", changed), "configured")
		expect(t, kubectl(t, up, "get", "wd", "-n", "workshop", "-o", "yaml"), "generation: 2", "size: 4")
		expect(t, kubectl(t, up, "explain", "widget.spec.size"), "How large it is.")
		// A second apply of a built-in kind is a strategic merge patch.
		role := file(t, "role.yaml", "apiVersion: rbac.authorization.k8s.io/v1\nkind: ClusterRole\nmetadata: {name: see}\nrules:\n- {apiGroups: [''], resources: [namespaces], verbs: [get]}\n")
		kubectl(t, up, "apply", "-f", role)
		text, _ := os.ReadFile(role)
		more := file(t, "role.yaml", strings.Replace(string(text), "[get]", "[get, list]", 1))
		expect(t, kubectl(t, up, "apply", "-f", more), "configured")
		expect(t, kubectl(t, up, "get", "clusterrole", "see", "-o", "jsonpath={.rules[0].verbs}"), `["get","list"]`)
	})
	// kubectl checks what it sends by the server's OpenAPI, as with a kube-apiserver: there is no PATCH of these.
	t.Run("questions", func(t *testing.T) {
		question := "apiVersion: views.operators.coreos.com/v1alpha1\nkind: PlanPreview\nmetadata: {namespace: databases, generateName: what-if-}\n" +
			"spec:\n  uninstall: {clusterServiceVersion: tidepool-postgres.v5.3.1, cleanup: true}\n"
		asked := file(t, "question.yaml", question)
		eventually(t, func() error {
			out, err := cluster.RunKubectl(t.Context(), home(up), up.Kubeconfig, nil, "create", "-f", asked)
			if err == nil && !strings.Contains(out, "planpreview.views.operators.coreos.com/what-if-") {
				return errors.New(out)
			}
			return err
		})
		expect(t, kubectl(t, up, "create", "-o", "yaml", "-f", asked), "index: 1", "type: Executable", "kind: PlanPreview")
		wrong := file(t, "wrong.yaml", strings.Replace(question, "cleanup:", "clenup:", 1))
		expect(t, refused(t, up, "create", "-f", wrong), "unknown field", "clenup")
		expect(t, refused(t, up, "create", "--validate=false", "-f", file(t, "none.yaml", strings.Replace(question, "uninstall:", "unistall:", 1))), "exactly one of")
		mistyped := file(t, "type.yaml", strings.Replace(question, "cleanup: true", "cleanup: {}", 1))
		expect(t, refused(t, up, "create", "-f", mistyped), "cleanup")
	})
	t.Run("services", func(t *testing.T) {
		service := file(t, "service.yaml", "apiVersion: v1\nkind: Service\nmetadata: {name: front, namespace: workshop}\nspec: {type: ClusterIP, clusterIP: None, ports: [{name: http, port: 80}, {name: https, port: 443}]}\n")
		expect(t, kubectl(t, up, "apply", "-f", service), "service/front created")
		expect(t, kubectl(t, up, "get", "svc", "-n", "workshop"), "NAME    TYPE        CLUSTER-IP   AGE", "front   ClusterIP   None")
		text, _ := os.ReadFile(service)
		other := file(t, "service.yaml", strings.Replace(string(text), "port: 443}", "port: 8443}", 1))
		expect(t, kubectl(t, up, "apply", "-f", other), "configured")
		expect(t, kubectl(t, up, "get", "svc", "front", "-n", "workshop", "-o", "jsonpath={.spec.ports[*].port}"), "80 8443")
	})
	t.Run("edit", func(t *testing.T) {
		editor := file(t, "editor.sh", "#!/bin/sh\nsed -i 's/size: 4/size: 5/' \"$1\"\n")
		if err := os.Chmod(editor, 0o755); err != nil {
			t.Fatal(err)
		}
		out, err := cluster.RunKubectl(t.Context(), home(up), up.Kubeconfig, []string{"KUBE_EDITOR=" + editor}, "edit", "widget", "one", "-n", "workshop")
		if err != nil {
			t.Fatal(err)
		}
		expect(t, out, "edited")
		expect(t, kubectl(t, up, "get", "widget", "one", "-n", "workshop", "-o", "jsonpath={.spec.size}"), "5")
	})
	t.Run("patch, label, annotate and the status", func(t *testing.T) {
		kubectl(t, up, "label", "namespace", "workshop", "crew=blue")
		expect(t, kubectl(t, up, "get", "ns", "-l", "crew=blue"), "workshop   Active")
		kubectl(t, up, "annotate", "widget", "one", "-n", "workshop", "note=x")
		kubectl(t, up, "patch", "widget", "one", "-n", "workshop", "--type=merge", "--subresource=status", "-p", `{"status":{"conditions":[{"type":"Ready","status":"True"}]}}`)
		expect(t, kubectl(t, up, "get", "wd", "one", "-n", "workshop"), "5      True")
		kubectl(t, up, "wait", "widget/one", "-n", "workshop", "--for=condition=Ready", "--timeout=60s")
		expect(t, kubectl(t, up, "describe", "widget", "one", "-n", "workshop"), "Size:  5", "Events:", "<none>")
		expect(t, refused(t, up, "patch", "widget", "one", "-n", "workshop", "-p", `{"spec":{"size":6}}`), "accepted media types include")
	})
	t.Run("watch", func(t *testing.T) {
		following, err := cluster.FollowKubectl(t.Context(), home(up), up.Kubeconfig,
			"get", "widgets", "-n", "workshop", "--watch", "-o", "jsonpath={.metadata.name}={.spec.size} ")
		if err != nil {
			t.Fatal(err)
		}
		says := func(want string) func() error {
			return func() error {
				if said := following.Said(); !strings.Contains(said, want) {
					return fmt.Errorf("no %q in %q", want, said)
				}
				return nil
			}
		}
		eventually(t, says("one=5"))
		kubectl(t, up, "patch", "widget", "one", "-n", "workshop", "--type=merge", "-p", `{"spec":{"size":7}}`)
		eventually(t, says("one=7"))
		if err := following.Stop(); err != nil {
			t.Error(err)
		}
	})
	t.Run("a label on a Namespace moves its operators", func(t *testing.T) {
		before := kubectl(t, up, "get", "iop", "-n", "workshop", "-o", "name")
		expect(t, before, "installedoperator.views.operators.coreos.com/certloop.v1.8.2")
		kubectl(t, up, "delete", "csv", "certloop.v1.8.2", "-n", "platform-operators")
		eventually(t, func() error {
			if strings.Contains(kubectl(t, up, "get", "iop", "-n", "workshop", "-o", "name"), "certloop") {
				return errors.New("a deleted CSV is still shown")
			}
			return nil
		})
	})
	t.Run("delete", func(t *testing.T) {
		expect(t, kubectl(t, up, "delete", "widget", "one", "-n", "workshop"), "deleted")
		expect(t, refused(t, up, "get", "widget", "one", "-n", "workshop"), `widgets.standalone.example.com "one" not found`)
		kubectl(t, up, "apply", "-f", file(t, "widget.yaml", widget))
		expect(t, kubectl(t, up, "delete", "namespace", "workshop", "--timeout=60s"), "deleted")
		kubectl(t, up, "create", "namespace", "workshop")
		if out := kubectl(t, up, "get", "widgets", "-n", "workshop", "-o", "name"); out != "" {
			t.Errorf("the namespace's contents came back: %s", out)
		}
		kubectl(t, up, "delete", "crd", "widgets.standalone.example.com", "--timeout=60s")
		expect(t, refused(t, up, "get", "widgets", "-A"), "the server could not find the requested resource")
	})
	t.Run("what cannot be done is said", func(t *testing.T) {
		expect(t, refused(t, up, "apply", "--server-side", "-f", file(t, "ns.yaml", "apiVersion: v1\nkind: Namespace\nmetadata: {name: x}\n")), "apply")
		expect(t, refused(t, up, "create", "configmap", "x", "-n", "no-such-namespace"), `namespaces "no-such-namespace" not found`)
		expect(t, refused(t, up, "delete", "installedoperator", "--all", "-n", "payments"), "does not allow this method")
	})
}

// kubectl's cache of discovery follows definitions that come and go.
func TestKubectlManyDefinitions(t *testing.T) {
	up := start(t, t.TempDir())
	var all strings.Builder
	for i := range 20 {
		fmt.Fprintf(&all, "---\n%s", strings.ReplaceAll(strings.ReplaceAll(strings.ReplaceAll(widgetCrd,
			"widgets", fmt.Sprintf("widgets%d", i)), "kind: Widget", fmt.Sprintf("kind: Widget%d", i)), "shortNames: [wd]", ""))
	}
	kubectl(t, up, "apply", "-f", file(t, "crds.yaml", all.String()))
	kubectl(t, up, "wait", "crd", "--all", "--for=condition=Established", "--timeout=60s")
	for _, i := range []int{0, 19} {
		expect(t, kubectl(t, up, "get", fmt.Sprintf("widgets%d", i), "-A", "--ignore-not-found"), "")
	}
}
