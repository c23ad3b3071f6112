package rpc_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"
)

const api = "/apis/views.operators.coreos.com/v1alpha1"

// user is a client of the kube-apiserver.
func user(t *testing.T, name string, groups ...string) rest.Interface {
	t.Helper()
	kubeconfig, err := shared.User(name, groups...)
	must(t, err)
	config, err := clientcmd.BuildConfigFromFlags("", kubeconfig)
	must(t, err)
	config.QPS = -1
	set, err := kubernetes.NewForConfig(config)
	must(t, err)
	return set.RESTClient()
}

type pendingList struct {
	Kind     string
	Metadata metav1.ListMeta
	Items    []struct{ Group, Kind, Plural, Namespace, Name, UID string }
	Hidden   int64
}

func (s *scene) path(below string) string {
	return api + "/namespaces/" + s.namespace + "/cleanupstatuses/" + csvName + below
}

// pages reads /pending through the aggregator, to the end.
func (s *scene) pages(ctx context.Context, client rest.Interface, limit string) (names []string, hidden int64, pages int, err error) {
	token := ""
	for {
		request := client.Get().AbsPath(s.path("/pending")).Param("limit", limit).MaxRetries(0)
		if token != "" {
			request = request.Param("continue", token)
		}
		result := request.Do(ctx)
		if err := result.Error(); err != nil {
			return nil, 0, 0, err
		}
		text, err := result.Raw()
		if err != nil {
			return nil, 0, 0, err
		}
		list := pendingList{}
		if err := unmarshal(text, &list); err != nil {
			return nil, 0, 0, err
		}
		pages++
		for _, item := range list.Items {
			names = append(names, item.Namespace+"/"+item.Name)
		}
		hidden += list.Hidden
		if token = list.Metadata.Continue; token == "" {
			return names, hidden, pages, nil
		}
	}
}

func TestPendingIsForThoseWhoMayListTheOperandsThemselves(t *testing.T) {
	s := install(t)
	must(t, s.addWidget(t.Context(), s.spaces[0], "one"))
	must(t, s.addWidget(t.Context(), s.spaces[1], "two"))
	client := user(t, "paula")
	_, _, _, err := s.pages(t.Context(), client, "10")
	if !apierrors.IsForbidden(err) {
		t.Errorf("without a right to the subresource: %v", err)
	}
	// Not what the roles view, edit and admin give.
	allow(t, "paula", s.namespace, "get "+statuses+"/pending")
	allow(t, "paula", s.spaces[1], "list "+s.group+"/widgets")
	eventually(t, func() error {
		names, hidden, _, err := s.pages(t.Context(), client, "10")
		if err != nil {
			return err
		}
		if !slices.Equal(names, []string{s.spaces[1] + "/two"}) || hidden != 1 {
			return fmt.Errorf("%q, %d hidden", names, hidden)
		}
		return nil
	})
}

// While the controllers are away that is said, and nothing else is different.
func TestControllersAway(t *testing.T) {
	s := install(t)
	must(t, s.addWidget(t.Context(), s.spaces[0], "one"))
	admin := user(t, "rpc-admin", "system:masters")
	eventually(t, func() error {
		_, _, _, err := s.pages(t.Context(), admin, "10")
		return err
	})
	must(t, serving.Stop())
	response := admin.Get().AbsPath(s.path("/pending")).MaxRetries(0).Do(t.Context())
	var said *apierrors.StatusError
	if !errors.As(response.Error(), &said) || said.ErrStatus.Code != http.StatusServiceUnavailable {
		t.Fatalf("away: %v", response.Error())
	}
	if said.ErrStatus.Details == nil || said.ErrStatus.Details.RetryAfterSeconds < 1 || !strings.Contains(said.ErrStatus.Message, "controllers cannot be asked") {
		t.Errorf("away: %+v", said.ErrStatus)
	}
	for _, path := range []string{s.path(""), api + "/cleanupstatuses", api + "/installedoperators"} {
		if _, err := admin.Get().AbsPath(path).DoRaw(t.Context()); err != nil {
			t.Errorf("%s meanwhile: %v", path, err)
		}
	}
	must(t, startServing(t.Context()))
	eventually(t, func() error {
		names, _, _, err := s.pages(t.Context(), admin, "10")
		if err == nil && len(names) != 1 {
			err = fmt.Errorf("%q", names)
		}
		return err
	})
}

