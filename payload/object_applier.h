// The writing of a payload's objects by server-side apply. Lives on one executor.
#ifndef PAYLOAD_OBJECT_APPLIER_H_
#define PAYLOAD_OBJECT_APPLIER_H_

#include <boost/json/value.hpp>
#include <string>
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
  // The time in which a definition's API is to be there, and a Job to be done.
  absl::Duration patience = absl::Seconds(30);
};

// An object is read, the fields that a payload owns are compared with the manifest, and only where
// they differ it is written, with force: a payload's fields are the payload's. A manifest's status
// is not applied. Where a server does not do server-side apply, the object is created, or changed
// by a merge patch.
class ObjectApplier {
 public:
  // REQUIRES: the references outlive this object.
  ObjectApplier(kube::Client& client, kube::RestMapper& mapper, Clock& clock,
                ObjectApplierOptions options = {})
      : client_(client), mapper_(mapper), clock_(clock), options_(options) {}

  // What an apply would do now, by reads alone. kFailedPrecondition: nothing that can be done: the
  // kind is not served, a namespace is missing in the manifest, or the object is being deleted.
  Task<ApplyPlan> Look(const olm::PayloadManifest& manifest);

  // Does it. Returns the server's answer.
  Task<boost::json::value> Put(const olm::PayloadManifest& manifest, const ApplyPlan& plan,
                               bool dry_run);

  // Looks and puts. With `wait` it ends when the object has done what others depend on: a
  // definition's API is served, a Job is complete (a failed one is an error).
  Task<ApplyPlan> Apply(const olm::PayloadManifest& manifest, bool wait);

 private:
  StatusTask WaitUntilReady(const olm::PayloadManifest& manifest, const ApplyPlan& plan);

  kube::Client& client_;
  kube::RestMapper& mapper_;
  Clock& clock_;
  const ObjectApplierOptions options_;
};

// The object's name where its kind has the given scope. kFailedPrecondition without the namespace
// that it needs, or with one that it cannot have.
absl::StatusOr<kube::NamespacedName> NameUnder(const kube::RestMapping& mapping,
                                               const olm::PayloadIdentity& identity);

}  // namespace steward::payload

#endif  // PAYLOAD_OBJECT_APPLIER_H_
