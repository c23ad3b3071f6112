// Counts, sizes and times in sentences. Pure functions.
#ifndef PLUGIN_TERMINAL_WORDS_H_
#define PLUGIN_TERMINAL_WORDS_H_

#include <cstdint>
#include <string>
#include <string_view>

#include "absl/time/time.h"

namespace steward::plugin {

// A count with its noun: "4 custom resources", "1 custom resource".
std::string CountText(int64_t count, std::string_view thing);

// A size: "512 bytes", "1.5 KiB", "20.0 GiB".
std::string BytesText(int64_t bytes);

// The age of an object as kubectl shows it: "45s", "5m30s", "3h20m", "2d4h", "45d", "2y30d".
std::string AgeText(absl::Duration age);

// A duration: "0:07", "12:34", "1:02:03".
std::string ElapsedText(absl::Duration elapsed);

// `text` as one word of a shell's command line, in quotes if it needs them. For names from a
// cluster in commands that somebody pastes.
std::string ShellWord(std::string_view text);

}  // namespace steward::plugin

#endif  // PLUGIN_TERMINAL_WORDS_H_
