package embedded_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/dynamic"
	"sigs.k8s.io/yaml"

	"steward.dev/e2e/check"
	"steward.dev/e2e/cluster"
	"steward.dev/e2e/embedded"
)

const gaugeCrd = `apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: gauges.schema.example.com}
spec:
  group: schema.example.com
  scope: Namespaced
  names: {plural: gauges, kind: Gauge}
  versions:
  - name: v1
    served: true
    storage: true
    subresources: {status: {}}
    schema:
      openAPIV3Schema:
        type: object
        required: [spec]
        properties:
          spec:
            type: object
            properties:
              text: {type: string, minLength: 2, maxLength: 5, pattern: '^[a-z]+$'}
              maybe: {type: string, nullable: true}
              choice: {type: string, enum: [red, green]}
              number: {type: integer, minimum: 2, maximum: 9, multipleOf: 2}
              above: {type: integer, minimum: 2, exclusiveMinimum: true}
              small: {type: integer, format: int32}
              ratio: {type: number, maximum: 1.5}
              flag: {type: boolean}
              port: {x-kubernetes-int-or-string: true}
              either: {x-kubernetes-int-or-string: true, anyOf: [{type: integer}, {type: string}], pattern: '^\d+%?$'}
              list: {type: array, minItems: 1, maxItems: 2, items: {type: string}}
              numbers: {type: array, items: {type: integer, maximum: 3}}
              map: {type: object, maxProperties: 2, additionalProperties: {type: string}}
              free: {type: object, x-kubernetes-preserve-unknown-fields: true, properties: {known: {type: string}}}
              open: {type: object, additionalProperties: true}
              needs: {type: object, required: [a, b], properties: {a: {type: string}, b: {type: string}}}
              one: {type: object, properties: {a: {type: string}, b: {type: string}}, oneOf: [{required: [a]}, {required: [b]}]}
              any: {type: object, properties: {a: {type: string}, b: {type: string}}, anyOf: [{required: [a]}, {required: [b]}]}
              all: {type: integer, allOf: [{minimum: 2}, {maximum: 4}]}
              none: {type: string, not: {enum: [bad]}}
              size: {type: integer, default: 3}
              nested: {type: object, default: {}, properties: {colour: {type: string, default: red}}}
              time: {type: string, format: date-time}
              day: {type: string, format: date}
              wait: {type: string, format: duration}
              bytes: {type: string, format: byte}
              v4: {type: string, format: ipv4}
              v6: {type: string, format: ipv6}
              net: {type: string, format: cidr}
              mac: {type: string, format: mac}
              mail: {type: string, format: email}
              host: {type: string, format: hostname}
              link: {type: string, format: uri}
              id: {type: string, format: uuid}
          status:
            type: object
            properties: {phase: {type: string}, count: {type: integer}}
`

