// Early return on errors of absl::Status, in functions and in coroutines. Stateless.
//
//   RETURN_IF_ERROR(expr)            CO_RETURN_IF_ERROR(expr)
//   ASSIGN_OR_RETURN(auto x, expr)   CO_ASSIGN_OR_RETURN(auto x, co_await expr)
#ifndef BASE_STATUS_MACROS_H_
#define BASE_STATUS_MACROS_H_

#include <utility>

#include "absl/status/status.h"
#include "absl/status/statusor.h"

#define STEWARD_CONCAT_INNER_(a, b) a##b
#define STEWARD_CONCAT_(a, b) STEWARD_CONCAT_INNER_(a, b)

#define STEWARD_RETURN_IF_ERROR_(ret, expr)                          \
  do {                                                               \
    if (::absl::Status status_ = (expr); !status_.ok()) [[unlikely]] \
      ret status_;                                                   \
  } while (false)

#define STEWARD_ASSIGN_OR_RETURN_(ret, result, lhs, expr) \
  auto result = (expr);                                   \
  if (!result.ok()) [[unlikely]]                          \
    ret std::move(result).status();                       \
  lhs = *std::move(result)

#define RETURN_IF_ERROR(expr) STEWARD_RETURN_IF_ERROR_(return, expr)
#define CO_RETURN_IF_ERROR(expr) STEWARD_RETURN_IF_ERROR_(co_return, expr)

#define ASSIGN_OR_RETURN(lhs, ...) \
  STEWARD_ASSIGN_OR_RETURN_(return, STEWARD_CONCAT_(result_, __LINE__), lhs, (__VA_ARGS__))
#define CO_ASSIGN_OR_RETURN(lhs, ...) \
  STEWARD_ASSIGN_OR_RETURN_(co_return, STEWARD_CONCAT_(result_, __LINE__), lhs, (__VA_ARGS__))

#endif  // BASE_STATUS_MACROS_H_
