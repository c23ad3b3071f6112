package stage

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"strings"
	"testing"

	"steward.dev/e2e/olm"
)

// Without ../shared the figures are measured on stand-ins: they must be of the sizes that the figures are about.
func TestStandInsHaveTheSizesOfPublishedOperators(t *testing.T) {
	operators, err := LoadOperators(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	if len(operators.CSVs) != len(published) || !strings.Contains(operators.Description, "synthetic") {
		t.Fatalf("got %d, described as %q", len(operators.CSVs), operators.Description)
	}
	for i, csv := range operators.CSVs {
		text, err := csv.MarshalJSON()
		if err != nil {
			t.Fatal(err)
		}
		want := published[i].size
		// What installing adds: annotations, a label, the status.
		if got := len(text); got < want || got > want+2000 {
			t.Errorf("%s has %d bytes, want about %d", csv.GetName(), got, want)
		}
		packed := &bytes.Buffer{}
		writer := gzip.NewWriter(packed)
		_, _ = writer.Write(text)
		_ = writer.Close()
		if ratio := float64(len(text)) / float64(packed.Len()); ratio < 1.2 || ratio > 8 {
			t.Errorf("%s compresses by %.1f, unlike any published one", csv.GetName(), ratio)
		}
		if !olm.Supports(csv, "AllNamespaces") {
			t.Errorf("%s cannot be installed for all namespaces", csv.GetName())
		}
	}
}

func TestCopyIsWhatOLMLeaves(t *testing.T) {
	group := olm.OperatorGroup(Origin, "global")
	csv := olm.CSV("one", group, "")
	object, status, err := Copy(csv)
	if err != nil {
		t.Fatal(err)
	}
	var copied olm.Object
	if err := copied.UnmarshalJSON(object); err != nil {
		t.Fatal(err)
	}
	if copied.GetKind() != "ClusterServiceVersion" || copied.GetNamespace() != "" || copied.GetLabels()[olm.CopiedFromLabel] != Origin {
		t.Errorf("the copy is %s", object)
	}
	if _, ok := copied.GetAnnotations()[olm.TargetsAnnotation]; ok {
		t.Error("the copy tells other tenants' names")
	}
	if _, ok := copied.Object["status"]; ok {
		t.Error("the status is to be written by itself")
	}
	var patch struct{ Status map[string]any }
	if err := json.Unmarshal(status, &patch); err != nil || patch.Status["reason"] != "Copied" {
		t.Errorf("the status is %s", status)
	}
}
