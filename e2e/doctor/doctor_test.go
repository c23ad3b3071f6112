package doctor_test

import (
	"encoding/json"
	"fmt"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"

	"steward.dev/e2e/cluster"
	"steward.dev/e2e/olm"
)

// finding is an entry of a DoctorReport.
type finding struct{ Check, Outcome, Message, Remedy string }

// examine is `kubectl steward doctor` with its document and exit code.
func examine(t *testing.T, kubeconfig string, args ...string) (findings []finding, text string, code int) {
	t.Helper()
	cmd := exec.Command(filepath.Join(shared.KubectlDir(), "kubectl"), append([]string{"steward", "doctor", "-o", "json"}, args...)...)
	cmd.Dir = t.TempDir()
	cmd.Env = []string{"KUBECONFIG=" + kubeconfig, "HOME=" + cmd.Dir, "PATH=" + pluginDir + ":/usr/bin:/bin"}
	var words strings.Builder
	cmd.Stderr = &words
	stdout, err := cmd.Output()
	if _, ended := err.(*exec.ExitError); err != nil && !ended {
		t.Fatal(err)
	}
	var document struct {
		Kind     string
		ExitCode int
		Findings []finding
	}
	if err := json.Unmarshal(stdout, &document); err != nil {
		t.Fatalf("%v: %s%s", err, stdout, words.String())
	}
	code = cmd.ProcessState.ExitCode()
	if document.Kind != "DoctorReport" || document.ExitCode != code {
		t.Errorf("%s, exit code %d, but %d in the document", document.Kind, code, document.ExitCode)
	}
	return document.Findings, words.String(), code
}

// healthy waits until nothing fails or warns.
func healthy(t *testing.T) {
	t.Helper()
	eventually(t, func() error {
		findings, text, code := examine(t, shared.Admin)
		for _, each := range findings {
			if each.Outcome != "Ok" {
				return fmt.Errorf("exit code %d\n%s", code, text)
			}
		}
		if code != 0 {
			return fmt.Errorf("exit code %d\n%s", code, text)
		}
		return nil
	})
}

// finds waits until a check fails, or warns, with a message that begins so; it returns the remedy.
func finds(t *testing.T, check, outcome, message string) (remedy string) {
	t.Helper()
	eventually(t, func() error {
		findings, text, code := examine(t, shared.Admin)
		for _, each := range findings {
			if each.Check == check && each.Outcome == outcome && strings.HasPrefix(each.Message, message) {
				remedy = each.Remedy
				if outcome == "Failed" && code != 1 {
					return fmt.Errorf("exit code %d", code)
				}
				return nil
			}
		}
		return fmt.Errorf("no %s %s %q in\n%s", check, outcome, message, text)
	})
	return remedy
}

var commands = regexp.MustCompile(`kubectl ([^;,:']|'[^']*')+`)

// follow does what a remedy says: each of its commands that changes something, as they stand.
func follow(t *testing.T, remedy string) {
	t.Helper()
	done := false
	for _, command := range commands.FindAllString(remedy, -1) {
		command, _, _ = strings.Cut(command, " and kubectl logs")
		if regexp.MustCompile(`^kubectl (describe|logs|get|steward status|steward uninstall)`).MatchString(command) {
			continue
		}
		command, _, _ = strings.Cut(command, " takes the opt-in back")
		command = strings.ReplaceAll(strings.TrimSpace(command), "OVERLAY", overlay)
		if strings.HasPrefix(command, "kubectl steward abort") {
			command += " --yes"
		}
		cmd := exec.Command("sh", "-c", command)
		cmd.Dir = t.TempDir()
		cmd.Env = []string{"KUBECONFIG=" + shared.Admin, "HOME=" + cmd.Dir, "PATH=" + shared.KubectlDir() + ":" + pluginDir + ":/usr/bin:/bin"}
		said, err := cmd.CombinedOutput()
		t.Logf("%s\n%s", command, said)
		must(t, err)
		done = true
	}
	if !done {
		t.Errorf("no command in %q", remedy)
	}
}

