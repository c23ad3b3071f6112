#include "apiserver/rest/negotiation/accept.h"

#include <algorithm>

#include "absl/strings/ascii.h"
#include "absl/strings/numbers.h"
#include "base/text/str_cat.h"

namespace steward::rest {
namespace {

// Takes the text up to `separator`, or all of it, from the front of `rest`.
std::string_view TakeUntil(char separator, std::string_view& rest) {
  const size_t end = rest.find(separator);
  const std::string_view taken = rest.substr(0, end);
  rest = end == std::string_view::npos ? std::string_view() : rest.substr(end + 1);
  return taken;
}

std::string_view Trim(std::string_view s) { return ToStd(absl::StripAsciiWhitespace(ToAbsl(s))); }

std::string Lower(std::string_view s) { return absl::AsciiStrToLower(ToAbsl(s)); }

void ParseParameter(std::string_view text, AcceptClause& clause) {
  std::string_view value = text;
  const std::string_view key = Trim(TakeUntil('=', value));
  if (value.empty() || value.find('=') != std::string_view::npos) return;
  value = Trim(value);
  if (key != "q") {
    clause.parameters.emplace_back(key, value);
  } else if (!absl::SimpleAtod(ToAbsl(value), &clause.q) || !(clause.q >= 0)) {
    clause.q = 0;
  }
}

bool ParseClause(std::string_view text, AcceptClause& clause) {
  std::string_view subtype = TakeUntil(';', text);
  const std::string_view type = Trim(TakeUntil('/', subtype));
  subtype = Trim(subtype);
  if (subtype.empty() && type == "*") subtype = "*";
  if (subtype.empty() || subtype.find('/') != std::string_view::npos) return false;
  clause.type = Lower(type);
  clause.subtype = Lower(subtype);
  while (!text.empty()) ParseParameter(TakeUntil(';', text), clause);
  return true;
}

int Wildcards(const AcceptClause& clause) { return (clause.type == "*") + (clause.subtype == "*"); }

}  // namespace

std::vector<AcceptClause> ParseAccept(std::string_view header) {
  std::vector<AcceptClause> clauses;
  while (!header.empty()) {
    AcceptClause clause;
    if (ParseClause(TakeUntil(',', header), clause)) clauses.push_back(std::move(clause));
  }
  std::stable_sort(clauses.begin(), clauses.end(),
                   [](const AcceptClause& a, const AcceptClause& b) {
                     if (a.q != b.q) return a.q > b.q;
                     return Wildcards(a) < Wildcards(b);
                   });
  return clauses;
}

}  // namespace steward::rest
