package stage

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"steward.dev/e2e/bench/load"
	"steward.dev/e2e/cluster"
	"steward.dev/e2e/olm"
)

const (
	plannedOperator = "planned.v1"
	planName        = "install-planned"
)

func plansIn(namespace string) string {
	return "/apis/operators.coreos.com/v1alpha1/namespaces/" + namespace + "/installplans"
}

// manifests are what a plan of so many steps installs, in the order of its execution: an operator, and what belongs to it, of the kinds
// that most bundles have.
func manifests(steps int) []*olm.Object {
	csv := olm.CSV(plannedOperator, olm.OperatorGroup("", "group"))
	csv.SetAnnotations(nil)
	csv.SetLabels(nil)
	delete(csv.Object, "status")
	all := []*olm.Object{csv}
	// Of ten further steps: two accounts, with a Role and a RoleBinding each, and four of other kinds.
	number := func(of int) int { return (steps - 1) * of / 10 }
	add := func(count int, version, kind string, fields func(i int) map[string]any) {
		for i := range count {
			object := &olm.Object{Object: map[string]any{"apiVersion": version, "kind": kind}}
			for key, value := range fields(i) {
				object.Object[key] = value
			}
			object.SetName(fmt.Sprintf("planned-%s-%03d", strings.ToLower(kind), i))
			all = append(all, object)
		}
	}
	add(number(2), "v1", "ServiceAccount", func(int) map[string]any { return nil })
	add(number(2), rbacVersion, "Role", func(int) map[string]any { return map[string]any{"rules": rights} })
	add(number(2), rbacVersion, "RoleBinding", func(i int) map[string]any {
		return map[string]any{
			"roleRef":  map[string]any{"apiGroup": "rbac.authorization.k8s.io", "kind": "Role", "name": fmt.Sprintf("planned-role-%03d", i)},
			"subjects": []any{map[string]any{"kind": "ServiceAccount", "name": fmt.Sprintf("planned-serviceaccount-%03d", i)}},
		}
	})
	add(number(1), "v1", "Service", func(int) map[string]any {
		return map[string]any{"spec": map[string]any{
			// Without an address: a cluster has few.
			"clusterIP": "None", "selector": map[string]any{"app": "planned"}, "ports": []any{map[string]any{"name": "https", "port": int64(8443)}},
		}}
	})
	add(steps-len(all), "v1", "ConfigMap", func(int) map[string]any {
		return map[string]any{"data": map[string]any{"settings.yaml": strings.Repeat("key: value\n", 100)}}
	})
	return all
}

var planned = map[string]string{
	"ServiceAccount": "serviceaccounts", "Role": rolesKind, "RoleBinding": bindingsKind, "Service": "services", "ConfigMap": "configmaps",
	"ClusterServiceVersion": "clusterserviceversions",
}

// manifestPath is where an object of a plan is created.
func manifestPath(object *olm.Object, namespace string) string {
	version := object.GetAPIVersion()
	root := "/apis/"
	if version == "v1" {
		root = "/api/"
	}
	return root + version + "/namespaces/" + namespace + "/" + planned[object.GetKind()]
}

// planSpace is a new namespace with an OperatorGroup of its own.
func (f *Families) planSpace(ctx context.Context) (string, error) {
	name := NextName("bench-plan")
	return name, olm.Create(ctx, f.Any, olm.Namespace(name), olm.OperatorGroup(name, "group", name))
}

// CreateManifests makes the objects of such a plan under the controllers' account, one after the other, and as the plan leaves them:
// owned by the operator. It says how long that took.
func (f *Families) CreateManifests(ctx context.Context, steps int) (took time.Duration, err error) {
	namespace, err := f.planSpace(ctx)
	if err != nil {
		return 0, err
	}
	client := f.Plans.Asked.Connect()
	defer client.Close()
	if err := client.Warm(ctx); err != nil {
		return 0, err
	}
	all := manifests(steps)
	began := time.Now()
	var owner types.UID
	for i, object := range all {
		if i > 0 {
			object.SetOwnerReferences([]metav1.OwnerReference{{
				APIVersion: all[0].GetAPIVersion(), Kind: all[0].GetKind(), Name: all[0].GetName(), UID: owner,
				Controller: new(bool), BlockOwnerDeletion: new(bool),
			}})
		}
		body, err := object.MarshalJSON()
		if err != nil {
			return 0, err
		}
		response, err := client.Do(ctx, http.MethodPost, manifestPath(object, namespace), body, "Content-Type", load.JSON)
		if err != nil {
			return 0, err
		}
		var made bytes.Buffer
		_, err = made.ReadFrom(response.Body)
		response.Body.Close()
		if err != nil {
			return 0, err
		}
		if i > 0 {
			continue
		}
		var written metav1.PartialObjectMetadata
		if err := json.Unmarshal(made.Bytes(), &written); err != nil {
			return 0, err
		}
		owner = written.UID
	}
	return time.Since(began), nil
}

