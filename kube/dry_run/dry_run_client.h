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

// Each write has dryRun=All, whatever its options say, and so has each of the clients that are made
// of this one; nobody gets the client behind it. Code that must change nothing takes a
// DryRunClient, and no Client: another write does not compile then (the constructor is explicit).
// Reads are those of the other client.
//
// Reviews (authorization.k8s.io, authentication.k8s.io) are no dry runs, and not reads of the
// cluster's state either: kInvalidArgument, and nothing is sent.
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
