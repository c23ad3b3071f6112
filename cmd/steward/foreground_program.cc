#include "cmd/steward/foreground_program.h"

#include <pthread.h>
#include <signal.h>
#include <sys/signalfd.h>
#include <sys/wait.h>
#include <unistd.h>

#include <boost/asio/redirect_error.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <cerrno>
#include <optional>
#include <system_error>
#include <utility>

#include "base/process/spawn.h"
#include "base/status/macros.h"

namespace steward {
namespace asio = boost::asio;
namespace {

constexpr int kSignalled = 128;

sigset_t Followed() {
  sigset_t set;
  sigemptyset(&set);
  for (const int signal : {SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGCHLD}) sigaddset(&set, signal);
  return set;
}

// The exit code of the program, if it has ended.
std::optional<int> Reap(pid_t program) {
  int status = 0;
  if (waitpid(program, &status, WNOHANG) != program) return std::nullopt;
  return WIFSIGNALED(status) ? kSignalled + WTERMSIG(status) : WEXITSTATUS(status);
}

}  // namespace

absl::StatusOr<std::unique_ptr<ForegroundProgram>> ForegroundProgram::Create(
    asio::any_io_executor executor) {
  const sigset_t set = Followed();
  pthread_sigmask(SIG_BLOCK, &set, nullptr);
  const int fd = signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
  if (fd < 0) return absl::ErrnoToStatus(errno, "signals cannot be followed");
  return std::unique_ptr<ForegroundProgram>(new ForegroundProgram(std::move(executor), fd));
}

absl::Status ForegroundProgram::Start(const std::vector<std::string>& command,
                                      const std::vector<std::string>& environment) {
  ASSIGN_OR_RETURN(program_, Spawn(command, environment));
  return absl::OkStatus();
}

Task<int> ForegroundProgram::WaitForEnd() {
  while (true) {
    boost::system::error_code error;
    co_await signals_.async_wait(asio::posix::stream_descriptor::wait_read,
                                 asio::redirect_error(asio::use_awaitable, error));
    if (error) throw boost::system::system_error(error);
    signalfd_siginfo signal{};
    while (read(signals_.native_handle(), &signal, sizeof(signal)) == sizeof(signal)) {
      const int number = static_cast<int>(signal.ssi_signo);
      if (number == SIGCHLD) {
        const std::optional<int> code = program_ > 0 ? Reap(program_) : std::nullopt;
        if (code.has_value()) {
          program_ = 0;
          co_return *code;
        }
      } else if (program_ == 0) {
        co_return kSignalled + number;
      } else if (signal.ssi_code != SI_KERNEL) {
        kill(program_, number);
      }
    }
  }
}

}  // namespace steward
