package docs_test

import (
	"reflect"
	"strings"
	"testing"

	"steward.dev/e2e/docs"
)

const document = "# Title\n$ no command\n```\n$ one \\\n  -f x\nprinted\n\n$ two\n```\n" +
	"```\nno command either\n```\n```\n$ three\nhalf\n```\n" +
	"```\n# in another terminal\n$ four\nshown\n```\n```\n# in the first terminal\nall\n```\n"

func TestSteps(t *testing.T) {
	got, err := docs.Steps(document)
	want := []docs.Step{
		{Line: 4, Command: "one \\\n  -f x", Shown: []string{"printed", ""}},
		{Line: 8, Command: "two"},
		{Line: 14, Command: "three", Shown: []string{"half"}, AtLast: []string{"all"},
			Beside: []docs.Step{{Line: 19, Command: "four", Shown: []string{"shown"}}}},
	}
	if err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("%v\n got %+v\nwant %+v", err, got, want)
	}
	for _, wrong := range []string{
		"```\n# in another terminal\n$ one\n```\n",
		"```\n$ one\n```\n```\n# in another terminal\n$ two\n```\n",
		"```\n$ one\n```\n```\n# in the first terminal\nend\n```\n",
	} {
		if _, err := docs.Steps(wrong); err == nil {
			t.Errorf("%q is taken", wrong)
		}
	}
}

func TestCompare(t *testing.T) {
	for name, tc := range map[string]struct {
		shown, printed string
		differs        bool
	}{
		"the same":               {shown: "a\nb", printed: "a\nb\n"},
		"another line":           {shown: "a\nb", printed: "a\nc\n", differs: true},
		"a line more":            {shown: "a\nb", printed: "a\nb\nc\n", differs: true},
		"a line less":            {shown: "a\nb", printed: "a\n", differs: true},
		"nothing shown":          {shown: "", printed: "a\n", differs: true},
		"nothing printed":        {shown: "", printed: ""},
		"lines left out":         {shown: "a\n[...]\nd", printed: "a\nb\nc\nd\n"},
		"none left out":          {shown: "a\n[...]\nd", printed: "a\nd\n"},
		"something after those":  {shown: "a\n[...]\nd", printed: "a\nb\ne\n", differs: true},
		"text left out":          {shown: "in [...]/x", printed: "in /tmp/1/x\n"},
		"no line in its place":   {shown: "in [...]/x", printed: "in /tmp\n/x\n", differs: true},
		"dots are dots":          {shown: "a.c", printed: "abc\n", differs: true},
		"times":                  {shown: "at 2026-11-21T21:20:58Z.", printed: "at 2027-01-01T00:00:00Z.\n"},
		"ages":                   {shown: "one   4s", printed: "one   3m20s\n"},
		"ages only at the end":   {shown: "waited   4s, then", printed: "waited   5s, then\n", differs: true},
		"names of saved folders": {shown: "saved/x.v5.3.1-5da50b33", printed: "saved/x.v5.3.1-00000000\n"},
		"counts":                 {shown: "4 in a", printed: "5 in a\n", differs: true},
		"blanks at the end":      {shown: "one", printed: "one   \n"},
	} {
		err := docs.Compare(strings.Split(tc.shown, "\n"), strings.Split(tc.printed, "\n"))
		if (err != nil) != tc.differs {
			t.Errorf("%s: %v", name, err)
		}
	}
}
