// The coroutine types of the project. Every function that waits returns one of them. A task stays
// on the executor on which it was spawned.
//
// Cancelling a task (TaskGroup::Stop, or a losing branch of a timeout) unwinds it at its next
// co_await by boost::system::system_error(operation_aborted); destructors release what it holds.
// Nothing else throws.
#ifndef BASE_ASYNC_TASK_H_
#define BASE_ASYNC_TASK_H_

#include <boost/asio/awaitable.hpp>

#include "absl/status/status.h"
#include "absl/status/statusor.h"

namespace steward {

template <typename T>
using Task = boost::asio::awaitable<absl::StatusOr<T>>;
using StatusTask = boost::asio::awaitable<absl::Status>;
using VoidTask = boost::asio::awaitable<void>;

}  // namespace steward

#endif  // BASE_ASYNC_TASK_H_
