// Checks that Parse refuses the text or returns a token that writes exactly this text again. The
// first byte chooses the request, the rest is the token.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "controllers/rpc/bridge/page_token.h"
#include "controllers/rpc/copied_csv/change_token.h"
#include "proto/steward/copiedcsv/v1/copiedcsv.pb.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using steward::rpc::ChangeToken;
  using steward::rpc::PageBinding;
  if (size == 0) return 0;
  const std::string_view text(reinterpret_cast<const char*>(data) + 1, size - 1);
  steward::copiedcsv::v1::PreviewRequest request;
  request.set_choice(data[0] == 'n' ? steward::copiedcsv::v1::CHOICE_ON
                                    : steward::copiedcsv::v1::CHOICE_OFF);
  const PageBinding binding = PageBinding::Of(request);
  const auto token = ChangeToken::Parse(text, binding);
  if (token.ok() && token->ToString(binding) != text) std::abort();
  return 0;
}
