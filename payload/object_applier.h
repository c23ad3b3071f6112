// The writing of a payload's objects by server-side apply. Lives on one executor.
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
  kLeft,  // it is there, and is only to be created
};

// What is to be done for a manifest.
struct ApplyPlan {
  ApplyAction action = ApplyAction::kUnchanged;
  std::vector<std::string> fields;  // of an update: what differs
  kube::RestMapping mapping;
  kube::NamespacedName name;
  boost::json::value live;  // null where there is none
};

struct ObjectApplierOptions {
  absl::Duration poll = absl::Milliseconds(500);
  // The time in which what is applied is to become healthy; zero: only definitions, whose API
  // others need, are waited for.
  absl::Duration patience = absl::Minutes(5);
};

// An object is read, the fields that a payload owns are compared with the manifest, and only where
// they differ it is written, with force: a payload's fields are the payload's. A manifest's status
// is not applied. Where a server does not do server-side apply, the object is created, or changed
// by a merge patch.
class ObjectApplier {
 public:
  // Told what an object lacks that is waited for, when that changes.
  using Waits = std::function<void(const olm::PayloadIdentity& identity, const std::string& lack)>;

  // Asked before each write; its error ends the application.
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

  // What an apply would do now, by reads alone. kFailedPrecondition: nothing that can be done: the
  // kind is not served, a namespace is missing in the manifest, or the object is being deleted.
  Task<ApplyPlan> Plan(const olm::PayloadManifest& manifest);

  // Does it. Returns the server's answer.
  Task<boost::json::value> Write(const olm::PayloadManifest& manifest, const ApplyPlan& plan,
                                 bool dry_run);

  // Looks and puts. With `wait` it ends when the object is healthy (payload/object_health.h);
  // kUnavailable where it is not in time.
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

// The object's name where its kind has the given scope. kFailedPrecondition without the namespace
// that it needs, or with one that it cannot have.
absl::StatusOr<kube::NamespacedName> NameUnder(const kube::RestMapping& mapping,
                                               const olm::PayloadIdentity& identity);

}  // namespace steward::payload

#endif  // PAYLOAD_OBJECT_APPLIER_H_
