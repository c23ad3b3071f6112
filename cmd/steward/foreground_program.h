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
  // Blocks SIGINT, SIGTERM, SIGHUP, SIGQUIT and SIGCHLD in this thread, and in threads that this
  // thread starts from now on. So call it before other threads start.
  static absl::StatusOr<std::unique_ptr<ForegroundProgram>> Create(
      boost::asio::any_io_executor executor);
  ForegroundProgram(const ForegroundProgram&) = delete;
  ForegroundProgram& operator=(const ForegroundProgram&) = delete;

  // Starts the program `command`. It gets this process's standard input, output and error, and no
  // other open file. `environment` is its whole environment, "NAME=value". kNotFound or
  // kPermissionDenied when it cannot be started. Called once, before or during WaitForEnd.
  absl::Status Start(const std::vector<std::string>& command,
                     const std::vector<std::string>& environment);

  // Returns when the program has ended, with an exit code as a shell gives it: the program's own,
  // or 128 plus the signal that ended it. While no program runs, returns at the first signal, with
  // 128 plus its number. While one runs, passes this process's signals on to it, except those of
  // the terminal, which the program gets from the terminal itself.
  Task<int> WaitForEnd();

 private:
  ForegroundProgram(boost::asio::any_io_executor executor, int fd) : signals_(executor, fd) {}

  boost::asio::posix::stream_descriptor signals_;
  pid_t program_ = 0;
};

}  // namespace steward

#endif  // CMD_STEWARD_FOREGROUND_PROGRAM_H_
