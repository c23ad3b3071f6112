package cases

import (
	"fmt"
	"math/rand/v2"
	"net/http"
	"net/url"
	"slices"
	"strings"
)

// probe is one request, to be put to every subject. Values that begin with "$" are each subject's own.
type probe struct {
	method    string
	namespace string // "" = all
	name      string // "" = the collection
	sub       string // a subresource
	query     []pair
	header    []pair
	body      string
	raw       string // behind the query, as it is
}

type pair struct{ key, value string }

func (p probe) String() string {
	text := p.method + " namespace=" + p.namespace
	if p.name != "" {
		text += " name=" + p.name
	}
	if p.sub != "" {
		text += "/" + p.sub
	}
	for _, each := range p.query {
		text += fmt.Sprintf(" ?%s=%s", each.key, each.value)
	}
	if p.raw != "" {
		text += " ?" + p.raw
	}
	for _, each := range p.header {
		text += fmt.Sprintf(" %s: %s", each.key, each.value)
	}
	return text
}

// has says whether a parameter is there, with one of the values if any are given.
func (p probe) has(key string, values ...string) bool {
	for _, each := range p.query {
		if each.key != key {
			continue
		}
		if len(values) == 0 {
			return true
		}
		for _, value := range values {
			if each.value == value {
				return true
			}
		}
		return false // the first counts
	}
	return false
}

func (p probe) accepts(part string) bool {
	for _, each := range p.header {
		if each.key == "Accept" && strings.Contains(each.value, part) {
			return true
		}
	}
	return false
}

// exact says whether a list must have the number that it is asked for. Lists of one name come from a cache.
func (p probe) exact() bool {
	for _, each := range p.query {
		if each.key == "fieldSelector" && strings.HasPrefix(each.value, "metadata.name=") {
			return false
		}
	}
	return p.has("resourceVersionMatch", "Exact") || p.has("limit") && !p.has("resourceVersionMatch", "NotOlderThan")
}

// watches says whether Kubernetes takes it for a watch.
func (p probe) watches() bool {
	return p.method == http.MethodGet && p.name == "" && p.has("watch") && !p.has("watch", "0", "false", "False")
}

func (p probe) with(key, value string) probe {
	p.query = append(append([]pair{}, p.query...), pair{key, value})
	return p
}

// slowly is the same for a watch that ends so many times later.
func (p probe) slowly(times int) probe {
	p.query = slices.Clone(p.query)
	for i, each := range p.query {
		if each == (pair{"timeoutSeconds", "1"}) {
			p.query[i].value = fmt.Sprint(times)
		}
	}
	return p
}

func (p probe) sending(key, value string) probe {
	p.header = append(append([]pair{}, p.header...), pair{key, value})
	return p
}

// to is the request as this subject gets it.
func (p probe) to(s *subject) (*http.Request, error) {
	path := s.root()
	if p.namespace != "" {
		path += "/namespaces/" + url.PathEscape(p.namespace)
	}
	path += "/" + s.resource.Resource
	if p.name != "" {
		path += "/" + p.name
	}
	if p.sub != "" {
		path += "/" + p.sub
	}
	var query []string
	for _, each := range p.query {
		query = append(query, url.QueryEscape(each.key)+"="+url.QueryEscape(s.resolve(each.value)))
	}
	if p.raw != "" {
		query = append(query, p.raw)
	}
	if len(query) > 0 {
		path += "?" + strings.Join(query, "&")
	}
	request, err := http.NewRequest(p.method, s.host+path, strings.NewReader(p.body))
	if err != nil {
		return nil, err
	}
	for _, each := range p.header {
		request.Header.Set(each.key, each.value)
	}
	return request, nil
}

// dimension is a parameter and what is tried for it.
type dimension struct {
	key    string
	values []string
}

const (
	table       = "application/json;as=Table;g=meta.k8s.io;v=v1"
	oldTable    = "application/json;as=Table;g=meta.k8s.io;v=v1beta1"
	partial     = "application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1"
	partialList = "application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1"
	protobuf    = "application/vnd.kubernetes.protobuf"
)

