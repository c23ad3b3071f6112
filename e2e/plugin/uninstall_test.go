package plugin_test

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"

	"steward.dev/e2e/olm"
)

// From the preview to the end, and back: what was deleted is saved, and restored.
func TestUninstall_WithCleanup(t *testing.T) {
	t.Parallel()
	s := newScene(t)
	s.operands(t)
	s.known(t, "NotOptedIn")
	s.operate(t, 300*time.Millisecond)
	folder := filepath.Join(t.TempDir(), "saved")

	document := report(t, shared.Admin, 0, "uninstall", csvName, "-n", s.namespace, "--cleanup", "--yes", "--save", folder)
	if document["kind"] != "UninstallReport" || document["result"] != "Done" || document["left"] != 0.0 || document["deletionRequested"] != true {
		t.Errorf("document: %v", document)
	}
	if got := fmt.Sprint(document["deletedRelated"]); got != fmt.Sprintf("[Subscription %[1]s/subscription InstallPlan %[1]s/install-waits]", s.namespace) {
		t.Errorf("deleted: %s", got)
	}
	s.gone(t)
	s.has(t, s.kept()...)
	if left := s.related(t); !slices.Equal(left, []string{"install-done"}) {
		t.Errorf("left: %q", left)
	}
	if _, err := shared.Any.Resource(s.resource("gadgets")).Get(t.Context(), "g", metav1.GetOptions{}); err != nil {
		t.Errorf("the cluster-scoped custom resource was not kept: %v", err)
	}
	if files := count(t, folder); files != 3 {
		t.Errorf("%d files, want 3", files)
	}

	document = report(t, shared.Admin, 0, "restore", folder, "--yes")
	if document["created"] != 3.0 || fmt.Sprint(document["existing"]) != "[]" {
		t.Errorf("document: %v", document)
	}
	s.has(t, s.all()...)
	widget, err := shared.Any.Resource(s.resource("widgets")).Namespace(s.spaces[0]).Get(t.Context(), "x", metav1.GetOptions{})
	must(t, err)
	if got := fmt.Sprint(widget.Object["spec"]); got != "map[lines:a\nb\n number:7 text:yes]" || len(widget.GetFinalizers()) > 0 {
		t.Errorf("restored: %v", widget.Object)
	}
	document = report(t, shared.Admin, 0, "restore", folder, "--yes")
	if document["created"] != 0.0 || len(document["existing"].([]any)) != 3 {
		t.Errorf("document: %v", document)
	}
}

// Without being asked for cleanup nothing but the operator goes.
func TestUninstall_Keeps(t *testing.T) {
	t.Parallel()
	s := newScene(t)
	s.operands(t)
	s.known(t, "NotOptedIn")
	stdout, _, code := run(t, shared.Admin, "uninstall", csvName, "-n", s.namespace, "--yes")
	ends(t, code, 0, stdout, "No custom resource is deleted.")
	s.gone(t)
	s.has(t, s.all()...)
}

// --keep overrides an opt-in, and the author's word is never changed.
func TestUninstall_KeepOverridesAnOptIn(t *testing.T) {
	t.Parallel()
	s := newScene(t)
	s.operands(t)
	must(t, olm.Mutate(t.Context(), shared.Any, olm.CSVs, s.namespace, csvName, func(csv *olm.Object) {
		csv.SetFinalizers(append(csv.GetFinalizers(), optInFinalizer))
		must(t, olm.Confirm(t.Context(), shared.Any, csv))
	}))
	s.known(t, "Ready")
	stdout, _, code := run(t, shared.Admin, "uninstall", csvName, "-n", s.namespace, "--keep", "--yes")
	ends(t, code, 0, stdout, "Removed the opt-in to cleanup")
	s.gone(t)
	s.has(t, s.all()...)
}

func TestUninstall_UnsupportedByTheAuthor(t *testing.T) {
	t.Parallel()
	s := newScene(t)
	s.operands(t)
	must(t, olm.Mutate(t.Context(), shared.Any, olm.CSVs, s.namespace, csvName, func(csv *olm.Object) {
		delete(csv.Object["spec"].(map[string]any), "cleanup")
	}))
	s.known(t, "Disabled")
	_, stderr, code := run(t, shared.Admin, "uninstall", csvName, "-n", s.namespace, "--cleanup", "--yes")
	ends(t, code, 3, stderr, "spec.cleanup.enabled is not true")
	s.unchanged(t)
}

