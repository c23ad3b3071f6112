#include "storage/embedded/rules/strategic_patch.h"

#include <array>
#include <boost/json/array.hpp>
#include <boost/json/value.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "absl/status/statusor.h"
#include "base/json/json_text.h"
#include "base/status/macros.h"
#include "base/text/str_cat.h"
#include "kube/meta/status.h"
#include "storage/embedded/rules/merged_list.h"
#include "storage/embedded/rules/object_meta.h"

namespace steward::storage {
namespace json = boost::json;
namespace {

constexpr std::string_view kPatch = "$patch";
constexpr std::string_view kRetainKeys = "$retainKeys";
constexpr std::string_view kOrder = "$setElementOrder";
constexpr std::string_view kDelete = "$deleteFromPrimitiveList";

constexpr char kBadRetainKeys[] = "invalid patch format of retainKeys";
constexpr char kBadOrder[] = "invalid patch format of setElementOrder list";
constexpr char kBadDelete[] = "invalid patch format of primitive list";
constexpr char kMixedTypes[] = "list element types are not identical";

struct MergedList {
  std::string_view kind;                 // "" = of every kind
  std::array<std::string_view, 2> path;  // outermost first
  std::string_view key;                  // "" = a set of scalars
};

constexpr MergedList kMergedLists[] = {
    {"", {"metadata", "finalizers"}, ""},
    {"", {"metadata", "ownerReferences"}, "uid"},
    {"Namespace", {"status", "conditions"}, "type"},
    {"ServiceAccount", {"secrets", ""}, "name"},
    {"Service", {"spec", "ports"}, "port"},
    {"Service", {"status", "conditions"}, "type"},
    {"PodDisruptionBudget", {"status", "conditions"}, "type"},
};

absl::Status Bad(std::string_view message) { return kube::ToStatus(kube::BadRequest(message)); }

bool IsDirective(json::string_view key) { return View(key).starts_with('$'); }

// If `key` is "<prefix>/<list>", returns the list; else "".
std::string_view ListOf(std::string_view prefix, json::string_view key) {
  const std::string_view all = View(key);
  if (!all.starts_with(prefix) || all.substr(prefix.size()).substr(0, 1) != "/") return {};
  return all.substr(prefix.size() + 1);
}

absl::Status CheckDirective(json::string_view key) {
  if (!IsDirective(key) || View(key) == kPatch || View(key) == kRetainKeys) return absl::OkStatus();
  if (!ListOf(kOrder, key).empty() || !ListOf(kDelete, key).empty()) return absl::OkStatus();
  if (View(key).starts_with(kOrder)) return Bad(kBadOrder);
  if (View(key).starts_with(kDelete)) return Bad(kBadDelete);
  return Bad(StrCat("unknown directive ", View(key)));
}

// The directive `$patch` of an object; "" when it has none.
absl::StatusOr<std::string> PatchDirective(const json::object& object) {
  const json::value* directive = object.if_contains(Key(kPatch));
  if (directive == nullptr) return std::string();
  const std::string text(directive->is_string() ? View(directive->get_string()) : "");
  if (text == "replace" || text == "delete") return text;
  if (text == "merge") return Bad("merging lists cannot yet be specified in the patch");
  return Bad(StrCat("unknown patch type: ", Serialize(*directive)));
}

absl::StatusOr<std::optional<json::value>> Clean(const json::value& value);

absl::StatusOr<json::object> CleanMembers(const json::object& object) {
  json::object out;
  for (const auto& member : object) {
    RETURN_IF_ERROR(CheckDirective(member.key()));
    if (IsDirective(member.key()) || member.value().is_null()) continue;
    ASSIGN_OR_RETURN(std::optional<json::value> value, Clean(member.value()));
    if (value.has_value()) out.emplace(member.key(), *std::move(value));
  }
  return out;
}

// Returns what is stored of `value`, a value of a patch that has nothing to merge with. Leaves out
// null members, directives, and objects that have a `$patch`. nullopt: `value` is such an object.
absl::StatusOr<std::optional<json::value>> Clean(const json::value& value) {
  if (const json::array* array = value.if_array()) {
    json::array out;
    for (const json::value& element : *array) {
      ASSIGN_OR_RETURN(std::optional<json::value> clean, Clean(element));
      if (clean.has_value()) out.push_back(*std::move(clean));
    }
    return json::value(std::move(out));
  }
  const json::object* object = value.if_object();
  if (object == nullptr) return value;
  ASSIGN_OR_RETURN(const std::string directive, PatchDirective(*object));
  if (!directive.empty()) return std::nullopt;
  ASSIGN_OR_RETURN(json::object members, CleanMembers(*object));
  return json::value(std::move(members));
}

// The elements of a patch's list with a merge key, grouped by the action for them.
struct Elements {
  bool replace = false;
  absl::flat_hash_set<std::string> deleted;
  json::array merged;
};

absl::StatusOr<Elements> SortOut(const json::array& patch, std::string_view key) {
  Elements out;
  for (const json::value& element : patch) {
    ASSIGN_OR_RETURN(const std::string directive, PatchDirective(element.get_object()));
    if (directive == "replace") {
      out.replace = true;
      continue;
    }
    const std::string identity = IdentityOf(element, key);
    if (identity.empty()) {
      return Bad(
          StrCat("map: ", Serialize(element), " does not contain declared merge key: ", key));
    }
    if (directive == "delete") {
      out.deleted.insert(identity);
    } else {
      out.merged.push_back(element);
    }
  }
  return out;
}

class Merger {
 public:
  explicit Merger(const kube::ResourceType& type) : type_(type) {}

