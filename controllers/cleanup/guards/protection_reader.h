// A live reading of whether the admission policies that cleanup relies on are in force. Lives on
// one executor.
#ifndef CONTROLLERS_CLEANUP_GUARDS_PROTECTION_READER_H_
#define CONTROLLERS_CLEANUP_GUARDS_PROTECTION_READER_H_

#include <boost/json/object.hpp>
#include <cstddef>
#include <optional>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "base/async/task.h"
#include "kube/client/client.h"
#include "olm/cleanup/facts.h"
#include "olm/cleanup/protection.h"
#include "olm/cleanup/read.h"

namespace steward::controllers {

// Stateless between calls, which may overlap.
class ProtectionReader {
 public:
  // `width`: requests at a time. REQUIRES: `client` outlives this object and its calls.
  ProtectionReader(kube::Client& client, size_t width) : client_(client), width_(width) {}

  // Never absent: a policy that does not exist counts as not bound. Unreadable when it is unknown
  // whether opting in and deleting are protected (R-000-74, R-000-77); if only the protection of
  // copies is unknown, they count as unprotected (R-000-85).
  boost::asio::awaitable<olm::Read<olm::ProtectionFacts>> Look();

 private:
  using Policy = std::optional<boost::json::object>;
  // OK also when the policy does not exist.
  VoidTask ReadPolicy(std::string_view name, Policy& policy, absl::Status& outcome);
  VoidTask ReadBindings(std::vector<boost::json::object>& bindings, absl::Status& outcome);

  kube::Client& client_;
  const size_t width_;
};

}  // namespace steward::controllers

#endif  // CONTROLLERS_CLEANUP_GUARDS_PROTECTION_READER_H_
