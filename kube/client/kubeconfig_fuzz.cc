// Parses any bytes to a configuration that can be used, or to an error.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "kube/client/kubeconfig.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const auto config = steward::kube::ParseKubeconfig(
      text, "/folder",
      {.read_file = [](const std::string&) { return std::string("PEM"); },
       .environment = [](const char*) { return std::string(); }});
  if (!config.ok()) return 0;
  if (config->host.empty() || config->cert_pem.empty() != config->key_pem.empty()) std::abort();
  if (!config->token.empty() && !steward::kube::CheckToken(config->token).ok()) std::abort();
  if (config->exec && config->exec->command.empty()) std::abort();
  if (config->acting && config->acting->name.empty()) std::abort();
  return 0;
}