var (
	versions = dimension{"resourceVersion", []string{"", "0", "$now", "$old", "$ancient", "$future", "yesterday", "-1", "01", "12", "00", "0123",
		"99999999999999", "1.5", " 1"}}
	matches  = dimension{"resourceVersionMatch", []string{"", "Exact", "NotOlderThan", "exact", "Newest"}}
	limits   = dimension{"limit", []string{"", "0", "1", "2", "4", "5", "500", "-1", "two", "1.5", "+2", "9223372036854775807", "99999999999999999999"}}
	tokens   = dimension{"continue", []string{"", "$token", "$expired", "$foreign", "made-up", "e30", "%"}}
	initial  = dimension{"sendInitialEvents", []string{"", "true", "false", "1", "0", "perhaps"}}
	marks    = dimension{"allowWatchBookmarks", []string{"", "true", "false", "perhaps"}}
	watches  = dimension{"watch", []string{"", "true", "1", "0", "false", "False", "perhaps"}}
	seconds  = dimension{"timeoutSeconds", []string{"", "0", "-1", "soon", "1.5"}}
	timeouts = dimension{"timeout", []string{"", "10s", "0", "-1s", "soon", "1h"}}
	selected = dimension{"labelSelector", []string{"", "tier=gold", "tier==gold", "tier!=gold", "tier in (gold,silver)", "tier notin (gold)",
		"!tier", "tier", "weight>5", "weight<5", "weight>many", "tier=", "nothing=at-all", "a in (b", "-bad-=x", "a=b=c", "a=b,,c", "x=-bad-", "in", "a in ()",
		"tier,tier=gold", " tier = gold "}}
	fields = dimension{"fieldSelector", []string{"", "metadata.name=alpha", "metadata.name==alpha", "metadata.name!=alpha",
		"metadata.namespace=" + diffHome, "metadata.namespace=" + diffOther, "metadata.namespace!=" + diffHome, "metadata.name=",
		"metadata.name=alpha,metadata.name=beta", "metadata.name=nobody", "metadata.name=not/a/name", `metadata.name=al\,pha`, `metadata.name=al\pha`,
		"spec.version=1", "metadata.labels.tier=gold", "nonsense", "metadata.name=a=b", "=", ",", "metadata.name>alpha"}}
	pretty   = dimension{"pretty", []string{"", "true", "1", "0", "false", "perhaps"}}
	included = dimension{"includeObject", []string{"", "None", "Metadata", "Object", "object", "All"}}
	legacy   = dimension{"export", []string{"", "true", "false"}}
	accepts  = []string{"", "*/*", "application/*", "application/json", "application/yaml", "application/json;pretty=1", "text/html", "text/html,*/*;q=0.1",
		protobuf, protobuf + ",application/json", protobuf + ";as=Table;g=meta.k8s.io;v=v1", "application/cbor,application/json", "application/cbor", "application/json;q=0",
		table, oldTable, table + "," + oldTable + ",application/json", table + ",application/json",
		"application/yaml;as=Table;g=meta.k8s.io;v=v1", "application/json;as=Table;g=meta.k8s.io;v=v2", "application/json;as=Table;g=meta.k8s.io;v=v2,application/json",
		"application/json;as=Table", "application/json;g=meta.k8s.io;v=v1", "application/json;as=Nonsense;g=meta.k8s.io;v=v1",
		"application/json;profile=x", "application/json;v=v1;as=Table;g=meta.k8s.io", "application/json;stream=watch", "application/json;stream=no",
		partial, partialList, partial + ",application/json", partialList + ",application/json", "application/yaml;as=PartialObjectMetadata;g=meta.k8s.io;v=v1",
		"application/yaml;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1",
		strings.ReplaceAll(partial, "v=v1", "v=v1beta1"), strings.ReplaceAll(partialList, "v=v1", "v=v1beta1"),
		strings.ReplaceAll(partial, "json", "vnd.kubernetes.protobuf") + "," + partial + ",application/json",
		"application/json, application/yaml;q=0.9", "application/json;q=0.1,application/yaml", "APPLICATION/JSON", "json", ";", "application/json;as"}
)

// here is a request for the namespace that has the most in it.
func here(name string) probe {
	return probe{method: http.MethodGet, namespace: diffHome, name: name}
}

// watching is a watch that ends soon.
func watching() probe { return here("").with("timeoutSeconds", "1").with("watch", "true") }

