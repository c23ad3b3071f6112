// The header `traceparent` of W3C's Trace Context, by which one question is followed through many
// servers.
#ifndef BASE_TRACE_TRACEPARENT_H_
#define BASE_TRACE_TRACEPARENT_H_

#include <string>
#include <string_view>

namespace steward {

// What goes on to the next server: the value in the form of version 00, for Steward makes no spans
// of its own. "" when it is not valid, which a server treats like none
// (https://www.w3.org/TR/trace-context/#traceparent-header).
std::string ValidTraceparent(std::string_view value);

}  // namespace steward

#endif  // BASE_TRACE_TRACEPARENT_H_
