// The page tokens of CleanupService: the positions that they hold. Plain values.
#ifndef CONTROLLERS_RPC_CLEANUP_PAGE_TOKENS_H_
#define CONTROLLERS_RPC_CLEANUP_PAGE_TOKENS_H_

#include <compare>
#include <cstdint>
#include <string>
#include <string_view>

#include "absl/status/statusor.h"
#include "controllers/rpc/bridge/page_token.h"
#include "kube/meta/names.h"
#include "storage/world/number.h"

namespace steward::rpc {

// Parse refuses, by kInvalidArgument (a 400), a token of another request, one whose position no
// page of the request could have ended at, and whatever ToString could not have written.

// Of List: the state that all pages show, and the last key of the page before.
struct ListToken {
  storage::Number number;
  kube::NamespacedName after;

  std::string ToString(const PageBinding& binding) const;
  // `ns` as requested ("" = all namespaces).
  static absl::StatusOr<ListToken> Parse(std::string_view text, const PageBinding& binding,
                                         std::string_view ns);
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

  std::string ToString(const PageBinding& binding) const;
  static absl::StatusOr<PendingToken> Parse(std::string_view text, const PageBinding& binding);
};

}  // namespace steward::rpc

#endif  // CONTROLLERS_RPC_CLEANUP_PAGE_TOKENS_H_