// matrix is asked on every run: each value of each parameter by itself, and all combinations of those that Kubernetes
// checks against each other.
func matrix() (all []probe) {
	add := func(probes ...probe) { all = append(all, probes...) }
	single := func(base probe, dimensions ...dimension) {
		for _, each := range dimensions {
			for _, value := range each.values {
				add(base.with(each.key, value))
			}
		}
	}
	add(here(""), here("alpha"), here("nobody"), watching())
	single(here(""), limits, tokens, watches, seconds, timeouts, selected, fields, pretty, included, legacy, marks)
	single(here("alpha"), versions, watches, seconds, timeouts, pretty, legacy, selected, fields)
	single(watching(), limits, tokens, selected, fields, pretty, included)
	for _, value := range seconds.values {
		add(here("").with("watch", "true").with("timeoutSeconds", value))
	}
	for _, version := range versions.values {
		for _, match := range matches.values {
			list := here("").with("resourceVersion", version).with("resourceVersionMatch", match)
			add(list, list.with("limit", "2"), list.with("continue", "$token"), list.with("sendInitialEvents", "true"))
			for _, send := range []string{"true", "false"} {
				add(watching().with("resourceVersion", version).with("resourceVersionMatch", match).with("sendInitialEvents", send).with("allowWatchBookmarks", "true"))
			}
			add(watching().with("resourceVersion", version).with("resourceVersionMatch", match))
		}
		add(watching().with("resourceVersion", version).with("allowWatchBookmarks", "true"))
	}
	for _, other := range []pair{{"labelSelector", "tier"}, {"fieldSelector", "metadata.name!=alpha"}, {"limit", "1"}, {"limit", "x"}, {"resourceVersion", "0"}} {
		add(here("").with("continue", "$token").with(other.key, other.value))
	}
	add(here("").with("limit", "2").with("labelSelector", "tier=gold"))
	add(here("").with("limit", "4").with("resourceVersion", "$ancient").with("fieldSelector", "metadata.name=alpha"))
	add(here("").with("resourceVersion", "99999999999999").with("resourceVersionMatch", "Exact").with("fieldSelector", "metadata.name=alpha"))
	add(watching().with("resourceVersion", "$now").with("continue", "$token"), watching().with("resourceVersion", "$now").with("limit", "1"))
	for _, accept := range accepts {
		for _, base := range []probe{here(""), here("alpha"), here("nobody"), watching(), here("").with("limit", "2"), here("").with("limit", "none")} {
			add(base.sending("Accept", accept))
		}
	}
	for _, form := range []string{table, oldTable, partial, partialList} {
		single(here("").sending("Accept", form), included, pretty)
		single(here("alpha").sending("Accept", form), included)
		single(watching().with("allowWatchBookmarks", "true").sending("Accept", form), included, initial)
	}
	for _, agent := range []string{"curl/8.0", "Wget/1.0", "Mozilla/5.0 (X11)", "kubectl/v1.36"} {
		add(here("alpha").sending("User-Agent", agent), here("alpha").sending("User-Agent", agent).with("pretty", "false"))
	}
	add(matrixOfPlaces()...)
	return all
}

// matrixOfPlaces are paths that lead elsewhere, and one name as a collection.
func matrixOfPlaces() (all []probe) {
	for _, namespace := range []string{"", diffHome, diffOther, "no-such-namespace", "@fake:ns!", strings.Repeat("n", 64)} {
		for _, query := range [][]pair{nil, {{"limit", "1"}}, {{"labelSelector", "tier=gold"}}, {{"fieldSelector", "metadata.namespace=" + diffHome}},
			{{"watch", "true"}, {"timeoutSeconds", "1"}}, {{"limit", "1"}, {"fieldSelector", "metadata.name=alpha"}}} {
			all = append(all, probe{method: http.MethodGet, namespace: namespace, query: query})
		}
	}
	all = append(all, probe{method: http.MethodGet, namespace: "no-such-namespace"}.sending("Accept", partialList))
	for _, name := range []string{"alpha", "nobody", "Not-A-Name", "a%20b", "alpha/nothing", "alpha/status/nothing", "alpha/"} {
		all = append(all, here(name), here(name).sending("Accept", table))
	}
	for _, name := range []string{".", "..", "a%25b"} {
		all = append(all, here(name), here(name).sending("Accept", table))
	}
	for _, raw := range []string{"%zz", "a;b", "limit=1;watch=true", "&&", "=", "limit"} {
		p := here("")
		p.raw = raw
		all = append(all, p, p.with("limit", "2"))
	}
	for _, method := range []string{http.MethodHead, http.MethodOptions, "PROPFIND"} {
		for _, name := range []string{"", "alpha"} {
			all = append(all, probe{method: method, namespace: diffHome, name: name})
		}
	}
	all = append(all, probe{method: http.MethodGet, name: "alpha"}, probe{method: http.MethodPost, name: "", body: "{}"})
	return all
}

