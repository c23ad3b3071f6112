#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "apiserver/rest/negotiation/accept.h"

// Every header parses, with the best clauses first.
extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view header(reinterpret_cast<const char*>(data), size);
  double last = -1;
  for (const auto& clause : steward::rest::ParseAccept(header)) {
    if (clause.subtype.empty() || !(clause.q >= 0)) std::abort();
    if (last >= 0 && clause.q > last) std::abort();
    last = clause.q;
  }
  return 0;
}
