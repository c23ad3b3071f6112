package cleanup_test

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/labels"

	"steward.dev/e2e/faultproxy"
	"steward.dev/e2e/olm"
)

// oracle judges what was sent by what was true, without knowing how that was decided:
//
//	I1 every DELETE lies inside of what was allowed when guards were read that are not older than guardAge, and of what
//	   had been recorded, names an object's UID, asks for background propagation, and comes before the operator's rights
//	   are let go of;
//	I2 rights, and the finalizer, go only when complete, successful, live lists were empty and nothing is there, or nothing
//	   of a refused cleanup is being deleted, or for an abort;
//
// and every write is one of those that cleanup is known to make. That it ends (I3), and that nothing stays held (I4), is
// for run.ends.
type oracle struct {
	run *run

	mutex    sync.Mutex
	truths   []truth
	uids     map[string]string // of custom resources that were ever seen, to "namespace/name"
	first    map[string]bool   // of those that were there when the first process began
	releases []release
}

// truth is what held at one time.
type truth struct {
	from, to time.Time
	allows   bool
	aborted  bool
	why      string          // not allowed
	targets  map[string]bool // "" = all
}

// release is that the operator's rights are said to be let go of, or the finalizer's end, and how things were right before.
type release struct {
	request  *faultproxy.Request
	at       truth
	operands []olm.Object
	noKind   bool // the definition is gone
	held     bool
	record   *record
	err      error
}

// record is the annotation.
type record struct {
	Targets          any
	CSVUID           string `json:"csvUID"`
	OperatorGroupUID string `json:"operatorGroupUID"`
}

func (r *record) has(namespace string) bool {
	if r.Targets == "*" {
		return true
	}
	list, _ := r.Targets.([]any)
	return slices.Contains(list, any(namespace))
}

func has(targets map[string]bool, namespace string) bool { return targets[""] || targets[namespace] }

// meet learns of the custom resources that there are.
func (o *oracle) meet(t *testing.T) {
	t.Helper()
	operands, _, err := o.operands(t.Context())
	must(t, err)
	o.note(operands)
	o.first = map[string]bool{}
	for _, operand := range operands {
		o.first[string(operand.GetUID())] = true
	}
}

func (o *oracle) note(operands []olm.Object) {
	o.mutex.Lock()
	defer o.mutex.Unlock()
	if o.uids == nil {
		o.uids = map[string]string{}
	}
	for _, operand := range operands {
		o.uids[string(operand.GetUID())] = operand.GetNamespace() + "/" + operand.GetName()
	}
}

func (o *oracle) operands(ctx context.Context) (all []olm.Object, noKind bool, err error) {
	for _, namespace := range append(slices.Clone(o.run.spaces), o.run.namespace) {
		list, err := shared.Any.Resource(o.run.widgets()).Namespace(namespace).List(ctx, metav1.ListOptions{})
		if apierrors.IsNotFound(err) {
			return nil, true, nil
		}
		if err != nil {
			return nil, false, err
		}
		all = append(all, list.Items...)
	}
	return all, false, nil
}

// change makes a change of the truth: what was true until it ends, and what is true then, may both have been seen while it
// was made.
func (o *oracle) change(t *testing.T, do func()) {
	before := time.Now()
	do()
	now, err := o.look(context.WithoutCancel(t.Context()))
	if err != nil {
		t.Errorf("looking at the truth: %v", err)
	}
	now.from = before
	now.to = time.Unix(math.MaxInt32, 0)
	o.mutex.Lock()
	defer o.mutex.Unlock()
	if n := len(o.truths); n > 0 {
		o.truths[n-1].to = time.Now()
	}
	o.truths = append(o.truths, now)
}

// changes is how often the truth was changed.
func (o *oracle) changes() int {
	o.mutex.Lock()
	defer o.mutex.Unlock()
	return len(o.truths)
}