// random is a request of a few parameters, whatever they are.
func random(r *rand.Rand) probe {
	pick := func(values []string) string { return values[r.IntN(len(values))] }
	p := here("")
	switch r.IntN(8) {
	case 0:
		p = here(pick([]string{"alpha", "nobody"}))
	case 1:
		p.namespace = pick([]string{diffOther, "no-such-namespace", ""})
	case 2, 3, 4:
		p = watching()
	}
	dimensions := []dimension{versions, versions, matches, limits, tokens, initial, marks, selected, fields, pretty, included, legacy, seconds, watches, timeouts}
	for range 1 + r.IntN(4) {
		each := dimensions[r.IntN(len(dimensions))]
		if value := pick(each.values); !p.has(each.key) {
			p = p.with(each.key, value)
		}
	}
	if r.IntN(3) == 0 {
		p = p.sending("Accept", pick(accepts))
	}
	return p
}

// writing is a write of any method, with a body that may be anything.
func writing(r *rand.Rand) probe {
	pick := func(values []string) string { return values[r.IntN(len(values))] }
	p := probe{
		method: pick([]string{http.MethodPost, http.MethodPut, http.MethodPatch, http.MethodDelete}),
		name:   pick([]string{"", "alpha", "nobody"}),
		body:   pick(bodies),
	}
	if p.name != "" && r.IntN(5) == 0 {
		p.sub = pick([]string{"status", "nothing"})
	}
	dimensions := []dimension{dryRuns, managers, validations, forces, policies, graces, timeouts, selected, fields, limits, numbers, pretty, legacy}
	for range r.IntN(4) {
		each := dimensions[r.IntN(len(dimensions))]
		if value := pick(each.values); !p.has(each.key) {
			p = p.with(each.key, value)
		}
	}
	if kind := pick(contentTypes); kind != "" {
		p = p.sending("Content-Type", kind)
	}
	if r.IntN(3) == 0 {
		p = p.sending("Accept", pick(accepts))
	}
	return p
}

var (
	dryRuns      = dimension{"dryRun", []string{"", "All", "all", "None"}}
	managers     = dimension{"fieldManager", []string{"", "e2e", strings.Repeat("m", 129), "\t"}}
	validations  = dimension{"fieldValidation", []string{"", "Strict", "Warn", "Ignore", "strict"}}
	forces       = dimension{"force", []string{"", "true", "false", "perhaps"}}
	policies     = dimension{"propagationPolicy", []string{"", "Orphan", "Foreground", "Background", "Sideways"}}
	graces       = dimension{"gracePeriodSeconds", []string{"", "0", "-1", "soon"}}
	numbers      = dimension{"resourceVersion", []string{"", "0", "12", "yesterday"}}
	contentTypes = []string{"", "application/json", "application/yaml", "application/json; charset=utf-8", "application/json-patch+json",
		"application/merge-patch+json", "application/strategic-merge-patch+json", "application/apply-patch+yaml", "application/cbor", protobuf,
		"text/plain", "json", ";", "application/json,text/plain"}
	bodies = []string{"", "{}", "null", "[]", "not JSON", "kind: ConfigMap", `{"metadata":{"name":"alpha"}}`,
		`{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"alpha"}}`, `{"apiVersion":"v1","kind":"DeleteOptions","preconditions":{"uid":"x"}}`,
		`{"metadata":{"finalizers":null}}`, `[{"op":"remove","path":"/metadata/labels"}]`, `{"a":1,"a":2}`, "k8s\x00\x0a\x00",
		strings.Repeat("[", 20_000), largeBody}
)

// largeBody is of more than Steward reads.
var largeBody = `{"data":"` + strings.Repeat("x", 100_000) + `"}`
