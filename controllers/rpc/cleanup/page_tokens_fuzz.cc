// Checks that Parse refuses the text or returns a token that writes exactly this text again.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "controllers/rpc/bridge/page_token.h"
#include "controllers/rpc/cleanup/page_tokens.h"
#include "proto/steward/cleanup/v1/cleanup.pb.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using steward::rpc::PageBinding;
  using steward::rpc::PendingToken;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  steward::cleanup::v1::ListPendingRequest request;
  request.set_namespace_("ops");
  request.set_name("widget.v1");
  const PageBinding binding = PageBinding::Of(request);
  const auto token = PendingToken::Parse(text, binding);
  if (token.ok() && token->ToString(binding) != text) std::abort();
  return 0;
}
