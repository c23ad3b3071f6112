package stage

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"steward.dev/e2e/bench/load"
	"steward.dev/e2e/cluster"
	"steward.dev/e2e/olm"
)

const (
	// RBACWrites is how many requests write at a time: the controllers' by default, and the plain creator's.
	RBACWrites = 16

	rbacVersion  = "rbac.authorization.k8s.io/v1"
	rbacSpace    = "bench-rbac"
	rbacAccount  = "operator"
	rolesKind    = "roles"
	bindingsKind = "rolebindings"
	copiesOfRBAC = "labelSelector=olm.copiedFrom%3D" + rbacSpace
)

func rbacIn(namespace, kind string) string {
	return "/apis/" + rbacVersion + "/namespaces/" + namespace + "/" + kind
}

func rolesIn(namespace string) string { return rbacIn(namespace, rolesKind) }

// rights are what each operator asks for, as most do: of the kinds of a core and of its own.
var rights = []any{
	rule([]any{""}, []any{"configmaps", "secrets", "services", "endpoints", "persistentvolumeclaims", "events"}, "*"),
	rule([]any{"apps"}, []any{"deployments", "statefulsets", "daemonsets", "replicasets"}, "*"),
	rule([]any{"monitoring.coreos.com"}, []any{"servicemonitors"}, "get", "create"),
	rule([]any{"bench.example.com"}, []any{"*"}, "get", "list", "watch", "create", "update", "patch", "delete"),
}

func rule(groups, resources []any, verbs ...any) any {
	return map[string]any{"apiGroups": groups, "resources": resources, "verbs": verbs}
}

// copiedRBAC is operators in one namespace, whose group names the targets.
type copiedRBAC struct {
	targets []string
	names   []string                        // of the Roles
	owners  map[string]map[string]types.UID // by target, then by operator: the copied ClusterServiceVersion
	csvs    map[string]string               // by Role: the operator
}

// PrepareRBAC makes the operators with a Role and a RoleBinding each, the target namespaces, and in these a copied ClusterServiceVersion
// of each operator; once.
func (f *Families) PrepareRBAC(ctx context.Context, from *Operators, namespaces int, say Progress) error {
	if f.rbac != nil {
		return nil
	}
	r := &copiedRBAC{owners: map[string]map[string]types.UID{}, csvs: map[string]string{}}
	for i := range namespaces {
		r.targets = append(r.targets, fmt.Sprintf("bench-target-%04d", i))
	}
	say("making %d operators and their copied ClusterServiceVersions in %d namespaces", len(from.CSVs), namespaces)
	err := parallel(ctx, r.targets, func(ctx context.Context, name string) error { return olm.Create(ctx, f.Any, olm.Namespace(name)) })
	if err != nil {
		return err
	}
	group := olm.Synced(olm.OperatorGroup(rbacSpace, "group", r.targets...), r.targets...)
	if err := olm.Create(ctx, f.Any, olm.Namespace(rbacSpace), group); err != nil {
		return err
	}
	for _, each := range from.CSVs {
		if err := f.installWithRBAC(ctx, r, each.GetName(), group); err != nil {
			return err
		}
	}
	f.rbac = r
	return nil
}

func (f *Families) installWithRBAC(ctx context.Context, r *copiedRBAC, name string, group *olm.Object) error {
	csv := olm.CSV(name, group, r.targets...)
	csv.Object["spec"].(map[string]any)["install"].(map[string]any)["spec"] = map[string]any{
		"deployments": []any{}, "permissions": []any{map[string]any{"serviceAccountName": rbacAccount, "rules": rights}},
	}
	if err := olm.Create(ctx, f.Any, csv); err != nil {
		return err
	}
	made, err := f.Any.Resource(olm.CSVs).Namespace(rbacSpace).Get(ctx, name, metav1.GetOptions{})
	if err != nil {
		return err
	}
	role := name + "-5d8f7c9b4"
	client := f.administrator.Connect()
	defer client.Close()
	for kind, body := range pairOf(role, rbacSpace, name, made.GetUID(), nil) {
		if err := client.Send(ctx, http.MethodPost, rbacIn(rbacSpace, kind), body, "Content-Type", load.JSON); err != nil {
			return err
		}
	}
	r.names, r.csvs[role] = append(r.names, role), name

	csv.SetNamespace("")
	csv.SetResourceVersion("")
	csv.SetLabels(map[string]string{"olm.copiedFrom": rbacSpace})
	csv.SetAnnotations(map[string]string{olm.GroupAnnotation: group.GetName(), olm.GroupNamespaceAnnotation: rbacSpace})
	delete(csv.Object, "status")
	body, err := csv.MarshalJSON()
	if err != nil {
		return err
	}
	found := make([]types.UID, len(r.targets))
	numbers := make([]int, len(r.targets))
	for i := range numbers {
		numbers[i] = i
	}
	err = parallel(ctx, numbers, func(ctx context.Context, i int) error {
		response, err := client.Do(ctx, http.MethodPost, CopiesIn(r.targets[i]), body, "Content-Type", load.JSON, "Accept", load.MetadataEvents)
		if err != nil {
			return err
		}
		defer response.Body.Close()
		var copied metav1.PartialObjectMetadata
		err = json.NewDecoder(response.Body).Decode(&copied)
		found[i] = copied.UID
		return err
	})
	for i, target := range r.targets {
		if r.owners[target] == nil {
			r.owners[target] = map[string]types.UID{}
		}
		r.owners[target][name] = found[i]
	}
	return err
}

