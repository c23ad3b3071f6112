package cases

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"sigs.k8s.io/yaml"

	"steward.dev/e2e/check"
)

// The same requests go to InstalledOperators, directly and through the aggregator, and to what kube-apiserver itself
// serves. Whatever differs in what a client can tell is wrong, or stands in `justified` with a reason.
//
// Random requests are the same in each run, and others besides. STEWARD_DIFFERENTIAL_SEED and STEWARD_DIFFERENTIAL_REQUESTS choose them; both are printed.
func TestDifferential(t *testing.T) {
	w := newDiffWorld(t)
	w.seed = check.Seed(t, "STEWARD_DIFFERENTIAL_SEED")
	w.count = fromEnvironment(t, "STEWARD_DIFFERENTIAL_REQUESTS", defaultRequests)
	t.Logf("STEWARD_DIFFERENTIAL_REQUESTS=%d", w.count)
	t.Run("Reads", w.reads)
	t.Run("Writes", w.writes)
	t.Run("Watches", w.watches)
}

const (
	// usualSeed is that of the requests that each run makes, usualRequests of them.
	usualSeed     = 20260101
	usualRequests = 300
	// defaultRequests is how many more there are, with the run's own seed.
	defaultRequests = 60
	// A watch is cut off after so long: what it would say later is not compared.
	watchPatience = 3500 * time.Millisecond
)

// What is answered differently is asked again, fewer at a time and with more time: a machine that is too busy to say in a
// second what there is to say makes no difference. That of the last round counts. The test is flaky if there were more, except for
// watches of which one had only come further than the other.
var rounds = []struct {
	together int
	slower   int
}{{48, 1}, {8, 4}, {1, 10}}

func fromEnvironment(t *testing.T, name string, otherwise int) int {
	t.Helper()
	text := os.Getenv(name)
	if text == "" {
		return otherwise
	}
	value, err := strconv.Atoi(text)
	must(t, err)
	return value
}

func (w *diffWorld) reads(t *testing.T) {
	probes := matrix()
	for _, drawn := range []struct {
		seed  uint64
		count int
	}{{usualSeed, usualRequests}, {w.seed, w.count}} {
		r := rand.New(rand.NewPCG(drawn.seed, 0))
		for range drawn.count {
			probes = append(probes, random(r))
		}
	}
	began := time.Now()
	used := map[string]int{}
	left := probes
	var before []string
	for i, round := range rounds {
		if last := i == len(rounds)-1; last && len(left) > 20 {
			t.Errorf("%d of %d requests are answered differently; only some of them are shown", len(left), len(probes))
			left = left[:20]
		}
		var different []difference
		left, different = w.askAll(t, left, round.together, round.slower, used)
		for _, each := range different {
			if i == len(rounds)-1 {
				t.Error(each.text)
				continue
			}
			t.Logf("to be asked again: %s", each.text)
			if !each.unfinished {
				before = append(before, each.text)
			}
		}
	}
	if len(before) > 0 && !t.Failed() {
		check.Flaky(t, fmt.Sprintf("%d answers differed before all were asked again: %s", len(before), before[0]))
	}
	t.Logf("%d requests to %d subjects in %s", len(probes), len(w.subjects), time.Since(began).Round(time.Millisecond))
	allMet(t, justified, used)
}

// askAll asks so many at a time, and returns the requests that were answered differently, and how.
func (w *diffWorld) askAll(t *testing.T, probes []probe, together, slower int, used map[string]int) (left []probe, different []difference) {
	t.Helper()
	var mutex sync.Mutex
	var wait sync.WaitGroup
	next := make(chan probe)
	for range together {
		wait.Go(func() {
			for p := range next {
				found := w.compare(t.Context(), p.slowly(slower), time.Duration(slower)*watchPatience)
				mutex.Lock()
				for _, each := range found {
					if each.justification != "" {
						used[each.justification]++
					} else {
						each.text = fmt.Sprintf("%s\n%s", p, each.text)
						different = append(different, each)
					}
				}
				if slices.ContainsFunc(found, func(each difference) bool { return each.justification == "" }) {
					left = append(left, p)
				}
				mutex.Unlock()
			}
		})
	}
	for _, p := range probes {
		next <- p
	}
	close(next)
	wait.Wait()
	return left, different
}

// difference is a virtual subject's answer that no real one's agrees with.
type difference struct {
	text, justification string
	unfinished          bool // a watch that had only come less far, or further, when it was cut off
}

