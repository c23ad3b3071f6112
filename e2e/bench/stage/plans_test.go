package stage

import "testing"

func TestManifestsAreAsManyAsSteps(t *testing.T) {
	for _, steps := range []int{2, 20, 200} {
		all := manifests(steps)
		if len(all) != steps || all[0].GetKind() != "ClusterServiceVersion" {
			t.Errorf("%d steps are %d objects, the first of them a %s", steps, len(all), all[0].GetKind())
		}
		names := map[string]bool{}
		for _, each := range all {
			path := manifestPath(each, "a") + "/" + each.GetName()
			if planned[each.GetKind()] == "" || names[path] {
				t.Errorf("%s is there twice, or of no known kind", path)
			}
			names[path] = true
		}
	}
}

func TestAPlanIsCompleteWithItsSteps(t *testing.T) {
	created := struct{ Status string }{"Created"}
	for _, row := range []struct {
		name   string
		status planStatus
		done   bool
		fails  bool
	}{
		{name: "under way", status: planStatus{Phase: "Installing"}},
		{name: "done", status: planStatus{Phase: "Complete", Plan: []struct{ Status string }{created, created}}, done: true},
		{name: "with a step that was there", status: planStatus{Phase: "Complete", Plan: []struct{ Status string }{created, {"Present"}}}, fails: true},
		{name: "failed", status: planStatus{Phase: "Failed", Message: "no"}, fails: true},
	} {
		t.Run(row.name, func(t *testing.T) {
			if done, err := row.status.complete(2); done != row.done || (err != nil) != row.fails {
				t.Errorf("got %v, %v", done, err)
			}
		})
	}
}
