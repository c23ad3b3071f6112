#include "storage/embedded/rules/merged_list.h"

#include <algorithm>
#include <boost/json/object.hpp>
#include <limits>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "base/json/json_text.h"
#include "storage/embedded/rules/object_meta.h"

namespace steward::storage {
namespace json = boost::json;
namespace {

constexpr size_t kNowhere = std::numeric_limits<size_t>::max();

// The first position of each element of a list.
class Positions {
 public:
  Positions(const json::array& list, std::string_view key) {
    for (size_t i = 0; i < list.size(); ++i) positions_.emplace(IdentityOf(list[i], key), i);
  }
  size_t Of(const std::string& identity) const {
    const auto it = positions_.find(identity);
    return it == positions_.end() ? kNowhere : it->second;
  }

 private:
  absl::flat_hash_map<std::string, size_t> positions_;
};

struct Placed {
  const json::value* element;
  size_t wanted;
  size_t live;
};

}  // namespace

std::string IdentityOf(const json::value& element, std::string_view key) {
  if (key.empty()) return Serialize(element);
  const json::object* object = element.if_object();
  const json::value* value = object == nullptr ? nullptr : object->if_contains(Key(key));
  return value == nullptr ? std::string() : Serialize(*value);
}

bool HaveOneType(const json::array& a, const json::array& b, std::string_view key) {
  const json::value* first = !a.empty() ? &a.front() : !b.empty() ? &b.front() : nullptr;
  if (first == nullptr) return true;
  if (first->is_object() != !key.empty() || first->is_array()) return false;
  const auto same = [first](const json::value& v) { return v.kind() == first->kind(); };
  return std::all_of(a.begin(), a.end(), same) && std::all_of(b.begin(), b.end(), same);
}

json::array Union(const json::array& a, const json::array& b) {
  json::array out;
  absl::flat_hash_set<std::string> seen;
  for (const json::array* list : {&a, &b}) {
    for (const json::value& element : *list) {
      if (seen.insert(IdentityOf(element, "")).second) out.push_back(element);
    }
  }
  return out;
}

json::array Arrange(const json::array& elements, const json::array& wanted, const json::array& live,
                    std::string_view key) {
  const Positions in_wanted(wanted, key);
  const Positions in_live(live, key);
  std::vector<Placed> named;
  std::vector<Placed> others;
  for (const json::value& element : elements) {
    const std::string identity = IdentityOf(element, key);
    const Placed placed{&element, in_wanted.Of(identity), in_live.Of(identity)};
    (placed.wanted == kNowhere ? others : named).push_back(placed);
  }
  std::stable_sort(named.begin(), named.end(),
                   [](const Placed& a, const Placed& b) { return a.wanted < b.wanted; });
  std::stable_sort(others.begin(), others.end(),
                   [](const Placed& a, const Placed& b) { return a.live < b.live; });
  json::array out;
  out.reserve(elements.size());
  auto other = others.begin();
  for (const Placed& next : named) {
    // An element that `live` doesn't have waits for no other element.
    for (; other != others.end() && next.live != kNowhere && other->live < next.live; ++other) {
      out.push_back(*other->element);
    }
    out.push_back(*next.element);
  }
  for (; other != others.end(); ++other) out.push_back(*other->element);
  return out;
}

bool OrderAgrees(const json::array& elements, const json::array& wanted, std::string_view key) {
  if (elements.empty() || wanted.empty()) return true;
  size_t found = 0;
  for (const json::value& name : wanted) {
    if (found == elements.size()) break;
    if (IdentityOf(elements[found], key) == IdentityOf(name, key)) ++found;
  }
  return found == elements.size();
}

}  // namespace steward::storage
