// The candidates for the next word of a command line, for shells (kubectl_complete-steward). Pure
// functions.
#ifndef PLUGIN_COMMAND_COMPLETION_H_
#define PLUGIN_COMMAND_COMPLETION_H_

#include <string>
#include <vector>

#include "plugin/command/command.h"
#include "plugin/command/command_line.h"

namespace steward::plugin {

struct Candidate {
  std::string word;
  std::string meaning;  // "" = none is shown

  bool operator==(const Candidate&) const = default;
};

struct Completion {
  // The kinds of names that the caller asks the cluster or the kubeconfig for.
  enum class Names {
    kNone,
    kCsvs,
    kInstallPlans,
    kSubscriptions,
    kNamespaces,
    kContexts,
    kUsers,
    kClusters
  };

  std::vector<Candidate> candidates;  // known without asking
  Names names = Names::kNone;
  std::string prefix;  // what is typed already, with which each name must begin
  std::string before;  // what stands before a name, as "csv/" or "--namespace="
  bool files = false;  // files and folders come next
  CommonFlags common;  // of the words before
};

// `words`: those behind the program's name, of which the last is being typed and may be "".
// REQUIRES: `words` is not empty.
Completion Complete(const std::vector<KnownCommand>& known, const std::vector<std::string>& words,
                    const Program& program = {});

// The completion as kubectl reads it: a line for each candidate whose word begins as typed, with
// its meaning behind a tab; then ":4", or ":0" where the shell completes names of files.
std::string CompletionText(const Completion& completion, const std::vector<std::string>& names);

}  // namespace steward::plugin

#endif  // PLUGIN_COMMAND_COMPLETION_H_