// compare cuts watches off after `until`.
func (w *diffWorld) compare(ctx context.Context, p probe, until time.Duration) (found []difference) {
	replies := make(map[*subject]reply)
	var mutex sync.Mutex
	var wait sync.WaitGroup
	for _, s := range w.subjects {
		wait.Go(func() {
			got := s.ask(ctx, p, until)
			mutex.Lock()
			defer mutex.Unlock()
			replies[s] = got
		})
	}
	wait.Wait()
	want, second := replies[w.custom], replies[w.builtIn]
	for _, s := range []*subject{w.direct, w.hub} {
		got := replies[s]
		if got == want || s == w.hub && got == replies[w.direct] {
			continue
		}
		text := fmt.Sprintf("  %-15s %s\n  %-15s %s\n  %-15s %s", s.name, got, w.custom.name, want, w.builtIn.name, second)
		found = append(found, difference{text, justify(justified, p, got, want, second), p.watches() && unfinished(got, want)})
	}
	return found
}

// unfinished says whether what one watch has told begins what the other has.
func unfinished(a, b reply) bool {
	told, longer := strings.TrimSuffix(a.Body, open), strings.TrimSuffix(b.Body, open)
	a.Body, b.Body = "", ""
	return a == b && (strings.HasPrefix(told, longer) || strings.HasPrefix(longer, told))
}

// reply is what is compared of an answer.
type reply struct {
	Code        int
	ContentType string
	Warning     string
	RetryAfter  string
	Body        string // canonical
}

func (r reply) String() string {
	text := fmt.Sprintf("%d %s", r.Code, r.ContentType)
	if r.Warning != "" {
		text += " Warning: " + r.Warning
	}
	if r.RetryAfter != "" {
		text += " Retry-After: " + r.RetryAfter
	}
	return text + " " + r.Body
}

func (s *subject) ask(ctx context.Context, p probe, until time.Duration) reply {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	request, err := p.to(s)
	if err != nil {
		return reply{Body: err.Error()}
	}
	response, err := s.client.Do(request.WithContext(ctx))
	if err != nil {
		return reply{Body: err.Error()}
	}
	defer response.Body.Close()
	out := reply{
		Code:        response.StatusCode,
		ContentType: response.Header.Get("Content-Type"),
		Warning:     strings.Join(response.Header.Values("Warning"), "; "),
		RetryAfter:  response.Header.Get("Retry-After"),
	}
	if p.watches() && response.StatusCode == http.StatusOK {
		silence := time.AfterFunc(until, func() { response.Body.Close() })
		defer silence.Stop()
		out.Body = s.frames(p, response.Body)
		return out
	}
	body, err := io.ReadAll(response.Body)
	if err != nil {
		out.Body = "broken off: " + err.Error()
		return out
	}
	out.Body = s.document(p, out.ContentType, body)
	return out
}

// open is what is said of a watch that was cut off.
const open = " (open)"

// frames are the events of a watch, and how it ended.
func (s *subject) frames(p probe, body io.Reader) string {
	decoder := json.NewDecoder(body)
	var events []string
	for {
		var event struct {
			Type   string
			Object map[string]any
		}
		if err := decoder.Decode(&event); err != nil {
			text := strings.Join(events, " ")
			if !errors.Is(err, io.EOF) {
				text += open
			}
			return text
		}
		if text := event.Type + " " + s.describe(p, event.Object); !isProgress(text) {
			events = append(events, text)
		}
	}
}

// isProgress says whether an event is a bookmark that only says how far it is: they come when they come.
func isProgress(event string) bool {
	return strings.HasPrefix(event, "BOOKMARK ") && !strings.Contains(event, "initial-events-end")
}

func (s *subject) document(p probe, contentType string, body []byte) string {
	trimmed := bytes.TrimSpace(body)
	if len(trimmed) == 0 {
		return "(empty)"
	}
	var object map[string]any
	var err error
	layout := ""
	if contentType == "application/yaml" {
		err = yaml.Unmarshal(body, &object)
	} else {
		err = json.Unmarshal(body, &object)
		if bytes.Contains(trimmed, []byte("\n")) {
			layout = "indented "
		}
	}
	if err != nil || object == nil {
		return "text: " + s.neutral(string(trimmed))
	}
	return layout + s.describe(p, object)
}

