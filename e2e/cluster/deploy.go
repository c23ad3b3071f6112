package cluster

import (
	"context"
	"encoding/base64"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

// APIServiceName is the name under which Steward is registered.
const APIServiceName = "v1alpha1.views.operators.coreos.com"

var (
	apiServices        = schema.GroupVersionResource{Group: "apiregistration.k8s.io", Version: "v1", Resource: "apiservices"}
	installedOperators = schema.GroupVersionResource{Group: "views.operators.coreos.com", Version: "v1alpha1", Resource: "installedoperators"}
)

// overlay is deploy/base with the one difference that a cluster without nodes needs: the Service leads to this
// machine. The aggregator then calls our process as it would call a pod.
const overlay = `apiVersion: kustomize.config.k8s.io/v1beta1
kind: Kustomization
resources: [%s]
patches:
- target: {kind: Service, name: steward-apiserver}
  patch: |
    - {op: replace, path: /spec, value: {type: ExternalName, externalName: localhost}}
`

// registration is what the guard makes in a cluster with nodes.
const registration = `apiVersion: apiregistration.k8s.io/v1
kind: APIService
metadata: {name: %s}
spec:
  group: views.operators.coreos.com
  version: v1alpha1
  groupPriorityMinimum: 1000
  versionPriority: 15
  service: {name: steward-apiserver, namespace: steward-system, port: %d}
  caBundle: %s
`

// Deploy applies deploy/base for an API server, registers it, and gives it a kubeconfig of its ServiceAccount, so that the
// process runs under exactly the rights that the manifests give it.
func (c *Cluster) Deploy(ctx context.Context, s *Steward) error {
	if err := c.DeployUnregistered(ctx, s); err != nil {
		return err
	}
	return c.Register(ctx, s)
}

// Register applies the APIService that leads to the API server, whether it serves or not.
func (c *Cluster) Register(ctx context.Context, s *Steward) error {
	file := filepath.Join(c.Dir, "apiservice-"+s.name+".yaml")
	text := fmt.Sprintf(registration, APIServiceName, s.Port, base64.StdEncoding.EncodeToString(s.ca.PEM))
	if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
		return err
	}
	_, err := c.Kubectl(ctx, "apply", "--server-side", "--force-conflicts", "-f", file)
	return err
}

// CA is the authority of the API server's certificate, in PEM.
func (s *Steward) CA() []byte { return s.ca.PEM }

// DeployUnregistered is Deploy without the APIService.
func (c *Cluster) DeployUnregistered(ctx context.Context, s *Steward) error {
	dir := filepath.Join(c.Dir, "overlay-"+s.name)
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	// kustomize takes relative paths only, and resolves links first.
	real, err := filepath.EvalSymlinks(dir)
	if err != nil {
		return err
	}
	base, err := filepath.Rel(real, filepath.Join(c.paths.root, "deploy", "base"))
	if err != nil {
		return err
	}
	text := fmt.Sprintf(overlay, base)
	if err := os.WriteFile(filepath.Join(dir, "kustomization.yaml"), []byte(text), 0o644); err != nil {
		return err
	}
	if _, err := c.Kubectl(ctx, "apply", "--server-side", "-k", dir); err != nil {
		return err
	}
	s.Kubeconfig, err = c.ServiceAccount(ctx, stewardNamespace, stewardName)
	return err
}

// RunSteward deploys one API server, starts it under its ServiceAccount, and waits until the aggregator has accepted it.
func (c *Cluster) RunSteward(ctx context.Context, name string, flags ...string) (*Steward, error) {
	s, err := c.NewSteward(name)
	if err != nil {
		return nil, err
	}
	if err := c.Deploy(ctx, s); err != nil {
		return s, err
	}
	if err := s.Start(flags...); err != nil {
		return s, err
	}
	if err := s.WaitReady(ctx); err != nil {
		return s, err
	}
	return s, c.WaitAvailable(ctx)
}

// WaitAvailable waits until the aggregator says that the API is available.
func (c *Cluster) WaitAvailable(ctx context.Context) error {
	return retry(ctx, func() error {
		condition, err := c.Available(ctx)
		if err == nil && condition.Status != metav1.ConditionTrue {
			err = fmt.Errorf("%s is not available: %+v", APIServiceName, condition)
		}
		return err
	})
}

// WaitServed waits until the API answers a list through the aggregator: it may be available before Steward has read
// the cluster, and a new role takes the aggregator's and RBAC's caches a moment. So do discovery and OpenAPI, which the
// aggregator fetches by itself.
func (c *Cluster) WaitServed(ctx context.Context) error {
	return retry(ctx, func() error {
		_, err := c.Any.Resource(installedOperators).List(ctx, metav1.ListOptions{Limit: 1})
		if err == nil {
			err = c.describesAPI()
		}
		return err
	})
}

// describesAPI checks that the cluster's discovery and OpenAPI have the API.
func (c *Cluster) describesAPI() error {
	// As kubectl asks: all groups in one document. Those that could not be asked are an error.
	_, lists, err := c.Kube.Discovery().ServerGroupsAndResources()
	if err != nil {
		return err
	}
	if !slices.ContainsFunc(lists, func(list *metav1.APIResourceList) bool {
		return list.GroupVersion == installedOperators.GroupVersion().String()
	}) {
		return fmt.Errorf("discovery does not have %s yet", installedOperators.GroupVersion())
	}
	paths, err := c.Kube.Discovery().OpenAPIV3().Paths()
	if err != nil {
		return err
	}
	path := "apis/" + installedOperators.Group + "/" + installedOperators.Version
	if _, ok := paths[path]; !ok {
		return fmt.Errorf("/openapi/v3 does not have %s yet", path)
	}
	return nil
}

// Available is the condition Available of the APIService.
func (c *Cluster) Available(ctx context.Context) (metav1.Condition, error) {
	object, err := c.Any.Resource(apiServices).Get(ctx, APIServiceName, metav1.GetOptions{})
	if err != nil {
		return metav1.Condition{}, err
	}
	conditions, _, err := unstructured.NestedSlice(object.Object, "status", "conditions")
	if err != nil {
		return metav1.Condition{}, err
	}
	for _, each := range conditions {
		fields, _ := each.(map[string]any)
		text := func(key string) string { value, _ := fields[key].(string); return value }
		if text("type") == "Available" {
			return metav1.Condition{
				Type: "Available", Status: metav1.ConditionStatus(text("status")),
				Reason: text("reason"), Message: strings.TrimSpace(text("message")),
			}, nil
		}
	}
	return metav1.Condition{}, nil
}
