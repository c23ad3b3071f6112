package stage

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/watch"

	"steward.dev/e2e/bench/load"
	"steward.dev/e2e/cluster"
	"steward.dev/e2e/olm"
)

const (
	// OptIn is the finalizer by which an administrator wants an operator's custom resources deleted.
	OptIn = "operatorframework.io/delete-custom-resources"
	// holds is the finalizer by which the controllers hold an operator's rights.
	holds = "steward.operatorframework.io/hold-rights"

	operandGroup = "bench.example.com"
	uninstalled  = "bench-operator.v1"
	// Owned is the kind of the operator's custom resources, Plain that of those of nobody.
	Owned, Plain = "Widget", "Plain"
	// Concurrent is how many DELETEs are on their way at a time: the controllers', and the plain deleter's.
	Concurrent = 8

	controllersSpace = "steward-system"
	controllersName  = "steward-controllers"
)

// Uninstalls is a control plane with operators that are opted in to cleanup, and custom resources of two kinds that are
// alike: those of one operator, and those that a plain program deletes. Everybody who deletes has the controllers' own
// rights, so that the server treats them alike.
type Uninstalls struct {
	*cluster.Cluster
	Namespaces []string
	OptedIn    int
	Asked      load.Server // the kube-apiserver, as the controllers' ServiceAccount

	copies        int    // that there are
	audit         string // of what the controllers write, but for custom resources
	administrator load.Server
	account       string // kubeconfig
}

// auditPolicy writes down nothing of what is deleted here by the thousand.
const auditPolicy = `apiVersion: audit.k8s.io/v1
kind: Policy
omitStages: [RequestReceived]
rules:
- {level: None, resources: [{group: ` + operandGroup + `}]}
- {level: Metadata, users: ["system:serviceaccount:` + controllersSpace + `:` + controllersName + `"], verbs: [create, update, patch, delete, deletecollection]}
- {level: None}
`

// StartUninstalls sets everything up but custom resources. dir is the bench's own folder. What it returns is to be stopped even after an error.
func StartUninstalls(ctx context.Context, dir string, from *Operators, namespaces, optedIn int, say Progress) (u *Uninstalls, err error) {
	u = &Uninstalls{OptedIn: optedIn, audit: filepath.Join(dir, "audit.log")}
	policy := filepath.Join(dir, "audit-policy.yaml")
	if err := os.WriteFile(policy, []byte(auditPolicy), 0o644); err != nil {
		return u, err
	}
	say("starting a control plane of its own")
	u.Cluster, err = cluster.Start(ctx, cluster.Options{
		APIServerFlags: []string{"--audit-policy-file=" + policy, "--audit-log-path=" + u.audit, "--audit-log-mode=blocking"},
	})
	if err != nil {
		return u, err
	}
	root, err := cluster.Root()
	if err != nil {
		return u, err
	}
	if err := olm.InstallCRDs(ctx, u.Any, root,
		olm.Definition(operandGroup, Owned, "Namespaced", "v1"), olm.Definition(operandGroup, Plain, "Namespaced", "v1")); err != nil {
		return u, err
	}
	if err := u.ApplyManifests(ctx, "base"); err != nil {
		return u, err
	}
	if err := u.allow(ctx); err != nil {
		return u, err
	}
	if err := u.connect(ctx); err != nil {
		return u, err
	}
	if err := olm.DeletionsSettle(ctx, u.Any); err != nil {
		return u, err
	}
	for i := range namespaces {
		u.Namespaces = append(u.Namespaces, fmt.Sprintf("bench-%04d", i))
	}
	err = parallel(ctx, u.Namespaces, func(ctx context.Context, name string) error {
		return olm.Create(ctx, u.Any, olm.Namespace(name))
	})
	if err != nil {
		return u, err
	}
	say("installing %d operators that are opted in", optedIn)
	return u, u.install(ctx, from)
}

