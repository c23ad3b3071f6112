package payload_test

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/runtime/schema"
	"sigs.k8s.io/yaml"

	"steward.dev/e2e/olm"
)

const (
	included   = "include.release.openshift.io/self-managed-high-availability"
	deletion   = "release.openshift.io/delete"
	createOnly = "release.openshift.io/create-only"
)

// files of a payload, by name.
type files map[string]string

// and is these files and others; later ones win.
func (f files) and(others ...files) files {
	all := maps.Clone(f)
	for _, each := range others {
		maps.Copy(all, each)
	}
	return all
}

// docs is a file of these manifests.
func docs(manifests ...*olm.Object) string {
	var text strings.Builder
	for _, each := range manifests {
		document, err := yaml.Marshal(each.Object)
		if err != nil {
			panic(err)
		}
		fmt.Fprintf(&text, "---\n%s", document)
	}
	return text.String()
}

// object is an object of a cluster.
func object(apiVersion, kind, namespace, name string, fields map[string]any) *olm.Object {
	made := &olm.Object{Object: map[string]any{"apiVersion": apiVersion, "kind": kind}}
	for key, value := range fields {
		made.Object[key] = value
	}
	made.SetName(name)
	if namespace != "" {
		made.SetNamespace(namespace)
	}
	return made
}

// annotated is a copy of the object with annotations, by pairs.
func annotated(object *olm.Object, pairs ...string) *olm.Object {
	made := object.DeepCopy()
	set := made.GetAnnotations()
	if set == nil {
		set = map[string]string{}
	}
	for i := 0; i+1 < len(pairs); i += 2 {
		set[pairs[i]] = pairs[i+1]
	}
	made.SetAnnotations(set)
	return made
}

// applied is the manifest of an object, and deleted one that asks for its removal.
func applied(object *olm.Object) *olm.Object { return annotated(object, included, "true") }
func deleted(object *olm.Object) *olm.Object {
	return annotated(object, included, "true", deletion, "true")
}

// seen has the webhook look at writes of the object.
func seen(object *olm.Object) *olm.Object {
	made := object.DeepCopy()
	made.SetLabels(map[string]string{watched: ""})
	return made
}

// finalized is the object with a finalizer that nobody takes off by itself.
func finalized(object *olm.Object) *olm.Object {
	made := object.DeepCopy()
	made.SetFinalizers([]string{"example.com/held"})
	return made
}

func configMap(namespace, name string) *olm.Object {
	return object("v1", "ConfigMap", namespace, name, map[string]any{"data": map[string]any{"a": "1"}})
}

// with is the object with other data.
func with(configMap *olm.Object, pairs ...string) *olm.Object {
	made := configMap.DeepCopy()
	data := map[string]any{}
	for i := 0; i+1 < len(pairs); i += 2 {
		data[pairs[i]] = pairs[i+1]
	}
	made.Object["data"] = data
	return made
}

func namespaced(name string) *olm.Object { return object("v1", "Namespace", "", name, nil) }

func serviceAccount(namespace, name string) *olm.Object {
	return object("v1", "ServiceAccount", namespace, name, nil)
}

func service(namespace, name string) *olm.Object {
	return object("v1", "Service", namespace, name, map[string]any{"spec": map[string]any{
		"selector": map[string]any{"app": name}, "ports": []any{map[string]any{"name": "https", "port": int64(443), "protocol": "TCP", "targetPort": int64(8443)}},
	}})
}

func deployment(namespace, name string) *olm.Object {
	return object("apps/v1", "Deployment", namespace, name, map[string]any{"spec": map[string]any{
		"replicas": int64(1),
		"selector": map[string]any{"matchLabels": map[string]any{"app": name}},
		"template": map[string]any{
			"metadata": map[string]any{"labels": map[string]any{"app": name}},
			"spec":     map[string]any{"containers": []any{map[string]any{"name": "operator", "image": "example.com/" + name + ":1"}}},
		},
	}})
}

func role(namespace, name string) *olm.Object {
	return object("rbac.authorization.k8s.io/v1", "Role", namespace, name, map[string]any{"rules": []any{map[string]any{
		"apiGroups": []any{""}, "resources": []any{"configmaps"}, "verbs": []any{"get"},
	}}})
}

func roleBinding(namespace, name string) *olm.Object {
	return object("rbac.authorization.k8s.io/v1", "RoleBinding", namespace, name, map[string]any{
		"roleRef":  map[string]any{"apiGroup": "rbac.authorization.k8s.io", "kind": "Role", "name": name},
		"subjects": []any{map[string]any{"kind": "ServiceAccount", "name": name, "namespace": namespace}},
	})
}

func clusterRoleBinding(name, namespace, account string) *olm.Object {
	return object("rbac.authorization.k8s.io/v1", "ClusterRoleBinding", "", name, map[string]any{
		"roleRef":  map[string]any{"apiGroup": "rbac.authorization.k8s.io", "kind": "ClusterRole", "name": "view"},
		"subjects": []any{map[string]any{"kind": "ServiceAccount", "name": account, "namespace": namespace}},
	})
}

func job(namespace, name string) *olm.Object {
	return object("batch/v1", "Job", namespace, name, map[string]any{"spec": map[string]any{"template": map[string]any{
		"spec": map[string]any{"restartPolicy": "Never", "containers": []any{map[string]any{"name": "job", "image": "example.com/job:1"}}},
	}}})
}

func clusterOperator(name string) *olm.Object {
	return object("config.openshift.io/v1", "ClusterOperator", "", name, map[string]any{"spec": map[string]any{}})
}

func serviceMonitor(namespace, name string) *olm.Object {
	return object("monitoring.coreos.com/v1", "ServiceMonitor", namespace, name, map[string]any{"spec": map[string]any{"endpoints": []any{}}})
}

// resourceOf is where the objects of a kind are.
func resourceOf(object *olm.Object) schema.GroupVersionResource {
	kind := object.GroupVersionKind()
	plural := strings.ToLower(kind.Kind) + "s"
	if strings.HasSuffix(plural, "ys") && kind.Kind != "Gateway" {
		plural = strings.TrimSuffix(plural, "ys") + "ies"
	}
	return kind.GroupVersion().WithResource(plural)
}

// identity is how an object is named in reports: `Kind.group "ns/name"`.
func identity(object *olm.Object) string {
	kind := object.GroupVersionKind()
	group, where := kind.Group, object.GetNamespace()
	if group != "" {
		group = "." + group
	}
	if where != "" {
		where += "/"
	}
	return fmt.Sprintf("%s%s %q", kind.Kind, group, where+object.GetName())
}

func identities(objects ...*olm.Object) (names []string) {
	for _, each := range objects {
		names = append(names, identity(each))
	}
	slices.Sort(names)
	return names
}
