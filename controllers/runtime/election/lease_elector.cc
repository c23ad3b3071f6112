#include "controllers/runtime/election/lease_elector.h"

#include <prometheus/counter.h>
#include <prometheus/gauge.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <utility>

#include "absl/status/statusor.h"
#include "base/clock/time_limit.h"
#include "base/json/json_text.h"
#include "base/log/log.h"
#include "base/metrics/families.h"
#include "base/status/macros.h"
#include "base/text/str_cat.h"
#include "kube/meta/errors.h"
#include "kube/meta/uuid.h"
#include "kube/meta/write_options.h"

namespace steward::controllers {
namespace json = boost::json;
namespace {

// Candidates add up to this multiple of the retry period to their intervals, as client-go does.
constexpr double kJitter = 1.2;

}  // namespace

absl::Status CheckLeaseElectorOptions(const LeaseElectorOptions& options) {
  const absl::Duration duration = options.lease_duration;
  if (duration < absl::Seconds(1) || absl::Trunc(duration, absl::Seconds(1)) != duration ||
      duration > absl::Hours(24)) {
    return absl::InvalidArgumentError("the lease duration must be 1 to 86400 whole seconds");
  }
  if (options.renew_deadline >= duration) {
    return absl::InvalidArgumentError("the renew deadline must be shorter than the lease duration");
  }
  if (options.retry_period <= absl::ZeroDuration()) {
    return absl::InvalidArgumentError("the retry period must be longer than zero");
  }
  if (options.retry_period * kJitter >= options.renew_deadline) {
    return absl::InvalidArgumentError(
        "the retry period, and a fifth of it more, must be shorter than the renew deadline");
  }
  return absl::OkStatus();
}

std::string NewElectionIdentity(Random& random) {
  std::array<char, 256> host{};
  if (::gethostname(host.data(), host.size() - 1) != 0) host[0] = '\0';
  std::array<uint8_t, 16> bytes{};
  for (uint8_t& byte : bytes) byte = static_cast<uint8_t>(random.Uniform() * 256);
  return StrCat(host.data(), "_", kube::UuidV4(bytes));
}

// The leadership by which writes are fenced.
class LeaseElector::Term : public Leadership {
 public:
  explicit Term(Clock& clock) : clock_(clock) {}

  absl::Duration Remaining() const override {
    return absl::Nanoseconds(until_.load()) - clock_.Monotonic();
  }
  void Extend(absl::Duration until) { until_.store(absl::ToInt64Nanoseconds(until)); }
  void Revoke() { until_.store(0); }

