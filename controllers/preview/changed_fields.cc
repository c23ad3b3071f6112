#include "controllers/preview/changed_fields.h"

#include <algorithm>
#include <array>
#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <set>
#include <string_view>

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

class Comparison {
 public:
  explicit Comparison(size_t max_paths) : max_paths_(max_paths) {}

  // The depth is that of JSON, which has a bound.
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
    Add(path);
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
        Add(below);
      } else {
        Compare(*a, *b, below);
      }
    }
  }

  void Add(const std::string& path) {
    if (changed_.paths.size() < max_paths_) {
      changed_.paths.push_back(OneLine(path, kMaxPath));
    } else {
      ++changed_.more;
    }
  }

  const size_t max_paths_;
  ChangedFields changed_;
};

}  // namespace

ChangedFields Compare(const json::value& before, const json::value& after, size_t max_paths) {
  Comparison comparison(max_paths);
  comparison.Compare(before, after, "");
  return comparison.Take();
}

}  // namespace steward::controllers
