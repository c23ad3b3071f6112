// The interface of a command of `kubectl steward` or `steward NOUN VERB`, with its name, its flags
// and its work. Not thread-safe.
#ifndef PLUGIN_COMMAND_COMMAND_H_
#define PLUGIN_COMMAND_COMMAND_H_

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/time/time.h"
#include "base/async/task.h"
#include "kube/client/kubeconfig.h"
#include "plugin/command/output.h"
#include "plugin/command/session.h"

namespace CLI {
class App;
}

namespace steward::plugin {

// The flags of all commands.
struct CommonFlags {
  std::string kubeconfig;
  kube::KubeconfigOverrides cluster;
  absl::Duration request_timeout;  // of each request; zero = the client's own limits
  int verbosity = 0;               // from 6 on, requests are printed
  std::string ns;                  // "" = that of the context
  std::string output;              // a value for which IsOutput is true
  bool yes = false;                // for commands that ask
};

// Whether a command needs a cluster.
enum class ClusterNeed {
  kAlways,
  kIfFound,  // if no cluster is found, the session's client refuses each call and says why
  kNever,    // no cluster is looked for, and the session's client refuses each call
};

// One use of a command.
class Command {
 public:
  virtual ~Command() = default;

  // Adds flags and arguments, bound to this object, which outlives the parsing.
  virtual void AddFlags(CLI::App& app) = 0;
  // Refuses combinations of flags that CLI11 cannot refuse: kInvalidArgument with one sentence.
  virtual absl::Status Check(const CommonFlags&) const { return absl::OkStatus(); }
  // How much this use, by its parsed flags, needs a cluster. Asked only if
  // KnownCommand::needs_cluster.
  virtual ClusterNeed NeedOfCluster() const { return ClusterNeed::kAlways; }
  // Does the work that the parsed flags ask for. REQUIRES: this object and the session outlive the
  // task.
  virtual StatusTask Run(Session& session) = 0;
};

// A use of a command, for its help.
struct Example {
  std::string meaning;    // "Show what would be deleted"
  std::string arguments;  // behind the program's name
};

// An entry of a list of commands (plugin/commands.h, plugin/nouns.h).
struct KnownCommand {
  std::string name;         // one word
  std::string description;  // for --help
  // Set for a command:
  std::string report = {};             // the kind of its document
  std::vector<Example> examples = {};  // at least one
  bool asks = false;                   // has --yes
  // Set for a command whose document lists objects: it has --output=name.
  ObjectNames names = {};
  // False: the command has no flags about a cluster and runs without a kubeconfig; its session's
  // client refuses each call.
  bool needs_cluster = true;
  std::function<std::unique_ptr<Command>()> make = {};
  // Set for a group of commands, which has no `make`.
  std::vector<KnownCommand> commands = {};
};

}  // namespace steward::plugin

#endif  // PLUGIN_COMMAND_COMMAND_H_
