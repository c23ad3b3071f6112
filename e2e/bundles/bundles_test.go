// Package bundles_test takes published bundles through lint, preview, installation and uninstallation on `steward up`.
package bundles_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"steward.dev/e2e/bundles"
	"steward.dev/e2e/check"
	"steward.dev/e2e/cluster"
	"steward.dev/e2e/embedded"
	"steward.dev/e2e/olm"
)

var must = check.Must

// howMany bundles are taken through everything.
const howMany = 60

var installPlans = schema.GroupVersionResource{Group: "operators.coreos.com", Version: "v1alpha1", Resource: "installplans"}

// allBundles are those of the mirror; without it the test is skipped.
func allBundles(t *testing.T) []string {
	t.Helper()
	paths, err := bundles.Mirrored()
	must(t, err)
	if len(paths) == 0 {
		t.Skip("STEWARD_BUNDLES names no folder with bundles")
	}
	return paths
}

func steward(ctx context.Context, kubeconfig string, args ...string) (string, int, error) {
	binary, err := cluster.Binary()
	if err != nil {
		return "", 0, err
	}
	command := exec.CommandContext(ctx, binary, args...)
	command.Env = []string{"KUBECONFIG=" + kubeconfig, "HOME=" + os.TempDir(), "PATH=/usr/bin:/bin"}
	var said bytes.Buffer
	command.Stdout, command.Stderr = &said, &said
	err = command.Run()
	var ended *exec.ExitError
	if errors.As(err, &ended) {
		err = nil
	}
	return said.String(), command.ProcessState.ExitCode(), err
}

// linted is the report of `steward bundle lint`.
type linted struct {
	Installable bool
	Findings    []struct{ Where, Severity, Message string }
}

// lintOf expects a report, and the exit code 0 or 1.
func lintOf(t *testing.T, path string) (report linted, code int) {
	t.Helper()
	printed, code, err := steward(t.Context(), "/dev/null", "bundle", "lint", path, "-o", "json")
	must(t, err)
	at := strings.Index(printed, "{")
	if code > 1 || at < 0 || json.NewDecoder(strings.NewReader(printed[at:])).Decode(&report) != nil {
		t.Errorf("%s: %d\n%s", path, code, printed)
	}
	return report, code
}

// Every bundle is judged: the exit code is 0 or 1, and the report says what there is.
func TestRealBundles_Lint(t *testing.T) {
	paths := allBundles(t)
	counts := map[string]int{}
	findings := map[string]int{}
	for _, path := range paths {
		report, code := lintOf(t, path)
		counts[fmt.Sprintf("exit %d, installable %v", code, report.Installable)]++
		for _, each := range report.Findings {
			findings[each.Severity+" "+general(each.Message)]++
		}
		if !report.Installable && len(report.Findings) > 0 {
			t.Logf("%s: not installable: %+v", path, report.Findings[0])
		}
	}
	t.Logf("%d bundles: %v", len(paths), counts)
	lines := make([]string, 0, len(findings))
	for what, count := range findings {
		lines = append(lines, fmt.Sprintf("%6d %s", count, what))
	}
	slices.Sort(lines)
	slices.Reverse(lines)
	t.Log("\n" + strings.Join(lines, "\n"))
}

// general is what a message has in common with others: names and numbers are left out.
func general(message string) string {
	words := strings.Fields(message)
	if len(words) > 7 {
		words = words[:7]
	}
	for i, word := range words {
		if strings.ContainsAny(word, "0123456789./\"") && !strings.HasPrefix(word, "spec.") && !strings.HasPrefix(word, "metadata.") {
			words[i] = "…"
		}
	}
	out := strings.Join(words, " ")
	for _, digit := range "0123456789" {
		out = strings.ReplaceAll(out, string(digit), "n")
	}
	return out
}

func TestRealBundles_InstallUninstallInstall(t *testing.T) {
	paths := allBundles(t)
	paths = bundles.NewestOfEach(paths)
	var whole, refused int
	step := max(1, len(paths)/howMany)
	for i := 0; i < len(paths) && whole+refused < howMany; i += step {
		name := filepath.Join(filepath.Base(filepath.Dir(paths[i])), filepath.Base(paths[i]))
		b, err := bundles.Read(paths[i])
		must(t, err)
		t.Run(name, func(t *testing.T) {
			printed, _, err := steward(t.Context(), "/dev/null", "bundle", "steps", b.Path)
			must(t, err)
			if strings.Contains(printed, "the bundle cannot be installed") {
				refused++
				t.Logf("refused: %s", printed)
				return
			}
			walk(t, b)
			whole++
		})
	}
	t.Logf("%d went through everything, %d were refused", whole, refused)
}

