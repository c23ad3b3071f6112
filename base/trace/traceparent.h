// The header `traceparent` of W3C's Trace Context, which follows one request through many servers.
// Pure functions.
#ifndef BASE_TRACE_TRACEPARENT_H_
#define BASE_TRACE_TRACEPARENT_H_

#include <string>
#include <string_view>

namespace steward {

// `value` in the form of version 00, to be passed on to the next server: Steward makes no spans of
// its own. "" if `value` is not valid, because a server must treat it as absent then
// (https://www.w3.org/TR/trace-context/#traceparent-header).
std::string ValidTraceparent(std::string_view value);

}  // namespace steward

#endif  // BASE_TRACE_TRACEPARENT_H_
