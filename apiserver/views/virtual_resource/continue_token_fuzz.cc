#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "apiserver/views/virtual_resource/continue_token.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using steward::views::ContinueToken;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const steward::rest::Selection selection;
  const auto token = ContinueToken::Decode(text, selection);
  if (token.ok()) {
    const auto again = ContinueToken::Decode(token->Encode(selection), selection);
    if (!again.ok() || again->number != token->number || again->after != token->after ||
        again->left != token->left) {
      std::abort();
    }
  }
  return 0;
}