 private:
  Clock& clock_;
  std::atomic<int64_t> until_{0};  // monotonic
};

struct LeaseElector::Metrics {
  Metrics(prometheus::Registry& registry, const std::string& name)
      : master(GaugeFamily(registry, "leader_election_master_status",
                           "1 while this process is leader, else 0.")
                   .Add({{"name", name}})),
        slow_path(CounterFamily(registry, "leader_election_slowpath_total",
                                "Renewals that met a Lease which somebody else had changed.")
                      .Add({{"name", name}})) {}
  prometheus::Gauge& master;
  prometheus::Counter& slow_path;
};

LeaseElector::LeaseElector(kube::Client& client, Clock& clock, Random& random,
                           LeaseElectorOptions options, prometheus::Registry& registry)
    : client_(client),
      clock_(clock),
      random_(random),
      options_(std::move(options)),
      term_(std::make_unique<Term>(clock)),
      metrics_(std::make_unique<Metrics>(registry, options_.lease.name)) {}

LeaseElector::~LeaseElector() = default;

const Leadership& LeaseElector::leadership() const { return *term_; }

void LeaseElector::Observe(const json::value& lease) {
  LeaseRecord record = ReadLease(lease);
  if (!observed_.has_value() || record != observed_record_) observed_at_ = clock_.Monotonic();
  observed_record_ = std::move(record);
  observed_ = lease;
}

bool LeaseElector::HeldByLiveOther() const {
  const std::string& holder = observed_record_.holder;
  if (holder.empty() || holder == options_.identity) return false;
  const absl::Duration lasts = observed_record_.duration_seconds > 0
                                   ? absl::Seconds(observed_record_.duration_seconds)
                                   : options_.lease_duration;
  return clock_.Monotonic() - observed_at_ < lasts;
}

void LeaseElector::NoteHeld(absl::Duration began, const json::value& lease) {
  Observe(lease);
  logged_holder_ = options_.identity;
  term_->Extend(began + options_.renew_deadline);
}

void LeaseElector::NoteOther() {
  if (logged_holder_ == observed_record_.holder) return;
  logged_holder_ = observed_record_.holder;
  log::Info("Somebody else is leader",
            {{"lease", options_.lease.name}, {"holder", observed_record_.holder}});
}

// Leadership counts from the begin of a write, not from its answer, because others may have seen
// the record since then.

Task<LeaseElector::Outcome> LeaseElector::TryCreate() {
  const absl::Duration began = clock_.Monotonic();
  const json::value lease = NewLease(options_.lease, HeldBy(options_.identity, LeaseRecord(),
                                                            options_.lease_duration, clock_.Now()));
  const kube::WriteOptions options;
  CO_ASSIGN_OR_RETURN(const json::value created,
                      co_await client_.Create(kLeases, options_.lease.ns, lease, options));
  NoteHeld(began, created);
  co_return Outcome::kHeld;
}

Task<LeaseElector::Outcome> LeaseElector::TakeOrRenew(json::value lease) {
  const absl::Duration began = clock_.Monotonic();
  WriteLease(HeldBy(options_.identity, observed_record_, options_.lease_duration, clock_.Now()),
             lease);
  const kube::WriteOptions options;
  CO_ASSIGN_OR_RETURN(const json::value updated, co_await client_.Update(kLeases, lease, options));
  NoteHeld(began, updated);
  co_return Outcome::kHeld;
}

// Renews the Lease as last seen, without reading it again, so that a renewal costs one request.
Task<LeaseElector::Outcome> LeaseElector::TryRenewAsObserved() {
  if (!observed_.has_value() || observed_record_.holder != options_.identity) {
    co_return Outcome::kFailed;
  }
  co_return co_await TakeOrRenew(*observed_);
}

boost::asio::awaitable<absl::StatusOr<LeaseElector::Outcome>> LeaseElector::Try() {
  const bool renewing = term_->IsLive();
  if (renewing) {
    const absl::StatusOr<Outcome> renewed = co_await TryRenewAsObserved();
    if (renewed.ok() && *renewed == Outcome::kHeld) co_return *renewed;
    if (!kube::IsOvertaken(renewed.status())) co_return renewed;
    metrics_->slow_path.Increment();
  }
  const absl::StatusOr<kube::RawObject> raw = co_await client_.Get(kLeases, options_.lease);
  if (kube::SaysNotFound(raw.status())) {
    // The Lease was deleted. Its holder, if any, may not have noticed that.
    if (HeldByLiveOther()) co_return Outcome::kHeldByOther;
    co_return co_await TryCreate();
  }
  CO_RETURN_IF_ERROR(raw.status());
  CO_ASSIGN_OR_RETURN(json::value lease, ParseJson(raw->json));
  if (!lease.is_object()) co_return absl::DataLossError("the Lease is no object");
  Observe(lease);
  // If a holder finds another name or none in the Lease, another client deposed it, and its term is
  // over.
  const bool deposed = renewing && observed_record_.holder != options_.identity;
  if (deposed || HeldByLiveOther()) {
    NoteOther();
    co_return Outcome::kHeldByOther;
  }
  co_return co_await TakeOrRenew(std::move(lease));
}

boost::asio::awaitable<LeaseElector::Outcome> LeaseElector::TryWithin(absl::Duration limit) {
  const absl::StatusOr<Outcome> outcome = co_await WithTimeout(clock_, limit, "the Lease", Try());
  if (outcome.ok()) co_return *outcome;
  // Two candidates wrote at the same time, and the other's write came first.
  const bool beaten = kube::IsConflict(outcome.status()) || kube::IsAlreadyExists(outcome.status());
  if (!beaten) {
    log::Warning("The Lease could not be read or written",
                 {{"lease", options_.lease.name}, {"err", outcome.status()}});
  }
  co_return Outcome::kFailed;
}

VoidTask LeaseElector::Acquire() {
  metrics_->master.Set(0);
  term_->Revoke();
  while (true) {
    const Outcome outcome = co_await TryWithin(options_.renew_deadline / 2);
    // If the answer came late, the leadership may be over already.
    if (outcome == Outcome::kHeld && term_->IsLive()) break;
    co_await clock_.Sleep(options_.retry_period * (1 + kJitter * random_.Uniform()));
  }
  metrics_->master.Set(1);
  log::Info("This process is leader",
            {{"lease", options_.lease.name}, {"identity", options_.identity}});
}

VoidTask LeaseElector::Renew() {
  while (true) {
    co_await clock_.Sleep(std::min(options_.retry_period, term_->Remaining()));
    const absl::Duration remaining = term_->Remaining();
    if (remaining <= absl::ZeroDuration()) break;
    const Outcome outcome = co_await TryWithin(std::min(options_.renew_deadline / 2, remaining));
    if (outcome == Outcome::kHeldByOther) break;
  }
  term_->Revoke();
  metrics_->master.Set(0);
  log::Warning("This process is no longer leader", {{"lease", options_.lease.name}});
}

StatusTask LeaseElector::WriteRelease() {
  const absl::StatusOr<kube::RawObject> raw = co_await client_.Get(kLeases, options_.lease);
  if (kube::SaysNotFound(raw.status())) co_return absl::OkStatus();
  CO_RETURN_IF_ERROR(raw.status());
  CO_ASSIGN_OR_RETURN(json::value lease, ParseJson(raw->json));
  if (!lease.is_object()) co_return absl::DataLossError("the Lease is no object");
  const LeaseRecord record = ReadLease(lease);
  if (record.holder != options_.identity) co_return absl::OkStatus();
  WriteLease(Released(record, clock_.Now()), lease);
  const kube::WriteOptions options;
  co_return (co_await client_.Update(kLeases, lease, options)).status();
}

VoidTask LeaseElector::Release() {
  const bool was_leader = term_->IsLive();
  term_->Revoke();
  metrics_->master.Set(0);
  if (!was_leader) co_return;
  const absl::Status status =
      co_await WithTimeout(clock_, options_.renew_deadline / 2, "the Lease", WriteRelease());
  if (status.ok()) {
    log::Info("Released", {{"lease", options_.lease.name}});
  } else {
    log::Warning("The Lease could not be released; it will run out",
                 {{"lease", options_.lease.name}, {"err", status}});
  }
}

}  // namespace steward::controllers
