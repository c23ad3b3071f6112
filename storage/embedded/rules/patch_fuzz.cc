// Every patch is applied or refused, the object keeps its identity, and no directive of a strategic
// merge patch becomes a member.
#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <boost/json/value.hpp>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>
#include <utility>

#include "absl/status/statusor.h"
#include "base/json/json_text.h"
#include "kube/meta/resource_type.h"
#include "kube/meta/write_options.h"
#include "storage/embedded/rules/object_rules.h"

namespace {

namespace json = boost::json;
using steward::kube::PatchType;

constexpr char kStored[] =
    R"({"apiVersion":"v1","kind":"ServiceAccount","metadata":{"name":"m","namespace":"ns","uid":"u1",
        "resourceVersion":"7","labels":{"l":"1"},"ownerReferences":[
        {"apiVersion":"v1","kind":"X","name":"n","uid":"u"},{"apiVersion":"v1","kind":"X","name":"o","uid":"v"}],
        "finalizers":["x/a","x/b","x/c"]},"secrets":[{"name":"a"},{"name":"b","o":{"p":[1,{"q":2}]}}],
        "list":[1,"a",null]})";

bool HasDirective(const json::value& value) {
  if (const json::array* array = value.if_array()) {
    for (const json::value& element : *array) {
      if (HasDirective(element)) return true;
    }
  }
  if (const json::object* object = value.if_object()) {
    for (const auto& member : *object) {
      if (member.key().starts_with('$') || HasDirective(member.value())) return true;
    }
  }
  return false;
}

void Check(bool condition) {
  if (!condition) std::abort();
}

}  // namespace

// The input is "s" or "m", for the type of the patch, and then the patch.
extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  if (size == 0) return 0;
  const std::string_view text(reinterpret_cast<const char*>(data) + 1, size - 1);
  const bool strategic = data[0] == 's';
  const absl::StatusOr<json::value> patch = steward::ParseJson(text);
  if (!patch.ok()) return 0;
  static const json::object& stored =
      *new json::object(steward::ParseJson(kStored).value().get_object());
  steward::kube::ResourceType type;
  type.gvk = {"", "v1", "ServiceAccount"};
  type.plural = "serviceaccounts";

  absl::StatusOr<json::object> patched = steward::storage::ApplyPatch(
      type, stored, strategic ? PatchType::kStrategicMerge : PatchType::kJsonMerge, *patch);
  if (!patched.ok()) return 0;
  if (strategic) Check(!HasDirective(*patched));
  const absl::StatusOr<steward::storage::UpdateOutcome> outcome = steward::storage::PrepareUpdate(
      type, stored, *std::move(patched), "", steward::storage::WriteContext());
  if (!outcome.ok()) return 0;
  const json::object& meta = outcome->object.at("metadata").as_object();
  const json::object& stored_meta = stored.at("metadata").as_object();
  for (const char* key : {"name", "namespace", "uid", "resourceVersion"}) {
    Check(meta.at(key) == stored_meta.at(key));
  }
  return 0;
}