// Refused before anything is changed, with who stands against it.
func TestUninstall_Blocked(t *testing.T) {
	t.Parallel()
	s := newScene(t)
	s.operands(t)
	other := &scene{group: s.group, namespace: s.namespace + "-beside", spaces: s.spaces}
	must(t, olm.Create(t.Context(), shared.Any, olm.Namespace(other.namespace)))
	other.install(t)
	other.known(t, "NotOptedIn")
	stdout, stderr, code := run(t, shared.Admin, "uninstall", csvName, "-n", s.namespace, "--cleanup", "--yes")
	ends(t, code, 3, stdout+stderr, "SharedOwner")
	s.unchanged(t)
}

// Whoever may do everything in the operator's namespace may not have custom resources deleted elsewhere, and is told so
// before anything is changed; neither may whoever may do nothing.
func TestUninstall_WithoutRights(t *testing.T) {
	t.Parallel()
	s := newScene(t)
	s.operands(t)
	s.known(t, "NotOptedIn")
	owner, err := shared.User("owner-of-" + s.namespace)
	must(t, err)
	for _, args := range [][]string{
		{"create", "rolebinding", "owner", "--clusterrole=cluster-admin", "--user=owner-of-" + s.namespace, "-n", s.namespace},
		{"create", "clusterrole", "reader-" + s.namespace, "--verb=get,list", "--resource=customresourcedefinitions,widgets." + s.group + ",gadgets." + s.group},
		{"create", "clusterrolebinding", "reader-" + s.namespace, "--clusterrole=reader-" + s.namespace, "--user=owner-of-" + s.namespace},
	} {
		eventually(t, func() error { // discovery may not have the definitions yet
			_, err := shared.Kubectl(t.Context(), args...)
			return err
		})
	}
	for _, args := range [][]string{
		{"get", "csv", csvName, "-n", s.namespace}, {"get", "crd", "widgets." + s.group}, {"get", "widgets." + s.group, "-A"}, {"get", "gadgets." + s.group},
	} {
		eventually(t, func() error { // nor the authorizer the rights
			_, err := shared.KubectlAs(t.Context(), owner, args...)
			return err
		})
	}
	_, stderr, code := run(t, owner, "uninstall", csvName, "-n", s.namespace, "--cleanup", "--yes")
	ends(t, code, 3, stderr, "cleanupstatuses/optin")
	ends(t, code, 3, stderr, "--clusterrole=steward-cleanup-opt-in")
	s.unchanged(t)

	stranger, err := shared.User("stranger")
	must(t, err)
	for _, args := range [][]string{
		{"uninstall", csvName, "-n", s.namespace, "--yes"}, {"status", "-n", s.namespace}, {"status", csvName, "-n", s.namespace},
		{"abort", csvName, "-n", s.namespace, "--yes"},
	} {
		_, stderr, code := run(t, stranger, args...)
		ends(t, code, 3, stderr, "forbidden")
	}
	s.unchanged(t)

	// Who may not be asked to install it again may still uninstall it, and keep everything.
	_, _, code = run(t, owner, "uninstall", csvName, "-n", s.namespace, "--yes")
	ends(t, code, 0, "", "")
	s.gone(t)
	s.has(t, s.all()...)
}

func TestUninstall_WithoutATerminal(t *testing.T) {
	t.Parallel()
	s := newScene(t)
	s.operands(t)
	s.known(t, "NotOptedIn")
	_, stderr, code := run(t, shared.Admin, "uninstall", csvName, "-n", s.namespace, "--cleanup")
	ends(t, code, 2, stderr, "--yes")
	s.unchanged(t)
	stdout, _, code := run(t, shared.Admin, "uninstall", csvName, "-n", s.namespace, "--cleanup", "--dry-run")
	ends(t, code, 0, stdout, "widgets."+s.group+"  2 in "+s.spaces[0]+", 1 in "+s.spaces[1])
	s.unchanged(t)
}

