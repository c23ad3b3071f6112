// Recognition of cancellation in an exception. Thread-safe.
#ifndef BASE_ASYNC_CANCELLATION_H_
#define BASE_ASYNC_CANCELLATION_H_

#include <exception>

namespace steward {

// True for the exception by which a cancelled task ends: system_error(operation_aborted).
// REQUIRES: `exception` is not null.
bool IsCancellation(const std::exception_ptr& exception);

}  // namespace steward

#endif  // BASE_ASYNC_CANCELLATION_H_
