// The writes of one step of a plan: create, and what follows where the object is there already.
// Lives on one executor.
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

// What is to be there.
struct StepTarget {
  olm::StepKind kind;
  kube::GroupVersionResource gvr;
  std::string ns;  // "" = cluster-scoped
  boost::json::object object;
  // The resourceVersion of the object that was checked, "" where there was none: another one is not
  // replaced. Nullopt: any may be.
  std::optional<std::string> checked = std::nullopt;
  bool untouched = false;  // the object that was checked is what is wanted: it stays as it is
};

// The outcome of a step. Created and Present have an OK answer; for the others `answer` is why.
struct StepOutcome {
  olm::AnswerVerdict verdict = olm::AnswerVerdict::kFailure;  // kExists = present
  absl::Status answer;
  // The last write was one of an object that is there; where it failed, that stays as it was.
  bool existed = false;
  boost::json::value object;  // the server's answer, where there is one
  boost::json::value before;  // the object as it was there, where a write has changed it
};

// Every write is idempotent, so that a process that ends in the midst can be followed by another.
class StepWriter {
 public:
  // The times that an update is tried where the object changes between read and write.
  static constexpr int kTries = 5;

  // `client` acts as whom the step is for. REQUIRES: it outlives this object. `on_warning` gets the
  // server's warnings.
  StepWriter(kube::Client& client, kube::WarningSink on_warning)
      : client_(client), on_warning_(std::move(on_warning)) {}

  // Creates the object; where it is there: leaves it (ClusterServiceVersions, Subscriptions), or
  // makes it what Adopt says, by a patch (access, built-in kinds) or by replacing it. What its
  // verdicts mean: ClassifyAnswer, whether the step is optional or not. One that is being deleted
  // is waited for (kFailure). What bears no sign of OLM does not become the operator's (Disown),
  // but for definitions, which stay when an operator goes.
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
