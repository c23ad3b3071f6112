// Access to members of a parsed JSON document, for the decoders of olm and olm/cleanup. Not
// thread-safe.
#ifndef OLM_DOM_H_
#define OLM_DOM_H_

#include <simdjson.h>

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "olm/object_facts.h"

namespace steward::olm::dom {

using simdjson::dom::array;
using simdjson::dom::element;
using simdjson::dom::object;

// kInvalidArgument with `why`.
absl::Status Bad(std::string_view why);

// A parsed document; its elements live as long as the document.
class Document {
 public:
  // kInvalidArgument unless the text is a JSON object.
  absl::StatusOr<object> Parse(std::string_view json);

 private:
  simdjson::dom::parser parser_;
  simdjson::padded_string text_;
};

// A member that is absent or of another type reads as nullopt, "" or false.
std::optional<object> ObjectIn(const object& parent, std::string_view key);
std::optional<array> ArrayIn(const object& parent, std::string_view key);
std::string StringIn(const object& parent, std::string_view key);
bool BoolIn(const object& parent, std::string_view key);
bool Has(const object& parent, std::string_view key);
std::optional<std::string> OptionalStringIn(const std::optional<object>& parent,
                                            std::string_view key);
std::vector<std::string> StringsIn(const object& parent, std::string_view key);
// Calls `visit` for each object in the list.
template <typename Visit>
void ForEachObject(const object& parent, std::string_view key, Visit visit) {
  const std::optional<array> list = ArrayIn(parent, key);
  if (!list) return;
  for (const element item : *list) {
    object entry;
    if (!item.get(entry)) visit(entry);
  }
}

// Fails without a name or uid.
absl::StatusOr<ObjectFacts> MetadataOf(const object& root);

}  // namespace steward::olm::dom

#endif  // OLM_DOM_H_
