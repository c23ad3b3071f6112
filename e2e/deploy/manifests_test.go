package deploy

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	admissionregistrationv1 "k8s.io/api/admissionregistration/v1"
	corev1 "k8s.io/api/core/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/version"
	"k8s.io/apiserver/pkg/admission/plugin/cel"
	"k8s.io/apiserver/pkg/admission/plugin/policy/validating"
	"k8s.io/apiserver/pkg/admission/plugin/webhook/matchconditions"
	"k8s.io/apiserver/pkg/apis/audit"
	"k8s.io/apiserver/pkg/audit/policy"
	"k8s.io/apiserver/pkg/authorization/authorizer"
	"k8s.io/apiserver/pkg/cel/environment"
	"sigs.k8s.io/yaml"

	"steward.dev/e2e/cluster"
	"steward.dev/e2e/olm"
)

// rendered is what kustomize makes of a folder of deploy/, and a file that holds it.
func rendered(ctx context.Context, folder string) (objects []*olm.Object, file string, err error) {
	root, err := cluster.Root()
	if err != nil {
		return nil, "", err
	}
	text, err := shared.Kubectl(ctx, "kustomize", filepath.Join(root, "deploy", folder))
	if err != nil {
		return nil, "", err
	}
	file = filepath.Join(shared.Dir, strings.ReplaceAll(folder, "/", "-")+".yaml")
	if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
		return nil, "", err
	}
	objects, err = olm.Read(file)
	return objects, file, err
}

// deployed is what the base holds, and each overlay with a Deployment of its own.
func deployed(t *testing.T) (all []*olm.Object) {
	t.Helper()
	for _, folder := range []string{"base", "overlays/console", "overlays/copies", "overlays/install-plans", "overlays/operators",
		"overlays/payload", "overlays/standalone/certificates"} {
		objects, _, err := rendered(t.Context(), folder)
		must(t, err)
		all = append(all, objects...)
	}
	return all
}

func writeManifests(objects []*olm.Object, name string) (file string, err error) {
	var text strings.Builder
	for _, object := range objects {
		document, err := yaml.Marshal(object.Object)
		if err != nil {
			return "", err
		}
		fmt.Fprintf(&text, "---\n%s", document)
	}
	file = filepath.Join(shared.Dir, name)
	return file, os.WriteFile(file, []byte(text.String()), 0o644)
}

func applyBase(ctx context.Context) error {
	objects, _, err := rendered(ctx, "base")
	if err != nil {
		return err
	}
	file, err := writeManifests(objects, "applied.yaml")
	if err != nil {
		return err
	}
	_, err = shared.Kubectl(ctx, "apply", "--server-side", "--validate=strict", "-f", file)
	return err
}

// Every document is one that the API server takes, without a field that it does not know, and without a warning.
func TestManifests_AreValid(t *testing.T) {
	// cert-manager's kinds and the console's are those of somebody else; here they take anything.
	must(t, olm.CreateCRDs(t.Context(), shared.Any,
		olm.Definition("cert-manager.io", "Certificate", "Namespaced", "v1"), olm.Definition("cert-manager.io", "Issuer", "Namespaced", "v1"),
		olm.Definition("console.openshift.io", "ConsolePlugin", "Cluster", "v1")))
	for _, folder := range []string{"base", "overlays/cleanup-all-apis", "overlays/console", "overlays/copies", "overlays/copies/crds",
		"overlays/egress", "overlays/install-plans", "overlays/operators", "overlays/payload",
		"overlays/standalone", "overlays/beside-olm", "overlays/openshift", "overlays/cert-manager"} {
		_, file, err := rendered(t.Context(), folder)
		must(t, err)
		out, err := shared.Kubectl(t.Context(), "apply", "--server-side", "--dry-run=server", "--validate=strict",
			"--warnings-as-errors", "--field-manager=e2e", "--force-conflicts", "-f", file)
		if err != nil {
			t.Errorf("%s: %v\n%s", folder, err, out)
		}
	}
}

// Applying the base once more changes nothing; above all it takes no API group away from the controllers.
func TestManifests_CanBeAppliedAgain(t *testing.T) {
	groupsFor(t, "again.example.com")
	must(t, applyBase(t.Context()))
	if !allowed(t, controllers, verb("delete", "again.example.com", "widgets", "somewhere")) {
		t.Error("the right to delete what was added is gone")
	}
}

