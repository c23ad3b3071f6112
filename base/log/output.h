// Where log lines go and how they look, for who sets a process up; log.h is for who logs.
#ifndef BASE_LOG_OUTPUT_H_
#define BASE_LOG_OUTPUT_H_

#include <string>
#include <string_view>

#include "base/log/log.h"

namespace steward::log {

// What a line has of a message or of a field's value: 1 KiB at most, of whole UTF-8 characters.
// What was cut is shown with "..." behind it.
std::string_view Cut(std::string_view value, bool& was_cut);

// One line as standard error gets it, with its newline. `severity` is 'I', 'W' or 'E'.
std::string TextLine(char severity, std::string_view message, Fields fields);

// Takes each line instead of standard error, on the thread that logs: it returns at once. `level`
// is that of Verbose, else 0.
using Output = void (*)(char severity, int level, std::string_view message, Fields fields);
// Null: standard error again.
void SetOutput(Output output);

}  // namespace steward::log

#endif  // BASE_LOG_OUTPUT_H_
