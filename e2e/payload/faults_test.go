package payload_test

import (
	"context"
	"testing"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"steward.dev/e2e/olm"
)

// wrong is a delete manifest whose annotation has another value; as YAML has it, quotes and all.
func wrong(object *olm.Object, value string) string {
	return "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: " + object.GetName() + "\n  namespace: " + object.GetNamespace() +
		"\n  annotations:\n    " + included + ": \"true\"\n    " + deletion + ": " + value + "\n"
}

// R-003-09, 10, 34, 55: a payload with other values of the annotation, or with one object twice, is used for nothing: all is
// named at once. What is right in it waits until the rest is.
func TestFaults_R_003_09_10_34_AllAreNamedAndNothingIsWritten(t *testing.T) {
	s := newScene(t)
	where := s.namespace()
	var objects []*olm.Object
	for _, name := range []string{"capital", "negated", "empty", "said-yes", "unquoted", "retired", "both", "twice"} {
		objects = append(objects, configMap(where, name))
	}
	s.there(objects...)
	good := files{
		"0000_10_stack_retired.yaml": docs(deleted(configMap(where, "retired"))), "0000_15_stack_new.yaml": docs(applied(configMap(where, "new"))),
	}
	bad := files{
		"0000_20_stack_capital.yaml":      wrong(configMap(where, "capital"), `"True"`),
		"0000_20_stack_negated.yaml":      wrong(configMap(where, "negated"), `"false"`),
		"0000_20_stack_empty.yaml":        wrong(configMap(where, "empty"), `""`),
		"0000_20_stack_said-yes.yaml":     wrong(configMap(where, "said-yes"), `"yes"`),
		"0000_20_stack_unquoted.yaml":     wrong(configMap(where, "unquoted"), `true`),
		"0000_40_stack_both-deleted.yaml": docs(deleted(configMap(where, "both"))),
		"0000_50_stack_both-made.yaml":    docs(applied(configMap(where, "both"))),
		"0000_60_stack_twice.yaml":        docs(applied(configMap(where, "twice"))),
		"0000_61_stack_twice.yaml":        docs(applied(configMap(where, "twice"))),
	}
	began := time.Now()
	s.pays("4.5.0", good.and(bad))
	s.starts()
	for name := range bad {
		if name != "0000_40_stack_both-deleted.yaml" && name != "0000_60_stack_twice.yaml" {
			s.tells("Warning", "PayloadRefused", name)
		}
	}
	s.metric("steward_payload_refused", 1)
	s.writesNothing(began)
	s.all(objects...)
	for name := range bad {
		contains(t, fails(t, 1, "payload", "lint", s.folder("4.5.0", good.and(bad))), name)
	}
	fails(t, 1, "payload", "apply", s.folder("4.5.0", good.and(bad)), "--yes", "--kubeconfig", shared.Admin)
	s.all(objects...)
	// Each fault alone is enough.
	s.pays("4.5.0", good.and(files{"0000_20_stack_unquoted.yaml": bad["0000_20_stack_unquoted.yaml"]}))
	s.stops()
	s.starts()
	s.metric("steward_payload_refused", 1)
	s.all(objects...)

	s.pays("4.5.0", good)
	s.completes("4.5.0")
	s.gone(configMap(where, "retired"))
	s.all(configMap(where, "new"), configMap(where, "capital"), configMap(where, "unquoted"), configMap(where, "both"))
	s.metric("steward_payload_refused", 0)
}

