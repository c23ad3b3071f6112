// Reads any output of a credential plugin to credentials that can be used, or to an error.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "absl/status/status.h"
#include "kube/client/exec_plugin.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view output(reinterpret_cast<const char*>(data), size);
  const auto credential =
      steward::kube::ParseExecCredential(output, "client.authentication.k8s.io/v1");
  if (!credential.ok()) {
    if (!absl::IsInvalidArgument(credential.status())) std::abort();
    return 0;
  }
  if (credential->token.empty() && credential->cert_pem.empty()) std::abort();
  if (credential->cert_pem.empty() != credential->key_pem.empty()) std::abort();
  return 0;
}
