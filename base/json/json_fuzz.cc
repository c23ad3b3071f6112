// A comparison of our JSON functions with Boost.JSON's parser.
#include <boost/json/parse.hpp>
#include <cstdint>
#include <cstdlib>

#include "base/json/json_text.h"

namespace {

void Check(bool condition) {
  if (!condition) std::abort();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  namespace json = boost::json;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  std::string compact;
  const absl::Status compacted = steward::CompactJson(text, compact);
  const std::string indented = steward::IndentJson(text);

  steward::JsonLimits limits;
  limits.max_depth = 32;
  const absl::StatusOr<json::value> ours = steward::ParseJson(text, limits);
  json::error_code error;
  const json::value theirs = json::parse(json::string_view(text.data(), text.size()), error);
  if (!ours.ok()) {
    // Only our parser refuses numbers beyond a double's range; Boost.JSON reads them as infinities.
    Check(error || steward::Serialize(theirs).find("null") != std::string::npos);
    return 0;
  }
  Check(!error);
  const std::string printed = steward::Serialize(*ours);
  Check(*steward::ParseJson(printed, limits) == *ours);
  Check(compacted.ok());
  Check(*steward::ParseJson(compact, limits) == *ours);
  Check(*steward::ParseJson(indented, limits) == *ours);
  std::string compact_again;
  Check(steward::CompactJson(indented, compact_again).ok() && compact_again == compact);
  return 0;
}
