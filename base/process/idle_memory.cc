#include "base/process/idle_memory.h"

#include <malloc.h>
#include <unistd.h>

#include <fstream>

namespace steward {
namespace {

// 0 if it cannot be read.
size_t ResidentBytes() {
  std::ifstream statm("/proc/self/statm");
  size_t whole = 0, resident = 0;
  if (!(statm >> whole >> resident)) return 0;
  return resident * static_cast<size_t>(sysconf(_SC_PAGESIZE));
}

}  // namespace

IdleMemory::Allocator IdleMemory::Real() {
  Allocator allocator;
  allocator.idle = []() -> size_t {
    const struct mallinfo2 info = mallinfo2();
    const size_t used = info.uordblks + info.hblkhd;
    const size_t resident = ResidentBytes();
    return resident > used ? resident - used : 0;
  };
  allocator.trim = [] { malloc_trim(0); };
  return allocator;
}

VoidTask IdleMemory::Run() {
  while (true) {
    co_await clock_.Sleep(kPeriod);
    Look();
  }
}

void IdleMemory::Look() {
  if (allocator_.idle() < left_ + kWorthIt) return;
  allocator_.trim();
  left_ = allocator_.idle();
}

}  // namespace steward
