// Package browser_test proves what Steward's pages promise, in headless Chromium: on a real kube-apiserver with the samples of examples/,
// whose operators are played, Steward behind the aggregator, and its controllers. What a page shows is compared with what kubectl says,
// and what it does with what kubectl then finds. The tests themselves are in js/.
package browser_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	corev1 "k8s.io/api/core/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"steward.dev/e2e/check"
	"steward.dev/e2e/cluster"
	"steward.dev/e2e/olm"
	"steward.dev/e2e/samples"
)

const (
	patience = check.Patience
	// Where the users' accounts are.
	usersNamespace = "people"
)

var (
	must       = check.Must
	eventually = check.Eventually

	shared      *cluster.Cluster
	steward     *cluster.Steward
	controllers *cluster.Controllers
	operators   *samples.Operators
	// linked are the API server's flags about the controllers.
	linked []string
	// tokens of an administrator, of an editor of some namespaces, and of a tenant of one.
	tokens = map[string]string{}
)

func TestMain(m *testing.M) { cluster.Main(m, &shared, setUp, stop) }

func setUp(ctx context.Context) (err error) {
	shared, err = cluster.Start(ctx, cluster.Options{Controllers: []string{
		"namespace", "garbagecollector", "clusterrole-aggregation", "serviceaccount", "validatingadmissionpolicy-status-controller",
	}})
	if err != nil {
		return err
	}
	root, err := cluster.Root()
	if err != nil {
		return err
	}
	if err := load(ctx, root); err != nil {
		return err
	}
	flags, err := link()
	if err != nil {
		return err
	}
	if steward, err = shared.RunSteward(ctx, "steward", linked...); err != nil {
		return err
	}
	if err := shared.ApplyManifests(ctx, filepath.Join("overlays", "cleanup-all-apis")); err != nil {
		return err
	}
	if err := olm.DeletionsSettle(ctx, shared.Any); err != nil {
		return err
	}
	// One process has all families here; which account may do what is looked at by the tests of each family.
	if controllers, err = shared.RunControllers(ctx, "controllers", flags...); err != nil {
		return err
	}
	if err := users(ctx); err != nil {
		return err
	}
	return shared.WaitServed(ctx)
}

func stop() error {
	if controllers == nil {
		return nil
	}
	return controllers.Stop()
}

// load makes OLM's kinds, the samples, and what people made with them; from then on their operators are played.
func load(ctx context.Context, root string) error {
	examples := filepath.Join(root, "examples")
	definitions, err := olm.Read(filepath.Join(examples, "crds"), filepath.Join(root, "deploy", "overlays", "copies", "crds", "olmconfigs.yaml"))
	if err != nil {
		return err
	}
	for _, kind := range []string{"InstallPlan", "Subscription"} {
		definitions = append(definitions, olm.Definition("operators.coreos.com", kind, "Namespaced", "v1alpha1"))
	}
	if err := olm.CreateCRDs(ctx, shared.Any, definitions...); err != nil {
		return err
	}
	objects, err := olm.Examples(root)
	if err != nil {
		return err
	}
	if err := olm.Create(ctx, shared.Any, objects...); err != nil {
		return err
	}
	if err := plans(ctx, filepath.Join(examples, "plans")); err != nil {
		return err
	}
	if operators, err = samples.New(shared.Any, examples); err != nil {
		return err
	}
	if err := operators.Create(ctx, examples); err != nil {
		return err
	}
	if err := operators.Deploy(ctx, examples); err != nil {
		return err
	}
	// Until this process ends.
	go operators.Run(ctx, func(err error) { _, _ = os.Stderr.WriteString(err.Error() + "\n") })
	return nil
}

// crowd makes so many operators of all namespaces that those of all are 10,000, and waits for their copies.
func crowd(ctx context.Context) error {
	const namespace, count = "crowd", 600
	group := olm.OperatorGroup(namespace, "everywhere")
	objects := []*olm.Object{olm.Namespace(namespace), group}
	for i := range count {
		objects = append(objects, olm.CSV(fmt.Sprintf("crowd-%03d.v1.0.0", i), group))
	}
	if err := createMissing(ctx, objects); err != nil {
		return err
	}
	return check.Poll(func() error {
		copies, err := shared.Any.Resource(olm.CSVs).Namespace("payments").List(ctx, metav1.ListOptions{LabelSelector: "olm.copiedFrom=" + namespace})
		if err == nil && len(copies.Items) != count {
			err = fmt.Errorf("there are %d copies", len(copies.Items))
		}
		return err
	})
}

func createMissing(ctx context.Context, objects []*olm.Object) error {
	for _, object := range objects {
		if err := olm.Create(ctx, shared.Any, object); err != nil && !apierrors.IsAlreadyExists(err) {
			return err
		}
	}
	return nil
}

// restore makes again what a site's tests have uninstalled, and what went with it.
func restore(ctx context.Context) error {
	root, err := cluster.Root()
	if err != nil {
		return err
	}
	objects, err := olm.Examples(root)
	if err != nil {
		return err
	}
	if err := createMissing(ctx, objects); err != nil {
		return err
	}
	return operators.Restore(ctx, filepath.Join(root, "examples"))
}

