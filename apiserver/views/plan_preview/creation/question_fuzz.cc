#include <boost/json/value.hpp>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "apiserver/rest/resource/field_validation.h"
#include "apiserver/views/plan_preview/creation/question.h"
#include "base/json/json_text.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using steward::rest::FieldValidation;
  using steward::views::ParseQuestion;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const auto body = steward::ParseJson(text);
  if (!body.ok() || !body->is_object()) return 0;
  const auto question = ParseQuestion("ops", body->get_object(), FieldValidation::kIgnore);
  if (!question.ok()) return 0;
  // The repeated metadata and spec parse to the same question without unknown fields.
  boost::json::object again;
  again["metadata"] = question->metadata;
  again["spec"] = question->spec;
  const auto second = ParseQuestion("ops", again, FieldValidation::kStrict);
  if (!second.ok() || second->spec != question->spec || second->metadata != question->metadata ||
      second->asked.index() != question->asked.index()) {
    std::abort();
  }
  return 0;
}