// look says what cleanup may do now, from what the API server says.
func (o *oracle) look(ctx context.Context) (now truth, err error) {
	deny := func(why string) (truth, error) {
		now.why = why
		return now, nil
	}
	r := o.run
	csv, err := shared.Any.Resource(olm.CSVs).Namespace(r.namespace).Get(ctx, csvName, metav1.GetOptions{})
	if apierrors.IsNotFound(err) {
		return deny("it is gone")
	} else if err != nil {
		return now, err
	}
	enabled, said, _ := unstructured.NestedBool(csv.Object, "spec", "cleanup", "enabled")
	enabled = enabled || !said && r.supported
	now.aborted = !enabled
	ready := enabled && csv.GetDeletionTimestamp() != nil && phaseOf(csv) == "Succeeded" &&
		slices.Contains(csv.GetFinalizers(), optInFinalizer) && csv.GetAnnotations()[optOutAnnotation] == ""
	if !ready {
		return deny("what it says itself")
	}
	csvs, err := shared.Any.Resource(olm.CSVs).Namespace(r.namespace).List(ctx, metav1.ListOptions{})
	if err != nil {
		return now, err
	}
	for _, other := range csvs.Items {
		if text, _ := json.Marshal(other.Object["spec"]); other.GetName() != csvName && strings.Contains(string(text), "widgets."+r.group) {
			return deny("others")
		}
	}
	deployment, err := shared.Any.Resource(olm.Deployments).Namespace(r.namespace).Get(ctx, olm.OperatorDeployment, metav1.GetOptions{})
	if apierrors.IsNotFound(err) || err == nil && deployment.GetDeletionTimestamp() != nil {
		return deny("the operator is gone")
	} else if err != nil {
		return now, err
	}
	return o.lookAtGroup(ctx, now, csv)
}

func (o *oracle) lookAtGroup(ctx context.Context, now truth, csv *olm.Object) (truth, error) {
	groups, err := shared.Any.Resource(olm.OperatorGroups).Namespace(o.run.namespace).List(ctx, metav1.ListOptions{})
	if err != nil {
		return now, err
	}
	if len(groups.Items) != 1 || groups.Items[0].GetDeletionTimestamp() != nil {
		now.why = "there is not one OperatorGroup"
		return now, nil
	}
	group := groups.Items[0]
	if text := csv.GetAnnotations()[recordAnnotation]; text != "" {
		var made record
		if err := json.Unmarshal([]byte(text), &made); err != nil || made.OperatorGroupUID != string(group.GetUID()) || made.CSVUID != string(csv.GetUID()) {
			now.why = "the record"
			return now, nil
		}
	}
	synced, _, _ := unstructured.NestedStringSlice(group.Object, "status", "namespaces")
	if len(synced) == 0 {
		now.why = "the OperatorGroup is not synced"
		return now, nil
	}
	wanted, _, _ := unstructured.NestedStringSlice(group.Object, "spec", "targetNamespaces")
	if key, found, _ := unstructured.NestedStringMap(group.Object, "spec", "selector", "matchLabels"); found {
		selected, err := shared.Kube.CoreV1().Namespaces().List(ctx, metav1.ListOptions{LabelSelector: labels.SelectorFromSet(key).String()})
		if err != nil {
			return now, err
		}
		for _, namespace := range selected.Items {
			wanted = append(wanted, namespace.Name)
		}
	} else if len(wanted) == 0 {
		wanted = []string{""}
	}
	now.allows, now.targets = true, map[string]bool{}
	for _, namespace := range append(slices.Clone(wanted), synced...) {
		if (slices.Contains(wanted, "") || slices.Contains(wanted, namespace)) && (slices.Contains(synced, "") || slices.Contains(synced, namespace)) {
			now.targets[namespace] = true
		}
	}
	return now, nil
}

// beforeRelease looks at how things are when the finalizer is about to go.
func (o *oracle) beforeRelease(request *faultproxy.Request) {
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	one := release{request: request}
	if one.at, one.err = o.look(ctx); one.err == nil {
		one.operands, one.noKind, one.err = o.operands(ctx)
	}
	if one.err == nil {
		role, err := shared.Any.Resource(olm.ClusterRoles).Get(ctx, o.run.namespace, metav1.GetOptions{})
		if err == nil {
			one.held = slices.Contains(role.GetFinalizers(), holdFinalizer)
		} else if !apierrors.IsNotFound(err) {
			one.err = err
		}
	}
	if csv, err := shared.Any.Resource(olm.CSVs).Namespace(o.run.namespace).Get(ctx, csvName, metav1.GetOptions{}); err == nil {
		if text := csv.GetAnnotations()[recordAnnotation]; text != "" {
			one.record = &record{}
			_ = json.Unmarshal([]byte(text), one.record)
		}
	}
	o.note(one.operands)
	o.mutex.Lock()
	defer o.mutex.Unlock()
	o.releases = append(o.releases, one)
}

