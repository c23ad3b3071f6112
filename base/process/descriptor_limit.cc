#include "base/process/descriptor_limit.h"

#include <sys/resource.h>

namespace steward {

size_t RaiseDescriptorLimit() {
  constexpr size_t kPosixMinimum = 20;
  rlimit limit{};
  if (::getrlimit(RLIMIT_NOFILE, &limit) != 0) return kPosixMinimum;
  const rlim_t before = limit.rlim_cur;
  limit.rlim_cur = limit.rlim_max;
  if (before < limit.rlim_max && ::setrlimit(RLIMIT_NOFILE, &limit) != 0) return before;
  return limit.rlim_cur;
}

}  // namespace steward
