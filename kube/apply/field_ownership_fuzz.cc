// Compares an object with any managedFields. The input: {"wanted":OBJECT,"live":OBJECT}.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "absl/status/statusor.h"
#include "base/json/json_access.h"
#include "base/json/json_text.h"
#include "kube/apply/field_ownership.h"

namespace {

void Check(bool condition) {
  if (!condition) std::abort();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const absl::StatusOr<boost::json::value> input = steward::ParseJson(text);
  if (!input.ok() || !input->is_object()) return 0;
  const boost::json::object* wanted = steward::ObjectAt(input->get_object(), "wanted");
  const boost::json::object* live = steward::ObjectAt(input->get_object(), "live");
  if (wanted == nullptr || live == nullptr) return 0;
  const steward::kube::ApplyDifference difference =
      steward::kube::CompareForApply(*wanted, *live, "me");
  Check(difference.fields.size() <= steward::kube::kMaxApplyFields + 1);
  for (size_t i = 0; i < difference.fields.size(); ++i) {
    Check(!difference.fields[i].empty());
    Check(i == 0 || i == steward::kube::kMaxApplyFields ||
          difference.fields[i - 1] < difference.fields[i]);
  }
  // To adopt an existing object lists no empty path.
  for (const std::string& field : steward::kube::CompareForApply(*live, *live, "").fields) {
    Check(!field.empty());
  }
  return 0;
}
