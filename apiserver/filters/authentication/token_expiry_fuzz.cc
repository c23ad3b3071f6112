// TokenExpiry accepts any text. The input is the claims of a token or, if it begins with '.', a
// whole token.
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "absl/strings/escaping.h"
#include "apiserver/filters/authentication/token_expiry.h"
#include "base/text/str_cat.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  if (text.starts_with('.')) {
    steward::filters::TokenExpiry(text.substr(1));
    return 0;
  }
  const std::string claims = absl::WebSafeBase64Escape(steward::ToAbsl(text));
  steward::filters::TokenExpiry(steward::StrCat("e30.", claims, ".c2ln"));
  return 0;
}
