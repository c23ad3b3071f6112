package cases

import (
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/labels"
	"sigs.k8s.io/yaml"
)

// columns are the fields of a printed line; no cell of the lines looked at here holds two spaces.
func columns(line string) []string {
	var out []string
	for cell := range strings.SplitSeq(line, "  ") {
		if cell = strings.TrimSpace(cell); cell != "" {
			out = append(out, cell)
		}
	}
	return out
}

func lines(out string) []string { return strings.Split(strings.TrimSpace(out), "\n") }

// R-PRJ-08: the command this project is for.
func TestKubectl_R_PRJ_08_GetAll(t *testing.T) {
	got := lines(kubectl(t, "get", "installedoperators", "-A"))
	if want := []string{"NAMESPACE", "NAME", "DISPLAY", "VERSION", "RELEASE", "REPLACES", "PHASE"}; !slices.Equal(columns(got[0]), want) {
		t.Errorf("columns %q, want %q", columns(got[0]), want)
	}
	var rows, sorted [][2]string
	for _, line := range got[1:] {
		fields := strings.Fields(line)
		rows = append(rows, [2]string{fields[0], fields[1]})
	}
	sorted = slices.SortedFunc(slices.Values(rows), func(a, b [2]string) int { return slices.Compare(a[:], b[:]) })
	if !slices.Equal(rows, sorted) {
		t.Errorf("rows are not in order of namespace and name: %q", rows)
	}
	for _, want := range [][2]string{{"team-blue", "certloop.v1.8.2"}, {"payments", "ledger-queue.v1.0.3"}, {"research", "sandbox-notebooks.v0.4.0"}} {
		if !slices.Contains(rows, want) {
			t.Errorf("no row %s", want)
		}
	}
}

// R-004-43: a drop-in for CSVs, down to what is printed.
func TestKubectl_R_004_43_PrintsWhatItPrintsForCSVs(t *testing.T) {
	for _, namespace := range []string{"platform-operators", "databases", "research", realNamespace} {
		names := strings.Fields(kubectl(t, "get", "csv", "-n", namespace, "-o", "jsonpath={.items[*].metadata.name}"))
		if len(names) == 0 {
			continue
		}
		real := kubectl(t, append([]string{"get", "csv", "-n", namespace}, names...)...)
		virtual := kubectl(t, append([]string{"get", "iop", "-n", namespace}, names...)...)
		if real != virtual {
			t.Errorf("csv:\n%siop:\n%s", real, virtual)
		}
	}
}

func TestKubectl_R_PRJ_08_OneNamespace(t *testing.T) {
	got := lines(kubectl(t, "get", "iop", "-n", "payments", "-o", "name"))
	for _, want := range []string{"beacon-metrics.v2.1.0", "certloop.v1.8.2", "ledger-queue.v1.0.3", "quarry-backup.v0.9.4", "tidepool-postgres.v5.3.1"} {
		if !slices.Contains(got, "installedoperator.views.operators.coreos.com/"+want) {
			t.Errorf("%s is not in %q", want, got)
		}
	}
	if slices.ContainsFunc(got, func(name string) bool { return strings.Contains(name, "sandbox-notebooks") }) {
		t.Error("an operator of another namespace is listed")
	}
	out, err := shared.Kubectl(t.Context(), "get", "iop", "-n", "no-such-namespace")
	if err != nil || out != "" {
		t.Errorf("a namespace that does not exist: %q, %v; want an empty list", out, err)
	}
}

func TestKubectl_R_PRJ_08_Wide(t *testing.T) {
	got := lines(kubectl(t, "get", "iop", "tidepool-postgres.v5.3.1", "-n", "payments", "-o", "wide"))
	want := []string{"NAME", "DISPLAY", "VERSION", "RELEASE", "REPLACES", "PHASE", "INSTALL NAMESPACE", "MODE"}
	if !slices.Equal(columns(got[0]), want) {
		t.Errorf("columns %q, want %q", columns(got[0]), want)
	}
	row := columns(got[1])
	if !slices.Equal(row[len(row)-2:], []string{"databases", "MultiNamespace"}) {
		t.Errorf("row %q", row)
	}
}

