#include "base/flags/go_arguments.h"

#include <algorithm>

namespace steward {

std::vector<std::string> ForCli11(const std::vector<std::string>& given) {
  std::vector<std::string> args;
  for (const std::string& arg : given) {
    if (arg.starts_with("-v=")) {
      args.push_back("-v" + arg.substr(3));
    } else if (arg.starts_with("--") && arg.back() == '=') {
      args.push_back(arg.substr(0, arg.size() - 1));
      args.emplace_back();
    } else {
      args.push_back(arg);
    }
  }
  std::reverse(args.begin(), args.end());
  return args;
}

}  // namespace steward
