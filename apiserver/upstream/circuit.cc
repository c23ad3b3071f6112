#include "apiserver/upstream/circuit.h"

#include <algorithm>
#include <utility>

#include "absl/status/status.h"

namespace steward::upstream {

Circuit::Circuit(Clock& clock, Random& random, CircuitOptions options)
    : clock_(clock), options_(options), backoff_(options.open, random) {}

Circuit::Pass::Pass(Pass&& other) noexcept
    : circuit_(std::exchange(other.circuit_, nullptr)), probe_(other.probe_) {}

Circuit::Pass::~Pass() {
  if (circuit_ != nullptr) circuit_->NoteNothing(probe_);
}

void Circuit::Pass::Succeeded() { std::exchange(circuit_, nullptr)->NoteSuccess(); }

void Circuit::Pass::Failed(std::string why) {
  std::exchange(circuit_, nullptr)->NoteFailure(probe_, std::move(why));
}

absl::StatusOr<Circuit::Pass> Circuit::Enter() {
  MutexLock lock(&mutex_);
  if (!open_) return Pass(this, /*probe=*/false);
  if (probing_ || clock_.Monotonic() < until_) return absl::UnavailableError(why_);
  probing_ = true;
  return Pass(this, /*probe=*/true);
}

absl::Duration Circuit::OpenFor() const {
  MutexLock lock(&mutex_);
  if (!open_) return absl::ZeroDuration();
  return std::max(until_ - clock_.Monotonic(), absl::ZeroDuration());
}

bool Circuit::open() const {
  MutexLock lock(&mutex_);
  return open_;
}

void Circuit::NoteSuccess() {
  MutexLock lock(&mutex_);
  failures_ = 0;
  open_ = false;
  probing_ = false;
  backoff_.Reset();
}

void Circuit::NoteFailure(bool probe, std::string why) {
  MutexLock lock(&mutex_);
  why_ = std::move(why);
  ++failures_;
  if (probe) probing_ = false;
  // Failures of calls that began before the circuit opened are not counted.
  const bool opens = probe || (!open_ && failures_ >= options_.failures);
  if (!opens) return;
  open_ = true;
  until_ = clock_.Monotonic() + backoff_.Next();
}

void Circuit::NoteNothing(bool probe) {
  MutexLock lock(&mutex_);
  if (probe) probing_ = false;
}

}  // namespace steward::upstream
