// A program that another process runs to its end. Thread-safe; blocks.
#ifndef BASE_PROCESS_PROGRAM_H_
#define BASE_PROCESS_PROGRAM_H_

#include <cstddef>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/time/time.h"

namespace steward {

struct Program {
  std::string command;  // a path, or a name without a slash that is looked up in PATH
  std::vector<std::string> args;
  std::vector<std::string> environment;  // all of it, "NAME=value"; of equal names the last counts
  bool shares_input = false;   // reads this process's standard input; else it gets an empty input
  bool shares_errors = false;  // its standard error is also written to ours, at once
  absl::Duration limit = absl::Minutes(1);  // the program is killed when it runs longer
  // the program is killed when it writes more to standard output
  size_t max_output = 1 << 20;
};

struct ProgramResult {
  enum class End { kExited, kKilled, kLate, kTooMuchOutput };
  static constexpr size_t kMaxErrors = 4 << 10;

  End end = End::kExited;
  int code = 0;        // kExited: the exit code; kKilled: the signal
  std::string output;  // what it wrote to standard output
  std::string errors;  // the last kMaxErrors bytes of what it wrote to standard error
};

// Runs the program until it has ended; does not wait for programs that it started. Of this
// process's open files, the program gets standard input and output only. kNotFound,
// kPermissionDenied or kUnavailable if it cannot be started.
absl::StatusOr<ProgramResult> RunProgram(const Program& program);

}  // namespace steward

#endif  // BASE_PROCESS_PROGRAM_H_