// pairOf is a Role and its RoleBinding by their resources, with labels besides those of the owner.
func pairOf(role, namespace, csv string, uid types.UID, labels map[string]string) map[string][]byte {
	all := olm.OwnerLabels(namespace, csv)
	all[olm.ManagedLabel] = "true"
	for key, value := range labels {
		all[key] = value
	}
	bodies := map[string][]byte{}
	for kind, resource := range map[string]string{"Role": rolesKind, "RoleBinding": bindingsKind} {
		object := &olm.Object{Object: map[string]any{"apiVersion": rbacVersion, "kind": kind}}
		object.SetName(role)
		object.SetNamespace(namespace)
		object.SetLabels(all)
		object.SetOwnerReferences([]metav1.OwnerReference{{
			APIVersion: "operators.coreos.com/v1alpha1", Kind: "ClusterServiceVersion", Name: csv, UID: uid,
			Controller: new(bool), BlockOwnerDeletion: new(bool),
		}})
		if kind == "Role" {
			object.Object["rules"] = rights
		} else {
			object.Object["roleRef"] = map[string]any{"apiGroup": "rbac.authorization.k8s.io", "kind": "Role", "name": role}
			object.Object["subjects"] = []any{map[string]any{"kind": "ServiceAccount", "name": rbacAccount, "namespace": rbacSpace}}
		}
		body, err := object.MarshalJSON()
		if err != nil {
			panic(err) // it was made of maps and strings just now
		}
		bodies[resource] = body
	}
	return bodies
}

// CopiedRBACObjects is how many Roles and RoleBindings are copied.
func (f *Families) CopiedRBACObjects() int { return 2 * len(f.rbac.targets) * len(f.rbac.names) }

// Arrival is when copies were there, from the start of whoever made them.
type Arrival struct{ First, Last time.Duration }

// CreateRBAC makes equal Roles and RoleBindings under the controllers' account, so many at a time as these do. It is as plain as can be:
// one HTTP/2 connection, and of the answers only the codes are looked at.
func (f *Families) CreateRBAC(ctx context.Context) (Arrival, error) {
	type pair struct{ target, role string }
	var pairs []pair
	for _, target := range f.rbac.targets {
		for _, role := range f.rbac.names {
			pairs = append(pairs, pair{target, role})
		}
	}
	client := f.Operators.Asked.Connect()
	defer client.Close()
	if err := client.Warm(ctx); err != nil {
		return Arrival{}, err
	}
	return f.arriving(ctx, func(ctx context.Context) error {
		return inParallel(ctx, RBACWrites, pairs, func(ctx context.Context, p pair) error {
			csv := f.rbac.csvs[p.role]
			bodies := pairOf(p.role, p.target, csv, f.rbac.owners[p.target][csv], map[string]string{"olm.copiedFrom": rbacSpace})
			for _, kind := range []string{rolesKind, bindingsKind} {
				if err := client.Send(ctx, http.MethodPost, rbacIn(p.target, kind), bodies[kind], "Content-Type", load.JSON); err != nil {
					return err
				}
			}
			return nil
		})
	})
}

// CopyRBAC starts the controllers, which the caller stops, and waits until everything is copied.
func (f *Families) CopyRBAC(ctx context.Context, name string) (process *cluster.Controllers, arrival Arrival, err error) {
	arrival, err = f.arriving(ctx, func(ctx context.Context) error {
		var err error
		process, err = f.RunControllersAs(ctx, f.Operators.Kubeconfig, name, "--reconcilers=copied-rbac",
			fmt.Sprintf("--concurrent-copied-rbac-writes=%d", RBACWrites))
		return err
	})
	return process, arrival, err
}

