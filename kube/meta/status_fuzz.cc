#include <cstdint>
#include <cstdlib>

#include "kube/meta/status.h"

// Every Status that parses survives conversion to the wire form and to absl::Status.
extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  namespace kube = steward::kube;
  const absl::StatusOr<kube::Status> status =
      kube::ParseStatus({reinterpret_cast<const char*>(data), size});
  if (!status.ok()) return 0;
  const absl::StatusOr<kube::Status> again = kube::ParseStatus(kube::ToJson(*status));
  if (!again.ok() || *again != *status) std::abort();
  if (kube::FromStatus(kube::ToStatus(*status)) != *status) std::abort();
  return 0;
}