// allow gives the controllers the right to clean up, as deploy/README.md tells an administrator to: the aggregating
// controller does not run here.
func (u *Uninstalls) allow(ctx context.Context) error {
	role := &olm.Object{Object: map[string]any{
		"apiVersion": "rbac.authorization.k8s.io/v1", "kind": "ClusterRole",
		"rules": []any{map[string]any{
			"apiGroups": []any{operandGroup}, "resources": []any{"*"}, "verbs": []any{"list", "watch", "delete"},
		}},
	}}
	role.SetName("bench-cleanup")
	binding := &olm.Object{Object: map[string]any{
		"apiVersion": "rbac.authorization.k8s.io/v1", "kind": "ClusterRoleBinding",
		"roleRef":  map[string]any{"apiGroup": "rbac.authorization.k8s.io", "kind": "ClusterRole", "name": role.GetName()},
		"subjects": []any{map[string]any{"kind": "ServiceAccount", "namespace": controllersSpace, "name": controllersName}},
	}}
	binding.SetName(role.GetName())
	_, err := u.Any.Resource(olm.ClusterRoles).Create(ctx, role, metav1.CreateOptions{})
	if err == nil {
		_, err = u.Any.Resource(olm.ClusterRoleBindings).Create(ctx, binding, metav1.CreateOptions{})
	}
	return err
}

func (u *Uninstalls) connect(ctx context.Context) (err error) {
	if u.administrator, err = serverOf("kube-apiserver", u.Config, ""); err != nil {
		return err
	}
	token, err := u.Token(ctx, controllersSpace, controllersName)
	if err != nil {
		return err
	}
	if u.account, err = u.ServiceAccount(ctx, controllersSpace, controllersName); err != nil {
		return err
	}
	config, err := cluster.ClientFor(u.account)
	if err != nil {
		return err
	}
	u.Asked, err = serverOf("kube-apiserver", config, token, u.APIServer().Pid())
	return err
}

func operandsPath(kind string) string {
	return "/apis/" + operandGroup + "/v1/" + strings.ToLower(kind) + "s"
}

func operandsIn(kind, namespace string) string {
	return "/apis/" + operandGroup + "/v1/namespaces/" + namespace + "/" + strings.ToLower(kind) + "s"
}

// install makes the operator that will be uninstalled, and others of usual sizes that stay.
func (u *Uninstalls) install(ctx context.Context, from *Operators) error {
	if err := olm.Create(ctx, u.Any, olm.Namespace(Origin), u.group()); err != nil {
		return err
	}
	var csvs []*olm.Object
	for i := range u.OptedIn {
		csvs = append(csvs, variant(from.CSVs[i%len(from.CSVs)], i))
	}
	csvs = append(csvs, u.uninstallable())
	return parallel(ctx, csvs, u.optIn)
}

func (u *Uninstalls) group() *olm.Object {
	return olm.Synced(olm.OperatorGroup(Origin, "global"))
}

func (u *Uninstalls) uninstallable() *olm.Object {
	csv := olm.CSV(uninstalled, u.group())
	csv.Object["spec"].(map[string]any)["customresourcedefinitions"] = map[string]any{"owned": []any{map[string]any{
		"name": "widgets." + operandGroup, "version": "v1", "kind": "Widget", "displayName": "Widget", "description": "Widget",
	}}}
	return csv
}

// optIn installs an operator that is opted in, with a ClusterRole.
func (u *Uninstalls) optIn(ctx context.Context, csv *olm.Object) error {
	csv.SetFinalizers([]string{OptIn})
	if err := olm.Confirm(ctx, u.Any, csv); err != nil {
		return err
	}
	csv.Object["spec"].(map[string]any)["cleanup"] = map[string]any{"enabled": true}
	if err := olm.Create(ctx, u.Any, csv); err != nil {
		return err
	}
	role := &olm.Object{Object: map[string]any{"apiVersion": "rbac.authorization.k8s.io/v1", "kind": "ClusterRole"}}
	role.SetName("bench-" + csv.GetName())
	role.SetLabels(olm.OwnerLabels(Origin, csv.GetName()))
	_, err := u.Any.Resource(olm.ClusterRoles).Create(ctx, role, metav1.CreateOptions{})
	return err
}

