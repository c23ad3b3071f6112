package installplans_test

import (
	"fmt"
	"testing"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"steward.dev/e2e/cluster"
	"steward.dev/e2e/olm"
)

// The cases of this file do what they like to the executor's process, and so do not run beside others.

// heldPlan has many steps, of which the one in the middle is held.
func heldPlan(t *testing.T, namespace string, count int) *olm.Object {
	t.Helper()
	steps := []step{mandatory(csv(namespace, "some.v1")), optional(autoscaler("", "left-out"))}
	for number := range count {
		object := answering(configMap(namespace, fmt.Sprintf("settings-%d", number)))
		if number == count/2 {
			object = answering(object, held, "true")
		}
		steps = append(steps, mandatory(object))
	}
	return planned(t, namespace, "plan", "some.v1", steps...)
}

// together is how many steps of a plan are written at a time. Of a process that is killed so many creations may have no answer, though
// the server makes the objects.
const together = 8

// madeOnce fails unless each of a held plan's ConfigMaps is there, made by one write.
func madeOnce(t *testing.T, namespace string, count int) {
	t.Helper()
	made, cutOff := map[string]int{}, map[string]bool{}
	for _, each := range writes(t, namespace, "configmaps") {
		switch {
		case each.Verb != "create":
		case each.ResponseStatus.Code == 201:
			made[each.ObjectRef.Name]++
		case each.ResponseStatus.Code >= 500: // 504: its client had gone
			cutOff[each.ObjectRef.Name] = true
		}
	}
	unanswered := 0
	for number := range count {
		name := fmt.Sprintf("settings-%d", number)
		found(t, core("configmaps"), namespace, name)
		switch made[name] {
		case 0:
			unanswered++
			if !cutOff[name] {
				t.Errorf("%s is there, and the audit knows no creation of it", name)
			}
		case 1:
		default:
			t.Errorf("%s was made %d times", name, made[name])
		}
	}
	if unanswered > together {
		t.Errorf("%d were made, and nobody was told", unanswered)
	}
}

// halfway waits until the first half of a held plan's ConfigMaps are there.
func halfway(t *testing.T, namespace string, count int) {
	t.Helper()
	eventually(t, func() error {
		list, err := shared.Kube.CoreV1().ConfigMaps(namespace).List(t.Context(), metav1.ListOptions{LabelSelector: answered})
		if err == nil && len(list.Items) < count/2 {
			err = fmt.Errorf("%d ConfigMaps", len(list.Items))
		}
		return err
	})
}

// Killed in the midst of a plan, the next process goes on where it ended.
func TestProcesses_KilledInTheMidst(t *testing.T) {
	namespace := space(t)
	const count = 60
	letGo := holds(t, namespace)
	install(t, heldPlan(t, namespace, count))
	halfway(t, namespace, count)
	executing.Kill()
	letGo()
	if phase := phaseOf(planOf(t, namespace, "plan")); phase != "Installing" {
		t.Errorf("the plan is %s", phase)
	}
	must(t, startExecuting(t.Context()))
	plan := ends(t, namespace, "plan", "Complete")
	statuses := statusesOf(plan)
	if statuses[0] != "Created" && statuses[0] != "Present" || statuses[1] != "NotCreated" {
		t.Errorf("the steps begin with %q", statuses[:2])
	}
	madeOnce(t, namespace, count)
	if count := told(t, namespace, "plan", "left-out"); count > 2 {
		t.Errorf("the step that was left out was told %d times", count)
	}
}

// Of two processes one works; when it is killed the other goes on.
func TestProcesses_TwoReplicas(t *testing.T) {
	second, err := shared.RunControllersAs(t.Context(), account, "install-plans-second", flags()...)
	must(t, err)
	t.Cleanup(func() { must(t, second.Stop()) })
	leads := func(process *cluster.Controllers) func() error {
		return func() error {
			value, err := process.Metric(t.Context(), `leader_election_master_status{name="`+accountName+`"}`)
			if err == nil && value != 1 {
				err = fmt.Errorf("%s does not lead", process.Name)
			}
			return err
		}
	}
	eventually(t, leads(executing))
	namespace := space(t)
	const count = 40
	letGo := holds(t, namespace)
	install(t, heldPlan(t, namespace, count))
	halfway(t, namespace, count)
	if leads(second)() == nil {
		t.Error("both lead")
	}
	executing.Kill()
	letGo()
	eventually(t, leads(second))
	ends(t, namespace, "plan", "Complete")
	madeOnce(t, namespace, count)
	// The one that was killed comes back, and stands by.
	must(t, startExecuting(t.Context()))
	must(t, second.Stop())
	eventually(t, leads(executing))
}

// Beside catalog-operator nothing is executed, unless that is asked for.
func TestProcesses_NotBesideOLM(t *testing.T) {
	must(t, executing.Stop())
	namespace := space(t)
	deployments := shared.Kube.AppsV1().Deployments(namespace)
	labels := map[string]string{"app": "catalog-operator"}
	made, err := deployments.Create(t.Context(), &appsv1.Deployment{
		ObjectMeta: metav1.ObjectMeta{Name: "catalog-operator"},
		Spec: appsv1.DeploymentSpec{
			Selector: &metav1.LabelSelector{MatchLabels: labels},
			Template: corev1.PodTemplateSpec{
				ObjectMeta: metav1.ObjectMeta{Labels: labels},
				Spec:       corev1.PodSpec{Containers: []corev1.Container{{Name: "catalog-operator", Image: "example.com/olm"}}},
			},
		},
	}, metav1.CreateOptions{})
	must(t, err)
	made.Status.Replicas, made.Status.ReadyReplicas, made.Status.AvailableReplicas = 1, 1, 1
	_, err = deployments.UpdateStatus(t.Context(), made, metav1.UpdateOptions{})
	must(t, err)
	install(t, planned(t, namespace, "plan", "some.v1", mandatory(csv(namespace, "some.v1"))))
	must(t, startExecuting(t.Context()))
	eventually(t, func() error {
		value, err := executing.Metric(t.Context(), `steward_peer_conflict{controller="install-plans"}`)
		if err == nil && value != 1 {
			err = fmt.Errorf("steward_peer_conflict is %v", value)
		}
		return err
	})
	stays(t, namespace, "plan", "Installing", 2*time.Second)
	missing(t, olm.CSVs, namespace, "some.v1")
	must(t, executing.Stop())
	must(t, startExecuting(t.Context(), "--takeover"))
	completes(t, namespace, "plan", "Created")
	must(t, deployments.Delete(t.Context(), "catalog-operator", metav1.DeleteOptions{}))
	must(t, executing.Stop())
	must(t, startExecuting(t.Context()))
}