// Each case makes one thing wrong, sees it found, does what the remedy says, and sees nothing wrong. `mend` plays what follows from
// the remedy where a kubelet would do it, or does what the remedy asks of a person.
func TestDoctor_SeesAndMends(t *testing.T) {
	healthy(t)
	restart := func(deployment string) func(*testing.T) {
		return func(t *testing.T) { must(t, startProcess(t.Context(), deployment)) }
	}
	for _, row := range []struct {
		name           string
		harm           func(*testing.T)
		check, outcome string // "" = Failed
		finds          string
		byHand         bool // the remedy has no command that changes something
		remedyMentions string
		mend           func(*testing.T)
	}{
		{
			name: "scaled to nothing",
			harm: func(t *testing.T) {
				kubectl(t, "scale", "deployment/steward-controllers", "-n", system, "--replicas=0")
			},
			check: "Deployments", finds: "steward-controllers was scaled to nothing",
		},
		{
			name: "another image",
			harm: func(t *testing.T) {
				kubectl(t, "set", "image", "deployment/steward-controllers", "-n", system, "controllers=steward:older")
			},
			check: "Versions", finds: "Steward's processes run different images",
		},
		{
			name:  "no APIService",
			harm:  func(t *testing.T) { kubectl(t, "delete", "apiservice", cluster.APIServiceName) },
			check: "APIService", finds: "there is no APIService", byHand: true, remedyMentions: "the guard makes it",
			mend: func(t *testing.T) { must(t, shared.Register(t.Context(), steward)) },
		},
		{
			name:  "the API server does not answer",
			harm:  func(t *testing.T) { must(t, steward.Stop()) },
			check: "APIService", finds: "the kube-apiserver does not reach the API server", byHand: true, remedyMentions: "logs deployment/steward-apiserver",
			mend: func(t *testing.T) { must(t, steward.Start()); must(t, steward.WaitReady(t.Context())) },
		},
		{
			name:  "nobody is answered",
			harm:  func(t *testing.T) { must(t, steward.Stop()) },
			check: "Freshness", finds: "installedoperators are not answered from the cluster's newest state",
			mend: func(t *testing.T) { must(t, steward.Start()); must(t, steward.WaitReady(t.Context())) },
		},
		{
			name:  "no replica is ready",
			harm:  func(t *testing.T) { ready(t, false) },
			check: "Endpoints", finds: "the Service steward-apiserver leads to no replica", byHand: true, remedyMentions: "describe deployment/steward-apiserver",
			mend: func(t *testing.T) { ready(t, true) },
		},
		{
			name:  "no guard",
			harm:  func(t *testing.T) { kubectl(t, "delete", "deployment", "steward-apiservice-guard", "-n", system) },
			check: "Guard", finds: "the guard does not run",
		},
		{
			name:  "nobody leads",
			harm:  func(t *testing.T) { must(t, stopProcess("steward-controllers")) },
			check: "Leaders", finds: "steward-controllers: nobody leads",
			mend: restart("steward-controllers"),
		},
		{
			name: "a certificate ends",
			harm: func(t *testing.T) {
				must(t, stopProcess("steward-certificates"))
				must(t, putSecret(t.Context(), "steward-controllers-grpc", 10*24*time.Hour+time.Hour, map[string]string{"app.kubernetes.io/managed-by": "steward-certificates"}))
			},
			check: "Certificates", finds: "the certificate in Secret steward-controllers-grpc ends in 10 days",
			mend: restart("steward-certificates"),
		},
		{
			name: "a right less",
			harm: func(t *testing.T) {
				kubectl(t, "patch", "clusterrole", "steward-apiserver", "--type=json", "-p", `[{"op":"remove","path":"/rules/0/verbs/1"}]`)
			},
			check: "Rights", finds: "ClusterRole steward-apiserver does not grant watch clusterserviceversions.operators.coreos.com",
		},
		{
			name:  "a binding less",
			harm:  func(t *testing.T) { kubectl(t, "delete", "rolebinding", "steward-controllers", "-n", system) },
			check: "Rights", finds: "RoleBinding steward-system/steward-controllers of deploy/base is missing",
		},
		{
			name: "a binding more",
			harm: func(t *testing.T) {
				kubectl(t, "create", "clusterrolebinding", "mine", "--clusterrole=view", "--serviceaccount="+system+":steward-controllers")
			},
			check: "Rights", outcome: "Warning", finds: "steward-controllers is also bound to ClusterRole view by ClusterRoleBinding mine",
		},
		{
			name: "a policy is not bound",
			harm: func(t *testing.T) {
				kubectl(t, "delete", "validatingadmissionpolicybinding", "steward-controllers-writes")
			},
			check: "Policies", finds: "ValidatingAdmissionPolicy steward-controllers-writes has no binding",
		},
		{
			name: "a policy says something else",
			harm: func(t *testing.T) {
				kubectl(t, "patch", "validatingadmissionpolicy", "steward-controllers-deletes", "--type=json", "-p",
					`[{"op":"replace","path":"/spec/validations/0/expression","value":"true"}]`)
			},
			check: "Policies", finds: "ValidatingAdmissionPolicy steward-controllers-deletes is not as shipped: spec.validations[0].expression",
		},
		{
			name: "beside OLM",
			harm: func(t *testing.T) {
				must(t, shared.ApplyManifests(t.Context(), "overlays/copies"))
				must(t, startProcess(t.Context(), "steward-copied-csvs"))
				kubectl(t, "create", "namespace", "olm")
				kubectl(t, "create", "deployment", "olm-operator", "-n", "olm", "--image=olm")
			},
			check: "OLM", finds: "steward-copied-csvs waits, since the Deployment olm/olm-operator runs",
			mend: func(t *testing.T) {
				must(t, stopProcess("steward-copied-csvs"))
				kubectl(t, "delete", "-k", filepath.Join(root, "deploy/overlays/copies"), "--ignore-not-found")
				kubectl(t, "delete", "namespace", "olm")
			},
		},
		{
			name: "copies that nobody deletes",
			harm: func(t *testing.T) {
				copies(t)
				must(t, olm.Create(t.Context(), shared.Any, &unstructured.Unstructured{Object: map[string]any{
					"apiVersion": "operators.coreos.com/v1", "kind": "OLMConfig", "metadata": map[string]any{"name": "cluster"},
					"spec": map[string]any{"features": map[string]any{"disableCopiedCSVs": true}},
				}}))
			},
			check: "Copied CSVs", finds: "1 copy of ClusterServiceVersions is to be deleted, and nobody does that", byHand: true, remedyMentions: "without OLM deploy/overlays/copies",
			mend: func(t *testing.T) {
				must(t, shared.ApplyManifests(t.Context(), "overlays/copies"))
				must(t, startProcess(t.Context(), "steward-copied-csvs"))
			},
		},
		{
			name: "an opt-in that does not count",
			harm: func(t *testing.T) {
				must(t, stopProcess("steward-controllers"))
				unconfirmed(t)
				must(t, startProcess(t.Context(), "steward-controllers"))
			},
			check: "Cleanups", finds: "the opt-in of things/thing.v1 does not count",
		},
		{
			name: "rights held for nobody",
			harm: func(t *testing.T) {
				must(t, stopProcess("steward-controllers"))
				role := &olm.Object{Object: map[string]any{"apiVersion": "rbac.authorization.k8s.io/v1", "kind": "ClusterRole", "rules": []any{}}}
				role.SetName("left")
				role.SetLabels(olm.OwnerLabels("gone", "gone.v1"))
				role.SetFinalizers([]string{"steward.operatorframework.io/hold-rights"})
				_, err := shared.Any.Resource(olm.ClusterRoles).Create(t.Context(), role, metav1.CreateOptions{})
				must(t, err)
			},
			check: "Held rights", finds: "1 object of operators, as clusterroles.rbac.authorization.k8s.io left, is held",
			mend: restart("steward-controllers"),
		},
	} {
		t.Run(row.name, func(t *testing.T) {
			row.harm(t)
			outcome := row.outcome
			if outcome == "" {
				outcome = "Failed"
			}
			remedy := finds(t, row.check, outcome, row.finds)
			if !strings.Contains(remedy, row.remedyMentions) {
				t.Errorf("%q is not in the remedy %q", row.remedyMentions, remedy)
			}
			if !row.byHand {
				follow(t, remedy)
			}
			if row.mend != nil {
				row.mend(t)
			}
			healthy(t)
		})
		if t.Failed() {
			return // what is wrong now would be found by all that follow
		}
	}
}

