// Templates of any form, on documents of any form: the first line is the template, the rest the
// document. A result printed as JSON must be JSON.
#include <algorithm>
#include <boost/json/value.hpp>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "base/json/json_path/json_path.h"
#include "base/json/json_text.h"

namespace {

constexpr char kDocument[] =
    R"({"a":[{"b":1,"c":"x"},{"b":2.5,"c":null},{"b":true}],"d":{"e.f":["g","h"]},"i":-1})";

void Check(bool condition) {
  if (!condition) std::abort();
}

void Print(const steward::JsonPath& path, const boost::json::value& document) {
  constexpr steward::JsonPathLimits kLimits = {.max_steps = 20'000, .max_output = 100'000};
  using Form = steward::JsonPath::Form;
  const absl::StatusOr<std::string> text = path.Print(document, Form::kText, kLimits);
  const absl::StatusOr<std::string> arrays = path.Print(document, Form::kJson, kLimits);
  if (!arrays.ok()) return;
  Check(text.ok() || absl::IsResourceExhausted(text.status()));
  // There is one array for each action.
  std::string_view rest = *arrays;
  while (!rest.empty()) {
    size_t end = rest.find("\n]\n");
    end = rest.starts_with("[]\n") ? 3 : end == std::string_view::npos ? end : end + 3;
    Check(end != std::string_view::npos);
    Check(steward::ParseJson(rest.substr(0, end)).ok());
    rest.remove_prefix(end);
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view input(reinterpret_cast<const char*>(data), size);
  const size_t line = std::min(input.find('\n'), input.size());
  const absl::StatusOr<steward::JsonPath> path = steward::JsonPath::Parse(input.substr(0, line));
  if (!path.ok()) return 0;
  static const boost::json::value& document =
      *new boost::json::value(*steward::ParseJson(kDocument));
  Print(*path, document);
  if (line == input.size()) return 0;
  const absl::StatusOr<boost::json::value> given = steward::ParseJson(input.substr(line + 1));
  if (given.ok()) Print(*path, *given);
  return 0;
}
