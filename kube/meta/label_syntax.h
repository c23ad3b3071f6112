// The syntax of label keys and values, with Kubernetes' explanations of what is wrong.
#ifndef KUBE_META_LABEL_SYNTAX_H_
#define KUBE_META_LABEL_SYNTAX_H_

#include <cstddef>
#include <string>
#include <string_view>

namespace steward::kube {

// Of a label or field selector in its query form: longer ones are refused before they are read.
inline constexpr size_t kMaxSelectorBytes = 128 << 10;
// And those of more requirements (of fields: paths) and values, together: each takes many times the
// bytes that it is written in.
inline constexpr size_t kMaxSelectorParts = 1000;

// A key is `name` or `prefix/name`: the prefix a DNS subdomain, the name 1 to 63 of [-A-Za-z0-9_.]
// with an alphanumeric at both ends. Returns what is wrong with it, several complaints joined by ";
// ", or "".
std::string LabelKeyProblem(std::string_view key);
// A value is empty or has the form of a key's name.
std::string LabelValueProblem(std::string_view value);

}  // namespace steward::kube

#endif  // KUBE_META_LABEL_SYNTAX_H_
