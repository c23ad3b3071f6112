// The warnings in a server's answer. Pure functions.
#ifndef KUBE_CLIENT_WARNINGS_H_
#define KUBE_CLIENT_WARNINGS_H_

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace steward::kube {

inline constexpr size_t kMaxWarnings = 64;
inline constexpr size_t kMaxWarningBytes = 1024;

// Appends the texts of a Warning header (RFC 7234, 5.5) that have the code 299, as a kube-apiserver
// sends them: `299 - "text"`, several with commas between them. A longer text is cut at the end of
// a UTF-8 character. At most kMaxWarnings are kept in `warnings`, the first ones. A malformed
// warning is dropped, with the rest of this header.
void AppendWarnings(std::string_view header, std::vector<std::string>& warnings);

}  // namespace steward::kube

#endif  // KUBE_CLIENT_WARNINGS_H_
