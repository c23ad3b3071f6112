// A limit on concurrent work such as calls, watches or listings, which users share. Thread-safe.
#ifndef KUBE_GRPC_ADMISSION_H_
#define KUBE_GRPC_ADMISSION_H_

#include <cstddef>
#include <string>
#include <utility>

#include "absl/status/statusor.h"
#include "base/fairness/user_quota.h"

namespace steward::kube {

// If there are at least eight places, an eighth of them is reserved for users who hold few
// (Reserve). So one user cannot keep everybody else out.
class Admission {
 public:
  // A place, taken until this object is destroyed. A default-constructed one holds none. REQUIRES:
  // the Admission outlives it.
  using Place = UserQuota::Slot;

  // `what` is the noun in "too many <what>, please try again later". A limit of 0 admits nobody.
  Admission(int limit, std::string what)
      : closed_(limit <= 0),
        what_(std::move(what)),
        quota_({.all = closed_ ? 0 : static_cast<size_t>(limit)}) {}

  // Takes a place for the user; "" counts as a user, too. If no place is free for `user`, the error
  // is a 429 in Kubernetes' words.
  absl::StatusOr<Place> Enter(const std::string& user = "");

 private:
  const bool closed_;
  const std::string what_;
  UserQuota quota_;
};

}  // namespace steward::kube

#endif  // KUBE_GRPC_ADMISSION_H_
