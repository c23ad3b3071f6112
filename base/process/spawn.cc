#include "base/process/spawn.h"

#include <signal.h>
#include <unistd.h>

#include <cerrno>
#include <map>
#include <system_error>
#include <utility>

#include "absl/cleanup/cleanup.h"
#include "absl/status/status.h"
#include "base/text/str_cat.h"

namespace steward {
namespace {

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

}  // namespace

absl::StatusOr<pid_t> Spawn(std::vector<std::string> args,
                            const std::vector<std::string>& environment, const Redirect& redirect) {
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  const absl::Cleanup destroy_actions = [&] { posix_spawn_file_actions_destroy(&actions); };
  if (redirect) redirect(actions);
  posix_spawn_file_actions_addclosefrom_np(&actions, STDERR_FILENO + 1);
  // The program must not inherit ignored or blocked signals of this process.
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

  std::vector<std::string> entries = LastOfEqualNames(environment);
  pid_t pid = 0;
  const int error = ::posix_spawnp(&pid, args.front().c_str(), &actions, &attributes,
                                   Pointers(args).data(), Pointers(entries).data());
  if (error == 0) return pid;
  const std::string why = StrCat(args.front(), ": ", std::generic_category().message(error));
  if (error == ENOENT) return absl::NotFoundError(why);
  if (error == EACCES) return absl::PermissionDeniedError(why);
  return absl::UnavailableError(why);
}

}  // namespace steward
