#include "apiserver/http/connection_gate.h"

#include <utility>

namespace steward::http {
namespace ip = boost::asio::ip;

ConnectionGate::Verdict ConnectionGate::Judge(const ip::address& source) const {
  if (total_ >= max_) return Verdict::kFull;
  const auto found = sources_.find(source);
  const size_t of_source = found == sources_.end() ? 0 : found->second;
  if (of_source >= max_per_source_) {
    return provisional_ < kMaxProvisional ? Verdict::kProvisional : Verdict::kSourceFull;
  }
  return others_ < max_others_ ? Verdict::kAdmitted : Verdict::kProvisional;
}

void ConnectionGate::Count(const ip::address& source) {
  ++others_;
  ++sources_[source];
}

void ConnectionGate::Uncount(const ip::address& source) {
  --others_;
  const auto found = sources_.find(source);
  if (--found->second == 0) sources_.erase(found);
}

ConnectionGate::Admission ConnectionGate::Admit(const ip::address& source) {
  MutexLock lock(&mutex_);
  Admission admission;
  admission.verdict = Judge(source);
  const bool provisional = admission.verdict == Verdict::kProvisional;
  if (!provisional && admission.verdict != Verdict::kAdmitted) return admission;
  ++total_;
  if (provisional) {
    ++provisional_;
  } else {
    Count(source);
  }
  admission.pass.reset(new Pass(*this, source, provisional));
  return admission;
}

bool ConnectionGate::Pass::Settle(bool front_proxy) {
  MutexLock lock(&gate_.mutex_);
  if (!provisional_) {
    if (front_proxy && counted_) gate_.Uncount(source_);
    if (front_proxy) counted_ = false;
    return true;
  }
  --gate_.provisional_;
  provisional_ = false;
  counted_ = false;
  if (front_proxy) return true;
  // Its own place in the total is taken already.
  --gate_.total_;
  const bool fits = gate_.Judge(source_) == Verdict::kAdmitted;
  ++gate_.total_;
  if (fits) gate_.Count(source_);
  counted_ = fits;
  return fits;
}

ConnectionGate::Pass::~Pass() {
  MutexLock lock(&gate_.mutex_);
  --gate_.total_;
  if (!counted_) return;
  if (provisional_) {
    --gate_.provisional_;
  } else {
    gate_.Uncount(source_);
  }
}

bool ConnectionGate::crowded() const {
  MutexLock lock(&mutex_);
  return others_ >= max_others_;
}

size_t ConnectionGate::connections() const {
  MutexLock lock(&mutex_);
  return total_;
}

}  // namespace steward::http
