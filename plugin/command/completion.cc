#include "plugin/command/completion.h"

#include <CLI/App.hpp>
#include <CLI/Config.hpp>
#include <CLI/Formatter.hpp>
#include <map>
#include <string_view>
#include <utility>

#include "absl/strings/str_split.h"
#include "base/text/str_cat.h"
#include "plugin/command/parser.h"

namespace steward::plugin {
namespace {

using Names = Completion::Names;

// The kind of the values of a flag or argument, by its name.
Names NamesOf(std::string_view name) {
  static const auto& names =
      *new std::map<std::string_view, Names>{{"CSV", Names::kCsvs},
                                             {"PLAN", Names::kInstallPlans},
                                             {"SUBSCRIPTION", Names::kSubscriptions},
                                             {"namespace", Names::kNamespaces},
                                             {"context", Names::kContexts},
                                             {"user", Names::kUsers},
                                             {"cluster", Names::kClusters}};
  const auto found = names.find(name);
  return found == names.end() ? Names::kNone : found->second;
}

bool TakesFiles(std::string_view name) {
  return name == "DIR" || name == "kubeconfig" || name == "save" || name == "certificate-authority";
}

// The flags of all commands that say where to ask, as they are given to the parser again.
bool SaysWhere(std::string_view name) {
  static constexpr std::string_view kNames[] = {"kubeconfig",      "context",
                                                "cluster",         "user",
                                                "server",          "certificate-authority",
                                                "token",           "as",
                                                "as-uid",          "as-group",
                                                "namespace",       "insecure-skip-tls-verify",
                                                "tls-server-name", "request-timeout"};
  for (const std::string_view each : kNames) {
    if (each == name) return true;
  }
  return false;
}

// "--flag=value", "--flag", "-f", "-fvalue" in the flag's name and its value.
struct FlagWord {
  std::string name;  // with its dashes
  std::string value;
  bool has_value = false;
};

FlagWord SplitFlag(const std::string& word) {
  const size_t equal = word.find('=');
  if (word.starts_with("--")) {
    if (equal == std::string::npos) return {word, "", false};
    return {word.substr(0, equal), word.substr(equal + 1), true};
  }
  return {word.substr(0, 2), word.substr(std::min<size_t>(2, word.size())), word.size() > 2};
}

// The walk along the words that are complete.
class Walk {
 public:
  explicit Walk(const CLI::App& app) : app_(&app) {}

  // Returns the flag whose value the next word is; null = a word of its own.
  const CLI::Option* Take(const std::string& word, const CLI::Option* flag) {
    if (flag != nullptr) {
      Note(*flag, word);
      return nullptr;
    }
    if (word.size() > 1 && word.starts_with('-')) {
      const FlagWord split = SplitFlag(word);
      const CLI::Option* option = app_->get_option_no_throw(split.name);
      if (option == nullptr) return nullptr;
      if (option->get_expected_max() == 0) {
        Note(*option, split.has_value ? split.value : "true");
        return nullptr;
      }
      if (!split.has_value) return option;
      Note(*option, split.value);
      return nullptr;
    }
    const CLI::App* command = CommandOf(word);
    if (command != nullptr) {
      app_ = command;
    } else {
      ++arguments_;
    }
    return nullptr;
  }

  const CLI::App& app() const { return *app_; }
  size_t arguments() const { return arguments_; }
  // Flags that say where to ask, "--name=value".
  const std::vector<std::string>& where() const { return where_; }

 private:
  const CLI::App* CommandOf(const std::string& word) const {
    for (const CLI::App* each : app_->get_subcommands(nullptr)) {
      if (each->get_name() == word) return each;
    }
    return nullptr;
  }
  void Note(const CLI::Option& option, const std::string& value) {
    const std::string name = option.get_single_name();
    if (SaysWhere(name)) where_.push_back(StrCat("--", name, "=", value));
  }