// plans makes a Subscription and its InstallPlan, which waits for somebody's approval, with what OLM has written of them.
func plans(ctx context.Context, folder string) error {
	objects, err := olm.Read(folder)
	if err != nil {
		return err
	}
	kinds := map[string]schema.GroupVersionResource{
		"Subscription": olm.CSVs.GroupVersion().WithResource("subscriptions"),
		"InstallPlan":  olm.CSVs.GroupVersion().WithResource("installplans"),
	}
	for _, object := range objects {
		resource, ofOLM := kinds[object.GetKind()]
		if !ofOLM {
			continue
		}
		if err := olm.CreateAs(ctx, shared.Any, resource, object); err != nil {
			return err
		}
	}
	return nil
}

// link chooses the address and the certificates of the controllers' service. It sets the flags of the API server, and returns those of
// the controllers.
func link() ([]string, error) {
	authority, err := cluster.NewAuthority("controllers-ca")
	if err != nil {
		return nil, err
	}
	ca, failed := authority.Write(shared.Dir, "controllers-ca")
	server, err := authority.Server(shared.Dir, "controllers-server", "localhost")
	failed = errors.Join(failed, err)
	client, err := authority.Client(shared.Dir, "steward-apiserver", "steward-apiserver")
	failed = errors.Join(failed, err)
	address, err := cluster.FreeAddress()
	if failed = errors.Join(failed, err); failed != nil {
		return nil, failed
	}
	linked = []string{"--controllers-ca-file=" + ca, "--controllers-client-cert-file=" + client.Cert, "--controllers-client-key-file=" + client.Key,
		"--controllers-address=" + address, "--copied-csv-controllers-address=" + address, "--plan-controllers-address=" + address}
	return []string{"--reconcilers=cleanup,copied-csvs,olm-config,install-plans", "--leader-elect=false", "--grpc-bind-address=" + address,
		"--grpc-tls-cert-file=" + server.Cert, "--grpc-tls-private-key-file=" + server.Key, "--grpc-client-ca-file=" + ca}, nil
}

// users makes the accounts of people, as an administrator would.
func users(ctx context.Context) error {
	space := &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: usersNamespace}}
	if _, err := shared.Kube.CoreV1().Namespaces().Create(ctx, space, metav1.CreateOptions{}); err != nil {
		return err
	}
	// As OLM does, for what is not Steward's.
	for name, rules := range map[string][]rbacv1.PolicyRule{
		"view": {{APIGroups: []string{"operators.coreos.com"}, Resources: []string{"clusterserviceversions", "installplans", "subscriptions", "operatorgroups"},
			Verbs: []string{"get", "list", "watch"}}},
		"admin": {{APIGroups: []string{"operators.coreos.com"}, Resources: []string{"clusterserviceversions", "installplans", "subscriptions"}, Verbs: []string{"delete"}}},
	} {
		role := &rbacv1.ClusterRole{ObjectMeta: metav1.ObjectMeta{Name: "aggregate-people-" + name,
			Labels: map[string]string{"rbac.authorization.k8s.io/aggregate-to-" + name: "true"}}, Rules: rules}
		if _, err := shared.Kube.RbacV1().ClusterRoles().Create(ctx, role, metav1.CreateOptions{}); err != nil {
			return err
		}
	}
	for _, user := range []struct {
		name, role string
		namespaces []string // none: everywhere
	}{
		{"admin", "cluster-admin", nil},
		{"editor", "admin", []string{"databases", "shop-prod"}},
		{"tenant", "view", []string{"team-blue"}},
	} {
		account := &corev1.ServiceAccount{ObjectMeta: metav1.ObjectMeta{Name: user.name}}
		if _, err := shared.Kube.CoreV1().ServiceAccounts(usersNamespace).Create(ctx, account, metav1.CreateOptions{}); err != nil {
			return err
		}
		meta := metav1.ObjectMeta{Name: "people-" + user.name}
		subjects := []rbacv1.Subject{{Kind: rbacv1.ServiceAccountKind, Namespace: usersNamespace, Name: user.name}}
		role := rbacv1.RoleRef{APIGroup: rbacv1.GroupName, Kind: "ClusterRole", Name: user.role}
		var err error
		if user.namespaces == nil {
			_, err = shared.Kube.RbacV1().ClusterRoleBindings().Create(ctx, &rbacv1.ClusterRoleBinding{ObjectMeta: meta, Subjects: subjects, RoleRef: role}, metav1.CreateOptions{})
		}
		for _, namespace := range user.namespaces {
			_, failed := shared.Kube.RbacV1().RoleBindings(namespace).Create(ctx, &rbacv1.RoleBinding{ObjectMeta: meta, Subjects: subjects, RoleRef: role}, metav1.CreateOptions{})
			err = errors.Join(err, failed)
		}
		if err != nil {
			return err
		}
		if tokens[user.name], err = shared.Token(ctx, usersNamespace, user.name); err != nil {
			return err
		}
	}
	return nil
}
