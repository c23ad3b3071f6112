#include "kube/grpc/admission.h"

#include "base/text/str_cat.h"
#include "kube/meta/status.h"

namespace steward::kube {
namespace {

constexpr int kRetrySeconds = 1;

}  // namespace

Admission::Place& Admission::Place::operator=(Place&& other) noexcept {
  std::swap(taken_, other.taken_);
  return *this;
}

Admission::Place::~Place() {
  if (taken_ != nullptr) taken_->fetch_sub(1);
}

absl::StatusOr<Admission::Place> Admission::Enter() {
  if (taken_.fetch_add(1) < limit_) return Place(taken_);
  taken_.fetch_sub(1);
  return ToStatus(
      TooManyRequests(StrCat("too many ", what_, ", please try again later"), kRetrySeconds));
}

}  // namespace steward::kube