// during are the truths of some moment of that time.
func (o *oracle) during(from, to time.Time) (some []truth) {
	for _, one := range o.truths {
		if !one.from.After(to) && !one.to.Before(from) {
			some = append(some, one)
		}
	}
	return some
}

// judge reports everything that should not have been. The cleanup has ended.
func (o *oracle) judge(t *testing.T) {
	t.Helper()
	o.mutex.Lock()
	defer o.mutex.Unlock()
	all := o.run.journal.All()
	others := butDeletions(all)
	for _, request := range all {
		switch kindOf(&request) {
		case deletion:
			if err := o.judgeDelete(&request, all, others); err != nil {
				t.Errorf("I1: DELETE %s: %v", request.Path, err)
			}
		case unknown:
			t.Errorf("an unknown write: %s %s %s", request.Method, request.Path, request.Body)
		}
	}
	if len(o.releases) == 0 {
		t.Error("I2: nobody asked for the finalizer's end")
	}
	ended := false
	for _, one := range o.releases {
		if !one.request.Succeeded() {
			continue
		}
		what := kindOf(one.request)
		if what == releasing && one.held && !one.at.aborted {
			t.Error("I2: released while the operator's rights are held")
		}
		// From the first of them on it is decided.
		if ended {
			continue
		}
		ended = true
		if err := o.judgeRelease(one, all); err != nil {
			t.Errorf("I2: %v", err)
		}
	}
	for _, request := range all {
		if kindOf(&request) == deletion && request.Succeeded() && ended && request.Began.After(o.end()) {
			t.Errorf("I1: DELETE %s after the operator's rights were let go of", request.Path)
		}
	}
}

// end is when it was first said that the operator's rights are let go of, or when the finalizer went.
func (o *oracle) end() time.Time {
	for _, one := range o.releases {
		if one.request.Succeeded() {
			return one.request.Answered
		}
	}
	return time.Time{}
}

// judgeDelete says why a DELETE should not have been sent. others are all requests that are no DELETE.
func (o *oracle) judgeDelete(request *faultproxy.Request, all, others []faultproxy.Request) error {
	parts := strings.Split(strings.Trim(request.Path, "/"), "/") // apis GROUP VERSION namespaces NS widgets NAME
	owned := len(parts) == 7 && (parts[1] == o.run.group && parts[5] == "widgets" || parts[1] == o.run.api && parts[5] == "things")
	if !owned {
		return fmt.Errorf("not what the operator owns")
	}
	namespace, name := parts[4], parts[6]
	var options struct {
		Preconditions     struct{ UID string }
		PropagationPolicy string
	}
	if err := json.Unmarshal(request.Body, &options); err != nil {
		return err
	}
	if options.PropagationPolicy != "Background" {
		return fmt.Errorf("propagation %q", options.PropagationPolicy)
	}
	if o.uids[options.Preconditions.UID] != namespace+"/"+name {
		return fmt.Errorf("the UID %q is not that of one that was there", options.Preconditions.UID)
	}
	written := recordsBefore(all, request.Began)
	if len(written) == 0 {
		return fmt.Errorf("nothing is recorded")
	}
	for _, made := range written {
		if !made.has(namespace) {
			return fmt.Errorf("outside of the record %v", made)
		}
	}
	why := []string{}
	for _, one := range o.truths {
		if one.from.After(request.Began) {
			continue
		}
		if !one.allows || !has(one.targets, namespace) {
			why = append(why, fmt.Sprintf("%s %v", one.why, slices.Collect(maps.Keys(one.targets))))
			continue
		}
		// The newest reading that may have seen it so.
		read := lastReading(all, request.Client, earlier(one.to, request.Began))
		if read.IsZero() {
			why = append(why, "nobody had read the guards")
			continue
		}
		age, slack := request.Began.Sub(read), slackBetween(others, read, request.Began)
		if age <= guardAge+slack {
			return nil
		}
		why = append(why, fmt.Sprintf("the guards that allow it were read %s before, and nothing here took longer than %s", age, slack))
	}
	return fmt.Errorf("not allowed: %q", why)
}

