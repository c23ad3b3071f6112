// The page tokens of lists that a World answers. Plain values.
#ifndef CONTROLLERS_RPC_WORLDS_LIST_TOKEN_H_
#define CONTROLLERS_RPC_WORLDS_LIST_TOKEN_H_

#include <string>
#include <string_view>

#include "absl/status/statusor.h"
#include "controllers/rpc/bridge/page_token.h"
#include "kube/meta/names.h"
#include "storage/world/number.h"

namespace steward::rpc {

// The state that all pages show, and the last key of the previous page.
struct ListToken {
  storage::Number number;
  kube::NamespacedName after;

  std::string ToString(const PageBinding& binding) const;
  // Refuses, with kInvalidArgument (a 400), a token of another request, a token whose position is
  // no end of a page of the request, and any text that ToString could not have written. `ns` is the
  // requested namespace ("" = all namespaces).
  static absl::StatusOr<ListToken> Parse(std::string_view text, const PageBinding& binding,
                                         std::string_view ns);
};

}  // namespace steward::rpc

#endif  // CONTROLLERS_RPC_WORLDS_LIST_TOKEN_H_