  absl::Status Object(const json::object& patch, json::object& target) {
    ASSIGN_OR_RETURN(const std::string directive, PatchDirective(patch));
    if (!directive.empty()) {
      target.clear();
      if (directive == "delete") return absl::OkStatus();
      ASSIGN_OR_RETURN(target, CleanMembers(patch));
      return absl::OkStatus();
    }
    RETURN_IF_ERROR(RetainKeys(patch, target));
    for (const auto& member : patch) {
      RETURN_IF_ERROR(CheckDirective(member.key()));
      if (IsDirective(member.key())) continue;
      path_.push_back(View(member.key()));
      RETURN_IF_ERROR(Member(member, patch, target));
      path_.pop_back();
    }
    return ListDirectives(patch, target);
  }

 private:
  // Removes the members that the directive doesn't name. It must name all that the patch sets.
  absl::Status RetainKeys(const json::object& patch, json::object& target) {
    const json::value* directive = patch.if_contains(Key(kRetainKeys));
    if (directive == nullptr) return absl::OkStatus();
    if (!directive->is_array()) return Bad(kBadRetainKeys);
    absl::flat_hash_set<std::string_view> retained;
    for (const json::value& name : directive->get_array()) {
      if (!name.is_string()) return Bad(kBadRetainKeys);
      retained.insert(View(name.get_string()));
    }
    for (const auto& member : patch) {
      if (IsDirective(member.key()) || member.value().is_null()) continue;
      if (!retained.contains(View(member.key()))) return Bad(kBadRetainKeys);
    }
    json::object kept;
    for (auto& member : target) {
      if (retained.contains(View(member.key())))
        kept.emplace(member.key(), std::move(member.value()));
    }
    target = std::move(kept);
    return absl::OkStatus();
  }

  absl::Status Member(const json::key_value_pair& member, const json::object& patch,
                      json::object& target) {
    const json::value& value = member.value();
    if (value.is_null()) {
      target.stable_erase(member.key());
      return absl::OkStatus();
    }
    json::value* existing = target.if_contains(member.key());
    if (existing != nullptr && existing->is_object() && value.is_object()) {
      return Object(value.get_object(), existing->get_object());
    }
    const MergedList* list = FindList();
    if (list != nullptr && value.is_array()) {
      json::array live;
      if (existing != nullptr && existing->is_array()) live = existing->get_array();
      ASSIGN_OR_RETURN(json::array merged, Lists(value.get_array(), live,
                                                 OrderFor(View(member.key()), patch), list->key));
      target[member.key()] = std::move(merged);
      return absl::OkStatus();
    }
    ASSIGN_OR_RETURN(std::optional<json::value> clean, Clean(value));
    if (clean.has_value()) {
      target[member.key()] = *std::move(clean);
    } else {
      target.stable_erase(member.key());
    }
    return absl::OkStatus();
  }

  // The merged list at path_, if there is one.
  const MergedList* FindList() const {
    for (const MergedList& list : kMergedLists) {
      const size_t depth = list.path[1].empty() ? 1 : 2;
      if (!list.kind.empty() && list.kind != type_.gvk.kind) continue;
      if (path_.size() != depth || path_.front() != list.path[0]) continue;
      if (depth == 1 || path_.back() == list.path[1]) return &list;
    }
    return nullptr;
  }

  static const json::value* OrderFor(std::string_view list, const json::object& patch) {
    return patch.if_contains(StrCat(kOrder, "/", list));
  }

