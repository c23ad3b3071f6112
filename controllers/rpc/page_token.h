// The tokens of pages: where the next page begins, and of which request.
#ifndef CONTROLLERS_RPC_PAGE_TOKEN_H_
#define CONTROLLERS_RPC_PAGE_TOKEN_H_

#include <compare>
#include <cstdint>
#include <string>
#include <string_view>

#include "absl/status/statusor.h"
#include "kube/meta/names.h"
#include "storage/world/number.h"

namespace steward::controllers {

// Tokens are opaque to clients and good for any replica: there is no key that replicas would have
// to share, so anybody can make one. A token therefore grants nothing. It carries a digest of the
// request that it was given for, and Parse refuses, by kInvalidArgument (a 400), one of another
// request, one whose position no page of the request could have ended at, and whatever ToString
// could not have written.

// Of List: the state that all pages show, and the last key of the page before.
struct ListToken {
  storage::Number number;
  kube::NamespacedName after;

  // `ns` as requested ("" = all namespaces).
  std::string ToString(std::string_view ns) const;
  static absl::StatusOr<ListToken> Parse(std::string_view text, std::string_view ns);
};

// Where an operand stands in the order of all: by resource, namespace and name.
struct PendingPlace {
  std::string resource;  // "widgets.example.com"
  std::string ns;
  std::string name;
  auto operator<=>(const PendingPlace&) const = default;
};

// Of ListPending: after which place the page begins, and in which listing.
struct PendingToken {
  uint64_t listing = 0;
  PendingPlace after;

  std::string ToString(const kube::NamespacedName& csv) const;
  static absl::StatusOr<PendingToken> Parse(std::string_view text, const kube::NamespacedName& csv);
};

}  // namespace steward::controllers

#endif  // CONTROLLERS_RPC_PAGE_TOKEN_H_
