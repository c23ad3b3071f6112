// Writes a payload's objects by server-side apply. Lives on one executor.
#ifndef PAYLOAD_OBJECT_APPLIER_H_
#define PAYLOAD_OBJECT_APPLIER_H_

#include <boost/json/value.hpp>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "absl/time/time.h"
#include "base/async/task.h"
#include "base/clock/clock.h"
#include "kube/client/client.h"
#include "kube/client/rest_mapper.h"
#include "kube/meta/names.h"
#include "kube/meta/write_options.h"
#include "olm/payload/payload.h"

namespace steward::payload {

// The field manager of everything that a payload writes.
inline constexpr char kFieldManager[] = "steward-payload";

enum class ApplyAction {
  kCreate,
  kUpdate,
  kUnchanged,
  kLeft,  // the object exists, and its manifest only asks for creation
};

// The action that a manifest needs now.
struct ApplyPlan {
  ApplyAction action = ApplyAction::kUnchanged;
  std::vector<std::string> fields;  // of an update: the fields that differ
  kube::RestMapping mapping;
  kube::NamespacedName name;
  boost::json::value live;  // null: the object does not exist
};

struct ObjectApplierOptions {
  absl::Duration poll = absl::Milliseconds(500);
  // The time within which an applied object must become healthy. Zero: only definitions are waited
  // for, because other objects need their API.
  absl::Duration patience = absl::Minutes(5);
};

// Reads the object, compares the fields that the payload owns with the manifest, and writes only if
// they differ. The write uses force, because a payload's fields belong to the payload. A manifest's
// status is not applied. If the server does not support server-side apply, the object is created,
// or changed by a merge patch.
class ObjectApplier {
 public:
  // Called when `lack`, the reason why an object that is waited for is not healthy yet, changes.
  using Waits = std::function<void(const olm::PayloadIdentity& identity, const std::string& lack)>;

  // Called before each write. An error ends the application.
  using MayWrite = std::function<StatusTask()>;

  // REQUIRES: the references outlive this object.
  ObjectApplier(kube::Client& client, kube::RestMapper& mapper, Clock& clock,
                ObjectApplierOptions options = {}, Waits waits = nullptr,
                MayWrite may_write = nullptr)
      : client_(client),
        mapper_(mapper),
        clock_(clock),
        options_(options),
        waits_(std::move(waits)),
        may_write_(std::move(may_write)) {}

  // Finds what an apply would do now, only reading. kFailedPrecondition: an apply is impossible,
  // because the kind is not served, the manifest lacks a namespace, or the object is being deleted.
  Task<ApplyPlan> Plan(const olm::PayloadManifest& manifest);

  // Carries out the plan. Returns the server's answer.
  Task<boost::json::value> Write(const olm::PayloadManifest& manifest, const ApplyPlan& plan,
                                 bool dry_run);

  // Plans and writes. With `wait` it returns when the object is healthy (payload/object_health.h),
  // or kUnavailable if that takes too long.
  Task<ApplyPlan> Apply(const olm::PayloadManifest& manifest, bool wait);

 private:
  StatusTask WaitUntilHealthy(const olm::PayloadManifest& manifest, const ApplyPlan& plan);

  kube::Client& client_;
  kube::RestMapper& mapper_;
  Clock& clock_;
  const ObjectApplierOptions options_;
  const Waits waits_;
  const MayWrite may_write_;
};

// Returns the object's name under the scope of its kind. kFailedPrecondition: a needed namespace is
// missing, or a cluster-scoped object has one.
absl::StatusOr<kube::NamespacedName> NameUnder(const kube::RestMapping& mapping,
                                               const olm::PayloadIdentity& identity);

}  // namespace steward::payload

#endif  // PAYLOAD_OBJECT_APPLIER_H_
