#include "apiserver/http/drain_deadline.h"

#include <utility>

namespace steward::http {

DrainDeadline::DrainDeadline(DeadlineSet& set, size_t rate, std::function<void()> give_up)
    : rate_(rate),
      give_up_(std::move(give_up)),
      stall_(set, [this] { GiveUp(); }),
      window_end_(set, [this] { JudgeWindow(); }) {}

void DrainDeadline::Begin(absl::Duration window) {
  if (window_end_.armed() && window >= window_) return;
  window_ = window;
  stall_.Set(window_);
  StartWindow();
}

void DrainDeadline::Took(size_t bytes) {
  taken_ += bytes;
  if (bytes > 0 && stall_.armed()) stall_.Set(window_);
}

void DrainDeadline::End() {
  stall_.Clear();
  window_end_.Clear();
}

void DrainDeadline::StartWindow() {
  taken_ = 0;
  window_end_.Set(window_);
}

void DrainDeadline::JudgeWindow() {
  const double wanted = absl::ToDoubleSeconds(window_) * static_cast<double>(rate_);
  if (static_cast<double>(taken_) >= wanted) {
    StartWindow();
  } else {
    GiveUp();
  }
}

void DrainDeadline::GiveUp() {
  End();
  // A copy, since it may destroy this.
  const std::function<void()> give_up = give_up_;
  give_up();
}

}  // namespace steward::http