// Run starts the controllers under their own rights, and waits until they hold the rights of every operator.
func (u *Uninstalls) Run(ctx context.Context, name string) (*cluster.Controllers, error) {
	process, err := u.RunControllersAs(ctx, u.account, name, "--reconcilers=cleanup")
	if err != nil {
		return process, err
	}
	ctx, cancel := context.WithTimeout(ctx, time.Minute)
	defer cancel()
	for {
		held, total, err := u.held(ctx)
		if err == nil && held == total {
			return process, nil
		}
		select {
		case <-process.Exited():
			return process, fmt.Errorf("%s ended:\n%s", process.Name, process.Tail(10))
		case <-ctx.Done():
			return process, fmt.Errorf("the controllers hold the rights of %d of %d operators: %w", held, total, err)
		case <-time.After(100 * time.Millisecond):
		}
	}
}

func (u *Uninstalls) held(ctx context.Context) (held, total int, err error) {
	roles, err := u.Any.Resource(olm.ClusterRoles).List(ctx, metav1.ListOptions{LabelSelector: "olm.owner.kind=ClusterServiceVersion"})
	if err != nil {
		return 0, 0, err
	}
	for _, role := range roles.Items {
		if slices.Contains(role.GetFinalizers(), holds) {
			held++
		}
	}
	csvs, err := u.Any.Resource(olm.CSVs).Namespace(Origin).List(ctx, metav1.ListOptions{})
	if err != nil {
		return 0, 0, err
	}
	told := 0
	for _, csv := range csvs.Items {
		conditions, _, _ := unstructured.NestedSlice(csv.Object, "status", "conditions")
		if slices.ContainsFunc(conditions, func(each any) bool {
			fields, _ := each.(map[string]any)
			return fields["reason"] == "RightsHeld"
		}) {
			told++
		}
	}
	return min(held, told), len(roles.Items), nil
}

// operand is a custom resource of a usual size.
const operand = `{"apiVersion":"` + operandGroup + `/v1","kind":%q,"metadata":{"name":%q,"labels":{"app.kubernetes.io/name":"bench"}},` +
	`"spec":{"replicas":3,"storage":{"size":"10Gi","class":"standard"},"version":"1.2.3","resources":{"cpu":"500m","memory":"1Gi"},` +
	`"backup":{"schedule":"0 3 * * *","keep":7}},"status":{"phase":"Running","ready":3}}`

// Fill makes as many custom resources of each of these kinds, spread over all namespaces.
func (u *Uninstalls) Fill(ctx context.Context, count int, kinds ...string) error {
	client := u.administrator.Connect()
	defer client.Close()
	numbers := make([]int, count)
	for i := range numbers {
		numbers[i] = i
	}
	return parallel(ctx, numbers, func(ctx context.Context, i int) error {
		namespace := u.Namespaces[i%len(u.Namespaces)]
		for _, kind := range kinds {
			body := fmt.Sprintf(operand, kind, fmt.Sprintf("%s-%05d", strings.ToLower(kind), i))
			if err := client.Send(ctx, http.MethodPost, operandsIn(kind, namespace), []byte(body), "Content-Type", load.JSON); err != nil {
				return err
			}
		}
		return nil
	})
}

type listed struct{ namespace, name, uid string }

