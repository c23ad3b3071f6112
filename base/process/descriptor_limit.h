// The limit of files and sockets that this process may have open. Thread-safe.
#ifndef BASE_PROCESS_DESCRIPTOR_LIMIT_H_
#define BASE_PROCESS_DESCRIPTOR_LIMIT_H_

#include <cstddef>

namespace steward {

// Raises the limit (RLIMIT_NOFILE) as far as the system allows, and returns the result.
size_t RaiseDescriptorLimit();

}  // namespace steward

#endif  // BASE_PROCESS_DESCRIPTOR_LIMIT_H_
