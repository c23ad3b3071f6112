#include "base/clock/heartbeats.h"

#include <utility>

#include "base/text/str_cat.h"

namespace steward {
namespace {

constexpr absl::Duration kPeriod = absl::Seconds(1);

}  // namespace

// Registers a thread for as long as this object lives, and with it the thread's last beat.
class Heartbeats::Registered {
 public:
  Registered(Heartbeats& of, std::string name) : of_(of) {
    MutexLock lock(&of_.mutex_);
    place_ = of_.pulses_.insert(of_.pulses_.end(), {std::move(name), of_.clock_.Monotonic()});
  }
  ~Registered() {
    MutexLock lock(&of_.mutex_);
    of_.pulses_.erase(place_);
  }
  Registered(const Registered&) = delete;
  Registered& operator=(const Registered&) = delete;

  void Beat() {
    MutexLock lock(&of_.mutex_);
    place_->last = of_.clock_.Monotonic();
  }

 private:
  Heartbeats& of_;
  std::list<Pulse>::iterator place_;
};

VoidTask Heartbeats::Beat(std::string name) {
  Registered pulse(*this, std::move(name));
  for (;;) {
    co_await clock_.Sleep(kPeriod);
    pulse.Beat();
  }
}

absl::Status Heartbeats::Check() const {
  const absl::Duration now = clock_.Monotonic();
  std::string silent;
  MutexLock lock(&mutex_);
  for (const Pulse& pulse : pulses_) {
    if (now - pulse.last <= limit_) continue;
    StrAppend(&silent, silent.empty() ? "" : ", ", pulse.name, " for ",
              absl::FormatDuration(absl::Trunc(now - pulse.last, absl::Seconds(1))));
  }
  if (silent.empty()) return absl::OkStatus();
  return absl::UnavailableError(StrCat("silent: ", silent));
}

}  // namespace steward
