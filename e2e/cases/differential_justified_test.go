package cases

import (
	"net/http"
	"strings"
	"testing"
)

// justification is a difference that is meant.
type justification struct {
	name   string // with the reason
	covers func(p probe, got, custom, builtIn reply) bool
	luck   bool // not met on every run
}

var withoutProtobufAtAll = justification{name: "protobuf is not offered, nor used for errors", covers: func(p probe, got, custom, builtIn reply) bool {
	return got == withoutProtobuf(custom) || p.accepts(protobuf) && strings.HasPrefix(custom.ContentType, protobuf)
}}

var typesWithoutCase = justification{name: "names of media types have no case (RFC 9110 section 8.3.1)", covers: func(p probe, got, custom, builtIn reply) bool {
	want := custom
	want.Body = strings.TrimPrefix(custom.Body, "indented ") // as errors are for those who accept nothing that there is
	return p.accepts("APPLICATION/JSON") && (custom.Code == http.StatusNotAcceptable || got == want)
}}

// Each must be met on every run, unless it is a matter of luck: what is no difference any more has to go.
var justified = []justification{
	withoutProtobufAtAll,
	typesWithoutCase,
	{name: "a field that cannot be selected is told in the words of built-in resources, which name those that can", covers: func(p probe, got, custom, builtIn reply) bool {
		return got.Code == custom.Code && strings.Contains(custom.Body, "field label not supported: ") && strings.Contains(got.Body, " is not a known field selector: only ")
	}},
	{name: "where custom resources are odd, it is as built-in ones are", covers: func(p probe, got, custom, builtIn reply) bool {
		return withoutGroup(got) == withoutGroup(builtIn)
	}},
	{name: "an unreadable resourceVersion is the client's error of any verb, not the server's", covers: func(p probe, got, custom, builtIn reply) bool {
		return got.Code == http.StatusBadRequest && custom.Code == http.StatusInternalServerError && strings.Contains(custom.Body, "strconv.ParseUint")
	}},
	{name: "what of a query cannot be read is refused, rather than left out: dryRun might be in it", covers: func(p probe, got, custom, builtIn reply) bool {
		return p.raw != "" && got.Code == http.StatusBadRequest && (strings.Contains(got.Body, "invalid URL escape") || strings.Contains(got.Body, "invalid semicolon"))
	}},
	{name: "a continue token is checked, so that a damaged or a foreign one gives no wrong page", covers: func(p probe, got, custom, builtIn reply) bool {
		return !p.watches() && got.Code == http.StatusBadRequest && p.has("continue", "$foreign", "made-up", "e30", "%")
	}},
	{name: "a continue token is good for the selection that it was given for, only", covers: func(p probe, got, custom, builtIn reply) bool {
		return !p.watches() && got.Code == http.StatusBadRequest && p.has("continue", "$token", "$expired") &&
			strings.Contains(got.Body, "invalid continue token: continue key is not valid")
	}},
	{name: "a watch that may last less than nothing has its initial events; elsewhere that is a matter of luck", covers: func(p probe, got, custom, builtIn reply) bool {
		return p.watches() && p.has("timeoutSeconds", "-1") && got.Code == custom.Code
	}, luck: true},
	{name: "a watch from a state that cannot come is told so, and does not wait for ever", covers: func(p probe, got, custom, builtIn reply) bool {
		return p.watches() && p.has("resourceVersion", "$future", "99999999999999") && got.Code == custom.Code &&
			strings.HasPrefix(got.Body, "ERROR ") && strings.Contains(got.Body, `"code":410`)
	}},
	{name: "00 begins a watch as 0 does, which tells where the initial events end", covers: func(p probe, got, custom, builtIn reply) bool {
		initial := strings.TrimSpace(strings.TrimSuffix(custom.Body, "(open)"))
		return p.watches() && p.has("resourceVersion", "00") && got.Code == custom.Code &&
			strings.HasPrefix(got.Body, strings.TrimSpace(initial+" BOOKMARK")) && strings.Contains(got.Body, "initial-events-end")
	}},
	{name: "a state that is forgotten is told for a list of one name, too; elsewhere such lists come from a cache, of any state", covers: func(p probe, got, custom, builtIn reply) bool {
		return !p.watches() && p.has("resourceVersion", "$ancient") && p.has("fieldSelector") && !p.exact() && got.Code == http.StatusGone && custom.Code == http.StatusOK
	}},
	{name: "a state that cannot come is worth another try for a list of one name, too; elsewhere that is asked of etcd, which says not when", covers: func(p probe, got, custom, builtIn reply) bool {
		got.RetryAfter, got.Body = "", strings.Replace(got.Body, `,"retryAfterSeconds":1`, "", 1)
		return got == custom && got.Code == http.StatusGatewayTimeout && !p.watches() && p.has("resourceVersionMatch", "Exact") && p.has("fieldSelector")
	}},
	{name: "a page that has the last selected object is the last, whatever objects come after it that are not selected", covers: func(p probe, got, custom, builtIn reply) bool {
		custom.Body = strings.Replace(custom.Body, `"continue":"some",`, "", 1)
		return got == custom && p.has("limit") && (p.has("labelSelector") || p.has("fieldSelector"))
	}},
	{name: "events are no lists, and whoever asks for them as lists is told at once", covers: func(p probe, got, custom, builtIn reply) bool {
		return p.watches() && got.Code == http.StatusNotAcceptable && strings.Contains(got.Body, "the requested object is not a list")
	}},
	{name: "a watch looks for a type that can be streamed in all of Accept", covers: func(p probe, got, custom, builtIn reply) bool {
		return p.watches() && got.Code == http.StatusOK && custom.Code == http.StatusNotAcceptable && p.accepts("application/json")
	}},
	{name: "an empty list of metadata has items: [], as any other", covers: func(p probe, got, custom, builtIn reply) bool {
		got.Body = strings.Replace(got.Body, `"items":[],`, "", 1)
		return got == custom && strings.Contains(got.Body, "PartialObjectMetadataList")
	}},
}

// justifiedWrites are those of writes.
var justifiedWrites = []justification{
	withoutProtobufAtAll,
	typesWithoutCase,
	{name: "a body of more than 64 KiB is refused, whatever it is for", covers: func(p probe, got, custom, builtIn reply) bool {
		return len(p.body) > 64<<10 && got.Code == http.StatusRequestEntityTooLarge
	}},
}

func withoutGroup(r reply) reply {
	r.Body = strings.ReplaceAll(r.Body, `"group":"GROUP",`, "")
	return r
}

func withoutProtobuf(r reply) reply {
	for _, each := range []string{";stream=watch", ""} {
		r.Body = strings.ReplaceAll(r.Body, ", "+protobuf+each, "")
	}
	return r
}

// justify is the name of the first justification that covers the difference, or "".
func justify(by []justification, p probe, got, custom, builtIn reply) string {
	for _, each := range by {
		if each.covers(p, got, custom, builtIn) {
			return each.name
		}
	}
	return ""
}

// allMet logs how often each justification was used, and fails where one is of a difference that is none any more.
func allMet(t *testing.T, all []justification, used map[string]int) {
	t.Helper()
	for _, each := range all {
		t.Logf("%5d × %s", used[each.name], each.name)
		if used[each.name] == 0 && !each.luck {
			t.Errorf("a difference is justified that does not exist (any more): %s", each.name)
		}
	}
}
