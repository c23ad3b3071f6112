#include "storage/embedded/rules/name_syntax.h"

#include "kube/meta/names.h"

namespace steward::storage {
namespace {

constexpr size_t kMaxLabel = 63;
constexpr size_t kMaxSubdomain = 253;

constexpr char kLabelForm[] =
    "a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and "
    "must start and end with an alphanumeric character (e.g. 'my-name',  or '123-abc', regex used "
    "for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?')";
constexpr char kSubdomainForm[] =
    "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or "
    "'.', and must start and end with an alphanumeric character (e.g. 'example.com', regex used "
    "for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')";

// True for the form of a DNS label of any length; a separate complaint covers the length.
bool HasLabelForm(std::string_view s) {
  // Each piece of 61 characters can be checked alone, between two characters that are valid
  // anywhere.
  constexpr size_t kPiece = kMaxLabel - 2;
  if (s.size() <= kMaxLabel) return kube::IsDns1123Label(s);
  if (!kube::IsDns1123Label(s.substr(0, 1)) || !kube::IsDns1123Label(s.substr(s.size() - 1)))
    return false;
  for (size_t at = 0; at < s.size(); at += kPiece) {
    std::string piece = "a";
    piece += s.substr(at, kPiece);
    piece += 'a';
    if (!kube::IsDns1123Label(piece)) return false;
  }
  return true;
}

bool HasSubdomainForm(std::string_view s) {
  for (;;) {
    const size_t dot = s.find('.');
    if (!HasLabelForm(s.substr(0, dot))) return false;
    if (dot == std::string_view::npos) return true;
    s.remove_prefix(dot + 1);
  }
}

std::vector<std::string> PathSegmentProblems(std::string_view name, bool prefix) {
  if (!prefix && (name == "." || name == "..")) {
    return {"may not be '" + std::string(name) + "'"};
  }
  std::vector<std::string> problems;
  for (const char c : {'/', '%'}) {
    if (name.find(c) != std::string_view::npos)
      problems.push_back(std::string("may not contain '") + c + "'");
  }
  return problems;
}

}  // namespace

std::vector<std::string> NameProblems(NameForm form, std::string_view name, bool prefix) {
  if (form == NameForm::kPathSegment) return PathSegmentProblems(name, prefix);
  // A generateName may end with a dash. Kubernetes masks the character before it, too.
  std::string masked(name);
  if (prefix && masked.size() > 1 && masked.ends_with('-')) {
    masked.resize(masked.size() - 2);
    masked += 'a';
  }
  std::vector<std::string> problems;
  const bool label = form == NameForm::kDnsLabel;
  if (masked.size() > (label ? kMaxLabel : kMaxSubdomain)) {
    problems.push_back(label ? "must be no more than 63 characters"
                             : "must be no more than 253 characters");
  }
  if (label ? HasLabelForm(masked) : HasSubdomainForm(masked)) return problems;
  if (label && HasSubdomainForm(masked)) {
    problems.push_back("must not contain dots");
  } else {
    problems.push_back(label ? kLabelForm : kSubdomainForm);
  }
  return problems;
}

}  // namespace steward::storage
