// An operator's cleanup as Steward's virtual API reports it. Values; reads run on the caller's
// executor.
#ifndef PLUGIN_CLUSTER_CLEANUP_STATUS_H_
#define PLUGIN_CLUSTER_CLEANUP_STATUS_H_

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

// The fields of a CleanupStatus object that the plugin uses. Absent fields are empty.
struct CleanupStatus {
  // A reason why cleanup would not happen.
  struct Blocker {
    std::string reason;
    std::string message;
    std::vector<std::string> objects;  // "ns/name", or a name alone
    int64_t elsewhere = 0;             // more objects, in namespaces that are not named
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
  bool enabled = false;   // the author's consent, spec.cleanup.enabled
  bool opted_in = false;  // the administrator's consent, the finalizer
  std::string phase;
  std::vector<Blocker> blockers;
  olm::TargetSet targets;
  std::vector<std::string> resources;  // owned definitions, "widgets.example.com"
  std::vector<Pending> pending;        // some of the pending operands
  int64_t pending_count = 0;           // the number of all pending operands
  std::string started_at;
  std::string stalled_since;
  std::vector<Condition> conditions;
};

// Total: returns a value or kDataLoss for any object. kDataLoss means that it has no name, or that
// a field on which the plugin bases decisions has another type than the API promises.
absl::StatusOr<CleanupStatus> DecodeCleanupStatus(const boost::json::value& object);
absl::StatusOr<CleanupStatus> DecodeCleanupStatusText(std::string_view json);

// Reads the status of one operator. An error's message says what to do: Steward is not installed,
// or does not answer, or does not know the ClusterServiceVersion.
Task<CleanupStatus> ReadCleanupStatus(kube::Client& client, kube::NamespacedName csv);
// All statuses in a namespace ("" = everywhere) whose labels match `selector` ("" = all), sorted by
// namespace and name.
Task<std::vector<CleanupStatus>> ListCleanupStatuses(kube::Client& client, std::string ns,
                                                     std::string selector = "");

// A blocker in words: "OperatorGone: the operator's Deployments are gone (ops/a, ops/b and 2
// elsewhere)".
std::string DescribeBlocker(const CleanupStatus::Blocker& blocker);

}  // namespace steward::plugin

#endif  // PLUGIN_CLUSTER_CLEANUP_STATUS_H_