// Values of spec, one object each.
var gaugeSpecs = []string{
	`{}`, `null`, `"text"`, `[]`, `7`,
	`{"text":"abc"}`, `{"text":1.10}`, `{"text":1}`, `{"text":true}`, `{"text":null}`, `{"text":[]}`, `{"text":{}}`,
	`{"text":"a"}`, `{"text":"abcdef"}`, `{"text":"ABC"}`, `{"text":"äöüäö"}`,
	`{"maybe":null}`, `{"maybe":"x"}`, `{"maybe":1}`,
	`{"choice":"red"}`, `{"choice":"blue"}`, `{"choice":7}`,
	`{"number":4}`, `{"number":1}`, `{"number":10}`, `{"number":5}`, `{"number":4.0}`, `{"number":4.5}`, `{"number":"4"}`,
	`{"above":2}`, `{"above":3}`, `{"small":1}`, `{"small":"1"}`, `{"small":true}`, `{"small":4294967296}`,
	`{"ratio":1}`, `{"ratio":1.25}`, `{"ratio":1.75}`, `{"ratio":2}`, `{"ratio":"1"}`, `{"ratio":1e30}`,
	`{"flag":true}`, `{"flag":"true"}`, `{"flag":1}`,
	`{"port":80}`, `{"port":"80%"}`, `{"port":true}`, `{"port":1.5}`, `{"port":{}}`,
	`{"either":5}`, `{"either":"5%"}`, `{"either":"x"}`, `{"either":true}`,
	`{"list":["a"]}`, `{"list":[]}`, `{"list":["a","b","c"]}`, `{"list":["a",1]}`, `{"list":[null]}`, `{"list":"a"}`, `{"list":{}}`,
	`{"numbers":[1,9,"x",null]}`,
	`{"map":{"a":"b"}}`, `{"map":{"a":1}}`, `{"map":{"a":null}}`, `{"map":{"a":"1","b":"2","c":"3"}}`, `{"map":[]}`,
	`{"free":{"x":{"y":[1]},"known":"k"}}`, `{"free":{"known":1}}`, `{"free":7}`,
	`{"open":{"x":1,"y":{"z":1},"w":[{"v":1}]}}`,
	`{"needs":{}}`, `{"needs":{"a":"1"}}`, `{"needs":{"a":"1","b":"2","c":"3"}}`, `{"needs":{"a":null,"b":"2"}}`,
	`{"one":{"a":"1"}}`, `{"one":{}}`, `{"one":{"a":"1","b":"2"}}`, `{"one":{"a":1}}`,
	`{"any":{"a":"1","b":"2"}}`, `{"any":{}}`,
	`{"all":3}`, `{"all":1}`, `{"all":5}`, `{"all":"x"}`, `{"none":"good"}`, `{"none":"bad"}`,
	`{"size":null}`, `{"size":5}`, `{"size":"5"}`, `{"nested":null}`, `{"nested":{"colour":"blue","x":1}}`,
	`{"unknown":1}`, `{"unknown":{"x":1},"text":"abc"}`, `{"text":1,"flag":"x","needs":{}}`,
	`{"time":"2026-01-02T03:04:05Z"}`, `{"time":"2026-01-02T03:04:05.678+02:00"}`, `{"time":"2026-13-02T03:04:05Z"}`,
	`{"time":"now"}`, `{"time":7}`, `{"time":true}`, `{"time":[]}`,
	`{"day":"2026-01-02"}`, `{"day":"2026-02-30"}`, `{"day":"x"}`,
	`{"wait":"1h30m"}`, `{"wait":"3 days"}`, `{"wait":"soon"}`,
	`{"bytes":"aGk="}`, `{"bytes":"?"}`, `{"v4":"10.0.0.1"}`, `{"v4":"10.0.0.256"}`, `{"v4":"::1"}`,
	`{"v6":"::1"}`, `{"v6":"10.0.0.1"}`, `{"net":"10.0.0.0/8"}`, `{"net":"10.0.0.0"}`,
	`{"mac":"00:00:5e:00:53:01"}`, `{"mac":"x"}`, `{"mail":"a@example.com"}`, `{"mail":"x"}`,
	`{"host":"a.example.com"}`, `{"host":"-a"}`, `{"link":"https://example.com/a"}`, `{"link":"x"}`,
	`{"id":"0b1f8f5e-9f2e-1c3d-8e4f-5a6b7c8d9e0f"}`, `{"id":"x"}`,
}

// Merge patches of the object {"spec":{"text":"abc","number":4}}, and the subresource that they go to.
var gaugePatches = []struct{ patch, subresource string }{
	{`{"spec":{"text":"abcd"}}`, ""}, {`{"spec":{"text":1}}`, ""}, {`{"spec":{"text":null}}`, ""},
	{`{"spec":{"x":1}}`, ""}, {`{"spec":null}`, ""}, {`{"spec":{"size":null}}`, ""},
	{`{"status":{"phase":"Up"}}`, ""}, {`{"status":{"phase":7}}`, ""},
	{`{"status":{"phase":"Up","x":1}}`, "status"}, {`{"status":{"phase":7}}`, "status"},
	{`{"status":{"count":"7","phase":[]}}`, "status"}, {`{"status":"up"}`, "status"}, {`{"spec":{"text":1}}`, "status"},
}

var (
	gauges     = schema.GroupVersionResource{Group: "schema.example.com", Version: "v1", Resource: "gauges"}
	crds       = schema.GroupVersionResource{Group: "apiextensions.k8s.io", Version: "v1", Resource: "customresourcedefinitions"}
	namespaces = schema.GroupVersionResource{Version: "v1", Resource: "namespaces"}
)

