#include "kube/grpc/admission.h"

#include <optional>

#include "base/text/str_cat.h"
#include "kube/meta/status.h"

namespace steward::kube {
namespace {

constexpr int kRetrySeconds = 1;

}  // namespace

absl::StatusOr<Admission::Place> Admission::Enter(const std::string& user) {
  if (!closed_) {
    if (std::optional<Place> place = quota_.Take(user)) return *std::move(place);
  }
  return ToStatus(
      TooManyRequests(StrCat("too many ", what_, ", please try again later"), kRetrySeconds));
}

}  // namespace steward::kube
