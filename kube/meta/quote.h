// How Kubernetes' messages quote strings.
#ifndef KUBE_META_QUOTE_H_
#define KUBE_META_QUOTE_H_

#include <string>
#include <string_view>

namespace steward::kube {

// `s` as Go's %q prints it: in double quotes, with Go's escapes for quotes, backslashes, control
// characters, bytes that are not UTF-8, and characters that are not printable (space, format,
// private-use and surrogate characters; scripts' unassigned code points are taken as printable).
std::string Quote(std::string_view s);

}  // namespace steward::kube

#endif  // KUBE_META_QUOTE_H_