// failsWithOLM are plans that end as they do with OLM, and why.
var failsWithOLM = []struct{ pattern, reason string }{
	{`^step \d+, Service example: .*spec\.ports: Required value`,
		"a custom resource of the kind Service: OLM goes by kind, too, and the server refuses a Service without ports"},
}

// walk takes a bundle through preview, installation, uninstallation and another installation.
func walk(t *testing.T, b *bundles.Bundle) {
	up, err := embedded.Start(filepath.Join(t.TempDir(), "up"))
	must(t, err)
	defer func() { must(t, up.Stop(check.Patience)) }()
	const namespace = "ops"
	must(t, olm.Create(t.Context(), up.Any, olm.Namespace(namespace), olm.Namespace("other")))
	targets := map[string][]string{"": nil, "own": {namespace}, "other": {"other"}}[b.Mode()]
	must(t, olm.Create(t.Context(), up.Any, olm.OperatorGroup(namespace, "group", targets...)))
	must(t, olm.CreateCRDs(t.Context(), up.Any, b.Missing(bundles.ServedEmbedded)...))

	printed, code, err := steward(t.Context(), up.Kubeconfig, "kubectl", "preview", "bundle", b.Path, "-n", namespace)
	must(t, err)
	if code != 0 && code != 5 && !strings.Contains(printed, "too large for one preview") {
		t.Errorf("the preview ended with %d: %s", code, printed)
	}
	foretold := !strings.Contains(printed, "\nFail ") && !strings.Contains(printed, "\nBlocked ")
	for _, round := range []string{"first", "second"} {
		printed, code, err = steward(t.Context(), up.Kubeconfig, "bundle", "install", b.Path, "-n", namespace, "--approve", "--ignore-requirements")
		must(t, err)
		if code != 0 {
			t.Fatalf("the %s installation ended with %d: %s", round, code, printed)
		}
		phase, message := ends(t, up, printed, namespace)
		if (phase == "Complete") != foretold {
			t.Errorf("the preview foretold %v, and the plan is %s: %s", foretold, phase, message)
		}
		if phase != "Complete" {
			for _, each := range failsWithOLM {
				if regexp.MustCompile(each.pattern).MatchString(message) {
					t.Logf("%s: %s", message, each.reason)
					return
				}
			}
			t.Fatalf("the %s plan is %s: %s", round, phase, message)
		}
		for _, difference := range compare(t, up, b, namespace) {
			t.Errorf("%s installation: %s", round, difference)
		}
		if round == "second" {
			break
		}
		printed, code, err = steward(t.Context(), up.Kubeconfig, "kubectl", "uninstall", b.CSV.GetName(), "-n", namespace, "--yes")
		must(t, err)
		if code != 0 {
			t.Fatalf("the uninstallation ended with %d: %s", code, printed)
		}
		_, err = up.Any.Resource(olm.CSVs).Namespace(namespace).Get(t.Context(), b.CSV.GetName(), metav1.GetOptions{})
		if !apierrors.IsNotFound(err) {
			t.Errorf("the ClusterServiceVersion after the uninstallation: %v", err)
		}
	}
}

// ends waits until a plan that was printed is at its end.
func ends(t *testing.T, up *embedded.Up, printed, namespace string) (phase, message string) {
	at := strings.Index(printed, "install-")
	if at < 0 {
		t.Fatalf("no plan is named: %s", printed)
	}
	name := printed[at : at+len("install-0123456789")]
	for end := time.Now().Add(2 * time.Minute); time.Now().Before(end); time.Sleep(100 * time.Millisecond) {
		plan, err := up.Any.Resource(installPlans).Namespace(namespace).Get(t.Context(), name, metav1.GetOptions{})
		must(t, err)
		phase, _, _ = unstructured.NestedString(plan.Object, "status", "phase")
		message, _, _ = unstructured.NestedString(plan.Object, "status", "message")
		if phase == "Complete" || phase == "Failed" {
			return phase, message
		}
	}
	return phase, message
}

