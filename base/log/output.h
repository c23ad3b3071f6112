// The destination and the layout of log lines, for the code that sets a process up; log.h is for
// code that logs. Thread-safe.
#ifndef BASE_LOG_OUTPUT_H_
#define BASE_LOG_OUTPUT_H_

#include <string>
#include <string_view>

#include "absl/base/attributes.h"
#include "base/log/log.h"

namespace steward::log {

// The part of a message or of a field's value that a line shows: at most 1 KiB, of whole UTF-8
// characters. Sets `was_cut` if a part of `value` is left out; the line then shows "..." behind it.
std::string_view Cut(std::string_view value ABSL_ATTRIBUTE_LIFETIME_BOUND, bool& was_cut);

// One line as standard error gets it, with its newline. `severity` is 'I', 'W' or 'E'.
std::string TextLine(char severity, std::string_view message, Fields fields);

// Gets each line in place of standard error, on the thread that logs. Must return at once. `level`
// is that of Verbose, else 0.
using Output = void (*)(char severity, int level, std::string_view message, Fields fields);
// Null restores standard error.
void SetOutput(Output output);

}  // namespace steward::log

#endif  // BASE_LOG_OUTPUT_H_
