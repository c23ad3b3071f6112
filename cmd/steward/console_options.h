// The flags of `steward console`. Values and pure functions.
#ifndef CMD_STEWARD_CONSOLE_OPTIONS_H_
#define CMD_STEWARD_CONSOLE_OPTIONS_H_

#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "base/tls/server_context.h"
#include "console/server/access.h"

namespace steward {

struct ConsoleOptions {
  // True for --help: nothing else is set, and the caller prints ConsoleHelpText.
  bool help = false;

  bool standalone = false;
  std::string files;         // "" = DefaultConsoleFiles
  std::string bind_address;  // never "" after parsing
  int secure_port = 9443;    // 0 = a free port
  std::string tls_cert_file;
  std::string tls_private_key_file;
  std::string cert_dir = "console.local.config/certificates";
  ServerTlsOptions tls;
  bool http = false;  // plain HTTP

  std::string kubeconfig;
  std::string context;  // "" = the kubeconfig's current one
  std::string token_header;
  bool as_kubeconfig_user = false;
  int verbosity = 0;
  std::string logging_format = "text";  // or "json"

  console::Authentication authentication() const;
  // The URL for browsers on this machine: "https://127.0.0.1:9443/".
  std::string Url(int port) const;
};

// Parses command line arguments (without the program's name). kInvalidArgument with one sentence
// that names the flag and the error.
absl::StatusOr<ConsoleOptions> ParseConsoleOptions(const std::vector<std::string>& args);

// The text of --help: every flag with its default.
std::string ConsoleHelpText();

// The folder of the built pages: `installed` if it exists, else "console" beside `program`.
std::string DefaultConsoleFiles(const std::string& installed, const std::string& program);

}  // namespace steward

#endif  // CMD_STEWARD_CONSOLE_OPTIONS_H_
