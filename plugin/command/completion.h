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
  std::string prefix;  // the typed beginning, with which each name must begin
  std::string before;  // what stands before a name, as "csv/" or "--namespace="
  bool files = false;  // files and folders come next
  CommonFlags common;  // of the words before
};

// `words` are those behind the program's name. The last one is being typed and may be "". REQUIRES:
// `words` is not empty.
Completion Complete(const std::vector<KnownCommand>& known, const std::vector<std::string>& words,
                    const Program& program = {});

// The completion as kubectl reads it: a line for each candidate that begins with the typed text,
// with its meaning behind a tab; then ":4", or ":0" if the shell is to complete names of files.
std::string CompletionText(const Completion& completion, const std::vector<std::string>& names);

}  // namespace steward::plugin

#endif  // PLUGIN_COMMAND_COMPLETION_H_
