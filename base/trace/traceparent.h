// The header `traceparent` of W3C's Trace Context, which follows one request through many servers.
// Pure functions.
#ifndef BASE_TRACE_TRACEPARENT_H_
#define BASE_TRACE_TRACEPARENT_H_

#include <string>
#include <string_view>

namespace steward {

// The value to pass on to the next server, in the form of version 00: Steward makes no spans of its
// own. "" when it is not valid, which a server treats as absent
// (https://www.w3.org/TR/trace-context/#traceparent-header).
std::string ValidTraceparent(std::string_view value);

}  // namespace steward

#endif  // BASE_TRACE_TRACEPARENT_H_
