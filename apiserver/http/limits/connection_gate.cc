#include "apiserver/http/limits/connection_gate.h"

#include <utility>

namespace steward::http {
namespace ip = boost::asio::ip;

bool ConnectionGate::SourceFull(const ip::address& source) const {
  const auto found = sources_.find(source);
  return found != sources_.end() && found->second.connections >= max_per_source_;
}

ConnectionGate::Verdict ConnectionGate::Judge(const ip::address& source) const {
  if (total_ - leaving_ >= max_ || total_ >= max_ + kMaxLeaving) return Verdict::kFull;
  if (SourceFull(source)) {
    return provisional_ < kMaxProvisional ? Verdict::kProvisional : Verdict::kSourceFull;
  }
  return others_ < max_others_ ? Verdict::kAdmitted : Verdict::kProvisional;
}

ConnectionGate::Verdict ConnectionGate::MakeRoom(const ip::address& source,
                                                 std::function<void()>& close) {
  const Verdict verdict = Judge(source);
  if (verdict == Verdict::kAdmitted || total_ >= max_ + kMaxLeaving) return verdict;
  if (SourceFull(source)) {
    auto& idle = sources_.find(source)->second.idle;
    if (idle.empty()) return verdict;
    close = Displace(idle.front());
  } else {
    if (idle_.empty()) return verdict;
    close = Displace(idle_.front());
  }
  return Judge(source);
}

std::function<void()> ConnectionGate::Displace(Pass& pass) {
  Move(pass, Pass::Place::kNone);
  ++shed_;
  return std::exchange(pass.close_, nullptr);
}

void ConnectionGate::Move(Pass& pass, Pass::Place to) {
  switch (std::exchange(pass.place_, to)) {
    case Pass::Place::kOthers: {
      Unlink(pass);
      --others_;
      const auto found = sources_.find(pass.source_);
      if (--found->second.connections == 0) sources_.erase(found);
      break;
    }
    case Pass::Place::kProvisional:
      --provisional_;
      break;
    case Pass::Place::kFrontProxy:
      break;
    case Pass::Place::kNone:
      --leaving_;
      break;
  }
  switch (to) {
    case Pass::Place::kOthers:
      ++others_;
      ++sources_[pass.source_].connections;
      Link(pass);
      break;
    case Pass::Place::kProvisional:
      ++provisional_;
      break;
    case Pass::Place::kFrontProxy:
      break;
    case Pass::Place::kNone:
      ++leaving_;
      break;
  }
}

void ConnectionGate::Link(Pass& pass) {
  idle_.push_back(pass);
  sources_[pass.source_].idle.push_back(pass);
}

void ConnectionGate::Unlink(Pass& pass) {
  pass.of_all_.unlink();
  pass.of_source_.unlink();
}

std::unique_ptr<ConnectionGate::Pass> ConnectionGate::Admit(const ip::address& source) {
  std::function<void()> close;
  std::unique_ptr<Pass> pass;
  {
    MutexLock lock(&mutex_);
    const Verdict verdict = MakeRoom(source, close);
    if (verdict == Verdict::kFull) ++rejected_full_;
    if (verdict == Verdict::kSourceFull) ++rejected_source_;
    if (verdict == Verdict::kAdmitted || verdict == Verdict::kProvisional) {
      pass.reset(new Pass(*this, source));
      ++total_;
      ++leaving_;
      Move(*pass, verdict == Verdict::kAdmitted ? Pass::Place::kOthers : Pass::Place::kProvisional);
    }
  }
  if (close) close();
  return pass;
}

void ConnectionGate::Shed() {
  std::function<void()> close;
  {
    MutexLock lock(&mutex_);
    if (!idle_.empty()) close = Displace(idle_.front());
  }
  if (close) close();
}

ConnectionGate::Stats ConnectionGate::stats() const {
  MutexLock lock(&mutex_);
  return {total_, rejected_full_, rejected_source_, shed_};
}

ConnectionGate::Pass::~Pass() {
  MutexLock lock(&gate_.mutex_);
  gate_.Move(*this, Place::kNone);
  --gate_.leaving_;
  --gate_.total_;
}

bool ConnectionGate::Pass::Enter(std::function<void()> close) {
  MutexLock lock(&gate_.mutex_);
  if (place_ == Place::kNone) return false;
  close_ = std::move(close);
  return true;
}

bool ConnectionGate::Pass::provisional() const {
  MutexLock lock(&gate_.mutex_);
  return place_ == Place::kProvisional;
}

bool ConnectionGate::Pass::Settle(bool front_proxy) {
  std::function<void()> close;
  bool settled = false;
  {
    MutexLock lock(&gate_.mutex_);
    if (place_ == Place::kNone) return false;
    if (front_proxy) {
      known_ = true;
      gate_.Move(*this, Place::kFrontProxy);
    }
    if (place_ != Place::kProvisional) return true;
    // The connection must not block itself.
    gate_.Move(*this, Place::kNone);
    settled = gate_.MakeRoom(source_, close) == Verdict::kAdmitted;
    if (settled) {
      gate_.Move(*this, Place::kOthers);
    } else {
      ++(gate_.SourceFull(source_) ? gate_.rejected_source_ : gate_.rejected_full_);
    }
  }
  if (close) close();
  return settled;
}

void ConnectionGate::Pass::Busy() {
  if (known_) return;
  MutexLock lock(&gate_.mutex_);
  Unlink(*this);
}

void ConnectionGate::Pass::Idle(bool known) {
  if (known_) return;
  MutexLock lock(&gate_.mutex_);
  Unlink(*this);
  known_ = known;
  if (!known && place_ == Place::kOthers) gate_.Link(*this);
}

}  // namespace steward::http