// recordsBefore are those that were written by then.
func recordsBefore(all []faultproxy.Request, then time.Time) (written []record) {
	for _, request := range all {
		if kindOf(&request) != recording || !request.Succeeded() || request.Answered.After(then) {
			continue
		}
		var body struct {
			Metadata struct{ Annotations map[string]string }
		}
		var made record
		if json.Unmarshal(request.Body, &body) == nil && json.Unmarshal([]byte(body.Metadata.Annotations[recordAnnotation]), &made) == nil {
			written = append(written, made)
		}
	}
	return written
}

func (o *oracle) judgeRelease(one release, all []faultproxy.Request) error {
	if one.err != nil {
		return one.err
	}
	if one.at.aborted {
		return nil
	}
	var why []error
	// What the last two readings may have seen: a refusal counts when it is confirmed.
	last := lastReading(all, one.request.Client, one.request.Began)
	since := lastReading(all, one.request.Client, last.Add(-1))
	if since.IsZero() {
		since = last
	}
	for _, then := range append(o.during(since, one.request.Began), one.at) {
		err := o.mayGo(one, then, all)
		if err == nil {
			return nil
		}
		why = append(why, err)
	}
	return fmt.Errorf("released although %v", why)
}

// mayGo says why the finalizer may not go, if this is how things are.
func (o *oracle) mayGo(one release, then truth, all []faultproxy.Request) error {
	if strings.Contains(then.why, "synced") {
		return fmt.Errorf("nothing could be decided")
	}
	waits := func(operand *olm.Object) bool {
		namespace := operand.GetNamespace()
		if operand.GetDeletionTimestamp() != nil && one.record != nil && one.record.has(namespace) {
			return true
		}
		// One that came after the last list may stay; it says of its second alone when that was.
		listed, _ := o.lastList(one.request, namespace, all)
		late := !o.first[string(operand.GetUID())] && !operand.GetCreationTimestamp().Time.Before(listed.Truncate(time.Second))
		return then.allows && has(then.targets, namespace) && one.record != nil && one.record.has(namespace) && !late
	}
	for _, operand := range one.operands {
		if waits(&operand) {
			return fmt.Errorf("%s is there", nameOf(&operand))
		}
	}
	if one.noKind {
		return nil
	}
	for _, namespace := range o.run.spaces {
		if one.record == nil || !one.record.has(namespace) {
			continue
		}
		_, list := o.lastList(one.request, namespace, all)
		if list == nil {
			return fmt.Errorf("%s was never listed", namespace)
		}
		for _, operand := range list.Items {
			if operand.GetNamespace() == namespace && waits(&operand) {
				return fmt.Errorf("the list of %s has %s", namespace, operand.GetName())
			}
		}
	}
	return nil
}

// lastList is the last complete, live list of a namespace that the process had before a request, and when it began.
func (o *oracle) lastList(before *faultproxy.Request, namespace string, all []faultproxy.Request) (time.Time, *unstructured.UnstructuredList) {
	whole := "/apis/" + o.run.group + "/v1/widgets"
	part := "/apis/" + o.run.group + "/v1/namespaces/" + namespace + "/widgets"
	for _, request := range slices.Backward(all) {
		if request.Client != before.Client || request.IsWrite() || request.IsWatch() || request.Path != whole && request.Path != part ||
			!request.Succeeded() || !request.Delivered || request.Answered.After(before.Began) || request.Query.Get("resourceVersion") != "" {
			continue
		}
		var list unstructured.UnstructuredList
		var fields map[string]any
		if json.Unmarshal(request.Answer, &fields) != nil {
			return time.Time{}, nil
		}
		if next, _, _ := unstructured.NestedString(fields, "metadata", "continue"); next != "" || request.Query.Get("continue") != "" {
			return time.Time{}, nil // runs are small
		}
		items, _, _ := unstructured.NestedSlice(fields, "items")
		for _, item := range items {
			list.Items = append(list.Items, olm.Object{Object: item.(map[string]any)})
		}
		return request.Began, &list
	}
	return time.Time{}, nil
}