// An operator that does not finish its custom resources is named with what holds them; the same command goes on later.
func TestUninstall_Stalled(t *testing.T) {
	t.Parallel()
	s := newScene(t)
	s.operands(t)
	s.known(t, "NotOptedIn")
	args := []string{"uninstall", csvName, "-n", s.namespace, "--cleanup", "--yes", "--save", filepath.Join(t.TempDir(), "saved")}
	document := report(t, shared.Admin, 4, args...)
	if !strings.Contains(fmt.Sprint(document["holding"]), operandFinalizer) {
		t.Errorf("what holds it is not named: %v", document["holding"])
	}
	s.known(t, "Stalled")
	stdout, _, _ := run(t, shared.Admin, "status", csvName, "-n", s.namespace)
	ends(t, 0, 0, stdout, "held by "+operandFinalizer)
	s.operate(t, 0)
	eventually(t, func() error {
		_, _, code := run(t, shared.Admin, append(args, "--ignore-not-found")...)
		if code != 0 {
			return fmt.Errorf("exit code %d", code)
		}
		return nil
	})
	s.gone(t)
	s.has(t, s.kept()...)
}

func TestAbort(t *testing.T) {
	t.Parallel()
	s := newScene(t)
	s.operands(t)
	s.known(t, "NotOptedIn")
	// Before the deletion: the opt-in goes, and nothing else.
	must(t, olm.Mutate(t.Context(), shared.Any, olm.CSVs, s.namespace, csvName, func(csv *olm.Object) {
		csv.SetFinalizers(append(csv.GetFinalizers(), optInFinalizer))
		must(t, olm.Confirm(t.Context(), shared.Any, csv))
	}))
	_, _, code := run(t, shared.Admin, "abort", csvName, "-n", s.namespace, "--yes")
	ends(t, code, 0, "", "")
	s.unchanged(t)
	if enabled := s.see(t).Object["spec"].(map[string]any)["cleanup"].(map[string]any)["enabled"]; enabled != true {
		t.Errorf("the author's word has changed: %v", enabled)
	}
	// During it: what is deleted by then goes, the operator too, and nothing more.
	p := start(t, shared.Admin, "uninstall", csvName, "-n", s.namespace, "--cleanup", "--yes")
	s.deleting(t)
	late := s.operand("Widget", "late")
	late.SetFinalizers(nil)
	document := report(t, shared.Admin, 0, "abort", csvName, "-n", s.namespace, "--yes")
	if document["aborted"] != true || document["deleting"] != true {
		t.Errorf("document: %v", document)
	}
	eventually(t, func() error { // until it is told, Steward goes by what it read two seconds ago
		csv, err := shared.Any.Resource(olm.CSVs).Namespace(s.namespace).Get(t.Context(), csvName, metav1.GetOptions{})
		if apierrors.IsNotFound(err) {
			return nil
		}
		if err == nil && slices.Contains(csv.GetFinalizers(), optInFinalizer) {
			err = fmt.Errorf("finalizers %q", csv.GetFinalizers())
		}
		return err
	})
	s.create(t, s.resource("widgets"), s.spaces[0], late)
	_, stderr, code := p.wait(t)
	ends(t, code, 3, stderr, "still there")
	if !slices.Contains(s.list(t), s.spaces[0]+"/late") {
		t.Errorf("deleted after the abort: %q", s.list(t))
	}
	s.gone(t)
}

func TestStatus(t *testing.T) {
	t.Parallel()
	s := newScene(t)
	s.known(t, "NotOptedIn")
	stdout, _, code := run(t, shared.Admin, "status", "-n", s.namespace)
	ends(t, code, 0, stdout, "NAME          PHASE        PENDING   BLOCKERS     AGE\noperator.v1   NotOptedIn   0         NotOptedIn   ")
	stdout, _, code = run(t, shared.Admin, "status", "-A")
	ends(t, code, 0, stdout, s.namespace)
	stdout, _, code = run(t, shared.Admin, "status", csvName, "-n", s.namespace)
	ends(t, code, 0, stdout, "Works in          "+strings.Join(s.spaces, ", "))
	document := report(t, shared.Admin, 0, "status", "-n", s.namespace)
	item := document["items"].([]any)[0].(map[string]any)
	if item["phase"] != "NotOptedIn" || item["name"] != csvName || item["cleanupEnabled"] != true {
		t.Errorf("document: %v", document)
	}
	_, stderr, code := run(t, shared.Admin, "status", "nope", "-n", s.namespace)
	ends(t, code, 1, stderr, "Steward does not know")
}

