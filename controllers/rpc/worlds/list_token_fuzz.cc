// Checks that Parse refuses the text, or returns a token that writes exactly this text again and
// whose position the request covers. The first byte chooses the request, the rest is the token.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "controllers/rpc/bridge/page_token.h"
#include "controllers/rpc/worlds/list_token.h"
#include "proto/steward/cleanup/v1/cleanup.pb.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using steward::rpc::ListToken;
  using steward::rpc::PageBinding;
  if (size == 0) return 0;
  const std::string_view text(reinterpret_cast<const char*>(data) + 1, size - 1);
  const std::string_view ns = data[0] == 'a' ? "" : "ops";
  steward::cleanup::v1::ListRequest request;
  request.set_namespace_(std::string(ns));
  const PageBinding binding = PageBinding::Of(request);
  const auto token = ListToken::Parse(text, binding, ns);
  if (!token.ok()) return 0;
  if (token->ToString(binding) != text) std::abort();
  if (!ns.empty() && token->after.ns != ns) std::abort();
  return 0;
}
