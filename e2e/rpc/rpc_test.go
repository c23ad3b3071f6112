package rpc_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/health/grpc_health_v1"
	reflection "google.golang.org/grpc/reflection/grpc_reflection_v1alpha"
	"google.golang.org/grpc/status"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"steward.dev/e2e/cluster"
	"steward.dev/e2e/olm"
)

const (
	statuses = "views.operators.coreos.com/cleanupstatuses"
	csvs     = "operators.coreos.com/clusterserviceversions"
)

// Every method with and without the right that it takes.
func TestEachMethodTakesItsRight(t *testing.T) {
	s := install(t)
	must(t, s.addWidget(t.Context(), s.spaces[0], "one"))
	rows := []struct {
		name, rule string
		request    message
	}{
		{"Get", "get " + statuses, s.of()},
		{"List", "list " + statuses, message{"namespace": s.namespace}},
		{"Watch", "watch " + statuses, message{"namespace": s.namespace}},
		{"ListPending", "get " + statuses + "/pending", s.of()},
		{"Preview", "get " + statuses + "/preview", s.of()},
		{"Abort", "patch " + csvs, s.of()},
	}
	// Reflection names all methods there are.
	methods := as(t, "anybody").service.Methods()
	for i := range methods.Len() {
		name := string(methods.Get(i).Name())
		if !slices.ContainsFunc(rows, func(row struct {
			name, rule string
			request    message
		}) bool {
			return row.name == name
		}) {
			t.Errorf("%s has no row here", name)
		}
	}
	for _, method := range rows {
		t.Run(method.name, func(t *testing.T) {
			user := "user-of-" + method.name
			c := as(t, user)
			ask := func() error {
				if method.name != "Watch" {
					_, err := c.call(t.Context(), method.name, method.request)
					return err
				}
				ctx, cancel := context.WithCancel(t.Context())
				defer cancel()
				watch, err := c.watch(ctx, method.request)
				if err == nil {
					_, err = watch.next()
				}
				return err
			}
			err := ask()
			expectCode(t, "without the right", err, codes.PermissionDenied)
			if kubernetesCode(err) != 403 {
				t.Errorf("details say %d: %v", kubernetesCode(err), status.Convert(err).Proto())
			}
			allow(t, user, s.namespace, method.rule)
			eventually(t, ask)
			if method.name == "List" || method.name == "Watch" {
				method.request = message{}
				expectCode(t, "of the whole cluster", ask(), codes.PermissionDenied)
			}
		})
	}
	if enabled := s.see(t).Object["spec"].(map[string]any)["cleanup"].(map[string]any)["enabled"]; enabled != false {
		t.Errorf("after Abort, spec.cleanup.enabled is %v", enabled)
	}
}

func TestWhatIsAnswered(t *testing.T) {
	s := install(t)
	must(t, s.addWidget(t.Context(), s.spaces[0], "one"))
	must(t, s.addWidget(t.Context(), s.namespace, "kept"))
	admin := as(t, "admin", "system:masters")
	eventually(t, func() error {
		preview, err := admin.call(t.Context(), "Preview", s.of())
		if err != nil {
			return err
		}
		definition := preview["definitions"].([]any)[0].(message)
		if preview["verdict"] != "Allowed" || definition["toDelete"] != "1" || definition["kept"] != "1" {
			return fmt.Errorf("preview: %v", preview)
		}
		return nil
	})
	for _, method := range []string{"Get", "ListPending", "Preview", "Abort"} {
		_, err := admin.call(t.Context(), method, message{"namespace": s.namespace, "name": "nobody"})
		expectCode(t, method, err, codes.NotFound)
		if kubernetesCode(err) != 404 {
			t.Errorf("%s: details say %d", method, kubernetesCode(err))
		}
	}
	_, err := admin.call(t.Context(), "Abort", message{"namespace": s.namespace, "name": csvName, "uid": "another"})
	expectCode(t, "Abort of another object", err, codes.Aborted)
	_, err = admin.call(t.Context(), "List", message{"pageToken": "nonsense"})
	expectCode(t, "a foreign token", err, codes.InvalidArgument)
}

// A page token is no right: it belongs to the request that it was given for, and is refused with any other one.
func TestPageTokensBelongToTheirRequest(t *testing.T) {
	install(t)
	s := install(t)
	admin := as(t, "admin", "system:masters")
	page, err := admin.call(t.Context(), "List", message{"pageSize": 1})
	must(t, err)
	token, _ := page["nextPageToken"].(string)
	if token == "" {
		t.Fatalf("there is no second page: %v", page)
	}
	_, err = admin.call(t.Context(), "List", message{"pageSize": 1, "pageToken": token})
	must(t, err)
	middle := len(token) / 2
	changed := token[:middle] + strings.Map(func(r rune) rune { return r ^ 1 }, token[middle:middle+1]) + token[middle+1:]
	_, err = admin.call(t.Context(), "List", message{"pageSize": 1, "pageToken": changed})
	expectCode(t, "a changed token", err, codes.InvalidArgument)

	// Whoever may list one namespace learns nothing of another one by it.
	allow(t, "turner", s.namespace, "list "+statuses)
	turner := as(t, "turner")
	own := message{"namespace": s.namespace, "pageSize": 1}
	eventually(t, func() error {
		_, err := turner.call(t.Context(), "List", own)
		return err
	})
	own["pageToken"] = token
	_, err = turner.call(t.Context(), "List", own)
	expectCode(t, "a token of the whole cluster", err, codes.InvalidArgument)
}

