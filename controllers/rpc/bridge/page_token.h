// Page tokens: text in which a service says where the next page begins, bound to the request that
// the page before was an answer to. Pure functions.
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

// Tokens are opaque to clients and good for any replica: there is no key that replicas would have
// to share, so anybody can make one. A token therefore grants nothing, and services check that its
// position is one at which a page of the request could have ended.

// A digest of all that a request asks for, whichever fields it has: of its message but for
// page_size, page_token and on_behalf_of, and of the message's type.
class PageBinding {
 public:
  static PageBinding Of(const google::protobuf::Message& request);
  const std::string& digest() const { return digest_; }

 private:
  explicit PageBinding(std::string digest) : digest_(std::move(digest)) {}
  std::string digest_;
};

// What a client is told of a token that is none, or of another request: 400.
absl::Status BadPageToken();

// `form` names what `parts` mean. A change of that takes another form: replicas of two versions run
// beside each other during an update. No part may have a line break in it.
std::string WritePageToken(const PageBinding& binding, std::string_view form,
                           std::initializer_list<std::string_view> parts);

// The `count` parts of a token that was written with this binding and form. Whether it says them as
// WritePageToken would is for the caller to check, by writing it again.
absl::StatusOr<std::vector<std::string>> ReadPageToken(std::string_view text,
                                                       const PageBinding& binding,
                                                       std::string_view form, size_t count);

}  // namespace steward::rpc

#endif  // CONTROLLERS_RPC_BRIDGE_PAGE_TOKEN_H_
