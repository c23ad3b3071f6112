#include "kube/audit/response_status.h"

#include <boost/json/object.hpp>
#include <boost/json/value.hpp>

#include "absl/status/statusor.h"
#include "base/json/json_text.h"
#include "base/text/str_cat.h"

namespace steward::audit {
namespace json = boost::json;
namespace {

constexpr size_t kMaxStatus = 16 << 10;

}  // namespace

std::string ResponseStatusOf(int code) { return StrCat(R"({"metadata":{},"code":)", code, "}"); }

std::string ResponseStatusOf(std::string_view json, int code) {
  absl::StatusOr<json::value> status = ParseJson(json, {.max_size = kMaxStatus});
  if (!status.ok() || !status->is_object()) return ResponseStatusOf(code);
  json::object& object = status->get_object();
  object.stable_erase("kind");
  object.stable_erase("apiVersion");
  object["metadata"] = json::object();
  return Serialize(*status);
}

}  // namespace steward::audit