func ready(t *testing.T, is bool) {
	t.Helper()
	patch := fmt.Sprintf(`[{"op":"add","path":"/endpoints/0/conditions","value":{"ready":%v}}]`, is)
	_, err := shared.Kube.DiscoveryV1().EndpointSlices(system).Patch(t.Context(), "steward-apiserver", types.JSONPatchType, []byte(patch), metav1.PatchOptions{})
	must(t, err)
}

// things is an operator for all namespaces.
func things(t *testing.T) {
	t.Helper()
	group := olm.Synced(olm.OperatorGroup("things", "group"), "")
	csv := olm.CSV("thing.v1", group, "")
	must(t, unstructured.SetNestedField(csv.Object, true, "spec", "cleanup", "enabled"))
	must(t, olm.Create(t.Context(), shared.Any, olm.Namespace("things"), olm.Namespace("user-of-things"), group, csv))
}

// copies makes the operator, and a copy of it.
func copies(t *testing.T) {
	t.Helper()
	things(t)
	original, err := shared.Any.Resource(olm.CSVs).Namespace("things").Get(t.Context(), "thing.v1", metav1.GetOptions{})
	must(t, err)
	copied := &olm.Object{Object: map[string]any{"apiVersion": "operators.coreos.com/v1alpha1", "kind": "ClusterServiceVersion", "spec": original.Object["spec"]}}
	copied.SetName("thing.v1")
	copied.SetNamespace("user-of-things")
	copied.SetLabels(map[string]string{"olm.copiedFrom": "things"})
	_, err = shared.Any.Resource(olm.CSVs).Namespace("user-of-things").Create(t.Context(), copied, metav1.CreateOptions{})
	must(t, err)
	must(t, olm.MutateStatus(t.Context(), shared.Any, olm.CSVs, "user-of-things", "thing.v1", func(csv *olm.Object) {
		csv.Object["status"] = original.Object["status"]
		_ = unstructured.SetNestedField(csv.Object, "Copied", "status", "reason")
	}))
}