// The effect of a definition's schema on objects is compared with a real kube-apiserver: code, reason, causes and their words,
// and what is stored.
func TestSchemasAsKubernetes(t *testing.T) {
	real, err := cluster.Start(t.Context(), cluster.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = real.Stop() })
	up, err := embedded.Start(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = up.Kill() })
	servers := []dynamic.Interface{real.Any, up.Any}
	for _, server := range servers {
		defineGauges(t, server)
	}
	compare := func(what string, ask func(server dynamic.Interface) (*unstructured.Unstructured, error)) {
		t.Helper()
		var said [2]string
		for i, server := range servers {
			said[i] = outcome(ask(server))
		}
		if said[0] != said[1] {
			t.Errorf("%s\nkube-apiserver: %s\nsteward up:     %s", what, said[0], said[1])
		}
	}
	for i, spec := range gaugeSpecs {
		compare("create "+spec, func(server dynamic.Interface) (*unstructured.Unstructured, error) {
			return create(t.Context(), server, fmt.Sprintf("gauge-%d", i), spec)
		})
	}
	compare("create without a spec", func(server dynamic.Interface) (*unstructured.Unstructured, error) {
		return create(t.Context(), server, "bare", "")
	})
	for i, row := range gaugePatches {
		name := fmt.Sprintf("patched-%d", i)
		compare("patch "+row.subresource+" "+row.patch, func(server dynamic.Interface) (*unstructured.Unstructured, error) {
			if _, err := create(t.Context(), server, name, `{"text":"abc","number":4}`); err != nil {
				return nil, err
			}
			var subresources []string
			if row.subresource != "" {
				subresources = []string{row.subresource}
			}
			return server.Resource(gauges).Namespace("default").Patch(t.Context(), name, types.MergePatchType,
				[]byte(row.patch), metav1.PatchOptions{}, subresources...)
		})
	}
	tightened(t, servers, compare)
}

// An object that was stored before its definition grew stricter may be changed elsewhere.
func tightened(t *testing.T, servers []dynamic.Interface,
	compare func(string, func(dynamic.Interface) (*unstructured.Unstructured, error))) {
	for _, server := range servers {
		if _, err := create(t.Context(), server, "old", `{"choice":"red","text":"abc"}`); err != nil {
			t.Fatal(err)
		}
		definition := object(t, strings.Replace(gaugeCrd, "enum: [red, green]", "enum: [green]", 1))
		present, err := server.Resource(crds).Get(t.Context(), definition.GetName(), metav1.GetOptions{})
		if err != nil {
			t.Fatal(err)
		}
		definition.SetResourceVersion(present.GetResourceVersion())
		if _, err := server.Resource(crds).Update(t.Context(), definition, metav1.UpdateOptions{}); err != nil {
			t.Fatal(err)
		}
		eventuallyRefused(t, server, "red")
	}
	for _, patch := range []string{
		`{"metadata":{"labels":{"a":"b"}}}`, `{"spec":{"text":"abcd"}}`, `{"spec":{"choice":"blue"}}`, `{"spec":{"choice":"green"}}`,
	} {
		compare("patch of an older object "+patch, func(server dynamic.Interface) (*unstructured.Unstructured, error) {
			return server.Resource(gauges).Namespace("default").Patch(t.Context(), "old", types.MergePatchType,
				[]byte(patch), metav1.PatchOptions{})
		})
	}
}

// eventuallyRefused waits until new objects with the choice are refused.
func eventuallyRefused(t *testing.T, server dynamic.Interface, choice string) {
	t.Helper()
	check.Eventually(t, func() error {
		_, err := create(t.Context(), server, "probe", fmt.Sprintf(`{"choice":%q}`, choice))
		if apierrors.IsInvalid(err) {
			return nil
		}
		_ = server.Resource(gauges).Namespace("default").Delete(t.Context(), "probe", metav1.DeleteOptions{})
		return errors.Join(errors.New("it is still admitted"), err)
	})
}

