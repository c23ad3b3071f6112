#include "apiserver/http/limits/deadline.h"

#include <utility>

namespace steward::http {

using deadline_internal::Link;

DeadlineSet::DeadlineSet(absl::Duration resolution) : resolution_(resolution) {
  armed_.previous = armed_.next = &armed_;
  due_.previous = due_.next = &due_;
}

bool DeadlineSet::Tick() {
  ++now_;
  // Expired deadlines move to a list of their own first, because their callbacks may change the
  // other.
  for (Link* link = armed_.next; link != &armed_;) {
    auto* deadline = static_cast<Deadline*>(link);
    link = link->next;
    if (deadline->when_ > now_) continue;
    deadline->Clear();
    deadline->InsertBefore(due_);
  }
  return RunDue();
}

bool DeadlineSet::RunDue() {
  for (int i = 0; i < kCallbacksPerTurn && due_.next != &due_; ++i) {
    auto* deadline = static_cast<Deadline*>(due_.next);
    deadline->Clear();
    // A copy, because the callback may destroy its deadline.
    const std::function<void()> callback = deadline->expired_;
    callback();
  }
  return due_.next != &due_;
}

Deadline::Deadline(DeadlineSet& set, std::function<void()> expired)
    : set_(set), expired_(std::move(expired)) {}

void Deadline::Set(absl::Duration duration) {
  absl::Duration rest;
  const int64_t ticks = absl::IDivDuration(duration, set_.resolution_, &rest);
  // One tick more, because the next tick may be near.
  when_ = set_.now_ + ticks + (rest > absl::ZeroDuration() ? 1 : 0) + 1;
  // The deadline may be in the list of those that have expired.
  Clear();
  InsertBefore(set_.armed_);
}

void Deadline::Clear() {
  if (!armed()) return;
  previous->next = next;
  next->previous = previous;
  previous = next = nullptr;
}

void Deadline::InsertBefore(Link& position) {
  previous = position.previous;
  next = &position;
  previous->next = this;
  position.previous = this;
}

}  // namespace steward::http
