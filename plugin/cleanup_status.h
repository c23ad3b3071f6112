// What Steward's virtual API says of an operator's cleanup.
#ifndef PLUGIN_CLEANUP_STATUS_H_
#define PLUGIN_CLEANUP_STATUS_H_

#include <boost/json/value.hpp>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "base/async/task.h"
#include "kube/client/client.h"
#include "kube/meta/names.h"
#include "olm/cleanup/target_set.h"

namespace steward::plugin {

// A CleanupStatus object, as far as the plugin reads it. What is absent is empty.
struct CleanupStatus {
  // Why cleanup would not happen.
  struct Blocker {
    std::string reason;
    std::string message;
    std::vector<std::string> objects;  // "ns/name", or a name alone
    int64_t elsewhere = 0;             // how many more in namespaces that are not told
  };
  struct Pending {
    std::string resource;  // "widgets.example.com"
    kube::NamespacedName name;
  };
  struct Condition {
    std::string reason;
    std::string message;
    std::string since;  // RFC 3339
  };

  kube::NamespacedName csv;
  std::string created;    // RFC 3339
  bool enabled = false;   // the author's word, spec.cleanup.enabled
  bool opted_in = false;  // the administrator's, the finalizer
  std::string phase;
  std::vector<Blocker> blockers;
  olm::TargetSet targets;
  std::vector<std::string> resources;  // owned definitions, "widgets.example.com"
  std::vector<Pending> pending;        // a part of those that are waited for
  int64_t pending_count = 0;           // all of them
  std::string started_at;
  std::string stalled_since;
  std::vector<Condition> conditions;
};

// Total: any object gives a value or kDataLoss (no name, or a field of another type than the API
// promises where the plugin decides by it).
absl::StatusOr<CleanupStatus> DecodeCleanupStatus(const boost::json::value& object);
absl::StatusOr<CleanupStatus> DecodeCleanupStatusText(std::string_view json);

// One, or an error whose message says what to do: Steward is not installed, or does not answer, or
// does not know the ClusterServiceVersion.
Task<CleanupStatus> ReadCleanupStatus(kube::Client& client, kube::NamespacedName csv);
// All in a namespace ("" = everywhere), by namespace and name.
Task<std::vector<CleanupStatus>> ListCleanupStatuses(kube::Client& client, std::string ns);

// "OperatorGone: the operator's Deployments are gone (ops/a, ops/b and 2 elsewhere)".
std::string DescribeBlocker(const CleanupStatus::Blocker& blocker);

}  // namespace steward::plugin

#endif  // PLUGIN_CLEANUP_STATUS_H_