// describe says of an object what does not depend on whose it is.
func (s *subject) describe(p probe, object map[string]any) string {
	kind, _ := object["kind"].(string)
	metadata, _ := object["metadata"].(map[string]any)
	out := map[string]any{"kind": s.neutral(kind), "apiVersion": s.neutral(fmt.Sprint(object["apiVersion"]))}
	if kind == "Status" {
		for key, value := range object {
			out[key] = value
		}
		out["message"] = digits.ReplaceAllString(fmt.Sprint(object["message"]), "N")
		if _, ok := metadata["continue"]; ok {
			metadata["continue"] = "TOKEN"
		}
	} else {
		out["metadata"] = s.metadata(p, metadata)
		for _, key := range []string{"items", "rows"} {
			if list, ok := object[key].([]any); ok {
				parts := []any{}
				for _, each := range list {
					parts = append(parts, s.element(p, each.(map[string]any)))
				}
				out[key] = parts
			}
		}
		if columns, ok := object["columnDefinitions"].([]any); ok {
			first, _ := columns[0].(map[string]any)
			out["columns"] = []any{first["name"], first["type"], first["format"]}
		}
	}
	text, _ := json.Marshal(out)
	return s.neutral(string(text))
}

// metadata of an object or a list: whether what must be there is there.
func (s *subject) metadata(p probe, metadata map[string]any) map[string]any {
	out := map[string]any{}
	for _, key := range []string{"name", "namespace", "remainingItemCount"} {
		if value, ok := metadata[key]; ok {
			out[key] = value
		}
	}
	if annotations, ok := metadata["annotations"].(map[string]any); ok {
		if end, ok := annotations["k8s.io/initial-events-end"]; ok {
			out["initial-events-end"] = end
		}
	}
	for _, key := range []string{"resourceVersion", "continue", "uid"} {
		if value, ok := metadata[key].(string); ok && value != "" && value != "0" {
			out[key] = "some"
			for _, each := range p.query {
				if each.key == key && p.exact() && s.resolve(each.value) == value && each.value != "" {
					out[key] = "as asked"
				}
			}
		}
	}
	if metadata["creationTimestamp"] != nil {
		out["created"] = "some"
	}
	if labels, ok := metadata["labels"].(map[string]any); ok && labels["tier"] != nil {
		out["tier"] = labels["tier"]
	}
	return out
}

// element of a list or row of a table.
func (s *subject) element(p probe, element map[string]any) any {
	cells, isRow := element["cells"].([]any)
	if !isRow {
		return s.object(p, element)
	}
	if object, ok := element["object"].(map[string]any); ok {
		return fmt.Sprintf("row %q of %s", cells[0], s.object(p, object))
	}
	return fmt.Sprintf("row %q", cells[0])
}

// object within a list, in short.
func (s *subject) object(p probe, object map[string]any) string {
	metadata, _ := object["metadata"].(map[string]any)
	text := fmt.Sprintf("%v %v", object["apiVersion"], object["kind"])
	parts := s.metadata(p, metadata)
	text += fmt.Sprintf(" %v/%v", parts["namespace"], parts["name"])
	if parts["tier"] != nil {
		text += fmt.Sprintf(", tier %v", parts["tier"])
	}
	if parts["initial-events-end"] != nil {
		text += fmt.Sprintf(", initial-events-end %v", parts["initial-events-end"])
	}
	for _, key := range []string{"resourceVersion", "uid", "created"} {
		if parts[key] == nil {
			text += ", no " + key
		}
	}
	return text
}

var (
	goType = regexp.MustCompile(`\(\*[\w.]+\)`)
	digits = regexp.MustCompile(`\b[0-9]{2,}\b`)
)

// neutral takes a subject's own names out of a text.
func (s *subject) neutral(text string) string {
	group := s.resource.Group
	if group != "" {
		text = strings.ReplaceAll(text, s.resource.Resource+"."+group, "RESOURCES")
	}
	if group != "" {
		text = strings.ReplaceAll(text, group+"/"+s.resource.Version, "GV")
		text = strings.ReplaceAll(text, `"group":"`+group+`"`, `"group":"GROUP"`)
	}
	for _, pair := range [][2]string{{s.kind, "KIND"}, {s.resource.Resource, "RESOURCES"}} {
		text = strings.ReplaceAll(text, pair[0], pair[1])
	}
	return goType.ReplaceAllString(text, "(*T)")
}
