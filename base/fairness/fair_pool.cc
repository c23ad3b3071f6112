#include "base/fairness/fair_pool.h"

namespace steward {

void FairPool::Unrank(Flow& flow) {
  if (flow.waiting.empty()) return;
  by_held_.erase({flow.held, *flow.waiting.begin(), &flow});
  by_length_.erase({flow.waiting.size(), *flow.waiting.rbegin(), &flow});
}

void FairPool::Rerank(Flow& flow) {
  if (!flow.waiting.empty()) {
    by_held_.emplace(flow.held, *flow.waiting.begin(), &flow);
    by_length_.emplace(flow.waiting.size(), *flow.waiting.rbegin(), &flow);
  } else if (flow.held == 0) {
    const std::string name = flow.name;
    flows_.erase(name);
  }
}

bool FairPool::HasPlaceFor(const Flow& flow) const {
  if (held_ >= limits_.places) return false;
  if (limits_.places_per_flow > 0 && flow.held >= limits_.places_per_flow) return false;
  return !limits_.reserve || reserve_.Allows(held_, flow.held);
}

std::optional<FairPool::Ticket> FairPool::Displace(const Flow& newcomer) {
  if (by_length_.empty()) return std::nullopt;
  const auto [length, newest, longest] = *by_length_.rbegin();
  if (length <= newcomer.waiting.size() + 1) return std::nullopt;
  Unrank(*longest);
  longest->waiting.erase(newest);
  --waiting_;
  flow_of_.erase(newest);
  Rerank(*longest);
  return newest;
}

FairPool::Entry FairPool::Enter(const std::string& name) {
  Flow& flow = flows_[name];
  if (flow.name.empty()) flow.name = name;
  Entry entry;
  const bool free = HasPlaceFor(flow);
  if (!free) {
    const bool full = waiting_ >= limits_.waiting;
    if (flow.waiting.size() >= limits_.waiting_per_flow ||
        (full && !(entry.displaced = Displace(flow)))) {
      if (flow.held == 0 && flow.waiting.empty()) flows_.erase(name);
      return entry;
    }
  }
  Unrank(flow);
  entry.ticket = ++last_;
  flow_of_.emplace(entry.ticket, &flow);
  if (free) {
    entry.answer = Answer::kAdmitted;
    ++flow.held;
    ++held_;
  } else {
    entry.answer = Answer::kWaits;
    flow.waiting.insert(entry.ticket);
    ++waiting_;
  }
  Rerank(flow);
  return entry;
}

std::optional<FairPool::Ticket> FairPool::Leave(Ticket ticket) {
  const auto found = flow_of_.find(ticket);
  Flow& flow = *found->second;
  flow_of_.erase(found);
  Unrank(flow);
  const bool waited = flow.waiting.erase(ticket) > 0;
  if (waited) {
    --waiting_;
  } else {
    --flow.held;
    --held_;
  }
  Rerank(flow);
  if (waited) return std::nullopt;
  return GiveFreePlace();
}

std::optional<FairPool::Ticket> FairPool::GiveFreePlace() {
  if (by_held_.empty()) return std::nullopt;
  // Only one place is free. If the flow holding the fewest may not take it, no flow may.
  Flow& flow = *std::get<Flow*>(*by_held_.begin());
  if (!HasPlaceFor(flow)) return std::nullopt;
  Unrank(flow);
  const Ticket ticket = *flow.waiting.begin();
  flow.waiting.erase(flow.waiting.begin());
  --waiting_;
  ++flow.held;
  ++held_;
  Rerank(flow);
  return ticket;
}

}  // namespace steward