  const CLI::App* app_;
  size_t arguments_ = 0;
  std::vector<std::string> where_;
};

// "{json,yaml}" of a flag's type in its words.
std::vector<Candidate> ValuesOf(const CLI::Option& option) {
  std::vector<Candidate> values;
  const std::string type = option.get_type_name();
  const size_t open = type.find('{');
  const size_t close = type.find('}');
  if (open == std::string::npos || close == std::string::npos) return values;
  for (const absl::string_view each :
       absl::StrSplit(type.substr(open + 1, close - open - 1), ',')) {
    values.push_back({std::string(each), ""});
  }
  return values;
}

void CompleteValue(const CLI::Option& option, std::string before, std::string typed,
                   Completion& completion) {
  const std::string name = option.get_single_name();
  completion.before = std::move(before);
  completion.prefix = std::move(typed);
  completion.candidates = ValuesOf(option);
  completion.names = NamesOf(name);
  completion.files = TakesFiles(name);
}

void CompleteFlag(const CLI::App& app, const std::string& typed, Completion& completion) {
  completion.prefix = typed;
  for (const CLI::Option* each : app.get_options()) {
    for (const std::string& name : each->get_lnames()) {
      completion.candidates.push_back({StrCat("--", name), each->get_description()});
    }
  }
}

void CompleteArgument(const Walk& walk, const std::string& typed, Completion& completion) {
  completion.prefix = typed;
  const auto commands = walk.app().get_subcommands(nullptr);
  for (const CLI::App* each : commands) {
    completion.candidates.push_back({each->get_name(), each->get_description()});
  }
  if (!commands.empty()) return;
  const auto positionals =
      walk.app().get_options([](const CLI::Option* option) { return option->get_positional(); });
  if (positionals.empty()) return;
  const CLI::Option* next = positionals.back();
  if (walk.arguments() < positionals.size()) {
    next = positionals[walk.arguments()];
  } else if (next->get_expected_max() <= 1) {
    return;
  }
  std::string name = typed;
  std::string before;
  const size_t slash = name.find('/');
  if (NamesOf(next->get_single_name()) == Names::kCsvs && slash != std::string::npos) {
    before = name.substr(0, slash + 1);
    name.erase(0, slash + 1);
  }
  CompleteValue(*next, std::move(before), std::move(name), completion);
}

}  // namespace

Completion Complete(const std::vector<KnownCommand>& known, const std::vector<std::string>& words,
                    const Program& program) {
  const Parser parser(known, program);
  Walk walk(parser.app());
  const CLI::Option* flag = nullptr;
  for (size_t i = 0; i + 1 < words.size(); ++i) flag = walk.Take(words[i], flag);
  Completion completion;
  const std::string& typed = words.back();
  if (flag != nullptr) {
    CompleteValue(*flag, "", typed, completion);
  } else if (typed.starts_with("--") && typed.find('=') != std::string::npos) {
    const FlagWord split = SplitFlag(typed);
    const CLI::Option* option = walk.app().get_option_no_throw(split.name);
    if (option != nullptr) CompleteValue(*option, StrCat(split.name, "="), split.value, completion);
  } else if (typed.starts_with('-')) {
    CompleteFlag(walk.app(), typed, completion);
  } else {
    CompleteArgument(walk, typed, completion);
  }
  // The flags before are read by a command line of the first command; if they cannot be used,
  // nobody is asked.
  std::vector<std::string> asked = walk.where();
  asked.insert(asked.begin(), "status");
  absl::StatusOr<CommandLine> line = Parser(known, program).Parse(asked);
  if (line.ok()) {
    completion.common = std::move(line->common);
  } else {
    completion.names = Names::kNone;
  }
  return completion;
}

std::string CompletionText(const Completion& completion, const std::vector<std::string>& names) {
  std::string text;
  const auto add = [&](const std::string& word, const std::string& meaning) {
    if (!word.starts_with(completion.prefix)) return;
    StrAppend(&text, completion.before, word, meaning.empty() ? "" : "\t", meaning, "\n");
  };
  for (const Candidate& each : completion.candidates) add(each.word, each.meaning);
  for (const std::string& each : names) add(each, "");
  StrAppend(&text, completion.files ? ":0\n" : ":4\n");
  return text;
}

}  // namespace steward::plugin
