package stage

import (
	"maps"
	"strings"
	"testing"
)

func TestRequestsIn(t *testing.T) {
	got, err := requestsIn(`# TYPE apiserver_request_total counter
apiserver_request_total{code="201",component="apiserver",dry_run="",group="",resource="roles",scope="resource",subresource="",verb="POST",version="v1"} 7
apiserver_request_total{code="409",component="apiserver",dry_run="",group="",resource="roles",scope="resource",subresource="",verb="POST",version="v1"} 1
apiserver_request_total{code="201",component="apiserver",dry_run="All",group="",resource="roles",scope="resource",subresource="",verb="POST",version="v1"} 2
apiserver_request_total{code="200",component="apiserver",dry_run="",group="",resource="installplans",scope="resource",subresource="status",verb="PUT",version="v1"} 3
other{verb="POST"} 5
`)
	want := map[string]int{"POST roles": 8, "dry POST roles": 2, "PUT installplans/status": 3}
	if err != nil || !maps.Equal(got, want) {
		t.Errorf("got %v, %v; want %v", got, err, want)
	}
}

// A Role counts once it has its rules, and each object once.
func TestComplete(t *testing.T) {
	const added = `{"type":"ADDED","object":{"metadata":{"namespace":"a","name":"%"},"rules":[]}}` + "\n"
	locked := `{"type":"ADDED","object":{"metadata":{"namespace":"a","name":"y"},"rules":[{"apiGroups":["locks.views.operators.coreos.com"]}]}}` + "\n"
	x, y := strings.Replace(added, "%", "x", 1), strings.Replace(added, "%", "y", 1)
	if _, _, err := complete(strings.NewReader(x+x+locked), 2); err == nil {
		t.Error("a locked Role counts, or one object twice")
	}
	first, last, err := complete(strings.NewReader(x+locked+strings.ReplaceAll(y, "ADDED", "MODIFIED")), 2)
	if err != nil || last.Before(first) {
		t.Errorf("got %v, %v, %v", first, last, err)
	}
	if _, _, err := complete(strings.NewReader(strings.ReplaceAll(x, "ADDED", "DELETED")), 1); err == nil {
		t.Error("a deletion is no error")
	}
}
