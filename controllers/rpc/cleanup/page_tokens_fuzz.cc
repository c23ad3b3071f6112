// Text is refused, or is exactly what its token writes again, for a position that the request
// covers. The first byte chooses the request, the rest is the token.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "controllers/rpc/bridge/page_token.h"
#include "controllers/rpc/cleanup/page_tokens.h"
#include "proto/steward/cleanup/v1/cleanup.pb.h"

namespace {

using steward::rpc::ListToken;
using steward::rpc::PageBinding;
using steward::rpc::PendingToken;

void TryList(std::string_view text, const char* ns) {
  steward::cleanup::v1::ListRequest request;
  request.set_namespace_(ns);
  const PageBinding binding = PageBinding::Of(request);
  const auto token = ListToken::Parse(text, binding, ns);
  if (!token.ok()) return;
  if (token->ToString(binding) != text) std::abort();
  if (*ns != 0 && token->after.ns != ns) std::abort();
}

void TryPending(std::string_view text) {
  steward::cleanup::v1::ListPendingRequest request;
  request.set_namespace_("ops");
  request.set_name("widget.v1");
  const PageBinding binding = PageBinding::Of(request);
  const auto token = PendingToken::Parse(text, binding);
  if (token.ok() && token->ToString(binding) != text) std::abort();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  if (size == 0) return 0;
  const std::string_view text(reinterpret_cast<const char*>(data) + 1, size - 1);
  switch (data[0]) {
    case 'a':
      TryList(text, "");
      break;
    case 'n':
      TryList(text, "ops");
      break;
    default:
      TryPending(text);
  }
  return 0;
}