  // If `order` is null, the patch's own order counts.
  absl::StatusOr<json::array> Lists(const json::array& patch, const json::array& live,
                                    const json::value* order, std::string_view key) {
    if (!HaveOneType(live, patch, key)) return Bad(kMixedTypes);
    if (order != nullptr) RETURN_IF_ERROR(CheckOrder(*order, key));
    if (key.empty()) return Arranged(Union(live, patch), patch, live, order, key);
    ASSIGN_OR_RETURN(const Elements elements, SortOut(patch, key));
    ASSIGN_OR_RETURN(const json::array merged, Keyed(elements, live, key));
    return Arranged(merged, elements.merged, live, order, key);
  }

  absl::StatusOr<json::array> Keyed(const Elements& elements, const json::array& live,
                                    std::string_view key) {
    json::array out;
    absl::flat_hash_map<std::string, size_t> positions;
    if (!elements.replace) {
      for (const json::value& element : live) {
        const std::string identity = IdentityOf(element, key);
        if (elements.deleted.contains(identity)) continue;
        if (!identity.empty()) positions.emplace(identity, out.size());
        out.push_back(element);
      }
    }
    for (const json::value& element : elements.merged) {
      const auto [it, added] = positions.emplace(IdentityOf(element, key), out.size());
      if (added) {
        ASSIGN_OR_RETURN(json::object fresh, CleanMembers(element.get_object()));
        out.push_back(std::move(fresh));
      } else {
        RETURN_IF_ERROR(Object(element.get_object(), out[it->second].get_object()));
      }
    }
    return out;
  }

  static absl::Status CheckOrder(const json::value& order, std::string_view key) {
    if (!order.is_array()) return Bad(kBadOrder);
    if (!HaveOneType(order.get_array(), {}, key)) return Bad(kBadOrder);
    for (const json::value& name : order.get_array()) {
      if (IdentityOf(name, key).empty()) return Bad(kBadOrder);
    }
    return absl::OkStatus();
  }

  static absl::StatusOr<json::array> Arranged(const json::array& elements, const json::array& patch,
                                              const json::array& live, const json::value* order,
                                              std::string_view key) {
    if (order == nullptr) return Arrange(elements, patch, live, key);
    const json::array& wanted = order->get_array();
    if (!OrderAgrees(patch, wanted, key)) {
      return Bad(StrCat("The order in patch list:\n", Serialize(patch), "\n doesn't match ", kOrder,
                        " list:\n", Serialize(wanted), "\n"));
    }
    return Arrange(elements, wanted, live, key);
  }

  // Applies the directives about lists: first `$setElementOrder` to lists that the patch itself
  // does not have, then `$deleteFromPrimitiveList`.
  absl::Status ListDirectives(const json::object& patch, json::object& target) {
    for (const auto& member : patch) {
      const std::string_view ordered = ListOf(kOrder, member.key());
      if (ordered.empty()) continue;
      path_.push_back(ordered);
      const MergedList* list = FindList();
      path_.pop_back();
      if (list == nullptr) return Bad(kBadOrder);
      RETURN_IF_ERROR(CheckOrder(member.value(), list->key));
      json::value* live = target.if_contains(Key(ordered));
      if (live == nullptr || patch.contains(Key(ordered))) continue;
      if (!live->is_array()) return Bad(kBadOrder);
      const json::array elements = live->get_array();
      live->get_array() = Arrange(elements, member.value().get_array(), elements, list->key);
    }
    for (const auto& member : patch) {
      const std::string_view list = ListOf(kDelete, member.key());
      if (!list.empty()) RETURN_IF_ERROR(Delete(member.value(), list, target));
    }
    return absl::OkStatus();
  }

  static absl::Status Delete(const json::value& deleted, std::string_view list,
                             json::object& target) {
    if (!deleted.is_array()) return Bad(kBadDelete);
    json::value* value = target.if_contains(Key(list));
    if (value == nullptr || !value->is_array()) return absl::OkStatus();
    json::array& live = value->get_array();
    if (!HaveOneType(live, deleted.get_array(), "")) return Bad(kMixedTypes);
    absl::flat_hash_set<std::string> gone;
    for (const json::value& element : deleted.get_array()) gone.insert(IdentityOf(element, ""));
    json::array kept;
    for (const json::value& element : live) {
      if (!gone.contains(IdentityOf(element, ""))) kept.push_back(element);
    }
    live = std::move(kept);
    return absl::OkStatus();
  }

  const kube::ResourceType& type_;
  std::vector<std::string_view> path_;
};

}  // namespace

absl::Status ApplyStrategicPatch(const kube::ResourceType& type, const json::object& patch,
                                 json::object& target) {
  return Merger(type).Object(patch, target);
}

}  // namespace steward::storage
