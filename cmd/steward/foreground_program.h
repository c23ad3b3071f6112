// The signals of this process, and one program that it runs for its user. Used on one executor.
#ifndef CMD_STEWARD_FOREGROUND_PROGRAM_H_
#define CMD_STEWARD_FOREGROUND_PROGRAM_H_

#include <sys/types.h>

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/posix/stream_descriptor.hpp>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "base/async/task.h"

namespace steward {

class ForegroundProgram {
 public:
  // Blocks SIGINT, SIGTERM, SIGHUP, SIGQUIT and SIGCHLD in this thread and in those that it starts
  // from now on: create it first.
  static absl::StatusOr<std::unique_ptr<ForegroundProgram>> Create(
      boost::asio::any_io_executor executor);
  ForegroundProgram(const ForegroundProgram&) = delete;
  ForegroundProgram& operator=(const ForegroundProgram&) = delete;

  // Starts it with this process's standard input, output and errors and nothing else that is open.
  // `environment` is all of it, "NAME=value". kNotFound or kPermissionDenied when it cannot be
  // started. Called once, before or after WaitForEnd began.
  absl::Status Start(const std::vector<std::string>& command,
                     const std::vector<std::string>& environment);

  // Returns when the program has ended, with the exit code of a shell: its own, or 128 and the
  // signal that ended it; and while there is none, at the first signal, with 128 and its number.
  // Until then the program gets the signals that this process gets, but for those of the terminal,
  // which it gets from there.
  Task<int> WaitForEnd();

 private:
  ForegroundProgram(boost::asio::any_io_executor executor, int fd) : signals_(executor, fd) {}

  boost::asio::posix::stream_descriptor signals_;
  pid_t program_ = 0;
};

}  // namespace steward

#endif  // CMD_STEWARD_FOREGROUND_PROGRAM_H_
