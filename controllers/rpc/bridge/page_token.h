// Page tokens: text that names the position where the next page begins, bound to the request that
// the previous page answered. Pure functions.
#ifndef CONTROLLERS_RPC_BRIDGE_PAGE_TOKEN_H_
#define CONTROLLERS_RPC_BRIDGE_PAGE_TOKEN_H_

#include <google/protobuf/message.h>

#include <cstddef>
#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"

namespace steward::rpc {

// Tokens are opaque to clients and valid for any replica: there is no key that replicas would have
// to share, so every client can make one. A token therefore grants nothing, and services check that
// its position is one at which a page of the request could have ended.

// A digest of everything that a request asks for, whatever fields it has: of its message except
// page_size, page_token and on_behalf_of, and of the message's type.
class PageBinding {
 public:
  static PageBinding Of(const google::protobuf::Message& request);
  const std::string& digest() const { return digest_; }

 private:
  explicit PageBinding(std::string digest) : digest_(std::move(digest)) {}
  std::string digest_;
};

// The error for a token that is malformed or belongs to another request: 400.
absl::Status BadPageToken();

// Writes a token. `form` names the meaning of `parts` and must change with it, because replicas of
// two versions run beside each other during an update. No part may contain a line break.
std::string WritePageToken(const PageBinding& binding, std::string_view form,
                           std::initializer_list<std::string_view> parts);

// Returns the `count` parts of a token that was written with this binding and form. The caller must
// check that WritePageToken writes the parts as the same token.
absl::StatusOr<std::vector<std::string>> ReadPageToken(std::string_view text,
                                                       const PageBinding& binding,
                                                       std::string_view form, size_t count);

}  // namespace steward::rpc

#endif  // CONTROLLERS_RPC_BRIDGE_PAGE_TOKEN_H_
