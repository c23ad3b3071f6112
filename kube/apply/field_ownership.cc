#include "kube/apply/field_ownership.h"

#include <algorithm>
#include <boost/json/array.hpp>
#include <boost/json/value.hpp>
#include <charconv>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <set>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "base/json/json_access.h"
#include "base/json/json_text.h"
#include "base/text/str_cat.h"
#include "kube/meta/quote.h"

namespace steward::kube {
namespace {

namespace json = boost::json;

constexpr size_t kMaxDepth = 64;        // of managedFields
constexpr size_t kMaxValueDepth = 256;  // the limit of all JSON that is read
// more than other trees need, because lists are matched item by item
constexpr size_t kMaxSteps = 1'000'000;
constexpr size_t kMaxName = 128;  // bytes of a name in a path
constexpr JsonLimits kElement = {.max_size = 64 << 10, .max_depth = 16};

constexpr std::string_view kNotOfTheObject[] = {"apiVersion", "kind", "status"};
constexpr std::string_view kNotOfItsMetadata[] = {
    "name",       "namespace",         "uid",           "resourceVersion",
    "generation", "creationTimestamp", "managedFields", "selfLink"};

// True if no apply changes the member `name` of the object at `path`.
bool Skipped(const std::string& path, std::string_view name) {
  if (path.empty()) return std::ranges::find(kNotOfTheObject, name) != std::end(kNotOfTheObject);
  return path == "metadata" &&
         std::ranges::find(kNotOfItsMetadata, name) != std::end(kNotOfItsMetadata);
}

bool IsPlain(std::string_view text) {
  return !text.empty() && text.size() <= kMaxName && std::ranges::all_of(text, [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
           c == '-' || c == '$';
  });
}

std::string Quoted(std::string_view text) {
  if (text.size() <= kMaxName) return Quote(text);
  return StrCat(Quote(text.substr(0, kMaxName)), "…");
}

std::string Member(const std::string& path, std::string_view name) {
  if (!IsPlain(name)) return StrCat(path, "[", Quoted(name), "]");
  return path.empty() ? std::string(name) : StrCat(path, ".", name);
}

std::string ElementText(const json::value& value) {
  if (!value.is_string()) return Serialize(value).substr(0, kMaxName);
  const std::string_view text = View(value.get_string());
  return IsPlain(text) ? std::string(text) : Quoted(text);
}

bool NumbersEqual(const json::value& a, const json::value& b) {
  if (a.is_double() || b.is_double()) return a.to_number<double>() == b.to_number<double>();
  if (a.is_uint64() && b.is_uint64()) return a.get_uint64() == b.get_uint64();
  if (a.is_int64() && b.is_int64()) return a.get_int64() == b.get_int64();
  const int64_t signed_one = a.is_int64() ? a.get_int64() : b.get_int64();
  const uint64_t other = a.is_int64() ? b.get_uint64() : a.get_uint64();
  return signed_one >= 0 && static_cast<uint64_t>(signed_one) == other;
}

// True if `live` has all that `wanted` asks for (null = absent).
bool Holds(const json::value& wanted, const json::value* live, size_t depth = 0) {
  if (depth > kMaxValueDepth) return false;
  if (wanted.is_null()) return live == nullptr || live->is_null();
  if (live == nullptr) return false;
  if (const json::object* object = wanted.if_object()) {
    const json::object* other = live->if_object();
    return other != nullptr && std::ranges::all_of(*object, [&](const auto& member) {
             return Holds(member.value(), other->if_contains(member.key()), depth + 1);
           });
  }
  if (const json::array* array = wanted.if_array()) {
    const json::array* other = live->if_array();
    if (other == nullptr || other->size() != array->size()) return false;
    for (size_t i = 0; i < array->size(); ++i) {
      if (!Holds((*array)[i], &(*other)[i], depth + 1)) return false;
    }
    return true;
  }
  if (wanted.is_number()) return live->is_number() && NumbersEqual(wanted, *live);
  return wanted == *live;
}

// True for a value that the server may leave out of the stored object.
bool IsZero(const json::value& value) {
  if (const json::object* object = value.if_object()) return object->empty();
  if (const json::array* array = value.if_array()) return array->empty();
  if (value.is_string()) return value.get_string().empty();
  if (value.is_bool()) return !value.get_bool();
  return value.is_null() || (value.is_number() && value.to_number<double>() == 0);
}

// The fieldsV1 of the manager's apply in this apiVersion; null when there are none.
const json::object* OwnedFields(const json::object& live, std::string_view manager,
                                std::string_view api_version) {
  const json::object* metadata = ObjectAt(live, "metadata");
  const json::array* entries = metadata == nullptr ? nullptr : ArrayAt(*metadata, "managedFields");
  if (entries == nullptr) return nullptr;
  for (const json::value& value : *entries) {
    const json::object* entry = value.if_object();
    if (entry == nullptr || StringAt(*entry, "operation") != "Apply" ||
        StringAt(*entry, "manager") != manager || !StringAt(*entry, "subresource").empty()) {
      continue;
    }
    const bool known = StringAt(*entry, "fieldsType") == "FieldsV1" &&
                       StringAt(*entry, "apiVersion") == api_version;
    return known ? ObjectAt(*entry, "fieldsV1") : nullptr;
  }
  return nullptr;
}

// A member of fieldsV1: `f:NAME`, `k:KEY`, `v:VALUE` or `i:INDEX`, and what is owned below it.
struct OwnedChild {
  std::string_view element;  // without the two characters
  const json::object* below;
};

class Comparison {
 public:
  bool understood() const { return understood_; }

