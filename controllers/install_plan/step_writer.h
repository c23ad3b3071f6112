// Writes one step of a plan: creates the object, or handles one that already exists. Lives on one
// executor.
#ifndef CONTROLLERS_INSTALL_PLAN_STEP_WRITER_H_
#define CONTROLLERS_INSTALL_PLAN_STEP_WRITER_H_

#include <boost/json/object.hpp>
#include <boost/json/value.hpp>
#include <optional>
#include <string>

#include "absl/status/status.h"
#include "base/async/task.h"
#include "kube/client/client.h"
#include "kube/meta/names.h"
#include "kube/meta/write_options.h"
#include "olm/plan/answer.h"
#include "olm/plan/step_kind.h"

namespace steward::controllers {

// The object that a step wants.
struct StepTarget {
  olm::StepKind kind;
  kube::GroupVersionResource gvr;
  std::string ns;  // "" = cluster-scoped
  boost::json::object object;
  // The resourceVersion of the checked object, "" if there was none; no other object is replaced.
  // Nullopt: any object may be replaced.
  std::optional<std::string> checked = std::nullopt;
  bool untouched = false;  // the checked object already is as wanted, so it is not written
};

// The outcome of a step. Created and Present have an OK `answer`; for others it is the reason.
struct StepOutcome {
  olm::AnswerVerdict verdict = olm::AnswerVerdict::kFailure;  // kExists: the object is present
  absl::Status answer;
  // True if the last write was to an existing object, which stays as it was if the write failed.
  bool existed = false;
  boost::json::value object;  // the server's answer; null: none
  boost::json::value before;  // the earlier state of an object that a write has changed
};

// Every write is idempotent, so another process can continue after this one ends at any point.
class StepWriter {
 public:
  // The number of tries of an update if the object changes between read and write.
  static constexpr int kTries = 5;

  // `client` acts as the identity that writes the step. `on_warning` gets the server's warnings.
  // REQUIRES: `client` outlives this object.
  StepWriter(kube::Client& client, kube::WarningSink on_warning)
      : client_(client), on_warning_(std::move(on_warning)) {}

  // Creates the object. An existing ClusterServiceVersion or Subscription is left as it is. Any
  // other existing object is changed as Adopt says, by a patch (access, built-in kinds) or by
  // replacing it. ClassifyAnswer defines the verdicts of optional and other steps. An object that
  // is being deleted is waited for (kFailure). An object without a sign of OLM is not given to the
  // operator (Disown), except definitions, which stay when an operator is removed.
  boost::asio::awaitable<StepOutcome> Write(StepTarget target);

 private:
  boost::asio::awaitable<StepOutcome> Change(StepTarget target);
  Task<boost::json::value> Read(const StepTarget& target) const;
  kube::WriteOptions Options() const;

  kube::Client& client_;
  const kube::WarningSink on_warning_;
};

}  // namespace steward::controllers

#endif  // CONTROLLERS_INSTALL_PLAN_STEP_WRITER_H_
