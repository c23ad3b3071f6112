// Quoted strings in the style of Kubernetes' messages. Pure functions.
#ifndef KUBE_META_QUOTE_H_
#define KUBE_META_QUOTE_H_

#include <string>
#include <string_view>

namespace steward::kube {

// Quotes `s` as Go's %q does: in double quotes, with Go's escapes for quotes, backslashes, control
// characters, bytes that are not UTF-8, and characters that are not printable (space, format,
// private-use and surrogate characters; scripts' unassigned code points count as printable).
std::string Quote(std::string_view s);

}  // namespace steward::kube

#endif  // KUBE_META_QUOTE_H_