// RunPlans starts the process that executes plans, once.
func (f *Families) RunPlans(ctx context.Context, name string) (*cluster.Controllers, error) {
	process, err := f.RunControllersAs(ctx, f.Plans.Kubeconfig, name, "--reconcilers=install-plans")
	if err != nil {
		return process, err
	}
	ctx, cancel := context.WithTimeout(ctx, time.Minute)
	defer cancel()
	for {
		leads, err := process.Metric(ctx, `leader_election_master_status{name="steward-install-plans"}`)
		if err == nil && leads == 1 {
			return process, nil
		}
		select {
		case <-process.Exited():
			return process, fmt.Errorf("%s ended:\n%s", process.Name, process.Tail(10))
		case <-ctx.Done():
			return process, fmt.Errorf("%s does not lead: %w", process.Name, err)
		case <-time.After(50 * time.Millisecond):
		}
	}
}

// ExecutePlan writes an approved plan of so many steps, and says how long it was from the write of its steps until a watch told that it
// is Complete.
func (f *Families) ExecutePlan(ctx context.Context, steps int) (took time.Duration, err error) {
	namespace, err := f.planSpace(ctx)
	if err != nil {
		return 0, err
	}
	client := f.administrator.Connect()
	defer client.Close()
	plan, err := planOf(manifests(steps))
	if err != nil {
		return 0, err
	}
	body, err := plan.MarshalJSON()
	if err != nil {
		return 0, err
	}
	path := plansIn(namespace)
	if err := client.Send(ctx, http.MethodPost, path, body, "Content-Type", load.JSON); err != nil {
		return 0, err
	}
	status, err := json.Marshal(map[string]any{"status": plan.Object["status"]})
	if err != nil {
		return 0, err
	}
	response, err := client.Open(ctx, path+"?watch=1&timeoutSeconds=600&fieldSelector=metadata.name%3D"+planName)
	if err != nil {
		return 0, err
	}
	defer response.Body.Close()
	began := time.Now()
	if err := client.Send(ctx, http.MethodPatch, path+"/"+planName+"/status", status, "Content-Type", mergePatch); err != nil {
		return 0, err
	}
	lines := bufio.NewReader(response.Body)
	for {
		line, err := lines.ReadBytes('\n')
		if err != nil {
			return 0, fmt.Errorf("the watch of a plan ended: %w", err)
		}
		took = time.Since(began)
		var event struct {
			Object struct{ Status planStatus }
		}
		if err := json.Unmarshal(line, &event); err != nil {
			return 0, err
		}
		if done, err := event.Object.Status.complete(steps); done || err != nil {
			return took, err
		}
	}
}

// planOf is an approved plan, as it is once OLM has resolved it.
func planOf(all []*olm.Object) (*olm.Object, error) {
	list := []any{}
	for _, object := range all {
		text, err := object.MarshalJSON()
		if err != nil {
			return nil, err
		}
		kind := object.GroupVersionKind()
		list = append(list, map[string]any{
			"resolving": plannedOperator, "status": "Unknown",
			"resource": map[string]any{
				"group": kind.Group, "version": kind.Version, "kind": kind.Kind, "name": object.GetName(),
				"sourceName": "catalog", "sourceNamespace": "olm", "manifest": strings.TrimSpace(string(text)),
			},
		})
	}
	plan := &olm.Object{Object: map[string]any{
		"apiVersion": "operators.coreos.com/v1alpha1", "kind": "InstallPlan",
		"spec":   map[string]any{"approval": "Automatic", "approved": true, "clusterServiceVersionNames": []any{plannedOperator}},
		"status": map[string]any{"phase": "Installing", "catalogSources": []any{}, "plan": list},
	}}
	plan.SetName(planName)
	return plan, nil
}

type planStatus struct {
	Phase, Message string
	Plan           []struct{ Status string }
}

// complete says whether a plan has ended well: with every step created.
func (s planStatus) complete(steps int) (bool, error) {
	switch s.Phase {
	case "Failed":
		return false, fmt.Errorf("the plan has failed: %s", s.Message)
	case "Complete":
	default:
		return false, nil
	}
	created := 0
	for _, step := range s.Plan {
		if step.Status == "Created" {
			created++
		}
	}
	if created != steps {
		return false, fmt.Errorf("%d of %d steps were created", created, steps)
	}
	return true, nil
}
