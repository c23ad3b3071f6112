// Deletes operands, in rounds of batches, each batch under guards of its own.
#ifndef CONTROLLERS_CLEANUP_OPERANDS_DELETER_H_
#define CONTROLLERS_CLEANUP_OPERANDS_DELETER_H_

#include <boost/asio/awaitable.hpp>
#include <cstddef>
#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
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
  size_t batch = 1000;  // DELETEs under one reading of the guards
  size_t width = 8;     // requests at a time
  // Reads the guards of the next batches while one is being sent: nobody waits for them then.
  bool read_ahead = true;
  absl::Duration guard_age = absl::Seconds(2);  // R-000-71
  // A round ends after so many DELETEs, and when it has begun them for so long.
  size_t round = 1000;
  absl::Duration round_time = absl::Seconds(5);
  // After so long, what is left is listed anew: much may have happened.
  absl::Duration listing_age = absl::Minutes(1);
  // How often it is told how far a round is, while it waits for answers that are slow.
  absl::Duration progress_period = absl::Seconds(10);
};

// What came of one round, or has until now.
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
  // It ended in time, and another one goes on with the same cursor.
  bool more = false;
};

class DeletionCursor;

// Lives on one executor; calls may overlap.
class Deleter {
 public:
  // REQUIRES: the references outlive this object and its calls.
  Deleter(kube::Client& client, GuardReader& guards, const Leadership& leadership, Clock& clock,
          DeleterOptions options);

  // To be told, now and then, of a round that is under way. It is waited for.
  using Progress = std::function<VoidTask(const DeletionRound& so_far)>;

  // At the start of what `listing` has that is to be deleted and is not being deleted, as far as
  // `ledger` lets it. `guards` is the reading by which the listing was made.
  std::unique_ptr<DeletionCursor> Begin(kube::NamespacedName csv, OperandListing listing,
                                        const GuardReading& guards,
                                        const DeletionLedger& ledger) const;

  // Goes on deleting, for one round. It takes no longer than the options say, but for the answers
  // to what was sent by then. Each DELETE names the UID listed and asks for background propagation.
  // Its bytes leave only while the guards that allowed it were read no longer than `guard_age` ago,
  // no later ones allow nothing, and this process is leader (R-000-78); its answer may take as long
  // as the client lets it. One reading of the guards is good for `batch` DELETEs; as soon as one
  // allows nothing, nothing more is sent. A round ends early when the guards cannot be read in
  // time, and when a DELETE is not answered. `ledger` is the one of Begin; `progress` may be null.
  boost::asio::awaitable<DeletionRound> Run(DeletionCursor& cursor, DeletionLedger& ledger,
                                            Progress progress);

 private:
  friend class DeletionCursor;
  struct Candidate {
    const OperandsOfCrd* crd;
    Operand* operand;
  };
  struct Batch;
  struct State;
  void Choose(DeletionCursor& cursor, const DeletionLedger& ledger) const;
  std::shared_ptr<Batch> BatchOf(const GuardReading& guards) const;
  bool HasTime(const Batch& batch, absl::Duration margin) const;
  bool IsOver(const State& state) const;
  bool IsOpen(const State& state) const;
  bool TakeNext(State& state) const;
  bool IsDue(const State& state) const;
  VoidTask ReadGuards(State& state);
  VoidTask Send(State& state);
  VoidTask Tell(State& state);
  VoidTask DeleteOne(State& state, std::shared_ptr<Batch> batch, Candidate candidate);
  StatusTask SendDelete(Candidate candidate, kube::SendCheck may_send);
  void Judge(State& state, const Candidate& candidate, const absl::Status& outcome);

  kube::Client& client_;
  GuardReader& guards_;
  const Leadership& leadership_;
  Clock& clock_;
  const DeleterOptions options_;
};

// How far the deletion of one listing is, between two rounds of it. With what was read ahead for
// the next one, so that a round costs no waiting. Memory is that of the listing. Of one coroutine.
class DeletionCursor {
 public:
  // Not copied, as it points into its listing.
  DeletionCursor(const DeletionCursor&) = delete;
  DeletionCursor& operator=(const DeletionCursor&) = delete;

  // What was listed; what is gone since is marked.
  const OperandListing& listing() const { return listing_; }

 private:
  friend class Deleter;
  DeletionCursor(kube::NamespacedName csv, OperandListing listing,
                 std::optional<olm::CleanupRecord> remembered, absl::Duration listed)
      : csv_(std::move(csv)),
        listing_(std::move(listing)),
        remembered_(std::move(remembered)),
        listed_(listed) {}

  const kube::NamespacedName csv_;
  OperandListing listing_;
  const std::optional<olm::CleanupRecord> remembered_;
  const absl::Duration listed_;  // monotonic; the listing is not older
  std::vector<Deleter::Candidate> candidates_;
  size_t next_ = 0;
  // Of what is no candidate: `waiting`, `recreated`, `left_alone`, `failure`.
  DeletionRound passed_over_;
  std::shared_ptr<Deleter::Batch> batch_;              // the present one
  std::deque<std::shared_ptr<Deleter::Batch>> ahead_;  // read ahead, in order
  absl::Duration slowest_;                             // of the last answers, about
};

}  // namespace steward::controllers

#endif  // CONTROLLERS_CLEANUP_OPERANDS_DELETER_H_
