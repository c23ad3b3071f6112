// The deleter of operands. It sends DELETEs in rounds of batches; each batch has its own reading of
// the guards. Lives on one executor.
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
  // Reads the guards of the next batches while one is being sent, so that senders do not wait for
  // them.
  bool read_ahead = true;
  absl::Duration guard_age = absl::Seconds(2);  // R-000-71
  // A round sends at most this many DELETEs, and begins none after this time.
  size_t round = 1000;
  absl::Duration round_time = absl::Seconds(5);
  // After this time the remaining operands are listed anew, because much may have changed.
  absl::Duration listing_age = absl::Minutes(1);
  // The interval of progress reports while a round waits for slow answers.
  absl::Duration progress_period = absl::Seconds(2);
};

// The results of one round, which may still run.
struct DeletionRound {
  size_t sent = 0;
  size_t accepted = 0;  // marked or gone
  size_t denied = 0;
  size_t recreated = 0;    // left alone: they came back too often
  size_t waiting = 0;      // left for later: recreated, or denied before
  size_t unanswered = 0;   // their outcome is unknown, or still to come
  size_t unsent = 0;       // not sent, because the guards' reading had become too old by then
  std::string denial;      // the cluster's message about one that it refused to delete
  std::string left_alone;  // one that came back too often
  // The guards no longer allow deletions, or the listing is outdated: nothing more was sent.
  bool stopped = false;
  // The reason why the round ended early, if not `stopped`.
  absl::Status failure;
  // The round ended by its limits, and another round continues with the same cursor.
  bool more = false;
};

class DeletionCursor;

// Calls may overlap.
class Deleter {
 public:
  // REQUIRES: the references outlive this object and its calls.
  Deleter(kube::Client& client, GuardReader& guards, const Leadership& leadership, Clock& clock,
          DeleterOptions options);

  // Called regularly during a round. The round waits for its end.
  using Progress = std::function<VoidTask(const DeletionRound& so_far)>;

  // Returns a cursor over the operands in `listing` that must be deleted, are not being deleted
  // yet, and that `ledger` permits. `guards` is the reading by which the listing was made.
  std::unique_ptr<DeletionCursor> Begin(kube::NamespacedName csv, OperandListing listing,
                                        const GuardReading& guards,
                                        const DeletionLedger& ledger) const;

  // Continues the deletions for one round. Takes no longer than the options say, except that it
  // waits for the answers to DELETEs that were sent by then. Each DELETE names the listed UID and
  // requests background propagation. Its bytes leave only if the guards that allow it were read at
  // most `guard_age` ago, no later reading allows nothing, and this process is leader (R-000-78);
  // its answer may take as long as the client permits. One reading of the guards is good for
  // `batch` DELETEs; as soon as a reading allows nothing, nothing more is sent. A round ends early
  // when the guards cannot be read in time, and when a DELETE is not answered. `ledger` is the one
  // of Begin; `progress` may be null.
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

// The progress in deleting one listing, between two rounds. Keeps the guards that were read ahead,
// so that the next round starts without a wait. Takes as much memory as the listing. Used by one
// coroutine.
class DeletionCursor {
 public:
  // Not copyable, because a cursor points into its listing.
  DeletionCursor(const DeletionCursor&) = delete;
  DeletionCursor& operator=(const DeletionCursor&) = delete;

  // The listed operands; those that are gone since are marked.
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
  // Results for operands that are no candidates: `waiting`, `recreated`, `left_alone`, `failure`.
  DeletionRound passed_over_;
  std::shared_ptr<Deleter::Batch> batch_;              // the present batch
  std::deque<std::shared_ptr<Deleter::Batch>> ahead_;  // read ahead, in order
  absl::Duration slowest_;                             // roughly the slowest of the last answers
};

}  // namespace steward::controllers

#endif  // CONTROLLERS_CLEANUP_OPERANDS_DELETER_H_