// arriving does something, waits for its end in every case, and tells when every Role had its rules and every RoleBinding was there,
// as a watch of the cluster says: whoever makes them, the server has the same watch to serve.
func (f *Families) arriving(ctx context.Context, do func(context.Context) error) (a Arrival, err error) {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	client := f.administrator.Connect()
	defer client.Close()
	wanted := len(f.rbac.targets) * len(f.rbac.names)
	type end struct {
		first, last time.Time
		err         error
	}
	ends := make(chan end, 2)
	for _, kind := range []string{rolesKind, bindingsKind} {
		path := "/apis/" + rbacVersion + "/" + kind + "?" + copiesOfRBAC
		events, err := watchFromNow(ctx, client, path)
		if err != nil {
			return a, err
		}
		defer events.Close()
		go func() {
			first, last, err := complete(events, wanted)
			ends <- end{first, last, err}
		}()
	}
	began := time.Now()
	failed := make(chan error, 1)
	done := make(chan struct{})
	go func() {
		defer close(done)
		failed <- do(ctx)
	}()
	defer func() {
		cancel(nil)
		<-done
	}()
	for left := 2; left > 0; {
		select {
		case <-ctx.Done():
			return a, context.Cause(ctx)
		case err := <-failed:
			if err != nil {
				cancel(err)
				return a, err
			}
			failed = nil
		case one := <-ends:
			if one.err != nil {
				return a, one.err
			}
			left--
			if first := one.first.Sub(began); a.First == 0 || first < a.First {
				a.First = first
			}
			a.Last = max(a.Last, one.last.Sub(began))
		}
	}
	return a, nil
}

func watchFromNow(ctx context.Context, client *load.Client, path string) (io.ReadCloser, error) {
	list, err := client.Open(ctx, path+"&limit=1", "Accept", load.Metadata)
	if err != nil {
		return nil, err
	}
	defer list.Body.Close()
	var now metav1.PartialObjectMetadataList
	if err := json.NewDecoder(list.Body).Decode(&now); err != nil {
		return nil, err
	}
	if len(now.Items) > 0 {
		return nil, errors.New("copies are left from before")
	}
	response, err := client.Open(ctx, path+"&watch=1&timeoutSeconds=3600&resourceVersion="+now.ResourceVersion)
	if err != nil {
		return nil, err
	}
	return response.Body, nil
}

// locked is part of a Role that has not got its rules yet.
var locked = []byte("locks.views.operators.coreos.com")

// complete reads events until so many objects are there, and none of them is a locked Role.
func complete(events io.Reader, wanted int) (first, last time.Time, err error) {
	there := map[string]bool{}
	lines := bufio.NewReaderSize(events, 64<<10)
	for len(there) < wanted {
		line, err := lines.ReadBytes('\n')
		if err != nil {
			return first, last, fmt.Errorf("a watch ended at %d of %d: %w", len(there), wanted, err)
		}
		if first.IsZero() {
			first = time.Now()
		}
		if bytes.Contains(line, locked) {
			continue
		}
		var event struct {
			Type   string
			Object struct {
				Metadata struct{ Namespace, Name string }
			}
		}
		if err := json.Unmarshal(line, &event); err != nil {
			return first, last, err
		}
		if event.Type != "ADDED" && event.Type != "MODIFIED" {
			return first, last, fmt.Errorf("a watch says: %.200s", line)
		}
		there[event.Object.Metadata.Namespace+"/"+event.Object.Metadata.Name] = true
	}
	return first, time.Now(), nil
}

// SameRBAC says how what is there differs from what the plain creator makes, in one target.
func (f *Families) SameRBAC(ctx context.Context) error {
	client := f.administrator.Connect()
	defer client.Close()
	target, role := f.rbac.targets[len(f.rbac.targets)/2], f.rbac.names[0]
	csv := f.rbac.csvs[role]
	for kind, body := range pairOf(role, target, csv, f.rbac.owners[target][csv], map[string]string{"olm.copiedFrom": rbacSpace}) {
		var is bytes.Buffer
		if err := client.Keep(ctx, &is, rbacIn(target, kind)+"/"+role, nil); err != nil {
			return err
		}
		want, err := content(body)
		if err != nil {
			return err
		}
		got, err := content(is.Bytes())
		if err != nil {
			return err
		}
		if !bytes.Equal(got, want) {
			return fmt.Errorf("the copy of %s is\n%s\nand the creator's\n%s", kind, got, want)
		}
	}
	return nil
}

// content is what whoever writes an object decides, in one order.
func content(body []byte) ([]byte, error) {
	object := &olm.Object{}
	if err := object.UnmarshalJSON(body); err != nil {
		return nil, err
	}
	return json.Marshal(map[string]any{
		"labels": object.GetLabels(), "owners": object.GetOwnerReferences(),
		"rules": object.Object["rules"], "subjects": object.Object["subjects"], "roleRef": object.Object["roleRef"],
	})
}

// RemoveRBAC deletes what was copied or created.
func (f *Families) RemoveRBAC(ctx context.Context) error {
	client := f.administrator.Connect()
	defer client.Close()
	return parallel(ctx, f.rbac.targets, func(ctx context.Context, target string) error {
		for _, kind := range []string{bindingsKind, rolesKind} {
			if err := client.Send(ctx, http.MethodDelete, rbacIn(target, kind)+"?"+copiesOfRBAC, nil); err != nil {
				return err
			}
		}
		return nil
	})
}