  // Adds the fields of `wanted` that differ from `live`.
  void Lacks(const json::value& wanted, const json::value* live, const std::string& path) {
    const json::object* object = wanted.if_object();
    const json::object* other = live == nullptr ? nullptr : live->if_object();
    if (object != nullptr && other != nullptr) {
      LacksMembers(*object, *other, path);
    } else if (!Holds(wanted, live)) {
      Add(path);
    }
  }
  void LacksMembers(const json::object& wanted, const json::object& live, const std::string& path) {
    for (const auto& [key, value] : wanted) {
      if (Skipped(path, View(key))) continue;
      Lacks(value, live.if_contains(key), Member(path, View(key)));
    }
  }

  // Compares the members of an object. `owned` are those that the manager owns. `live` may be null.
  void Members(const json::object& wanted, const json::object& owned, const json::object* live,
               const std::string& path, size_t depth) {
    for (const OwnedChild& child : ChildrenOf(owned, 'f')) {
      if (Skipped(path, child.element)) continue;
      const std::string at = Member(path, child.element);
      if (const json::value* value = wanted.if_contains(child.element)) {
        Walk(*value, *child.below, MemberOf(live, child.element), at, depth + 1);
      } else {
        Add(at);
      }
    }
    for (const auto& [key, value] : wanted) {
      if (Skipped(path, View(key)) || owned.contains(StrCat("f:", View(key)))) continue;
      NotOwned(value, MemberOf(live, View(key)), Member(path, View(key)));
    }
  }

  std::vector<std::string> TakeFields() {
    std::vector<std::string> fields(std::make_move_iterator(fields_.begin()),
                                    std::make_move_iterator(fields_.end()));
    if (fields.size() > kMaxApplyFields) fields.back() = "…";
    return fields;
  }

 private:
  static const json::value* MemberOf(const json::object* object, std::string_view key) {
    return object == nullptr ? nullptr : object->if_contains(key);
  }

  // Keeps one field more than are shown, so that the caller can see that there are more.
  void Add(const std::string& path) {
    fields_.insert(path);
    if (fields_.size() > kMaxApplyFields + 1) fields_.erase(std::prev(fields_.end()));
  }

  // Counts a step; false if the comparison must end.
  bool Step() {
    if (++steps_ > kMaxSteps) understood_ = false;
    return understood_;
  }

