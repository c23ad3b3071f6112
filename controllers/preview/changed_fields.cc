#include "controllers/preview/changed_fields.h"

#include <algorithm>
#include <array>
#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <set>
#include <string>
#include <string_view>
#include <utility>

#include "base/json/json_access.h"
#include "base/json/json_text.h"
#include "base/text/one_line.h"
#include "base/text/str_cat.h"

namespace steward::controllers {
namespace json = boost::json;
namespace {

constexpr std::array<std::string_view, 3> kBooks = {
    "metadata.managedFields", "metadata.resourceVersion", "metadata.generation"};

bool IsPlain(std::string_view key) {
  return !key.empty() && std::all_of(key.begin(), key.end(), [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
           c == '-' || c == '$';
  });
}

std::string Below(const std::string& path, std::string_view key) {
  if (IsPlain(key)) return StrCat(path, path.empty() ? "" : ".", key);
  std::string quoted;
  AppendJsonString(key, quoted);
  return StrCat(path, "[", quoted, "]");
}

// Cuts the long texts within a value. The recursion is safe, because the JSON parser bounds the
// depth.
void CutTexts(json::value& value, bool& cut) {
  if (json::string* text = value.if_string(); text != nullptr && text->size() > kMaxText) {
    *text = CutText(View(*text), kMaxText);
    cut = true;
  } else if (json::array* list = value.if_array()) {
    for (json::value& each : *list) CutTexts(each, cut);
  } else if (json::object* members = value.if_object()) {
    for (auto& member : *members) CutTexts(member.value(), cut);
  }
}

// Returns the value as JSON; "" for an absent value.
std::string TextOf(const json::value* value, bool& cut) {
  if (value == nullptr) return "";
  json::value copy = *value;
  CutTexts(copy, cut);
  return Serialize(copy);
}

// Writes the values as far as the limits allow.
void Tell(const json::value* before, const json::value* after, const ChangeLimits& limits,
          size_t& told, olm::PreviewChange& change) {
  change.cut = limits.bytes == 0;
  if (change.cut) return;
  std::string was = TextOf(before, change.cut);
  std::string is = TextOf(after, change.cut);
  const bool fits = std::max(was.size(), is.size()) <= limits.value_bytes &&
                    told + was.size() + is.size() <= limits.bytes;
  if (!fits) {
    change.cut = true;
    return;
  }
  told += was.size() + is.size();
  change.before = std::move(was);
  change.after = std::move(is);
}

class Comparison {
 public:
  explicit Comparison(const ChangeLimits& limits) : limits_(limits) {}

  // The recursion is safe, because the JSON parser bounds the depth.
  void Compare(const json::value& before, const json::value& after, const std::string& path) {
    if (before.is_object() && after.is_object()) {
      CompareMembers(before.get_object(), after.get_object(), path);
      return;
    }
    if (before == after) return;
    if (before.is_array() && after.is_array()) {
      const json::array& a = before.get_array();
      const json::array& b = after.get_array();
      if (a.size() == b.size()) {
        for (size_t i = 0; i < a.size(); ++i) Compare(a[i], b[i], StrCat(path, "[", i, "]"));
        return;
      }
    }
    Add(path, &before, &after);
  }

  ChangedFields Take() { return std::move(changed_); }

 private:
  void CompareMembers(const json::object& before, const json::object& after,
                      const std::string& path) {
    std::set<std::string_view> keys;
    for (const auto& member : before) keys.insert(View(member.key()));
    for (const auto& member : after) keys.insert(View(member.key()));
    for (const std::string_view key : keys) {
      const json::value* a = before.if_contains(key);
      const json::value* b = after.if_contains(key);
      if (a != nullptr && b != nullptr && *a == *b) continue;
      const std::string below = Below(path, key);
      if (std::find(kBooks.begin(), kBooks.end(), below) != kBooks.end()) continue;
      if (a == nullptr || b == nullptr) {
        Add(below, a, b);
      } else {
        Compare(*a, *b, below);
      }
    }
  }

  void Add(const std::string& path, const json::value* before, const json::value* after) {
    if (changed_.changes.size() >= limits_.fields) {
      ++changed_.more;
      return;
    }
    olm::PreviewChange& change = changed_.changes.emplace_back();
    change.path = OneLine(path, kMaxPath);
    Tell(before, after, limits_, told_, change);
  }

  const ChangeLimits limits_;
  size_t told_ = 0;  // bytes of values written so far
  ChangedFields changed_;
};

json::object* MetadataOf(json::value& object) {
  json::object* members = object.if_object();
  json::value* metadata = members == nullptr ? nullptr : members->if_contains("metadata");
  return metadata == nullptr ? nullptr : metadata->if_object();
}

json::value* MemberOf(json::object* parent, std::string_view key) {
  return parent == nullptr ? nullptr : parent->if_contains(key);
}

// Hides a value in both states; either may be null.
void Mask(json::value* before, json::value* after) {
  const bool differs = before != nullptr && after != nullptr && *before != *after;
  if (before != nullptr) *before = differs ? "*** (before)" : "***";
  if (after != nullptr) *after = differs ? "*** (after)" : "***";
}

// Hides the values of a mapping in both states; anything but a mapping is one value.
void MaskValues(json::value* before, json::value* after) {
  json::object* a = before == nullptr ? nullptr : before->if_object();
  json::object* b = after == nullptr ? nullptr : after->if_object();
  if ((before != nullptr && a == nullptr) || (after != nullptr && b == nullptr)) {
    return Mask(before, after);
  }
  if (a != nullptr) {
    for (auto& member : *a) Mask(&member.value(), MemberOf(b, View(member.key())));
  }
  if (b == nullptr) return;
  for (auto& member : *b) {
    if (MemberOf(a, View(member.key())) == nullptr) Mask(nullptr, &member.value());
  }
}

}  // namespace

ChangedFields Compare(const json::value& before, const json::value& after,
                      const ChangeLimits& limits) {
  Comparison comparison(limits);
  comparison.Compare(before, after, "");
  return comparison.Take();
}

olm::PreviewChange Creation(json::value object, const ChangeLimits& limits) {
  if (json::object* metadata = MetadataOf(object)) {
    for (const std::string_view key :
         {"managedFields", "resourceVersion", "generation", "uid", "creationTimestamp"}) {
      metadata->erase(key);
    }
  }
  olm::PreviewChange change;
  size_t told = 0;
  Tell(nullptr, &object, limits, told, change);
  return change;
}

void MaskSecret(json::value& before, json::value& after) {
  for (const std::string_view part : {"data", "stringData"}) {
    MaskValues(MemberOf(before.if_object(), part), MemberOf(after.if_object(), part));
  }
  MaskValues(MemberOf(MetadataOf(before), "annotations"),
             MemberOf(MetadataOf(after), "annotations"));
}

}  // namespace steward::controllers
