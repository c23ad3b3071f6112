// The page tokens of CleanupService.ListPending and their positions. Plain values.
#ifndef CONTROLLERS_RPC_CLEANUP_PAGE_TOKENS_H_
#define CONTROLLERS_RPC_CLEANUP_PAGE_TOKENS_H_

#include <compare>
#include <cstdint>
#include <string>
#include <string_view>

#include "absl/status/statusor.h"
#include "controllers/rpc/bridge/page_token.h"

namespace steward::rpc {

// The position of an operand in the order of all: by resource, namespace and name.
struct PendingPlace {
  std::string resource;  // "widgets.example.com"
  std::string ns;
  std::string name;
  auto operator<=>(const PendingPlace&) const = default;
};

// A token of ListPending: the position after which the page begins, and the listing.
struct PendingToken {
  uint64_t listing = 0;
  PendingPlace after;

  std::string ToString(const PageBinding& binding) const;
  // Refuses, with kInvalidArgument (a 400), a token of another request, a position that is no
  // operand's, and any text that ToString could not have written.
  static absl::StatusOr<PendingToken> Parse(std::string_view text, const PageBinding& binding);
};

}  // namespace steward::rpc

#endif  // CONTROLLERS_RPC_CLEANUP_PAGE_TOKENS_H_