// Case 30, the part that is right: what is there goes, a kind that is gone counts as removed, what is held is reported and does not
// hold up the rest, and the namespace is last.
func TestFaults_Case30_TheGoodPart(t *testing.T) {
	s := newScene(t)
	where := s.namespace()
	retired, held := configMap(where, "retired"), finalized(configMap(where, "held"))
	relic := object("gone.example.net/v1", "Relic", where, "some", nil)
	s.there(retired, held)
	began := time.Now()
	s.pays("4.5.0", files{
		"0000_10_stack_retired.yaml": docs(deleted(retired)), "0000_30_stack_held.yaml": docs(deleted(held)),
		"0000_30_stack_relic.yaml": docs(deleted(relic)), "0000_60_stack_namespace.yaml": docs(deleted(namespaced(where))),
	})
	s.starts()
	s.completes("4.5.0")
	s.gone(retired)
	s.removes(retired, "Completed")
	if s.removes(relic, "Completed").Note == "" {
		t.Error("nothing is said of a kind that is gone")
	}
	s.removes(held, "Ongoing")
	s.removes(namespaced(where), "Ongoing")
	s.notUpgradeable(held, namespaced(where))
	var order []string
	for _, each := range s.wrote(began) {
		if each.Verb == "delete" {
			order = append(order, each.ObjectRef.Name)
		}
	}
	if len(order) < 3 || order[0] != "retired" || order[1] != "held" || order[2] != where {
		t.Errorf("the deletions are %q", order)
	}
	s.releases(held)
	s.gone(held, namespaced(where))
	s.removes(held, "Completed")
	s.removes(namespaced(where), "Completed")
	s.upgradeable()
}

// Rights that are missing are named before the first write, and taken up once they are there.
func TestFaults_MissingRightsAreNamedFirst(t *testing.T) {
	s := newScene(t)
	where := s.namespace()
	secret := object("v1", "Secret", where, "some", map[string]any{"stringData": map[string]any{"a": "b"}})
	old := configMap(where, "old")
	s.there(old)
	began := time.Now()
	s.pays("4.5.0", files{
		"0000_10_some_a.yaml": docs(applied(configMap(where, "first"))), "0000_20_some_b.yaml": docs(deleted(old)),
		"0000_30_some_c.yaml": docs(applied(secret)),
	})
	s.starts()
	s.tells("Warning", "", "secrets")
	s.all(old)
	if list := s.wrote(began); len(list) > 0 {
		t.Errorf("it wrote %v", list)
	}
	role, err := addRights(t.Context(), rule("", "secrets"))
	must(t, err)
	t.Cleanup(func() {
		must(t, shared.Kube.RbacV1().ClusterRoles().Delete(context.Background(), role, metav1.DeleteOptions{}))
	})
	s.completes("4.5.0")
	s.gone(old)
	if _, err := shared.Kube.CoreV1().Secrets(where).Get(t.Context(), "some", metav1.GetOptions{}); err != nil {
		t.Error(err)
	}
}

// Beside a cluster-version-operator that runs nothing is done, unless that is asked for.
func TestFaults_NotBesideAClusterVersionOperator(t *testing.T) {
	s := newScene(t)
	where := s.namespace()
	labels := map[string]string{"k8s-app": "cluster-version-operator"}
	deployments := shared.Kube.AppsV1().Deployments(where)
	made, err := deployments.Create(t.Context(), &appsv1.Deployment{
		ObjectMeta: metav1.ObjectMeta{Name: "cluster-version-operator", Labels: map[string]string{"k8s-app": "cluster-version-operator", unhealthy: ""}},
		Spec: appsv1.DeploymentSpec{
			Selector: &metav1.LabelSelector{MatchLabels: labels},
			Template: corev1.PodTemplateSpec{
				ObjectMeta: metav1.ObjectMeta{Labels: labels},
				Spec:       corev1.PodSpec{Containers: []corev1.Container{{Name: "operator", Image: "example.com/cvo"}}},
			},
		},
	}, metav1.CreateOptions{})
	must(t, err)
	t.Cleanup(func() {
		must(t, deployments.Delete(context.Background(), "cluster-version-operator", metav1.DeleteOptions{}))
	})
	made.Status.Replicas, made.Status.ReadyReplicas, made.Status.AvailableReplicas = 1, 1, 1
	_, err = deployments.UpdateStatus(t.Context(), made, metav1.UpdateOptions{})
	must(t, err)
	old := configMap(where, "old")
	s.there(old)
	began := time.Now()
	s.pays("4.5.0", files{"0000_10_some_a.yaml": docs(applied(configMap(where, "new"))), "0000_20_some_b.yaml": docs(deleted(old))})
	s.starts()
	s.metric(`steward_peer_conflict{controller="payload"}`, 1)
	time.Sleep(2 * time.Second)
	s.writesNothing(began)
	s.all(old)
	s.stops()
	s.starts("--takeover")
	s.completes("4.5.0")
	s.gone(old)
}