// list reads all custom resources of a kind by their metadata, in pages as the controllers do.
func list(ctx context.Context, client *load.Client, kind string) (all []listed, err error) {
	for token := ""; ; {
		response, err := client.Open(ctx, operandsPath(kind)+"?limit=500&continue="+token, "Accept", load.Metadata)
		if err != nil {
			return nil, err
		}
		text, err := io.ReadAll(response.Body)
		response.Body.Close()
		if err != nil {
			return nil, err
		}
		var page struct {
			Metadata struct{ Continue string }
			Items    []struct {
				Metadata struct{ Namespace, Name, UID string }
			}
		}
		if err := json.Unmarshal(text, &page); err != nil {
			return nil, err
		}
		for _, item := range page.Items {
			all = append(all, listed{item.Metadata.Namespace, item.Metadata.Name, item.Metadata.UID})
		}
		if token = page.Metadata.Continue; token == "" {
			return all, nil
		}
	}
}

// Left is how many custom resources of the operator there are.
func (u *Uninstalls) Left(ctx context.Context) (int, error) {
	client := u.administrator.Connect()
	defer client.Close()
	all, err := list(ctx, client, "Widget")
	return len(all), err
}

// DeletePlainly lists the other kind and deletes count of it, as many at a time as the controllers do, each with the UID
// that was listed for a precondition; and knows nothing of guards. It is as plain as can be: one HTTP/2 connection, and of
// the answers only the codes are looked at.
func (u *Uninstalls) DeletePlainly(ctx context.Context, count int) error {
	client := u.Asked.Connect()
	defer client.Close()
	all, err := list(ctx, client, "Plain")
	if err != nil {
		return err
	}
	if len(all) < count {
		return fmt.Errorf("there are %d only", len(all))
	}
	return inParallel(ctx, Concurrent, all[:count], func(ctx context.Context, one listed) error {
		body := fmt.Sprintf(`{"apiVersion":"v1","kind":"DeleteOptions","preconditions":{"uid":%q},"propagationPolicy":"Background"}`, one.uid)
		return client.Send(ctx, http.MethodDelete, operandsIn("Plain", one.namespace)+"/"+one.name, []byte(body), "Content-Type", load.JSON)
	})
}

// Uninstall deletes the operator's ClusterServiceVersion, waits until it is gone, and deletes its rights, as OLM would.
func (u *Uninstalls) Uninstall(ctx context.Context) error {
	at := u.Any.Resource(olm.CSVs).Namespace(Origin)
	events, err := at.Watch(ctx, metav1.ListOptions{FieldSelector: "metadata.name=" + uninstalled})
	if err != nil {
		return err
	}
	defer events.Stop()
	background := metav1.DeletePropagationBackground
	if err := at.Delete(ctx, uninstalled, metav1.DeleteOptions{PropagationPolicy: &background}); err != nil {
		return err
	}
	for {
		select {
		case <-ctx.Done():
			return ctx.Err()
		case event, ok := <-events.ResultChan():
			if !ok {
				return errors.New("the watch of the ClusterServiceVersion ended")
			}
			if event.Type == watch.Deleted {
				return u.Any.Resource(olm.ClusterRoles).Delete(ctx, "bench-"+uninstalled, metav1.DeleteOptions{})
			}
		}
	}
}

// Written is how often the controllers wrote since the server started, by verb and resource, as the server's audit says.
func (u *Uninstalls) Written() (map[string]int, error) {
	text, err := os.ReadFile(u.audit)
	if err != nil {
		return nil, err
	}
	written := map[string]int{}
	for line := range bytes.Lines(text) {
		var event struct {
			Verb      string
			ObjectRef struct{ Resource string }
		}
		if err := json.Unmarshal(line, &event); err != nil {
			return nil, fmt.Errorf("the audit: %w", err)
		}
		written[event.Verb+" "+event.ObjectRef.Resource]++
	}
	return written, nil
}

// Processes are those that must not count as other programs.
func (u *Uninstalls) Processes() []int { return []int{u.APIServer().Pid(), u.Etcd().Pid()} }

// Stop ends everything.
func (u *Uninstalls) Stop() error {
	if u.Cluster == nil {
		return nil
	}
	return u.Cluster.Stop()
}
