#include "kube/meta/label_syntax.h"

#include <algorithm>

namespace steward::kube {
namespace {

constexpr size_t kMaxLength = 63;
constexpr size_t kMaxPrefix = 253;

constexpr char kKeyForm[] =
    "must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an "
    "alphanumeric character "
    "(e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is "
    "'([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')";
constexpr char kValueForm[] =
    "a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', "
    "and must start and "
    "end with an alphanumeric character (e.g. 'MyValue',  or 'my_value',  or '12345', regex used "
    "for validation is "
    "'(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?')";
constexpr char kSubdomainForm[] =
    "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or "
    "'.', and must start and "
    "end with an alphanumeric character (e.g. 'example.com', regex used for validation is "
    "'[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')";

bool IsAlphanumeric(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
}

bool HasNameForm(std::string_view s) {
  return !s.empty() && IsAlphanumeric(s.front()) && IsAlphanumeric(s.back()) &&
         std::all_of(s.begin(), s.end(),
                     [](char c) { return IsAlphanumeric(c) || c == '-' || c == '_' || c == '.'; });
}

void Add(std::string_view where, std::string_view problem, std::string& problems) {
  if (!problems.empty()) problems += "; ";
  problems += where;
  problems += problem;
}

void CheckPrefix(std::string_view prefix, std::string& problems) {
  constexpr char kWhere[] = "prefix part ";
  if (prefix.empty()) {
    Add(kWhere, "must be non-empty", problems);
    return;
  }
  if (prefix.size() > kMaxPrefix) Add(kWhere, "must be no more than 253 bytes", problems);
  // Checks the form without the length, which has an error message of its own.
  bool good_form = true;
  for (std::string_view rest = prefix; good_form;) {
    const size_t dot = rest.find('.');
    const std::string_view part = rest.substr(0, dot);
    good_form = HasNameForm(part) && std::none_of(part.begin(), part.end(), [](char c) {
                  return c == '_' || (c >= 'A' && c <= 'Z');
                });
    if (dot == std::string_view::npos) break;
    rest.remove_prefix(dot + 1);
  }
  if (!good_form) Add(kWhere, kSubdomainForm, problems);
}

}  // namespace

std::string LabelKeyProblem(std::string_view key) {
  std::string problems;
  std::string_view name = key;
  if (const size_t slash = key.find('/'); slash != std::string_view::npos) {
    name = key.substr(slash + 1);
    if (name.find('/') != std::string_view::npos) {
      return std::string("a valid label key ") + kKeyForm +
             " with an optional DNS subdomain prefix and '/' (e.g. 'example.com/MyName')";
    }
    CheckPrefix(key.substr(0, slash), problems);
  }
  if (name.empty()) Add("name part ", "must be non-empty", problems);
  if (name.size() > kMaxLength) Add("name part ", "must be no more than 63 bytes", problems);
  if (!HasNameForm(name)) Add("name part ", kKeyForm, problems);
  return problems;
}

std::string LabelValueProblem(std::string_view value) {
  std::string problems;
  if (value.size() > kMaxLength) Add("", "must be no more than 63 bytes", problems);
  if (!value.empty() && !HasNameForm(value)) Add("", kValueForm, problems);
  return problems;
}

}  // namespace steward::kube
