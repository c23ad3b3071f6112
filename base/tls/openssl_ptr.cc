#include "base/tls/openssl_ptr.h"

#include <openssl/err.h>

#include "base/text/str_cat.h"

namespace steward {

std::string TakeOpensslError() {
  const unsigned long code = ERR_get_error();
  ERR_clear_error();
  if (code == 0) return "unknown error";
  char text[256];
  ERR_error_string_n(code, text, sizeof text);
  return text;
}

absl::Status OpensslError(std::string_view what) {
  return absl::InvalidArgumentError(StrCat(what, ": ", TakeOpensslError()));
}

BioPtr ReadBio(std::string_view text) {
  return BioPtr(BIO_new_mem_buf(text.data(), static_cast<int>(text.size())));
}

}  // namespace steward
