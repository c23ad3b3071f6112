// The page tokens of CopiedCSVService.Preview. Plain values.
#ifndef CONTROLLERS_RPC_COPIED_CSV_CHANGE_TOKEN_H_
#define CONTROLLERS_RPC_COPIED_CSV_CHANGE_TOKEN_H_

#include <string>
#include <string_view>

#include "absl/status/statusor.h"
#include "controllers/rpc/bridge/page_token.h"
#include "kube/meta/names.h"

namespace steward::rpc {

// The slot after which the page begins.
struct ChangeToken {
  kube::NamespacedName after;

  std::string ToString(const PageBinding& binding) const;
  // Refuses, with kInvalidArgument (a 400), a token of another request, a position that is no slot,
  // and any text that ToString could not have written.
  static absl::StatusOr<ChangeToken> Parse(std::string_view text, const PageBinding& binding);
};

}  // namespace steward::rpc

#endif  // CONTROLLERS_RPC_COPIED_CSV_CHANGE_TOKEN_H_