// compare is what of the bundle is not in the cluster as its files say.
func compare(t *testing.T, up *embedded.Up, b *bundles.Bundle, namespace string) (differences []string) {
	for _, wanted := range append(slices.Clone(b.Objects), b.CSV) {
		resource, in := bundles.ResourceOf(wanted, namespace)
		if wanted == b.CSV {
			resource, in = olm.CSVs, namespace
		}
		what := wanted.GetKind() + " " + wanted.GetName()
		is, err := up.Any.Resource(resource).Namespace(in).Get(t.Context(), wanted.GetName(), metav1.GetOptions{})
		if err != nil {
			differences = append(differences, fmt.Sprintf("%s: %v", what, err))
			continue
		}
		for key, value := range wanted.Object {
			switch key {
			case "apiVersion", "kind", "metadata", "status", "stringData":
				continue
			}
			if difference := within(value, is.Object[key], key); difference != "" {
				differences = append(differences, what+": "+difference)
			}
		}
		for key, value := range wanted.GetLabels() {
			if got := is.GetLabels()[key]; got != value && !strings.HasPrefix(key, "olm.") && !strings.HasPrefix(key, "operatorframework.io/") {
				differences = append(differences, fmt.Sprintf("%s: the label %s is %q, not %q", what, key, got, value))
			}
		}
	}
	return append(differences, permissions(t, up, b, namespace)...)
}

// permissions is what of the ClusterServiceVersion's permissions no role grants to its account.
func permissions(t *testing.T, up *embedded.Up, b *bundles.Bundle, namespace string) (differences []string) {
	for field, kind := range map[string]string{"permissions": "Role", "clusterPermissions": "ClusterRole"} {
		list, _, _ := unstructured.NestedSlice(b.CSV.Object, "spec", "install", "spec", field)
		in := namespace
		if kind == "ClusterRole" {
			in = ""
		}
		roles, err := up.Any.Resource(bundles.Typed[kind]).Namespace(in).List(t.Context(), metav1.ListOptions{})
		must(t, err)
		bindings, err := up.Any.Resource(bundles.Typed[kind+"Binding"]).Namespace(in).List(t.Context(), metav1.ListOptions{})
		must(t, err)
		for i, each := range list {
			permission := each.(map[string]any)
			account, _ := permission["serviceAccountName"].(string)
			granted := false
			for _, role := range roles.Items {
				if within(permission["rules"], role.Object["rules"], "rules") != "" {
					continue
				}
				for _, binding := range bindings.Items {
					ref, _, _ := unstructured.NestedString(binding.Object, "roleRef", "name")
					subjects, _, _ := unstructured.NestedSlice(binding.Object, "subjects")
					for _, subject := range subjects {
						granted = granted || ref == role.GetName() && subject.(map[string]any)["name"] == account
					}
				}
			}
			if !granted {
				differences = append(differences, fmt.Sprintf("%s[%d]: nothing grants it to %s", field, i, account))
			}
			if account == "default" {
				continue
			}
			if _, err := up.Any.Resource(bundles.Typed["ServiceAccount"]).Namespace(namespace).Get(t.Context(), account, metav1.GetOptions{}); err != nil {
				differences = append(differences, fmt.Sprintf("the account %s: %v", account, err))
			}
		}
	}
	return differences
}

// within is where the value that is wanted is not in the one that is: members may have been added, and nulls left out.
func within(wanted, is any, path string) string {
	switch want := wanted.(type) {
	case nil:
		return ""
	case map[string]any:
		got, isMap := is.(map[string]any)
		if !isMap && len(want) > 0 {
			return fmt.Sprintf("%s is %v, no mapping", path, is)
		}
		for key, value := range want {
			if difference := within(value, got[key], path+"."+key); difference != "" {
				return difference
			}
		}
		return ""
	case []any:
		got, isList := is.([]any)
		if (!isList && len(want) > 0) || len(got) != len(want) {
			return fmt.Sprintf("%s has %d elements, not %d", path, len(got), len(want))
		}
		for i := range want {
			if difference := within(want[i], got[i], fmt.Sprintf("%s[%d]", path, i)); difference != "" {
				return difference
			}
		}
		return ""
	}
	// Of a folded text that keeps its last line breaks (>+) yaml-cpp takes one too few.
	if strings.TrimRight(fmt.Sprint(wanted), "\n") != strings.TrimRight(fmt.Sprint(is), "\n") {
		return fmt.Sprintf("%s is %v, not %v", path, is, wanted)
	}
	return ""
}