func defineGauges(t *testing.T, server dynamic.Interface) {
	t.Helper()
	if _, err := server.Resource(crds).Create(t.Context(), object(t, gaugeCrd), metav1.CreateOptions{}); err != nil {
		t.Fatal(err)
	}
	ns := object(t, "{apiVersion: v1, kind: Namespace, metadata: {name: default}}")
	if _, err := server.Resource(namespaces).Create(t.Context(), ns, metav1.CreateOptions{}); err != nil && !apierrors.IsAlreadyExists(err) {
		t.Fatal(err)
	}
	check.Eventually(t, func() error {
		_, err := server.Resource(gauges).Namespace("default").List(t.Context(), metav1.ListOptions{})
		return err
	})
}

func object(t *testing.T, text string) *unstructured.Unstructured {
	t.Helper()
	var content map[string]any
	if err := yaml.Unmarshal([]byte(text), &content); err != nil {
		t.Fatal(err)
	}
	return &unstructured.Unstructured{Object: content}
}

// create makes a gauge; "" leaves the spec out.
func create(ctx context.Context, server dynamic.Interface, name, spec string) (*unstructured.Unstructured, error) {
	text := `{"apiVersion":"schema.example.com/v1","kind":"Gauge","metadata":{"name":"` + name + `"}`
	if spec != "" {
		text += `,"spec":` + spec
	}
	gauge := &unstructured.Unstructured{}
	if err := gauge.UnmarshalJSON([]byte(text + "}")); err != nil {
		return nil, err
	}
	return server.Resource(gauges).Namespace("default").Create(ctx, gauge, metav1.CreateOptions{})
}

// fromStatus evens out one word: in a write of the status the kube-apiserver names a value from there, Steward from the root.
var fromStatus = strings.NewReplacer(": status.", ": ", ": status in body", ":  in body")

// outcome is what a client can tell: the stored spec and status, or code, reason and causes in any order.
func outcome(stored *unstructured.Unstructured, err error) string {
	if err == nil {
		content, _ := json.Marshal(map[string]any{"spec": stored.Object["spec"], "status": stored.Object["status"]})
		return "stored " + string(content)
	}
	var status apierrors.APIStatus
	if !errors.As(err, &status) {
		return err.Error()
	}
	var causes []string
	if details := status.Status().Details; details != nil {
		for _, cause := range details.Causes {
			causes = append(causes, fmt.Sprintf("%s %s: %s", cause.Type, cause.Field, fromStatus.Replace(cause.Message)))
		}
	}
	slices.Sort(causes)
	return fmt.Sprintf("%d %s\n  %s", status.Status().Code, status.Status().Reason, strings.Join(causes, "\n  "))
}

// Manifests that `steward up` cannot read are refused and named; the rest is listed.
func TestWrongTypesAreRefusedAndNamed(t *testing.T) {
	manifests := file(t, "wrong.yaml", `apiVersion: operators.coreos.com/v1alpha1
kind: ClusterServiceVersion
metadata: {name: good.v1, namespace: apps}
spec: {displayName: Good, version: 1.0.0}
---
apiVersion: operators.coreos.com/v1alpha1
kind: ClusterServiceVersion
metadata: {name: bad.v1, namespace: apps}
spec: {displayName: Bad, version: 1.10}
---
apiVersion: operators.coreos.com/v1
kind: OperatorGroup
metadata: {name: all, namespace: apps}
spec: all
`)
	up, err := embedded.Start(t.TempDir(), "--load", manifests)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = up.Kill() })
	expect(t, kubectl(t, up, "get", "csv", "-A"), "good.v1")
	expect(t, kubectl(t, up, "get", "installedoperators", "-n", "apps"), "good.v1")
	if err := up.Stop(time.Minute); err != nil {
		t.Fatal(err)
	}
	expect(t, up.Said(), "wrong.yaml:5", "spec.version in body must be of type string", "wrong.yaml:10", `skipped="2"`)

	code, said, err := embedded.Refuse("--data-dir", t.TempDir(), "--secure-port", "0", "--strict", "--load", manifests)
	if err != nil {
		t.Fatal(err)
	}
	if code != 1 {
		t.Errorf("--strict ended with %d", code)
	}
	expect(t, said, "wrong.yaml:5", "nothing was loaded")
}
