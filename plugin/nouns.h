// The list of the commands `steward NOUN VERB`. Thread-safe.
#ifndef PLUGIN_NOUNS_H_
#define PLUGIN_NOUNS_H_

#include <vector>

#include "plugin/command/command.h"

namespace steward::plugin {

// The nouns in the order in which `steward help` shows them: groups, whose commands are the verbs.
const std::vector<KnownCommand>& KnownNouns();

}  // namespace steward::plugin

#endif  // PLUGIN_NOUNS_H_