  // The children of a node that have this type.
  std::vector<OwnedChild> ChildrenOf(const json::object& node, char type) {
    std::vector<OwnedChild> children;
    for (const auto& [key, value] : node) {
      if (key == ".") continue;
      const json::object* below = value.if_object();
      if (key.size() < 2 || key[0] != type || key[1] != ':' || below == nullptr || !Step()) {
        understood_ = false;
        return {};
      }
      children.push_back({View(key).substr(2), below});
    }
    return children;
  }

  // Handles a field below which the manager owns nothing. An empty list may be an associative list:
  // nobody owns a part of it as long as it has no items.
  void NotOwned(const json::value& wanted, const json::value* live, const std::string& path) {
    if (!Step()) return;
    const json::object* object = wanted.if_object();
    if (object != nullptr && !object->empty()) {
      const json::object* other = live == nullptr ? nullptr : live->if_object();
      for (const auto& [key, value] : *object) {
        if (Skipped(path, View(key))) continue;
        NotOwned(value, MemberOf(other, View(key)), Member(path, View(key)));
      }
      return;
    }
    const json::array* array = wanted.if_array();
    const bool says_nothing = wanted.is_null() || (array != nullptr && array->empty());
    if (!says_nothing || !(live == nullptr || Holds(wanted, live))) Add(path);
  }

  void Walk(const json::value& wanted, const json::object& owned, const json::value* live,
            const std::string& path, size_t depth) {
    if (depth > kMaxDepth) understood_ = false;
    if (!Step()) return;
    const auto* const first =
        std::ranges::find_if(owned, [](const auto& member) { return member.key() != "."; });
    if (first == owned.end()) {
      // The manager owns the value, but the server did not store it, because the object means the
      // same without it: no difference.
      if (!Holds(wanted, live) && !(live == nullptr && IsZero(wanted))) Add(path);
      return;
    }
    const char type = first->key().empty() ? '?' : first->key()[0];
    if (type == 'f') {
      if (const json::object* object = wanted.if_object()) {
        return Members(*object, owned, live == nullptr ? nullptr : live->if_object(), path, depth);
      }
      return Add(path);
    }
    const json::array* items = wanted.if_array();
    if (items == nullptr) return Add(path);
    static const json::array kNone;
    const json::array* live_items = live == nullptr ? nullptr : live->if_array();
    if (live_items == nullptr) live_items = &kNone;
    switch (type) {
      case 'k':
        return Items(*items, owned, *live_items, path, depth);
      case 'v':
        return Set(*items, owned, *live_items, path);
      case 'i':
        return Indexes(*items, owned, *live_items, path, depth);
      default:
        understood_ = false;
    }
  }

  struct OwnedItem {
    json::object key;
    const json::object* below;
    const json::value* wanted = nullptr;
  };

  // True if the item has the fields of the key. With `may_lack`, the item may lack some of them,
  // because the key tells their default values.
  bool HasKey(const json::value& item, const json::object& key, bool may_lack) {
    const json::object* object = item.if_object();
    return object != nullptr && Step() && std::ranges::all_of(key, [&](const auto& field) {
             const json::value* value = object->if_contains(field.key());
             return value == nullptr ? may_lack : Holds(field.value(), value);
           });
  }

  std::string ItemAt(const std::string& path, const json::object& fields, const json::object& key) {
    std::string text;
    for (const auto& field : key) {
      const json::value* value = fields.if_contains(field.key());
      if (value == nullptr) continue;
      StrAppend(&text, text.empty() ? "" : ",", View(field.key()), "=", ElementText(*value));
    }
    return StrCat(path, "[", text, "]");
  }

