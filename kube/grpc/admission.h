// A limit on concurrent work such as calls, watches or listings. Thread-safe.
#ifndef KUBE_GRPC_ADMISSION_H_
#define KUBE_GRPC_ADMISSION_H_

#include <atomic>
#include <string>
#include <utility>

#include "absl/status/statusor.h"

namespace steward::kube {

class Admission {
 public:
  // `what` is the noun in "too many <what>, please try again later".
  Admission(int limit, std::string what) : limit_(limit), what_(std::move(what)) {}

  // A place, taken until this object is destroyed. The Admission must outlive it.
  class Place {
   public:
    Place() = default;  // an empty object holds no place
    Place(Place&& other) noexcept : taken_(std::exchange(other.taken_, nullptr)) {}
    Place& operator=(Place&& other) noexcept;
    ~Place();

   private:
    friend class Admission;
    explicit Place(std::atomic<int>& taken) : taken_(&taken) {}
    std::atomic<int>* taken_ = nullptr;
  };

  // Takes a place. When none is free, the error is a 429 in Kubernetes' words.
  absl::StatusOr<Place> Enter();

 private:
  const int limit_;
  const std::string what_;
  std::atomic<int> taken_{0};
};

}  // namespace steward::kube

#endif  // KUBE_GRPC_ADMISSION_H_
