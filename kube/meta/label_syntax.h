// The syntax of label keys and values, with Kubernetes' explanations of errors. Pure functions.
#ifndef KUBE_META_LABEL_SYNTAX_H_
#define KUBE_META_LABEL_SYNTAX_H_

#include <cstddef>
#include <string>
#include <string_view>

namespace steward::kube {

// The size limit of a label or field selector in its query form: longer ones are refused unparsed.
inline constexpr size_t kMaxSelectorBytes = 128 << 10;
// The limit of requirements (for fields: paths) and values together: each takes many times as much
// memory as its text.
inline constexpr size_t kMaxSelectorParts = 1000;

// A key is `name` or `prefix/name`: the prefix a DNS subdomain, the name 1 to 63 of [-A-Za-z0-9_.]
// with an alphanumeric at both ends. Returns the key's problems, joined by "; ", or "".
std::string LabelKeyProblem(std::string_view key);
// A value is empty or has the form of a key's name.
std::string LabelValueProblem(std::string_view value);

}  // namespace steward::kube

#endif  // KUBE_META_LABEL_SYNTAX_H_
