// A token either is none, or says again what it said.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "controllers/rpc/pending_pages.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const auto token = steward::controllers::PendingToken::Parse(text);
  if (token.ok() && token->ToString() != text) std::abort();
  return 0;
}