func TestKubectl_R_PRJ_08_JSONAndYAMLAgree(t *testing.T) {
	for _, args := range [][]string{{"-n", "shop-prod", "tidepool-postgres.v5.3.1"}, {"-n", "payments"}} {
		args = append([]string{"get", "iop"}, args...)
		var fromJSON, fromYAML map[string]any
		must(t, json.Unmarshal([]byte(kubectl(t, append(args, "-o", "json")...)), &fromJSON))
		must(t, yaml.Unmarshal([]byte(kubectl(t, append(args, "-o", "yaml")...)), &fromYAML))
		dropListNumber(fromJSON)
		dropListNumber(fromYAML)
		if !reflect.DeepEqual(fromJSON, fromYAML) {
			t.Errorf("kubectl %s: JSON and YAML differ", strings.Join(args, " "))
		}
	}
}

// dropListNumber removes resourceVersions: two reads are two moments.
func dropListNumber(object map[string]any) {
	drop := func(o any) {
		if fields, ok := o.(map[string]any); ok {
			if metadata, ok := fields["metadata"].(map[string]any); ok {
				delete(metadata, "resourceVersion")
			}
		}
	}
	drop(object)
	items, _ := object["items"].([]any)
	for _, item := range items {
		drop(item)
	}
}

func TestKubectl_R_PRJ_08_LabelSelectors(t *testing.T) {
	for _, text := range []string{
		"olm.managed=true", "olm.managed==true", "olm.managed!=true", "olm.managed", "!olm.managed",
		"olm.copiedFrom", "!olm.copiedFrom",
		"olm.copiedFrom in (platform-operators,databases)", "olm.copiedFrom notin (platform-operators)",
		"olm.copiedFrom=databases,olm.managed", "olm.copiedFrom=databases,!olm.managed", "no/such-key=",
		"olm.api.4f70cb7360a951a4=provided",
	} {
		selector, err := labels.Parse(text)
		must(t, err)
		eventually(t, func() error { // what other cases leave behind goes meanwhile
			all, labelled := keys(t)
			var want []string
			for _, key := range all {
				if selector.Matches(labels.Set(labelled[key])) {
					want = append(want, key)
				}
			}
			var got []string
			for _, line := range lines(kubectl(t, "get", "iop", "-A", "--no-headers", "-l", text)) {
				if fields := strings.Fields(line); len(fields) > 1 {
					got = append(got, fields[0]+"/"+fields[1])
				}
			}
			if !slices.Equal(got, want) {
				return fmt.Errorf("-l %q: %d rows, want %d", text, len(got), len(want))
			}
			return nil
		})
	}
}

func TestKubectl_R_PRJ_08_FieldSelectors(t *testing.T) {
	for _, tc := range []struct {
		selector string
		want     string // what all rows have in common
		rows     bool
	}{
		{"metadata.name=certloop.v1.8.2", "certloop.v1.8.2", true},
		{"metadata.namespace=research", "research ", true},
		{"metadata.namespace==research,metadata.name=sandbox-notebooks.v0.4.0", "sandbox-notebooks.v0.4.0", true},
		{"metadata.namespace=research,metadata.name!=sandbox-notebooks.v0.4.0", "research ", true},
		{"metadata.name=nothing", "", false},
	} {
		out := strings.TrimSpace(kubectl(t, "get", "iop", "-A", "--no-headers", "--field-selector", tc.selector))
		if (out != "") != tc.rows {
			t.Errorf("%s: %q", tc.selector, out)
		}
		for _, line := range lines(out) {
			if !strings.Contains(line, tc.want) || strings.Contains(tc.selector, "!=") && strings.Contains(line, "sandbox-notebooks") {
				t.Errorf("%s: row %q", tc.selector, line)
			}
		}
	}
	said := refused(t, shared.Admin, "get", "iop", "-A", "--field-selector", "spec.version=1.8.2")
	if want := `"spec.version" is not a known field selector: only "metadata.name", "metadata.namespace"`; !strings.Contains(said, want) {
		t.Errorf("an unknown field: %q, want %q in it", said, want)
	}
}

