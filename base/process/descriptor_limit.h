// How many files and sockets this process may have open.
#ifndef BASE_PROCESS_DESCRIPTOR_LIMIT_H_
#define BASE_PROCESS_DESCRIPTOR_LIMIT_H_

#include <cstddef>

namespace steward {

// Raises the limit (RLIMIT_NOFILE) as far as the system lets this process, and returns what it is
// then. Thread-safe.
size_t RaiseDescriptorLimit();

}  // namespace steward

#endif  // BASE_PROCESS_DESCRIPTOR_LIMIT_H_