// The base has none of the kinds that only some clusters know.
func TestManifests_BaseNeedsNothingButKubernetes(t *testing.T) {
	objects, _, err := rendered(t.Context(), "base")
	must(t, err)
	for _, object := range objects {
		group, _, _ := strings.Cut(object.GetAPIVersion(), "/")
		if strings.Contains(group, ".") && !strings.HasSuffix(group, ".k8s.io") {
			t.Errorf("%s %s is of group %s", object.GetKind(), object.GetName(), group)
		}
	}
}

// The cluster's own check of the expressions, against the types of what they are about, has no objection.
func TestManifests_PoliciesAreWellTyped(t *testing.T) {
	objects, _, err := rendered(t.Context(), "base")
	must(t, err)
	for _, object := range objects {
		if object.GetKind() != "ValidatingAdmissionPolicy" {
			continue
		}
		eventually(t, func() error {
			live, err := shared.Any.Resource(policies).Get(t.Context(), object.GetName(), getOptions)
			if err != nil {
				return err
			}
			seen, _, _ := unstructured.NestedInt64(live.Object, "status", "observedGeneration")
			if seen != live.GetGeneration() {
				return fmt.Errorf("%s was not checked yet", object.GetName())
			}
			warnings, _, _ := unstructured.NestedSlice(live.Object, "status", "typeChecking", "expressionWarnings")
			for _, warning := range warnings {
				t.Errorf("%s: %v", object.GetName(), warning)
			}
			return nil
		})
	}
}

// Expressions use nothing that came after the oldest Kubernetes that is supported.
func TestManifests_PoliciesCompileForKubernetes130(t *testing.T) {
	objects := deployed(t)
	oldest := environment.MustBaseEnvSet(version.MajorMinor(1, 30))
	for _, object := range objects {
		if object.GetKind() != "ValidatingAdmissionPolicy" {
			continue
		}
		var policy admissionregistrationv1.ValidatingAdmissionPolicy
		must(t, runtime.DefaultUnstructuredConverter.FromUnstructured(object.Object, &policy))
		compiler, err := cel.NewCompositedCompiler(oldest)
		must(t, err)
		options := cel.OptionalVariableDeclarations{HasAuthorizer: true, HasParams: policy.Spec.ParamKind != nil}
		check := func(result cel.CompilationResult) {
			if result.Error != nil {
				t.Errorf("%s: %s: %v", policy.Name, result.ExpressionAccessor.GetExpression(), result.Error)
			}
		}
		compile := func(expression cel.ExpressionAccessor) {
			check(compiler.Compiler.CompileCELExpression(expression, options, environment.NewExpressions))
		}
		for _, condition := range policy.Spec.MatchConditions {
			compile(&matchconditions.MatchCondition{Name: condition.Name, Expression: condition.Expression})
		}
		for _, variable := range policy.Spec.Variables {
			check(compiler.CompileAndStoreVariable(&validating.Variable{Name: variable.Name, Expression: variable.Expression}, options, environment.NewExpressions))
		}
		for _, validation := range policy.Spec.Validations {
			compile(&validating.ValidationCondition{Expression: validation.Expression})
			if validation.MessageExpression != "" {
				compile(&validating.MessageExpressionCondition{MessageExpression: validation.MessageExpression})
			}
		}
	}
}

// Each policy is bound, and so that it denies.
func TestManifests_PoliciesAreBound(t *testing.T) {
	objects := deployed(t)
	bound := map[string]bool{}
	for _, object := range objects {
		if object.GetKind() == "ValidatingAdmissionPolicyBinding" {
			name, _, _ := unstructured.NestedString(object.Object, "spec", "policyName")
			actions, _, _ := unstructured.NestedStringSlice(object.Object, "spec", "validationActions")
			bound[name] = slices.Equal(actions, []string{"Deny"})
		}
	}
	for _, object := range objects {
		if object.GetKind() == "ValidatingAdmissionPolicy" && !bound[object.GetName()] {
			t.Errorf("%s is not bound", object.GetName())
		}
	}
}

