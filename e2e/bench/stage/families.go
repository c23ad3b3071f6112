package stage

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"steward.dev/e2e/bench/load"
	"steward.dev/e2e/cluster"
	"steward.dev/e2e/olm"
)

// Families is a control plane under the rights and policies of the overlays operators and install-plans. Whoever a family is compared
// with has its account, so that the server treats both alike.
type Families struct {
	*cluster.Cluster
	Operators, Plans *Account

	administrator load.Server
	rbac          *copiedRBAC // once it was prepared
}

// Account is the ServiceAccount of a family.
type Account struct {
	Kubeconfig string
	Asked      load.Server // the kube-apiserver, as this account
}

// policyWithin is how long a policy may take to be in force.
const policyWithin = time.Minute

// StartFamilies sets it up. What it returns is to be stopped even after an error.
func StartFamilies(ctx context.Context, say Progress) (f *Families, err error) {
	f = &Families{}
	say("starting a control plane with the overlays operators and install-plans")
	if f.Cluster, err = cluster.Start(ctx, cluster.Options{}); err != nil {
		return f, err
	}
	root, err := cluster.Root()
	if err != nil {
		return f, err
	}
	definitions, err := olm.Read(filepath.Join(root, "deploy", "overlays", "copies", "crds", "operators.yaml"))
	if err != nil {
		return f, err
	}
	for _, kind := range []string{"Subscription", "InstallPlan"} {
		definitions = append(definitions, olm.Definition("operators.coreos.com", kind, "Namespaced", "v1alpha1"))
	}
	if err := olm.InstallCRDs(ctx, f.Any, root, definitions...); err != nil {
		return f, err
	}
	if err := f.ApplyManifests(ctx, "base", filepath.Join("overlays", "operators"), filepath.Join("overlays", "install-plans")); err != nil {
		return f, err
	}
	if f.administrator, err = serverOf("kube-apiserver", f.Config, ""); err != nil {
		return f, err
	}
	if f.Operators, err = f.account(ctx, "steward-operators"); err != nil {
		return f, err
	}
	if f.Plans, err = f.account(ctx, "steward-install-plans"); err != nil {
		return f, err
	}
	for _, each := range []struct {
		of                       *Account
		policy, path, dryCreated string
	}{
		{f.Operators, "steward-operators-copied-rbac", rolesIn("default"), `{"apiVersion":"` + rbacVersion + `","kind":"Role","metadata":{"name":"refused"}}`},
		{f.Plans, "steward-install-plans-writes", CopiesIn("default"), `{"apiVersion":"operators.coreos.com/v1alpha1","kind":"ClusterServiceVersion",` +
			`"metadata":{"name":"refused","finalizers":["example.com/held"]},"spec":{"displayName":"","install":{"strategy":"deployment"}}}`},
	} {
		if err := each.of.refused(ctx, each.policy, each.path, []byte(each.dryCreated)); err != nil {
			return f, err
		}
	}
	return f, nil
}

func (f *Families) account(ctx context.Context, name string) (*Account, error) {
	token, err := f.Token(ctx, controllersSpace, name)
	if err != nil {
		return nil, err
	}
	a := &Account{}
	if a.Kubeconfig, err = f.ServiceAccount(ctx, controllersSpace, name); err != nil {
		return nil, err
	}
	config, err := cluster.ClientFor(a.Kubeconfig)
	if err != nil {
		return nil, err
	}
	a.Asked, err = serverOf("kube-apiserver", config, token, f.APIServer().Pid())
	return a, err
}

// refused waits until a policy refuses what it has to.
func (a *Account) refused(ctx context.Context, policy, path string, body []byte) error {
	ctx, cancel := context.WithTimeout(ctx, policyWithin)
	defer cancel()
	client := a.Asked.Connect()
	defer client.Close()
	for {
		err := client.Send(ctx, http.MethodPost, path+"?dryRun=All", body, "Content-Type", load.JSON)
		if err != nil && strings.Contains(err.Error(), policy) {
			return nil
		}
		select {
		case <-ctx.Done():
			return fmt.Errorf("the policy %s is not in force: %w", policy, err)
		case <-time.After(100 * time.Millisecond):
		}
	}
}

// Requests is how often the kube-apiserver was asked since its start, by verb and resource; dry runs by "dry CREATE roles". Renewals of
// Leases and their like are left out: of resources without a name there are none.
func (f *Families) Requests(ctx context.Context) (map[string]int, error) {
	client := f.administrator.Connect()
	defer client.Close()
	response, err := client.Open(ctx, "/metrics")
	if err != nil {
		return nil, err
	}
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	if err != nil {
		return nil, err
	}
	return requestsIn(string(text))
}

func requestsIn(text string) (map[string]int, error) {
	requests := map[string]int{}
	for line := range strings.Lines(text) {
		labels, ok := strings.CutPrefix(line, "apiserver_request_total{")
		if !ok {
			continue
		}
		labels, value, ok := strings.Cut(labels, "} ")
		if !ok {
			return nil, fmt.Errorf("no series: %s", line)
		}
		count, err := strconv.ParseFloat(strings.TrimSpace(value), 64)
		if err != nil {
			return nil, err
		}
		name := labelOf(labels, "verb") + " " + labelOf(labels, "resource")
		if part := labelOf(labels, "subresource"); part != "" {
			name += "/" + part
		}
		if labelOf(labels, "dry_run") != "" {
			name = "dry " + name
		}
		requests[name] += int(count)
	}
	return requests, nil
}

// labelOf is the value of a label, which in these series has no quotes.
func labelOf(labels, name string) string {
	for _, each := range strings.Split(labels, ",") {
		if value, ok := strings.CutPrefix(each, name+`="`); ok {
			return strings.TrimSuffix(value, `"`)
		}
	}
	return ""
}

// Processes are those that must not count as other programs.
func (f *Families) Processes() []int { return []int{f.APIServer().Pid(), f.Etcd().Pid()} }

// Stop ends everything.
func (f *Families) Stop() error {
	if f.Cluster == nil {
		return nil
	}
	return f.Cluster.Stop()
}
