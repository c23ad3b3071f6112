// Any bytes may be in a folder of saved operands: as its index, or as an object's YAML.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "kube/meta/names.h"
#include "plugin/saving/save_index.h"
#include "plugin/saving/saved_object.h"
#include "plugin/saving/saved_path.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace steward::plugin;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const absl::StatusOr<SaveIndex> index = DecodeIndex(text);
  if (index.ok()) {
    const absl::StatusOr<SaveIndex> back = DecodeIndex(EncodeIndex(*index));
    if (!back.ok() || *back != *index) std::abort();
    for (const SavedResource& resource : index->resources) {
      for (const steward::kube::NamespacedName& name : resource.objects) {
        // The path stays inside of the folder.
        const std::string path = "/" + SavedPath(resource.crd, name) + "/";
        if (path.find("/../") != std::string::npos || path.find("//") == 0) std::abort();
      }
    }
  }
  const SavedResource widgets{
      "widgets.example.com", {"example.com", "v1", "Widget"}, "widgets", false, {}};
  const absl::StatusOr<boost::json::value> object = ObjectToRestore(text, widgets, {"a", "w1"});
  if (object.ok() && object->as_object().contains("status")) std::abort();
  (void)SavedYaml(text);
  return 0;
}
