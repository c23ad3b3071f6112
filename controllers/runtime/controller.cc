#include "controllers/runtime/controller.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "base/async/race.h"
#include "base/async/task_group.h"
#include "base/log/log.h"
#include "base/text/str_cat.h"
#include "controllers/runtime/queue/work_queue.h"
#include "kube/meta/status.h"

namespace steward::controllers {
namespace {

constexpr absl::Duration kMeasurePeriod = absl::Milliseconds(500);
// The limit of a server's Retry-After; a longer time is cut to this.
constexpr absl::Duration kMaxRetryAfter = absl::Minutes(5);

std::string NameOf(const Key& key) {
  return key.ns.empty() ? key.name : StrCat(key.ns, "/", key.name);
}

absl::Duration RetryAfter(const absl::Status& error) {
  return std::min(absl::Seconds(kube::FromStatus(error).retry_after_seconds), kMaxRetryAfter);
}

}  // namespace

// One term, from Start to Stop. Members are destroyed from the last to the first.
struct Controller::Term {
  Term(const boost::asio::any_io_executor& executor, const RateLimits& limits, Clock& clock,
       QueueMetrics& metrics)
      : queue(limits, clock, metrics), feed(executor), workers(executor) {}

  WorkQueue queue;
  std::unique_ptr<Reconciler> reconciler;
  TaskGroup feed;  // runs Feed and all other tasks that do not work on keys
  TaskGroup workers;
  size_t working = 0;  // workers that have not ended
  Broadcast worker_ended;
};

Controller::Controller(ControllerOptions options, MakeReconciler make,
                       boost::asio::any_io_executor executor, Clock& clock,
                       prometheus::Registry& registry)
    : options_(std::move(options)),
      make_(std::move(make)),
      executor_(std::move(executor)),
      clock_(clock),
      queue_metrics_(registry, options_.name),
      metrics_(registry, options_.name, options_.workers + options_.quick_workers) {}

Controller::~Controller() = default;

void Controller::Start() {
  term_ = std::make_unique<Term>(executor_, options_.limits, clock_, queue_metrics_);
  Term& term = *term_;
  term.reconciler = make_();
  term.feed.Spawn(StrCat(options_.name, ": delays"), term.queue.RunDelays());
  term.feed.Spawn(StrCat(options_.name, ": feed"), term.reconciler->Feed(term.queue));
  term.feed.Spawn(StrCat(options_.name, ": measure"), Measure(term));
  term.working = options_.workers + options_.quick_workers;
  for (size_t i = 0; i < term.working; ++i) {
    WorkQueue::Suits suits;
    if (i >= options_.workers) {
      suits = [&term](const Key& key) { return term.reconciler->IsQuick(key); };
    }
    term.workers.Spawn(StrCat(options_.name, ": worker"), Work(term, std::move(suits)));
  }
  log::Info("Controller started", {{"controller", options_.name}, {"workers", term.working}});
}

VoidTask Controller::Work(Term& term, WorkQueue::Suits suits) {
  struct Working {
    Term& term;
    ~Working() {
      --term.working;
      term.worker_ended.Notify();
    }
  } working{term};
  while (true) {
    const std::optional<Key> key = co_await term.queue.Take(suits);
    if (!key.has_value()) co_return;
    struct Taken {
      WorkQueue& queue;
      const Key& key;
      ~Taken() { queue.Done(key); }
    } taken{term.queue, *key};
    const absl::Status status = co_await ReconcileOne(term, *key);
    if (!status.ok()) {
      log::Warning("Reconciling failed; will try again", {{"controller", options_.name},
                                                          {"key", NameOf(*key)},
                                                          {"failures", term.queue.failures(*key)},
                                                          {"err", status}});
    }
  }
}

StatusTask Controller::ReconcileOne(Term& term, Key key) {
  const ReconcileMetrics::Active active(metrics_);
  const absl::Duration began = clock_.Monotonic();
  const absl::StatusOr<ReconcileResult> result = co_await term.reconciler->Reconcile(key);
  const absl::Duration took = clock_.Monotonic() - began;
  if (!result.ok()) {
    metrics_.Ended(ReconcileMetrics::Result::kError, took);
    term.queue.AddRateLimited(key, RetryAfter(result.status()));
    co_return result.status();
  }
  term.queue.Forget(key);
  if (result->requeue_after.has_value()) {
    metrics_.Ended(ReconcileMetrics::Result::kRequeueAfter, took);
    term.queue.AddAfter(key, *result->requeue_after);
  } else {
    metrics_.Ended(ReconcileMetrics::Result::kSuccess, took);
  }
  co_return absl::OkStatus();
}

VoidTask Controller::Measure(Term& term) {
  while (true) {
    term.queue.MeasureUnfinished();
    co_await clock_.Sleep(kMeasurePeriod);
  }
}

namespace {

VoidTask UntilNone(const size_t& working, Broadcast& ended) {
  while (working > 0) {
    co_await ended.WaitSince(ended.Now(), std::chrono::steady_clock::time_point::max());
  }
}

}  // namespace

boost::asio::awaitable<bool> Controller::Stop(absl::Duration grace) {
  if (term_ == nullptr) co_return true;
  Term& term = *term_;
  term.queue.ShutDown();
  co_await term.feed.Stop();
  // Workers without a key end by themselves when the queue is shut down.
  const auto idle = [&term] { return term.queue.running() == 0; };
  if (!idle() && grace > absl::ZeroDuration()) {
    VoidTask limit = clock_.Sleep(grace);
    VoidTask ended = UntilNone(term.working, term.worker_ended);
    co_await UntilOneEnds(std::move(limit), std::move(ended));
  }
  const bool in_time = idle();
  co_await term.workers.Stop();
  term_ = nullptr;
  log::Info("Controller stopped", {{"controller", options_.name}, {"cancelled", !in_time}});
  co_return in_time;
}

}  // namespace steward::controllers
