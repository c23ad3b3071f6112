#include "cmd/steward/foreground_program.h"

#include <pthread.h>
#include <signal.h>
#include <spawn.h>
#include <sys/signalfd.h>
#include <sys/wait.h>
#include <unistd.h>

#include <boost/asio/redirect_error.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <cerrno>
#include <optional>
#include <system_error>
#include <utility>

#include "absl/cleanup/cleanup.h"
#include "base/text/str_cat.h"

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

std::vector<char*> Pointers(std::vector<std::string>& texts) {
  std::vector<char*> pointers;
  for (std::string& text : texts) pointers.push_back(text.data());
  pointers.push_back(nullptr);
  return pointers;
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
                                      std::vector<std::string> environment) {
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  const absl::Cleanup destroy_actions = [&] { posix_spawn_file_actions_destroy(&actions); };
  posix_spawn_file_actions_addclosefrom_np(&actions, STDERR_FILENO + 1);
  // Signals that this process blocks or ignores are not the program's concern.
  posix_spawnattr_t attributes;
  posix_spawnattr_init(&attributes);
  const absl::Cleanup destroy_attributes = [&] { posix_spawnattr_destroy(&attributes); };
  sigset_t none;
  sigemptyset(&none);
  posix_spawnattr_setsigmask(&attributes, &none);
  sigset_t defaults;
  sigemptyset(&defaults);
  sigaddset(&defaults, SIGPIPE);
  posix_spawnattr_setsigdefault(&attributes, &defaults);
  posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);

  std::vector<std::string> args = command;
  const int error = posix_spawnp(&program_, command.front().c_str(), &actions, &attributes,
                                 Pointers(args).data(), Pointers(environment).data());
  if (error == 0) return absl::OkStatus();
  program_ = 0;
  const std::string why = StrCat(command.front(), ": ", std::generic_category().message(error));
  return error == ENOENT ? absl::NotFoundError(why) : absl::PermissionDeniedError(why);
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
