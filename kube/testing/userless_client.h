// A client for tests that passes every call on, whoever acts. Thread-safe where the other client
// is.
#ifndef KUBE_TESTING_USERLESS_CLIENT_H_
#define KUBE_TESTING_USERLESS_CLIENT_H_

#include <memory>

#include "kube/client/client.h"
#include "kube/client/forwarding_client.h"
#include "kube/meta/user_info.h"

namespace steward::kube {

// A base of test clients that change some calls, and that know no users.
class UserlessClient : public ForwardingClient {
 public:
  using ForwardingClient::ForwardingClient;

  // A client whose calls are those of this one.
  std::unique_ptr<Client> As(const UserInfo& /*user*/) override {
    return std::make_unique<UserlessClient>(static_cast<Client&>(*this));
  }
};

}  // namespace steward::kube

#endif  // KUBE_TESTING_USERLESS_CLIENT_H_
