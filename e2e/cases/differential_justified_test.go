package cases

import (
	"net/http"
	"strings"
)

// justification is a difference that is meant.
type justification struct {
	name   string // with the reason
	covers func(p probe, got, custom, builtIn reply) bool
}

// Each must be met on every run: what is no difference any more has to go.
var justified = []justification{
	{"where custom resources are odd, it is as built-in ones are", func(p probe, got, custom, builtIn reply) bool {
		return withoutGroup(got) == withoutGroup(builtIn)
	}},
	{"protobuf is not offered, nor used for errors", func(p probe, got, custom, builtIn reply) bool {
		return got == withoutProtobuf(custom) || p.accepts(protobuf) && strings.HasPrefix(custom.ContentType, protobuf)
	}},
	{"an unreadable resourceVersion is the client's error of any verb, not the server's", func(p probe, got, custom, builtIn reply) bool {
		return got.Code == http.StatusBadRequest && custom.Code == http.StatusInternalServerError && strings.Contains(custom.Body, "strconv.ParseUint")
	}},
	{"a number that this API never gave out is refused; in etcd any number is some state", func(p probe, got, custom, builtIn reply) bool {
		return got.Code == http.StatusBadRequest && p.has("resourceVersion", "01", "12") && strings.Contains(got.Body, "invalid resource version")
	}},
	{"a continue token is checked, so that a damaged or a foreign one gives no wrong page", func(p probe, got, custom, builtIn reply) bool {
		return !p.watches() && got.Code == http.StatusBadRequest && p.has("continue", "$foreign", "made-up", "e30", "%")
	}},
	{"a continue token is good for the selection that it was given for, only", func(p probe, got, custom, builtIn reply) bool {
		return !p.watches() && got.Code == http.StatusBadRequest && p.has("continue", "$token", "$expired") && (custom.Code == http.StatusOK || custom.Code == http.StatusGone) &&
			strings.Contains(got.Body, "invalid continue token: continue key is not valid")
	}},
	{"a watch that may last less than nothing has its initial events; elsewhere that is a matter of luck", func(p probe, got, custom, builtIn reply) bool {
		return p.watches() && p.has("timeoutSeconds", "-1") && got.Code == custom.Code
	}},
	{"a watch from a state that cannot come is told so, and does not wait for ever", func(p probe, got, custom, builtIn reply) bool {
		return p.watches() && p.has("resourceVersion", "$future") && got.Code == custom.Code &&
			strings.HasPrefix(got.Body, "ERROR ") && strings.Contains(got.Body, `"code":410`)
	}},
	{"events are no lists, and whoever asks for them as lists is told at once", func(p probe, got, custom, builtIn reply) bool {
		return p.watches() && got.Code == http.StatusNotAcceptable && strings.Contains(got.Body, "the requested object is not a list")
	}},
	{"names of media types have no case (RFC 9110 section 8.3.1)", func(p probe, got, custom, builtIn reply) bool {
		return p.accepts("APPLICATION/JSON") && custom.Code == http.StatusNotAcceptable
	}},
	{"a watch looks for a type that can be streamed in all of Accept", func(p probe, got, custom, builtIn reply) bool {
		return p.watches() && got.Code == http.StatusOK && custom.Code == http.StatusNotAcceptable && p.accepts("application/json")
	}},
	{"an empty list of metadata has items: [], as any other", func(p probe, got, custom, builtIn reply) bool {
		got.Body = strings.Replace(got.Body, `"items":[],`, "", 1)
		return got == custom && strings.Contains(got.Body, "PartialObjectMetadataList")
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
func justify(p probe, got, custom, builtIn reply) string {
	for _, each := range justified {
		if each.covers(p, got, custom, builtIn) {
			return each.name
		}
	}
	return ""
}