func TestKubectl_R_PRJ_08_Describe(t *testing.T) {
	out := kubectl(t, "describe", "iop", "certloop.v1.8.2", "-n", "team-blue")
	for _, want := range []string{"Name:         certloop.v1.8.2", "Namespace:    team-blue", "Kind:         InstalledOperator", "olm.copiedFrom=platform-operators", "Display Name:  Certloop", "The operator is running in platform-operators but is managing this namespace", "Install Namespace:"} {
		if !strings.Contains(out, want) {
			t.Errorf("no %q in:\n%s", want, out)
		}
	}
}

func TestKubectl_R_PRJ_08_Explain(t *testing.T) {
	for path, wants := range map[string][]string{
		"iop":                        {"GROUP:      views.operators.coreos.com", "KIND:       InstalledOperator", "VERSION:    v1alpha1", "scope", "spec", "status", "metadata"},
		"installedoperators.spec":    {"displayName", "version", "install"},
		"iop.scope":                  {"installNamespace", "operatorGroup", "installMode", "targeted"},
		"iop.scope.installNamespace": {"FIELD: installNamespace <string>"},
		"iop.status.phase":           {"FIELD: phase <string>"},
		"iop.metadata.labels":        {"FIELD: labels <map[string]string>"},
	} {
		out := kubectl(t, "explain", path)
		for _, want := range wants {
			if !strings.Contains(out, want) {
				t.Errorf("explain %s: no %q in:\n%s", path, want, out)
			}
		}
		if strings.Contains(out, "<empty>") {
			t.Errorf("explain %s: something is not described:\n%s", path, out)
		}
	}
}

func TestKubectl_R_PRJ_08_ResourcesAndRights(t *testing.T) {
	out := lines(kubectl(t, "api-resources", "--api-group=views.operators.coreos.com", "--no-headers", "-o", "wide"))
	for i, want := range []string{
		"cleanupstatuses cus views.operators.coreos.com/v1alpha1 true CleanupStatus get,list,watch",
		"installedoperators iop views.operators.coreos.com/v1alpha1 true InstalledOperator get,list,watch",
		"planpreviews ppv views.operators.coreos.com/v1alpha1 true PlanPreview create,get,list,watch",
	} {
		if i >= len(out) || !strings.HasPrefix(strings.Join(strings.Fields(out[i]), " "), want) {
			t.Errorf("api-resources: %q, want %q", out, want)
		}
	}
	if out := kubectl(t, "api-versions"); !strings.Contains(out, "views.operators.coreos.com/v1alpha1\n") {
		t.Errorf("api-versions: %s", out)
	}
	if out := strings.TrimSpace(kubectl(t, "auth", "can-i", "list", "installedoperators", "-A")); out != "yes" {
		t.Errorf("can-i list, as administrator: %q", out)
	}
}

func TestKubectl_R_PRJ_08_SortAndColumns(t *testing.T) {
	out := lines(kubectl(t, "get", "iop", "-n", "payments", "--sort-by={.spec.displayName}", "-o", "custom-columns=D:.spec.displayName", "--no-headers"))
	if len(out) < 5 || !slices.IsSortedFunc(out, strings.Compare) {
		t.Errorf("not sorted: %q", out)
	}
	kubectl(t, "get", "iop", "-n", "payments", "--sort-by={.metadata.name}")
}

func TestKubectl_R_PRJ_08_SaysWhatIsWrong(t *testing.T) {
	for _, tc := range []struct {
		args []string
		want string
	}{
		{[]string{"get", "iop", "nothing", "-n", "payments"}, `Error from server (NotFound): installedoperators.views.operators.coreos.com "nothing" not found`},
		{[]string{"delete", "iop", "certloop.v1.8.2", "-n", "payments"}, "; change that one"},
		{[]string{"label", "iop", "certloop.v1.8.2", "-n", "payments", "a=b"}, "(MethodNotAllowed)"},
		{[]string{"get", "iop", "-A", "-l", "a in (b"}, "unable to parse"},
	} {
		if said := refused(t, shared.Admin, tc.args...); !strings.Contains(said, tc.want) {
			t.Errorf("kubectl %s: %q, want %q", strings.Join(tc.args, " "), said, tc.want)
		}
	}
}
