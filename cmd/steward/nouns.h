// `steward NOUN VERB`. For the main thread.
#ifndef CMD_STEWARD_NOUNS_H_
#define CMD_STEWARD_NOUNS_H_

#include <string>
#include <string_view>
#include <vector>

#include "plugin/command/command.h"

namespace steward {

// True if `word` is one of the nouns.
bool IsNoun(const std::vector<plugin::KnownCommand>& nouns, std::string_view word);

// Runs a verb of a noun; `args` begin with the noun. Returns the exit code.
int RunNoun(const std::vector<plugin::KnownCommand>& nouns, const std::vector<std::string>& args);

// The part of `steward help` about the nouns: an empty line, a heading and a line for each noun.
// tools/dev/generated.sh finds it by the heading. "" if there are no nouns.
std::string NounsHelp(const std::vector<plugin::KnownCommand>& nouns);

}  // namespace steward

#endif  // CMD_STEWARD_NOUNS_H_
