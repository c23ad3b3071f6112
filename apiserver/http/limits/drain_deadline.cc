#include "apiserver/http/limits/drain_deadline.h"

#include <utility>

namespace steward::http {

DrainDeadline::DrainDeadline(DeadlineSet& set, std::function<void()> give_up)
    : set_(set),
      give_up_(std::move(give_up)),
      stall_(set, [this] { JudgeStall(); }),
      window_end_(set, [this] { JudgeWindow(); }) {}

void DrainDeadline::Begin(Pace pace) {
  if (window_end_.armed()) return;
  pace_ = pace;
  last_taken_ = set_.now();
  stall_.Set(pace_.window);
  StartWindow();
}

void DrainDeadline::Change(Pace pace) {
  if (!window_end_.armed()) return;
  End();
  Begin(pace);
}

void DrainDeadline::Took(size_t bytes) {
  taken_ += bytes;
  if (bytes > 0) last_taken_ = set_.now();
}

void DrainDeadline::End() {
  stall_.Clear();
  window_end_.Clear();
}

void DrainDeadline::StartWindow() {
  taken_ = 0;
  window_end_.Set(pace_.window);
}

void DrainDeadline::JudgeWindow() {
  const double wanted = absl::ToDoubleSeconds(pace_.window) * static_cast<double>(pace_.rate);
  if (static_cast<double>(taken_) >= wanted) {
    StartWindow();
  } else {
    GiveUp();
  }
}

// Took does not move stall_. So when stall_ expires, this checks how long ago the client last took
// bytes.
void DrainDeadline::JudgeStall() {
  const absl::Duration rest = pace_.window - (set_.now() - last_taken_) * set_.resolution();
  if (rest < absl::ZeroDuration()) {
    GiveUp();
  } else {
    stall_.Set(rest);
  }
}

void DrainDeadline::GiveUp() {
  End();
  // A copy, because the callback may destroy this object.
  const std::function<void()> give_up = give_up_;
  give_up();
}

}  // namespace steward::http
