// A client whose writes change nothing. Thread-safe where the other client is.
#ifndef KUBE_DRY_RUN_DRY_RUN_CLIENT_H_
#define KUBE_DRY_RUN_DRY_RUN_CLIENT_H_

#include <boost/json/value.hpp>
#include <memory>
#include <utility>

#include "base/async/task.h"
#include "kube/client/client.h"
#include "kube/client/forwarding_client.h"
#include "kube/meta/user_info.h"

namespace steward::kube {

// Each write has dryRun=All, whatever its options say. The same holds for each client made of this
// one; nobody can get at the client behind it. Code that must change nothing takes a DryRunClient
// instead of a Client, so that passing any other client does not compile (the constructor is
// explicit). Reads are forwarded unchanged.
//
// A review (authorization.k8s.io, authentication.k8s.io) is neither a dry run nor a read of the
// cluster's state: kInvalidArgument, and nothing is sent.
class DryRunClient final : public InterceptingClient {
 public:
  // REQUIRES: `inner` outlives this object, those made of it, and their calls.
  explicit DryRunClient(Client& inner) : InterceptingClient(inner) {}
  DryRunClient(DryRunClient&&) = default;
  DryRunClient(const DryRunClient&) = delete;
  DryRunClient& operator=(const DryRunClient&) = delete;

  // The client that acts as `user` (Client::As). REQUIRES: as As.
  DryRunClient ActingAs(const UserInfo& user);

  // A DryRunClient.
  std::unique_ptr<Client> As(const UserInfo& user) override;

 private:
  Task<boost::json::value> Write(ClientWrite write) override;

  explicit DryRunClient(std::unique_ptr<Client> inner)
      : InterceptingClient(*inner), acting_(std::move(inner)) {}

  std::unique_ptr<Client> acting_;  // the other client, if it was made for this one
};

}  // namespace steward::kube

#endif  // KUBE_DRY_RUN_DRY_RUN_CLIENT_H_
