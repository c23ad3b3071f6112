#include "cmd/steward/nouns.h"

#include <algorithm>

#include "base/text/str_cat.h"
#include "cmd/steward/command_runner.h"
#include "plugin/command/command_line.h"

namespace steward {
namespace {

constexpr size_t kNameWidth = 12;

}  // namespace

bool IsNoun(const std::vector<plugin::KnownCommand>& nouns, std::string_view word) {
  return std::any_of(nouns.begin(), nouns.end(),
                     [word](const plugin::KnownCommand& noun) { return noun.name == word; });
}

int RunNoun(const std::vector<plugin::KnownCommand>& nouns, const std::vector<std::string>& args) {
  return RunCommand({.name = "steward", .description = "Works on objects, with your own rights."},
                    nouns, args);
}

std::string NounsHelp(const std::vector<plugin::KnownCommand>& nouns) {
  if (nouns.empty()) return "";
  std::string help = "\nNouns, each with verbs ('steward NOUN --help' lists them):\n";
  for (const plugin::KnownCommand& noun : nouns) {
    const size_t width = std::max(kNameWidth, noun.name.size() + 1);
    StrAppend(&help, "  ", noun.name, std::string(width - noun.name.size(), ' '), noun.description,
              "\n");
  }
  return help;
}

}  // namespace steward