// A token is a place in an order: the API server that gave it out may be another by then.
func TestAWalkGoesOnThoughTheAPIServerWasRestarted(t *testing.T) {
	s := install(t)
	for _, name := range []string{"one", "three", "two"} {
		must(t, s.addWidget(t.Context(), s.spaces[0], name))
	}
	admin := user(t, "rpc-admin", "system:masters")
	ask := func(token string) (list pendingList, err error) {
		text, err := admin.Get().AbsPath(s.path("/pending")).Param("limit", "1").Param("continue", token).DoRaw(t.Context())
		if err == nil {
			err = unmarshal(text, &list)
		}
		if err == nil && len(list.Items) != 1 {
			err = fmt.Errorf("%+v", list)
		}
		return list, err
	}
	var first pendingList
	eventually(t, func() (err error) { first, err = ask(""); return err })
	must(t, steward.Stop())
	must(t, steward.Start(stewardFlags...))
	must(t, steward.WaitReady(t.Context()))
	var second pendingList
	eventually(t, func() (err error) { second, err = ask(first.Metadata.Continue); return err })
	if first.Items[0].Name != "one" || second.Items[0].Name != "three" || *second.Metadata.RemainingItemCount != 1 {
		t.Errorf("first %+v, then %+v", first, second)
	}
}

// 20,000 operands, page by page, over gRPC and through the aggregator, with a restart of each process on the way.
func TestTwentyThousandPending(t *testing.T) {
	const count = 20_000
	s := install(t)
	makeWidgets(t, s, count)
	admin := as(t, "admin", "system:masters")
	request := s.of()
	request["pageSize"] = 500
	var names []string
	for pages := 0; ; pages++ {
		var page message
		eventually(t, func() (err error) { page, err = admin.call(t.Context(), "ListPending", request); return err })
		for _, operand := range page["operands"].([]any) {
			of := operand.(message)
			names = append(names, fmt.Sprintf("%s/%s", of["namespace"], of["name"]))
		}
		if pages == 20 {
			// The listing is forgotten; the token is not.
			must(t, serving.Stop())
			must(t, startServing(t.Context()))
		}
		if request["pageToken"] = page["nextPageToken"]; request["pageToken"] == "" {
			break
		}
	}
	complete(t, "over gRPC", names, count)

	client := user(t, "rpc-admin", "system:masters")
	var hidden int64
	var pages int
	eventually(t, func() (err error) {
		names, hidden, pages, err = s.pages(t.Context(), client, "1000")
		return err
	})
	complete(t, "through the aggregator", names, count)
	if hidden != 0 || pages != count/1000 {
		t.Errorf("%d hidden, %d pages", hidden, pages)
	}
}

func complete(t *testing.T, how string, names []string, count int) {
	t.Helper()
	if len(names) != count || !slices.IsSorted(names) || len(slices.Compact(slices.Clone(names))) != count {
		t.Errorf("%s: %d names, sorted: %t, different: %d", how, len(names), slices.IsSorted(names), len(slices.Compact(slices.Clone(names))))
	}
}

func makeWidgets(t *testing.T, s *scene, count int) {
	t.Helper()
	numbers := make(chan int)
	errs := make(chan error, 1)
	var workers sync.WaitGroup
	for range 32 {
		workers.Go(func() {
			for i := range numbers {
				if err := s.addWidget(t.Context(), s.spaces[i%2], fmt.Sprintf("widget-%05d", i)); err != nil {
					select {
					case errs <- err:
					default:
					}
				}
			}
		})
	}
	for i := range count {
		numbers <- i
	}
	close(numbers)
	workers.Wait()
	select {
	case err := <-errs:
		t.Fatal(err)
	default:
	}
}
