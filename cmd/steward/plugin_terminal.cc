#include "cmd/steward/plugin_terminal.h"

#include <sys/ioctl.h>
#include <unistd.h>

#include <cstdlib>
#include <iostream>
#include <optional>
#include <string>
#include <string_view>

namespace steward {
namespace {

bool IsSet(const char* name) {
  const char* value = std::getenv(name);
  return value != nullptr && *value != '\0';
}

int ColumnsOf(int fd) {
  winsize size{};
  if (::ioctl(fd, TIOCGWINSZ, &size) != 0 || size.ws_col == 0) return 80;
  return size.ws_col;
}

std::optional<std::string> ReadLine() {
  std::string line;
  if (!std::getline(std::cin, line)) return std::nullopt;
  return line;
}

bool IsTerminal(std::FILE* file) { return file != nullptr && ::isatty(::fileno(file)) != 0; }

// True for a terminal with cursor control.
bool IsScreen(std::FILE* file) {
  const char* term = std::getenv("TERM");
  return IsTerminal(file) && term != nullptr && std::string_view(term) != "dumb";
}

plugin::TerminalOptions::Writer WriterTo(std::FILE* file) {
  return [file](std::string_view bytes) {
    if (file == nullptr) return;
    std::fwrite(bytes.data(), 1, bytes.size(), file);
    std::fflush(file);
  };
}

}  // namespace

plugin::TerminalOptions ProcessTerminal(std::FILE* answer) {
  const bool coloured = !IsSet("NO_COLOR");
  plugin::TerminalOptions options;
  options.write = WriterTo(answer);
  options.colours = coloured && IsScreen(answer);
  options.write_aside = WriterTo(stderr);
  options.live = IsScreen(stderr);
  options.colours_aside = coloured && options.live;
  options.columns = [] { return ColumnsOf(STDERR_FILENO); };
  if (IsTerminal(stderr) && IsTerminal(stdin)) options.read_line = ReadLine;
  return options;
}

}  // namespace steward
