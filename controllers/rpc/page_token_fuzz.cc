// A token either is none, or says again what it said, of a place that the request covers. The first
// byte chooses the request, the rest is the token.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "controllers/rpc/page_token.h"

namespace {

using steward::controllers::ListToken;
using steward::controllers::PendingToken;

void TryList(std::string_view text, std::string_view ns) {
  const auto token = ListToken::Parse(text, ns);
  if (!token.ok()) return;
  if (token->ToString(ns) != text) std::abort();
  if (!ns.empty() && token->after.ns != ns) std::abort();
}

void TryPending(std::string_view text) {
  const steward::kube::NamespacedName csv{"ops", "widget.v1"};
  const auto token = PendingToken::Parse(text, csv);
  if (token.ok() && token->ToString(csv) != text) std::abort();
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
