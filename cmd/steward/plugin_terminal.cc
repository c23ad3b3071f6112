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

}  // namespace

plugin::TerminalOptions ProcessTerminal(std::FILE* out) {
  const int fd = ::fileno(out);
  plugin::TerminalOptions options;
  options.write = [out](std::string_view bytes) {
    std::fwrite(bytes.data(), 1, bytes.size(), out);
    std::fflush(out);
  };
  const char* term = std::getenv("TERM");
  const bool is_terminal = ::isatty(fd) != 0;
  options.live = is_terminal && term != nullptr && std::string_view(term) != "dumb";
  options.colours = options.live && !IsSet("NO_COLOR");
  options.columns = [fd] { return ColumnsOf(fd); };
  if (is_terminal && ::isatty(STDIN_FILENO) != 0) options.read_line = ReadLine;
  return options;
}

}  // namespace steward
