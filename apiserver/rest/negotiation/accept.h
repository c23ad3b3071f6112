// The Accept header as Kubernetes reads it. Values and pure functions.
#ifndef APISERVER_REST_NEGOTIATION_ACCEPT_H_
#define APISERVER_REST_NEGOTIATION_ACCEPT_H_

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace steward::rest {

// One media range of an Accept header with its parameters; `q` is not among them.
struct AcceptClause {
  std::string type;     // lower case; "*" = any
  std::string subtype;  // lower case; "*" = any
  double q = 1;
  std::vector<std::pair<std::string, std::string>> parameters;

  bool Matches(std::string_view wanted_type, std::string_view wanted_subtype) const {
    return (type == "*" && subtype == "*") ||
           (type == wanted_type && (subtype == "*" || subtype == wanted_subtype));
  }
};

// The clauses of `header`, the client's favourite first: by q, then by how specific they are, then
// in the order sent. Malformed clauses and parameters are dropped without an error; an unreadable q
// counts as 0; q=0 only moves a clause to the end, as in Kubernetes.
std::vector<AcceptClause> ParseAccept(std::string_view header);

}  // namespace steward::rest

#endif  // APISERVER_REST_NEGOTIATION_ACCEPT_H_
