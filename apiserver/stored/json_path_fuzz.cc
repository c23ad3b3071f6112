// Parses the first line as a path and the rest as the document: a result is valid JSON.
#include <boost/json/value.hpp>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "apiserver/stored/json_path.h"
#include "base/json/json_text.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view input(reinterpret_cast<const char*>(data), size);
  const size_t line = input.find('\n');
  const auto path = steward::stored::JsonPath::Parse(input.substr(0, line));
  if (!path.ok() || line == std::string_view::npos) return 0;
  const auto document = steward::ParseJson(input.substr(line + 1));
  if (!document.ok()) return 0;
  const boost::json::value* found = path->FindFirst(*document);
  if (found != nullptr && steward::Serialize(*found).empty()) std::abort();
  return 0;
}