  void Items(const json::array& wanted, const json::object& owned, const json::array& live,
             const std::string& path, size_t depth) {
    std::vector<OwnedItem> items;
    for (const OwnedChild& child : ChildrenOf(owned, 'k')) {
      absl::StatusOr<json::value> key = ParseJson(child.element, kElement);
      const json::object* fields = key.ok() ? key->if_object() : nullptr;
      if (fields == nullptr || fields->empty()) {
        understood_ = false;
        return;
      }
      items.push_back({*fields, child.below});
    }
    if (!understood_) return;
    // Match items with the whole key first, so that an item that only has defaults does not take
    // their place.
    std::set<const json::value*> taken;
    for (const bool may_lack : {false, true}) {
      for (OwnedItem& item : items) {
        if (item.wanted != nullptr) continue;
        const auto* const found = std::ranges::find_if(wanted, [&](const json::value& value) {
          return !taken.contains(&value) && HasKey(value, item.key, may_lack);
        });
        if (!understood_) return;
        if (found == wanted.end()) continue;
        item.wanted = found;
        taken.insert(found);
      }
    }
    for (const OwnedItem& item : items) {
      const std::string at = ItemAt(path, item.key, item.key);
      if (item.wanted == nullptr) {
        Add(at);
        continue;
      }
      const auto* const found = std::ranges::find_if(
          live, [&](const json::value& value) { return HasKey(value, item.key, false); });
      Walk(*item.wanted, *item.below, found == live.end() ? nullptr : found, at, depth + 1);
    }
    for (const json::value& item : wanted) {
      if (taken.contains(&item)) continue;
      const json::object* object = item.if_object();
      Add(object == nullptr ? path : ItemAt(path, *object, items.front().key));
    }
  }

  void Set(const json::array& wanted, const json::object& owned, const json::array& live,
           const std::string& path) {
    const auto contains = [this](const json::array& array, const json::value& value) {
      return std::ranges::any_of(
          array, [&](const json::value& other) { return Step() && Holds(value, &other); });
    };
    const auto at = [&](const json::value& value) {
      return StrCat(path, "[=", ElementText(value), "]");
    };
    json::array owned_values;
    for (const OwnedChild& child : ChildrenOf(owned, 'v')) {
      absl::StatusOr<json::value> value = ParseJson(child.element, kElement);
      if (!value.ok()) {
        understood_ = false;
        return;
      }
      if (!contains(wanted, *value) || !contains(live, *value)) Add(at(*value));
      owned_values.push_back(*std::move(value));
    }
    for (const json::value& value : wanted) {
      if (!contains(owned_values, value)) Add(at(value));
    }
  }

  void Indexes(const json::array& wanted, const json::object& owned, const json::array& live,
               const std::string& path, size_t depth) {
    std::set<size_t> seen;
    for (const OwnedChild& child : ChildrenOf(owned, 'i')) {
      size_t index = 0;
      const char* const end = child.element.data() + child.element.size();
      const auto [stop, error] = std::from_chars(child.element.data(), end, index);
      if (error != std::errc() || stop != end) {
        understood_ = false;
        return;
      }
      seen.insert(index);
      const std::string at = StrCat(path, "[", index, "]");
      if (index >= wanted.size()) {
        Add(at);
      } else {
        Walk(wanted[index], *child.below, index < live.size() ? &live[index] : nullptr, at,
             depth + 1);
      }
    }
    for (size_t i = 0; i < wanted.size(); ++i) {
      if (!seen.contains(i)) Add(StrCat(path, "[", i, "]"));
    }
  }

  std::set<std::string> fields_;
  size_t steps_ = 0;
  bool understood_ = true;
};

}  // namespace

ApplyDifference CompareForApply(const json::object& wanted, const json::object& live,
                                std::string_view manager) {
  const json::object* owned = OwnedFields(live, manager, StringAt(wanted, "apiVersion"));
  if (owned != nullptr) {
    Comparison comparison;
    comparison.Members(wanted, *owned, &live, "", 0);
    if (comparison.understood()) return {.fields = comparison.TakeFields()};
  }
  Comparison comparison;
  comparison.LacksMembers(wanted, live, "");
  return {.fields = comparison.TakeFields(), .adopts = true};
}

}  // namespace steward::kube