// An opt-in from when no policy said who may opt in is shown as what it is, and how it comes to count. Other cases wait until
// the policy is back.
func TestStatus_R_000_76_AnUnconfirmedOptIn(t *testing.T) {
	s := newScene(t)
	at := shared.Any.Resource(schema.GroupVersionResource{Group: "admissionregistration.k8s.io", Version: "v1", Resource: "validatingadmissionpolicies"})
	policy, err := at.Get(t.Context(), olm.OptInPolicy, metav1.GetOptions{})
	must(t, err)
	must(t, at.Delete(t.Context(), olm.OptInPolicy, metav1.DeleteOptions{}))
	must(t, olm.Mutate(t.Context(), shared.Any, olm.CSVs, s.namespace, csvName, func(csv *olm.Object) {
		csv.SetFinalizers(append(csv.GetFinalizers(), optInFinalizer))
	}))
	policy.SetResourceVersion("")
	policy.SetUID("")
	_, err = at.Create(t.Context(), policy, metav1.CreateOptions{})
	must(t, err)
	must(t, waitForPolicy(t.Context(), "policies-of-"+s.namespace))
	s.known(t, "Refused")
	eventually(t, func() error {
		stdout, stderr, code := run(t, shared.Admin, "status", csvName, "-n", s.namespace)
		text := strings.Join(strings.Fields(stdout), " ")
		if code != 0 || !strings.Contains(text, "Blocker OptInUnconfirmed: ") || !strings.Contains(text, "take it off and add it again") {
			return fmt.Errorf("%d: %s%s", code, stdout, stderr)
		}
		return nil
	})
}

// The context's namespace, as everywhere in kubectl.
func TestContextNamespace(t *testing.T) {
	t.Parallel()
	s := newScene(t)
	s.known(t, "NotOptedIn")
	text, err := os.ReadFile(shared.Admin)
	must(t, err)
	kubeconfig := filepath.Join(t.TempDir(), "kubeconfig")
	must(t, os.WriteFile(kubeconfig, text, 0o600))
	_, err = shared.KubectlAs(t.Context(), kubeconfig, "config", "set-context", "--current", "--namespace="+s.namespace)
	must(t, err)
	stdout, _, code := run(t, kubeconfig, "status")
	ends(t, code, 0, stdout, csvName)
	// Merged with another file, and by another context's name.
	stdout, _, code = run(t, kubeconfig+":"+shared.Admin, "status", "--context=e2e")
	ends(t, code, 0, stdout, csvName)
}

func TestRestore_WhatIsMissing(t *testing.T) {
	t.Parallel()
	s := newScene(t)
	s.operands(t)
	s.known(t, "NotOptedIn")
	s.operate(t, 0)
	folder := filepath.Join(t.TempDir(), "saved")
	_, _, code := run(t, shared.Admin, "uninstall", csvName, "-n", s.namespace, "--cleanup", "--yes", "--save", folder)
	ends(t, code, 0, "", "")
	must(t, shared.Any.Resource(olm.Namespaces).Delete(t.Context(), s.spaces[1], metav1.DeleteOptions{}))
	eventually(t, func() error {
		_, err := shared.Any.Resource(olm.Namespaces).Get(t.Context(), s.spaces[1], metav1.GetOptions{})
		if apierrors.IsNotFound(err) {
			return nil
		}
		return fmt.Errorf("still there: %v", err)
	})
	stdout, _, code := run(t, shared.Admin, "restore", folder, "--yes")
	ends(t, code, 1, stdout, "there is no namespace "+s.spaces[1]+"; create it first")
	s.has(t, s.spaces[0]+"/x", s.spaces[0]+"/y", s.namespace+"/elsewhere")
	must(t, shared.Any.Resource(olm.Definitions).Delete(t.Context(), "widgets."+s.group, metav1.DeleteOptions{}))
	eventually(t, func() error {
		// A definition goes when its objects are gone, and the one elsewhere has a finalizer that nobody removes.
		_, _ = shared.Any.Resource(s.resource("widgets")).Namespace(s.namespace).Patch(t.Context(), "elsewhere", types.MergePatchType,
			[]byte(`{"metadata":{"finalizers":null}}`), metav1.PatchOptions{})
		stdout, _, code := run(t, shared.Admin, "restore", folder, "--yes")
		if code != 1 || !strings.Contains(stdout, "install the operator first") {
			return fmt.Errorf("%d: %s", code, stdout)
		}
		return nil
	})
}
