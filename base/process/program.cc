#include "base/process/program.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <string_view>
#include <utility>

#include "base/process/spawn.h"
#include "base/status/macros.h"
#include "base/text/str_cat.h"

namespace steward {
namespace {

// The interval of checks whether the program has ended, while others may keep its output open.
constexpr int kTickMilliseconds = 50;
// The same interval once the program has closed its output.
constexpr int kShortTickMilliseconds = 2;

class Descriptor {
 public:
  explicit Descriptor(int fd = -1) : fd_(fd) {}
  Descriptor(Descriptor&& other) noexcept : fd_(std::exchange(other.fd_, -1)) {}
  Descriptor& operator=(Descriptor&& other) noexcept {
    std::swap(fd_, other.fd_);
    return *this;
  }
  ~Descriptor() { Close(); }

  int get() const { return fd_; }
  void Close() {
    if (fd_ >= 0) ::close(std::exchange(fd_, -1));
  }

 private:
  int fd_;
};

struct Pipe {
  Descriptor read;
  Descriptor write;
};

absl::StatusOr<Pipe> MakePipe() {
  int ends[2];
  if (::pipe2(ends, O_CLOEXEC) != 0) return absl::ErrnoToStatus(errno, "pipe");
  return Pipe{Descriptor(ends[0]), Descriptor(ends[1])};
}

absl::StatusOr<pid_t> Start(const Program& program, const Pipe& output, const Pipe& errors) {
  std::vector<std::string> args = program.args;
  args.insert(args.begin(), program.command);
  return Spawn(std::move(args), program.environment, [&](posix_spawn_file_actions_t& actions) {
    if (!program.shares_input) {
      posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
    }
    posix_spawn_file_actions_adddup2(&actions, output.write.get(), STDOUT_FILENO);
    posix_spawn_file_actions_adddup2(&actions, errors.write.get(), STDERR_FILENO);
  });
}

// Reads a program's output until it has ended.
class Reading {
 public:
  Reading(const Program& program, pid_t pid, Descriptor output, Descriptor errors)
      : program_(program), pid_(pid), output_(std::move(output)), errors_(std::move(errors)) {}

  ProgramResult Finish() &&;

 private:
  using SteadyTime = std::chrono::steady_clock::time_point;

  bool IsOpen() const { return output_.get() >= 0 || errors_.get() >= 0; }
  bool ReadFor(int milliseconds);
  void ReadOutput();
  void ReadErrors();
  // True if the program has ended. `options` are those of waitpid(2).
  bool Reap(int options);
  // Kills the program, if it has not ended.
  void Kill(ProgramResult::End end);

  const Program& program_;
  const pid_t pid_;
  Descriptor output_;
  Descriptor errors_;
  ProgramResult result_;
  bool reaped_ = false;
  bool killed_ = false;
};

void Reading::ReadOutput() {
  char block[16 << 10];
  const ssize_t size = ::read(output_.get(), block, sizeof(block));
  if (size <= 0) return output_.Close();
  const size_t room = program_.max_output - result_.output.size();
  result_.output.append(block, std::min(room, static_cast<size_t>(size)));
  if (static_cast<size_t>(size) > room) Kill(ProgramResult::End::kTooMuchOutput);
}

void Reading::ReadErrors() {
  char block[4 << 10];
  const ssize_t size = ::read(errors_.get(), block, sizeof(block));
  if (size <= 0) return errors_.Close();
  const std::string_view text(block, static_cast<size_t>(size));
  if (program_.shares_errors) {
    [[maybe_unused]] const ssize_t ignored = ::write(STDERR_FILENO, text.data(), text.size());
  }
  result_.errors += text;
  if (result_.errors.size() > ProgramResult::kMaxErrors) {
    result_.errors.erase(0, result_.errors.size() - ProgramResult::kMaxErrors);
  }
}

// Reads output that is there, or comes within that time. False if there was none.
bool Reading::ReadFor(int milliseconds) {
  pollfd waits[] = {{output_.get(), POLLIN, 0}, {errors_.get(), POLLIN, 0}};  // poll(2) ignores -1
  if (::poll(waits, 2, milliseconds) <= 0) return false;
  if (waits[0].revents != 0) ReadOutput();
  if (waits[1].revents != 0) ReadErrors();
  return true;
}

bool Reading::Reap(int options) {
  int status = 0;
  pid_t reaped = 0;
  do {
    reaped = ::waitpid(pid_, &status, options);
  } while (reaped < 0 && errno == EINTR);
  if (reaped == 0) return false;
  reaped_ = true;
  if (killed_) return true;
  result_.end = WIFSIGNALED(status) ? ProgramResult::End::kKilled : ProgramResult::End::kExited;
  result_.code = WIFSIGNALED(status) ? WTERMSIG(status) : WEXITSTATUS(status);
  return true;
}

void Reading::Kill(ProgramResult::End end) {
  if (std::exchange(killed_, true)) return;
  result_.end = end;
  if (!reaped_) ::kill(pid_, SIGKILL);
}

ProgramResult Reading::Finish() && {
  const SteadyTime late =
      std::chrono::steady_clock::now() + absl::ToChronoNanoseconds(program_.limit);
  while (!killed_ && !Reap(WNOHANG)) {
    ReadFor(IsOpen() ? kTickMilliseconds : kShortTickMilliseconds);
    if (std::chrono::steady_clock::now() >= late) Kill(ProgramResult::End::kLate);
  }
  if (killed_) {
    Reap(0);
    return std::move(result_);
  }
  // Read the rest that was there when the program ended; other processes may go on writing.
  while (IsOpen() && !killed_ && std::chrono::steady_clock::now() < late) {
    if (!ReadFor(0)) break;
  }
  return std::move(result_);
}

}  // namespace

absl::StatusOr<ProgramResult> RunProgram(const Program& program) {
  ASSIGN_OR_RETURN(Pipe output, MakePipe());
  ASSIGN_OR_RETURN(Pipe errors, MakePipe());
  ASSIGN_OR_RETURN(const pid_t pid, Start(program, output, errors));
  output.write.Close();
  errors.write.Close();
  return Reading(program, pid, std::move(output.read), std::move(errors.read)).Finish();
}

}  // namespace steward
