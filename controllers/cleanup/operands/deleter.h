// Deletes operands, a batch at a time, each batch under guards of its own.
#ifndef CONTROLLERS_CLEANUP_OPERANDS_DELETER_H_
#define CONTROLLERS_CLEANUP_OPERANDS_DELETER_H_

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/time/time.h"
#include "base/async/task.h"
#include "base/clock/clock.h"
#include "controllers/cleanup/guards/guard_reader.h"
#include "controllers/cleanup/operands/ledger.h"
#include "controllers/cleanup/operands/operand_lister.h"
#include "controllers/runtime/election/leadership.h"
#include "kube/client/client.h"
#include "kube/meta/write_options.h"
#include "olm/cleanup/plan.h"
#include "olm/cleanup/record.h"

namespace steward::controllers {

struct DeleterOptions {
  size_t batch = 100;  // DELETEs under one reading of the guards
  size_t width = 8;    // requests at a time
  // Reads the guards of the next batches while one is being sent: nobody waits for them then.
  bool read_ahead = true;
  absl::Duration guard_age = absl::Seconds(2);  // R-000-71
};

// What came of one round.
struct DeletionRound {
  size_t sent = 0;
  size_t accepted = 0;  // marked or gone
  size_t denied = 0;
  size_t recreated = 0;    // left alone: they came back too often
  size_t waiting = 0;      // left for later: they came back, or were denied before
  size_t unsent = 0;       // the guards had become too old when they could have been sent
  std::string denial;      // what the cluster says of one that it refused to delete
  std::string left_alone;  // one that came back too often
  // The guards no longer allow it, or what was listed is no longer so: nothing more was sent.
  bool stopped = false;
  // Why the round ended early, when not by `stopped`.
  absl::Status failure;
};

// Lives on one executor; calls may overlap.
class Deleter {
 public:
  // REQUIRES: the references outlive this object and its calls.
  Deleter(kube::Client& client, GuardReader& guards, const Leadership& leadership, Clock& clock,
          DeleterOptions options);

  // Deletes what `listing` has that is to be deleted and is not being deleted, as far as `ledger`
  // lets it. Each DELETE names the UID listed and asks for background propagation. Its bytes leave
  // only while the guards that allowed it were read no longer than `guard_age` ago, no later ones
  // allow nothing, and this process is leader (R-000-78); its answer may take as long as the client
  // lets it. One reading of the guards is good for `batch` DELETEs; as soon as one allows nothing,
  // nothing more is sent. A round ends early when the guards cannot be read in time, and when a
  // DELETE is not answered. `guards` is the reading by which `listing` was made.
  boost::asio::awaitable<DeletionRound> Run(kube::NamespacedName csv, const OperandListing& listing,
                                            GuardReading guards, DeletionLedger& ledger);

 private:
  struct Candidate {
    const OperandsOfCrd* crd;
    const Operand* operand;
  };
  struct Batch;
  struct State;
  std::vector<Candidate> Choose(const OperandListing& listing, const DeletionLedger& ledger,
                                DeletionRound& round) const;
  std::shared_ptr<Batch> BatchOf(const GuardReading& guards) const;
  bool HasTime(const Batch& batch, absl::Duration margin) const;
  bool IsOpen(const State& state) const;
  bool TakeNext(State& state) const;
  bool IsDue(const State& state) const;
  VoidTask ReadGuards(State& state);
  VoidTask Send(State& state);
  VoidTask DeleteOne(State& state, std::shared_ptr<Batch> batch, Candidate candidate);
  StatusTask SendDelete(Candidate candidate, kube::SendCheck may_send);
  void Judge(State& state, const Candidate& candidate, const absl::Status& outcome);

  kube::Client& client_;
  GuardReader& guards_;
  const Leadership& leadership_;
  Clock& clock_;
  const DeleterOptions options_;
};

}  // namespace steward::controllers

#endif  // CONTROLLERS_CLEANUP_OPERANDS_DELETER_H_