// Each policy is one that a family of processes looks at (controllers/families.h), and that its account may read, bindings and all.
func TestManifests_PoliciesAreLookedAt(t *testing.T) {
	root, err := cluster.Root()
	must(t, err)
	families, err := os.ReadFile(filepath.Join(root, "controllers", "families.h"))
	must(t, err)
	objects := deployed(t)
	readable := map[string]bool{}
	for _, object := range objects {
		if object.GetKind() != "ClusterRole" {
			continue
		}
		var role rbacv1.ClusterRole
		must(t, runtime.DefaultUnstructuredConverter.FromUnstructured(object.Object, &role))
		for _, rule := range role.Rules {
			if !slices.Contains(rule.APIGroups, "admissionregistration.k8s.io") || !slices.Contains(rule.Verbs, "get") ||
				!slices.Contains(rule.Resources, "validatingadmissionpolicies") || !slices.Contains(rule.Resources, "validatingadmissionpolicybindings") {
				continue
			}
			for _, name := range rule.ResourceNames {
				readable[name] = true
			}
		}
	}
	for _, object := range objects {
		if object.GetKind() != "ValidatingAdmissionPolicy" {
			continue
		}
		if !strings.Contains(string(families), `"`+object.GetName()+`"`) || !readable[object.GetName()] {
			t.Errorf("nobody looks whether %s is in force", object.GetName())
		}
	}
}

// The audit policy is one that Kubernetes reads, and it records who asks for what, without bodies, but no probes and scrapes.
func TestManifests_AuditPolicy(t *testing.T) {
	for _, object := range deployed(t) {
		if object.GetName() != "steward-audit-policy" {
			continue
		}
		loaded, err := policy.LoadPolicyFromBytes([]byte(typed[corev1.ConfigMap](t, object).Data["policy.yaml"]))
		must(t, err)
		evaluator := policy.NewPolicyRuleEvaluator(loaded)
		for _, row := range []struct {
			asked authorizer.AttributesRecord
			want  audit.Level
		}{
			{authorizer.AttributesRecord{Verb: "get", Path: "/readyz"}, audit.LevelNone},
			{authorizer.AttributesRecord{Verb: "get", Path: "/metrics"}, audit.LevelNone},
			{authorizer.AttributesRecord{Verb: "get", Path: "/apis/views.operators.coreos.com/v1alpha1"}, audit.LevelNone},
			{authorizer.AttributesRecord{Verb: "put", Path: "/debug/flags/v"}, audit.LevelMetadata},
			{authorizer.AttributesRecord{Verb: "list", APIGroup: "views.operators.coreos.com", Resource: "installedoperators", ResourceRequest: true},
				audit.LevelMetadata},
		} {
			if got := evaluator.EvaluatePolicyRule(row.asked).Level; got != row.want {
				t.Errorf("%+v: %s, want %s", row.asked, got, row.want)
			}
		}
		return
	}
	t.Error("there is no audit policy")
}

// Command lines are such as the program knows.
func TestManifests_FlagsExist(t *testing.T) {
	root, err := cluster.Root()
	must(t, err)
	objects := deployed(t)
	commands := 0
	for _, object := range objects {
		containers, _, _ := unstructured.NestedSlice(object.Object, "spec", "template", "spec", "containers")
		for _, each := range containers {
			args, _, _ := unstructured.NestedStringSlice(each.(map[string]any), "args")
			help, err := os.ReadFile(filepath.Join(root, "docs", "generated", "flags-"+args[0]+".txt"))
			must(t, err)
			commands++
			for _, arg := range args[1:] {
				flag, _, _ := strings.Cut(arg, "=")
				if !regexp.MustCompile(`(?m)[\s,]` + flag + `\b`).Match(help) {
					t.Errorf("steward %s knows no flag %s", args[0], flag)
				}
			}
		}
	}
	if commands != 9 {
		t.Errorf("%d command lines", commands)
	}
}

