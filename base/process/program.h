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
  bool shares_input = false;   // reads this process's standard input; else nothing is there to read
  bool shares_errors = false;  // what it writes to standard error is also written to ours, at once
  absl::Duration limit = absl::Minutes(1);  // it is killed when it runs longer
  size_t max_output = 1 << 20;              // it is killed when it writes more
};

struct ProgramResult {
  enum class End { kExited, kKilled, kLate, kTooMuchOutput };
  static constexpr size_t kMaxErrors = 4 << 10;

  End end = End::kExited;
  int code = 0;        // of kExited the exit code, of kKilled the signal
  std::string output;  // what it wrote to standard output
  std::string errors;  // the last kMaxErrors bytes of what it wrote to standard error
};

// Runs it until it has ended, whatever becomes of programs that it started. Of this process's open
// files it gets standard input and output alone. kNotFound, kPermissionDenied or kUnavailable when
// it cannot be started.
absl::StatusOr<ProgramResult> RunProgram(const Program& program);

}  // namespace steward

#endif  // BASE_PROCESS_PROGRAM_H_
