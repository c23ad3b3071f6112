package outputs_test

import (
	"bytes"
	"encoding/json"
	"slices"
	"strings"
	"testing"

	utiljson "k8s.io/apimachinery/pkg/util/json"
	"k8s.io/client-go/util/jsonpath"
)

// templates are printed by both. Members of objects come in a random order there, so of those marked the words are compared.
var templates = []struct {
	template  string
	unordered bool
}{
	{template: `plain text`}, {template: `{.kind}`}, {template: `{.kind`}, {template: `{$.kind}`}, {template: `{@.kind}`}, {template: `{kind}`},
	{template: `{ .kind }`}, {template: `{.kind} {.exitCode}`}, {template: `{.missing}`}, {template: `[{.missing}]`}, {template: `{.kind.deeper}`},
	{template: `{.items}`}, {template: `{.items[0]}`}, {template: `{.items[*].name}`}, {template: `{.items[].name}`}, {template: `{.items[-1].name}`},
	{template: `{.items[-2].name}`}, {template: `{.items[99].name}`}, {template: `{.items[-99].name}`}, {template: `{.items[1:3].name}`},
	{template: `{.items[:2].name}`}, {template: `{.items[2:].name}`}, {template: `{.items[:-1].name}`}, {template: `{.items[-3:-1].name}`},
	{template: `{.items[::2].name}`}, {template: `{.items[1:6:2].name}`}, {template: `{.items[0:4:0].name}`}, {template: `{.items[3:1].name}`},
	{template: `{.items[2:2].name}`}, {template: `{.items[0:99].name}`}, {template: `{.items[1:2:3:4].name}`}, {template: `{.items[x].name}`},
	{template: `{.items["name"]}`}, {template: `{.items[-].name}`}, {template: `{.items[0,2].name}`}, {template: `{.items[0, -1].name}`},
	{template: `{.items[0]['name']}`}, {template: `{.items[0]['name','phase']}`}, {template: `{.items[*]['name', 'namespace']}`},
	{template: `{['kind']}`}, {template: `{..reason}`, unordered: true}, {template: `{.items..reason}`}, {template: `{..}`, unordered: true},
	{template: `{.*}`, unordered: true}, {template: `{.items[*].*}`, unordered: true}, {template: `{.items.*.name}`}, {template: `{.kind.*}`},
	{template: `{..*}`}, {template: `{....name}`}, {template: `{.items[0].blockers[*].reason}`}, {template: `{.items[*].blockers[*].reason}`},
	{template: `{.items[*].blockers[0].reason}`}, {template: `{.items[*].definitions[0]}`}, {template: `{.items[0].definitions[0][0]}`},
	{template: `{.items[?(@.phase=="Disabled")].name}`}, {template: `{.items[?(@.phase=='Disabled')].name}`}, {template: `{.items[?(@.phase!="Disabled")].name}`},
	{template: `{.items[?(@.phase=="None")].name}`}, {template: `{.items[?(@.cleanupEnabled==true)].name}`}, {template: `{.items[?(@.cleanupEnabled!=true)].name}`},
	{template: `{.items[?(@.cleanupEnabled<true)].name}`}, {template: `{.items[?(@.pending==0)].name}`}, {template: `{.items[?(@.pending>=0)].name}`},
	{template: `{.items[?(@.pending>0)].name}`}, {template: `{.items[?(@.pending<1)].name}`}, {template: `{.items[?(@.pending<=-1)].name}`},
	{template: `{.items[?(@.pending=="0")].name}`}, {template: `{.items[?(@.pending==0.0)].name}`}, {template: `{.items[?(@.name>"m")].name}`},
	{template: `{.items[?(@.name<="m")].name}`}, {template: `{.items[?(@.blockers)].name}`}, {template: `{.items[?(@.holding)].name}`},
	{template: `{.items[?(@.blockers[0].reason=="NotSupported")].name}`}, {template: `{.items[?(@.blockers[7])].name}`}, {template: `{.items[?(@.blockers==1)].name}`},
	{template: `{.items[?(@.blockers[*].reason=="NotOptedIn")].name}`}, {template: `{.items[?(@.name==@.name)].name}`}, {template: `{.items[?(@.phase=~"x")].name}`},
	{template: `{.items[?(@.phase="x")].name}`}, {template: `{.items[?(@.phase==)].name}`}, {template: `{.items[?(@.phase=="x"].name}`}, {template: `{.items[?(@.phase)}`},
	{template: `{.items[?(@.phase==" )]")].name}`}, {template: `{.kind[?(@.a)]}`}, {template: `{.kind[0]}`},
	{template: `{range .items[*]}{.name}{"\t"}{.phase}{"\n"}{end}`}, {template: `{range .items[*]}{.name}:{range .blockers[*]}{.reason},{end};{end}done`},
	{template: `{range .missing[*]}{.name}{end}after`}, {template: `{range .items[*]}{.name}`}, {template: `{range .items[*]}{range .blockers[*]}{.reason}{end}{.name}`},
	{template: `{end}`}, {template: `{range .items[0:2]}{@.name}{$.phase}{end}{.kind}`}, {template: `{range .items[*].blockers[*]}[{.reason}]{end}`},
	{template: `{"text"}`}, {template: `{'single'}`}, {template: `{"a\"b\\n\u00e9\x41\101"}`}, {template: `{"\q"}`}, {template: `{"open}`}, {template: `{5}{-2.5}{+7}{true}`},
	{template: `{1.2.3}`}, {template: `{.items[0].targetNamespaces}{.items[0].blockers[0]}`}, {template: `{.items[*].conditions}`}, {template: `{.a\.b}{.kind\}}`},
	{template: `{.items[?(@.name=="tidepool-postgres.v5.3.1")].definitions[*]}`}, {template: `{%}`}, {template: "{.kind\n}"}, {template: `{.items[0].name .phase}`}, {template: `{}`},
}

