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
#include <map>
#include <string_view>
#include <system_error>
#include <utility>

#include "absl/cleanup/cleanup.h"
#include "base/status/macros.h"
#include "base/text/str_cat.h"

namespace steward {
namespace {

// The time within which the end of a program is noticed whose output others keep open.
constexpr int kTickMilliseconds = 50;
// The same of one that has closed its output.
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

// A null-terminated list for exec(3) that points into `texts`.
std::vector<char*> Pointers(std::vector<std::string>& texts) {
  std::vector<char*> pointers;
  for (std::string& text : texts) pointers.push_back(text.data());
  pointers.push_back(nullptr);
  return pointers;
}

std::vector<std::string> LastOfEqualNames(const std::vector<std::string>& environment) {
  std::map<std::string, std::string> by_name;
  for (const std::string& entry : environment) by_name[entry.substr(0, entry.find('='))] = entry;
  std::vector<std::string> entries;
  for (auto& [name, entry] : by_name) entries.push_back(std::move(entry));
  return entries;
}

absl::StatusOr<pid_t> Start(const Program& program, const Pipe& output, const Pipe& errors) {
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  const absl::Cleanup destroy_actions = [&] { posix_spawn_file_actions_destroy(&actions); };
  if (!program.shares_input) {
    posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
  }
  posix_spawn_file_actions_adddup2(&actions, output.write.get(), STDOUT_FILENO);
  posix_spawn_file_actions_adddup2(&actions, errors.write.get(), STDERR_FILENO);
  posix_spawn_file_actions_addclosefrom_np(&actions, STDERR_FILENO + 1);
  // Signals that this process ignores or blocks are not the program's concern.
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

  std::vector<std::string> args = program.args;
  args.insert(args.begin(), program.command);
  std::vector<std::string> environment = LastOfEqualNames(program.environment);
  pid_t pid = 0;
  const int error = ::posix_spawnp(&pid, program.command.c_str(), &actions, &attributes,
                                   Pointers(args).data(), Pointers(environment).data());
  if (error == 0) return pid;
  const std::string why = StrCat(program.command, ": ", std::generic_category().message(error));
  if (error == ENOENT) return absl::NotFoundError(why);
  if (error == EACCES) return absl::PermissionDeniedError(why);
  return absl::UnavailableError(why);
}

// The reading of a program's output until it has ended.
class Reading {
 public:
  Reading(const Program& program, pid_t pid, Descriptor output, Descriptor errors)
      : program_(program), pid_(pid), output_(std::move(output)), errors_(std::move(errors)) {}

  ProgramResult Finish() &&;

 private:
  using SteadyTime = std::chrono::steady_clock::time_point;

  bool IsOpen() const { return output_.get() >= 0 || errors_.get() >= 0; }
  void ReadFor(int milliseconds);
  void ReadOutput();
  void ReadErrors();
  // True when it had ended.
  bool Reap(int options);
  // Ends it, if it has not ended.
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

// Reads what is there, or comes within that time.
void Reading::ReadFor(int milliseconds) {
  pollfd waits[] = {{output_.get(), POLLIN, 0}, {errors_.get(), POLLIN, 0}};  // -1 is left out
  if (::poll(waits, 2, milliseconds) <= 0) return;
  if (waits[0].revents != 0) ReadOutput();
  if (waits[1].revents != 0) ReadErrors();
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
  // The rest of what the program had written when it ended.
  for (bool more = true; more && !killed_;) {
    const size_t before = result_.output.size() + result_.errors.size();
    const bool open = IsOpen();
    ReadFor(0);
    more = open && (result_.output.size() + result_.errors.size() != before);
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