func TestFrontendsAndNobodyElseAskForOthers(t *testing.T) {
	s := install(t)
	allow(t, "greta", s.namespace, "get "+statuses)
	request := s.of()
	request["onBehalfOf"] = message{"user": "greta", "groups": []any{"system:authenticated"}}
	frontend := as(t, "steward-apiserver")
	eventually(t, func() error {
		_, err := frontend.call(t.Context(), "Get", request)
		return err
	})
	_, err := as(t, "mallory", "system:masters").call(t.Context(), "Get", request)
	expectCode(t, "no frontend", err, codes.PermissionDenied)
	_, err = frontend.call(t.Context(), "Get", s.of())
	expectCode(t, "a frontend for itself", err, codes.PermissionDenied)
}

func TestCertificates(t *testing.T) {
	other, err := cluster.NewAuthority("another-ca")
	must(t, err)
	stranger, err := other.Client(t.TempDir(), "stranger", "admin", "system:masters")
	must(t, err)
	for name, pair := range map[string]cluster.Pair{"none": {}, "of another authority": stranger} {
		ctx, cancel := context.WithTimeout(t.Context(), patience)
		_, err := grpc_health_v1.NewHealthClient(dial(t, pair)).Check(ctx, &grpc_health_v1.HealthCheckRequest{})
		cancel()
		expectCode(t, name, err, codes.Unavailable)
	}
}

func TestHealthAndReflection(t *testing.T) {
	connection := dial(t, certificateOf(t, "anybody"))
	health := grpc_health_v1.NewHealthClient(connection)
	for _, name := range []string{"", service} {
		answer, err := health.Check(t.Context(), &grpc_health_v1.HealthCheckRequest{Service: name})
		must(t, err)
		if answer.Status != grpc_health_v1.HealthCheckResponse_SERVING {
			t.Errorf("%q is %v", name, answer.Status)
		}
	}
	stream, err := reflection.NewServerReflectionClient(connection).ServerReflectionInfo(t.Context())
	must(t, err)
	must(t, stream.Send(&reflection.ServerReflectionRequest{
		MessageRequest: &reflection.ServerReflectionRequest_ListServices{ListServices: "*"},
	}))
	answer, err := stream.Recv()
	must(t, err)
	var names []string
	for _, listed := range answer.GetListServicesResponse().GetService() {
		names = append(names, listed.GetName())
	}
	for _, want := range []string{service, "grpc.health.v1.Health", "grpc.reflection.v1alpha.ServerReflection"} {
		if !slices.Contains(names, want) {
			t.Errorf("%s is not among %q", want, names)
		}
	}
}

// A watch goes on where it was, whoever was restarted meanwhile.
func TestAWatchGoesOnAfterARestart(t *testing.T) {
	s := install(t)
	admin := as(t, "admin", "system:masters")
	watch, err := admin.watch(t.Context(), message{"namespace": s.namespace})
	must(t, err)
	name := s.namespace + "/" + csvName
	token := ""
	next := func(watch *stream, want string) message {
		t.Helper()
		got, err := watch.next()
		must(t, err)
		if kind(got) != want {
			t.Fatalf("%s, want %s", kind(got), want)
		}
		token, _ = got["resumeToken"].(string)
		return got
	}
	next(watch, "snapshotBegin")
	next(watch, "changed "+name)
	next(watch, "snapshotEnd")

	must(t, serving.Stop())
	for err == nil {
		_, err = watch.next() // it may say how far it is
	}
	expectCode(t, "a watch of a server that stops", err, codes.Unavailable)
	must(t, olm.Create(t.Context(), shared.Any, s.csv("operator.v2")))
	must(t, startServing(t.Context()))

	// The new process knows nothing of the time before it listed, unless nothing happened: a snapshot then.
	if watch, err = admin.watch(t.Context(), message{"namespace": s.namespace, "resumeToken": token}); err != nil {
		t.Fatal(err)
	}
	seen := map[string]bool{}
	for !seen[s.namespace+"/operator.v2"] {
		got, err := watch.next()
		must(t, err)
		if about, is := got["changed"].(message); is {
			seen[fmt.Sprintf("%s/%s", about["namespace"], about["name"])] = true
		}
		token, _ = got["resumeToken"].(string)
	}
	for token == "" {
		got, err := watch.next()
		must(t, err)
		token, _ = got["resumeToken"].(string)
	}

	// Another connection to the same process gets the changes alone.
	must(t, shared.Any.Resource(olm.CSVs).Namespace(s.namespace).Delete(t.Context(), "operator.v2", metav1.DeleteOptions{}))
	must(t, olm.Mutate(t.Context(), shared.Any, olm.CSVs, s.namespace, csvName, func(csv *olm.Object) {
		csv.Object["spec"].(map[string]any)["cleanup"] = map[string]any{"enabled": false}
	}))
	if watch, err = as(t, "admin", "system:masters").watch(t.Context(), message{"namespace": s.namespace, "resumeToken": token}); err != nil {
		t.Fatal(err)
	}
	disabled := false
	for !disabled {
		got, err := watch.next()
		must(t, err)
		if kind(got) == "snapshotBegin" {
			t.Fatal("a snapshot, although the state is known")
		}
		about, is := got["changed"].(message)
		disabled = is && about["name"] == csvName && about["phase"] == "Disabled"
	}
}