// theirs is what client-go makes of a template, by kubectl's options.
func theirs(template string, document any, asJSON bool) (string, error) {
	path := jsonpath.New("out").AllowMissingKeys(true)
	if err := path.Parse(template); err != nil {
		return "", err
	}
	path.EnableJSONOutput(asJSON)
	var out bytes.Buffer
	err := path.Execute(&out, document)
	return out.String(), err
}

func words(text string) string {
	fields := strings.FieldsFunc(text, func(r rune) bool { return strings.ContainsRune(" \n,[]{}", r) })
	slices.Sort(fields)
	return strings.Join(fields, " ")
}

// settled is the report of all operators, once nothing of it changes any more.
func settled(t *testing.T) (document map[string]any) {
	t.Helper()
	last := ""
	for range 50 {
		text := prints(t, "status", "-A", "-o", "json")
		if text == last {
			break
		}
		last = text
	}
	if err := utiljson.Unmarshal([]byte(last), &document); err != nil {
		t.Fatal(err)
	}
	if len(document["items"].([]any)) < 5 {
		t.Fatalf("hardly any operators: %s", last)
	}
	return document
}

// What a template prints, and whether it is refused, is as client-go has it.
func TestJSONPath(t *testing.T) {
	document := settled(t)
	if len(templates) < 60 {
		t.Fatalf("%d templates", len(templates))
	}
	refused := 0
	for _, row := range templates {
		for form, asJSON := range map[string]bool{"jsonpath": false, "jsonpath-as-json": true} {
			want, err := theirs(row.template, document, asJSON)
			got, said, code := run(t, up.Kubeconfig, "status", "-A", "-o", form+"="+row.template)
			switch {
			case err != nil:
				refused++
				if code != 1 || got != "" || strings.Count(said, "\n") != 1 || !strings.HasPrefix(said, "error: ") {
					t.Errorf("%s %s: %d, %q, %q; they say %v", form, row.template, code, got, said, err)
				}
			case code != 0 || said != "":
				t.Errorf("%s %s: %d, %q; they print %q", form, row.template, code, said, want)
			case row.unordered && words(got) != words(want), !row.unordered && got != want:
				t.Errorf("%s %s:\n%q, want\n%q", form, row.template, got, want)
			}
		}
	}
	t.Logf("%d templates in two forms, %d times refused", len(templates), refused)
}

// The whole document, however it is asked for.
func TestDocuments(t *testing.T) {
	var plain, picked any
	if err := json.Unmarshal([]byte(prints(t, "status", "-A", "-o", "json")), &plain); err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal([]byte(prints(t, "status", "-A", "-o", "jsonpath={@}")), &picked); err != nil {
		t.Fatal(err)
	}
	one, _ := json.Marshal(plain)
	other, _ := json.Marshal(picked)
	if !bytes.Equal(one, other) {
		t.Errorf("%s\n%s", one, other)
	}
}