// The alerts and the dashboard are about metrics that the programs have.
func TestManifests_AlertsAreAboutMetricsThatExist(t *testing.T) {
	root, err := cluster.Root()
	must(t, err)
	var sources strings.Builder
	for _, room := range []string{"apiserver", "base", "cmd", "controllers", "storage"} {
		must(t, filepath.WalkDir(filepath.Join(root, room), func(path string, entry os.DirEntry, err error) error {
			if err != nil || entry.IsDir() || !strings.HasSuffix(path, ".cc") || strings.HasSuffix(path, "_test.cc") {
				return err
			}
			text, err := os.ReadFile(path)
			sources.Write(text)
			return err
		}))
	}
	objects, _, err := rendered(t.Context(), "overlays/prometheus")
	must(t, err)
	name := regexp.MustCompile(`\b(steward|leader_election|apiserver|authentication|process|controller_runtime|workqueue|rest_client)_[a-z_]+`)
	check := func(what, text string, least int) {
		metrics := name.FindAllString(text, -1)
		for _, metric := range metrics {
			literal := `"` + strings.TrimSuffix(metric, "_bucket") + `"`
			// Both of these are made of a beginning and an end.
			if strings.HasPrefix(metric, "apiserver_delegated_auth") {
				literal = `"apiserver_delegated_auth`
			}
			if !strings.Contains(sources.String(), literal) {
				t.Errorf("%s: there is no metric %s", what, metric)
			}
		}
		if len(metrics) < least {
			t.Errorf("%s: only %d metrics are named", what, len(metrics))
		}
	}
	var rules strings.Builder
	for _, object := range objects {
		if object.GetKind() == "PrometheusRule" {
			groups, _, _ := unstructured.NestedSlice(object.Object, "spec", "groups")
			fmt.Fprint(&rules, groups)
		}
	}
	check("alerts", rules.String(), 20)
	for _, query := range dashboardQueries(t, objects) {
		check(query, query, 0)
		// What is not Steward's is the kube-apiserver's word on the APIService.
		if !name.MatchString(query) && !strings.Contains(query, "aggregator_unavailable_apiservice{") {
			t.Errorf("the dashboard asks for %s", query)
		}
	}
}

// An overlay as deploy/README.md has it: the base, what lies beside it, an image, and more of OLM's accounts.
func TestManifests_OverlaysCompose(t *testing.T) {
	root, err := cluster.Root()
	must(t, err)
	dir, err := filepath.EvalSymlinks(t.TempDir())
	must(t, err)
	relative, err := filepath.Rel(dir, filepath.Join(root, "deploy"))
	must(t, err)
	must(t, os.WriteFile(filepath.Join(dir, "kustomization.yaml"), fmt.Appendf(nil, `
apiVersion: kustomize.config.k8s.io/v1beta1
kind: Kustomization
resources: [%[1]s/base, %[1]s/overlays/cleanup-all-apis, %[1]s/overlays/console, %[1]s/overlays/copies, %[1]s/overlays/egress,
  %[1]s/overlays/install-plans, %[1]s/overlays/operators, %[1]s/overlays/payload, %[1]s/overlays/prometheus]
components: [%[1]s/overlays/cleanup-supported-by-default, %[1]s/overlays/copies/apiserver, %[1]s/overlays/install-plans/apiserver,
  %[1]s/overlays/install-plans/bundle-previews, %[1]s/overlays/optional-manifests, %[1]s/overlays/host-network]
images: [{name: steward, newName: registry.example.com/steward, newTag: v1.0.0}]
patches:
- target: {kind: ValidatingAdmissionPolicy, name: steward-cleanup-opt-in}
  patch: |
    - op: test
      path: /spec/variables/0/name
      value: never
    - op: replace
      path: /spec/variables/0/expression
      value: request.userInfo.username.startsWith('system:serviceaccount:my-olm:')
`, relative), 0o644))
	out, err := shared.Kubectl(t.Context(), "kustomize", dir)
	must(t, err)
	for _, part := range []string{"registry.example.com/steward:v1.0.0", "serviceaccount:my-olm:", "kind: PodMonitor", "kind: ConsolePlugin", "steward-cleanup-all-apis",
		"- --cleanup-supported-by-default", "- --feature-gates=OptionalManifests=true",
		"- --copied-csv-controllers-address=dns:///steward-copied-csvs.steward-system.svc:9443", "- --payload-dir=/payload",
		"- --plan-controllers-address=dns:///steward-install-plans.steward-system.svc:9443",
		"- --bundle-preview-token-file=/etc/steward/bundle-previews/token",
		"hostNetwork: true", "dnsPolicy: ClusterFirstWithHostNet", "pod-security.kubernetes.io/enforce: privileged"} {
		if !strings.Contains(out, part) {
			t.Errorf("%q is not in what kustomize makes of it", part)
		}
	}
}