// unconfirmed opts the operator in while the policy that asks for the right is not bound.
func unconfirmed(t *testing.T) {
	t.Helper()
	kubectl(t, "delete", "validatingadmissionpolicybinding", "steward-cleanup-opt-in")
	eventually(t, func() error {
		patch := []byte(`{"metadata":{"finalizers":["operatorframework.io/delete-custom-resources"]}}`)
		_, err := shared.Any.Resource(olm.CSVs).Namespace("things").Patch(t.Context(), "thing.v1", types.MergePatchType, patch, metav1.PatchOptions{})
		return err
	})
	kubectl(t, "apply", "--server-side", "--force-conflicts", "-k", overlay)
	// What is taken back sooner, nobody is sure to have seen without it.
	must(t, olm.OptInsSettle(t.Context(), shared.Any))
}

// What somebody may not read is said, and fails nothing.
func TestDoctor_SaysWhatATenantCannotSee(t *testing.T) {
	tenant, err := shared.User("tenant-of-doctor")
	must(t, err)
	findings, text, code := examine(t, tenant)
	if code != 0 || !strings.Contains(text, "could not be made with your rights") {
		t.Errorf("exit code %d\n%s", code, text)
	}
	for _, each := range findings {
		if each.Outcome != "Unseen" {
			t.Errorf("a tenant sees %+v", each)
		}
	}
}
