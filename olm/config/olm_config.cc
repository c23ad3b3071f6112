#include "olm/config/olm_config.h"

#include <boost/json/array.hpp>
#include <boost/json/value.hpp>

#include "absl/status/status.h"
#include "base/json/json_access.h"
#include "base/json/json_text.h"
#include "base/status/macros.h"
#include "base/text/str_cat.h"

namespace steward::olm {
namespace {

namespace json = boost::json;

struct Words {
  std::string_view status;
  std::string_view reason;
  std::string_view message;
};

// The words of OLM, because tools compare them. kUnexplainedCopies is Steward's.
Words WordsOf(CopiesState state) {
  if (!state.disabled && !state.differs) {
    return {"False", kCopiedCsvsEnabled, "Copied CSVs are enabled and present across the cluster"};
  }
  if (!state.disabled) {
    return {"False", kCopiedCsvsEnabled,
            "Copied CSVs are enabled and at least one copied CSVs is missing"};
  }
  if (state.differs) {
    return {"False", kCopiedCsvsDisabled,
            "Copied CSVs are disabled and at least one unexpected copied CSV was found for an "
            "operator installed in AllNamespace mode"};
  }
  if (state.unexplained) return {"False", kCopiedCsvsDisabled, kUnexplainedCopies};
  return {"True", kCopiedCsvsDisabled,
          "Copied CSVs are disabled and no unexpected copied CSVs were found for operators "
          "installed in AllNamespace mode"};
}

// The object at `key`; created if it is missing or has another type. MakeArray likewise.
json::object& MakeObject(json::object& parent, const char* key) {
  json::value& value = parent[key];
  return value.is_object() ? value.get_object() : value.emplace_object();
}
json::array& MakeArray(json::object& parent, const char* key) {
  json::value& value = parent[key];
  return value.is_array() ? value.get_array() : value.emplace_array();
}

}  // namespace

absl::StatusOr<std::optional<bool>> DisablesCopies(const json::object& olm_config) {
  const json::object* spec = ObjectAt(olm_config, "spec");
  const json::object* features = spec == nullptr ? nullptr : ObjectAt(*spec, "features");
  if (features == nullptr) return std::nullopt;
  for (const char* spelling : {"disableCopiedCSVs", "disable-copied-csvs"}) {
    const json::value* value = features->if_contains(spelling);
    if (value == nullptr || value->is_null()) continue;
    if (value->is_bool()) return value->get_bool();
    return absl::InvalidArgumentError(
        StrCat("spec.features.", spelling, ": neither true nor false"));
  }
  return std::nullopt;
}

absl::StatusOr<OlmConfigWord> ReadOlmConfig(std::string_view text) {
  ASSIGN_OR_RETURN(const json::value value, ParseJson(text));
  const json::object* object = value.if_object();
  if (object == nullptr) return absl::InvalidArgumentError("not an object");
  const json::object* metadata = ObjectAt(*object, "metadata");
  const std::string_view name =
      metadata == nullptr ? std::string_view() : StringAt(*metadata, "name");
  if (name.empty()) return absl::InvalidArgumentError("metadata.name: missing");
  return OlmConfigWord{std::string(name), DisablesCopies(*object)};
}

bool SetCopiesCondition(CopiesState state, std::string_view now, json::object& olm_config) {
  const Words words = WordsOf(state);
  const json::object* before = ObjectAt(olm_config, "status");
  const json::array* conditions = before == nullptr ? nullptr : ArrayAt(*before, "conditions");
  std::string since(now);
  if (conditions != nullptr) {
    for (const json::value& each : *conditions) {
      const json::object* condition = each.if_object();
      if (condition == nullptr || StringAt(*condition, "type") != kDisabledCopiedCsvs) continue;
      if (StringAt(*condition, "status") != words.status) break;
      if (StringAt(*condition, "reason") == words.reason &&
          StringAt(*condition, "message") == words.message) {
        return false;
      }
      since = StringAt(*condition, "lastTransitionTime");
      break;
    }
  }
  const json::object condition = {{"type", kDisabledCopiedCsvs},
                                  {"status", words.status},
                                  {"reason", words.reason},
                                  {"message", words.message},
                                  {"lastTransitionTime", since}};
  json::array& all = MakeArray(MakeObject(olm_config, "status"), "conditions");
  for (json::value& each : all) {
    const json::object* old = each.if_object();
    if (old == nullptr || StringAt(*old, "type") != kDisabledCopiedCsvs) continue;
    each = condition;
    return true;
  }
  all.push_back(condition);
  return true;
}

}  // namespace steward::olm
