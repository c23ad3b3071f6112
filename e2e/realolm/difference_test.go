package realolm_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"
	"testing"

	"steward.dev/e2e/olm"
)

// difference is a field of which OLM's object and Steward's InstalledOperator do not say the same. nil stands for nothing.
type difference struct {
	home        bool // OLM's object is the original, for want of a copy there
	path        []string
	olms, views any
}

func (d difference) String() string {
	return fmt.Sprintf("%s: OLM has %.300s, the view %.300s", strings.Join(d.path, " "), asJSON(d.olms), asJSON(d.views))
}

func asJSON(value any) string {
	text, err := json.Marshal(value)
	if err != nil {
		return err.Error()
	}
	return string(text)
}

// compare finds every field that differs.
func compare(olms, views any, home bool, path ...string) []difference {
	left, isObject := olms.(map[string]any)
	right, areObjects := views.(map[string]any)
	if isObject && areObjects {
		keys := map[string]bool{}
		for key := range left {
			keys[key] = true
		}
		for key := range right {
			keys[key] = true
		}
		var found []difference
		for _, key := range slices.Sorted(maps.Keys(keys)) {
			found = append(found, compare(left[key], right[key], home, append(slices.Clone(path), key)...)...)
		}
		return found
	}
	if reflect.DeepEqual(olms, views) {
		return nil
	}
	return []difference{{home: home, path: path, olms: olms, views: views}}
}

// justification is a difference that is meant. Each must be met: what is no difference any more has to go.
type justification struct {
	name   string
	covers func(difference) bool
}

var justified = []justification{
	{"it is another kind", func(d difference) bool {
		return d.is("kind") && d.views == "InstalledOperator" || d.is("apiVersion") && d.views == olm.InstalledOperators.GroupVersion().String()
	}},
	{"an object that nobody wrote has an identity of its own", func(d difference) bool {
		return (d.is("metadata", "uid") || d.is("metadata", "creationTimestamp") || d.is("metadata", "resourceVersion")) && d.views != nil
	}},
	{"an object that nobody wrote has no traces of writing", func(d difference) bool {
		return (d.is("metadata", "generation") || d.is("metadata", "managedFields")) && d.views == nil
	}},
	{"nothing holds or owns what is not stored", func(d difference) bool {
		return d.home && d.is("metadata", "finalizers") && d.views == nil
	}},
	{"scope says what a copy leaves to guesses", func(d difference) bool {
		return d.is("scope") && d.olms == nil
	}},
	{"in its own namespace, too, an operator tells nobody where else it works", func(d difference) bool {
		return d.home && d.is("metadata", "annotations", olm.TargetsAnnotation) && d.views == nil
	}},
	{"in its own namespace, too, what was applied is not said twice", func(d difference) bool {
		return d.home && d.is("metadata", "annotations", "kubectl.kubernetes.io/last-applied-configuration") && d.views == nil
	}},
}

func (d difference) is(path ...string) bool { return slices.Equal(d.path, path) }

// judgement sorts differences into those that are meant and those that are not, and remembers which justifications it met.
type judgement map[string]bool

// unjustified are the differences that nothing covers.
func (j judgement) unjustified(all []difference) (left []difference) {
	for _, one := range all {
		i := slices.IndexFunc(justified, func(each justification) bool { return each.covers(one) })
		if i < 0 {
			left = append(left, one)
			continue
		}
		j[justified[i].name] = true
	}
	return left
}

// allMet fails for every justification that covered nothing.
func (j judgement) allMet(t *testing.T) {
	t.Helper()
	for _, each := range justified {
		if !j[each.name] {
			t.Errorf("justified, but no difference any more: %s", each.name)
		}
	}
}
