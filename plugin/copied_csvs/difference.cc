#include "plugin/copied_csvs/difference.h"

#include <algorithm>
#include <boost/json/array.hpp>
#include <boost/json/value.hpp>
#include <utility>

#include "absl/strings/ascii.h"
#include "base/json/json_access.h"
#include "base/json/json_text.h"
#include "base/text/printable.h"
#include "base/text/str_cat.h"

namespace steward::plugin {
namespace {

namespace json = boost::json;

// The bytes shown of two long texts before the place where they differ.
constexpr size_t kBefore = 24;

bool IsPlain(std::string_view key) {
  return !key.empty() && std::all_of(key.begin(), key.end(), [](unsigned char c) {
    return absl::ascii_isalnum(c) || c == '_' || c == '-';
  });
}

std::string TextOf(const json::value* value) {
  return value == nullptr ? "" : Printable(Serialize(*value));
}

// Cuts both texts to kMostColumns. Long texts lose most of their common beginning.
void Cut(std::string& a, std::string& b) {
  size_t shared = 0;
  while (shared < std::min(a.size(), b.size()) && a[shared] == b[shared]) ++shared;
  const bool is_long = std::max(Columns(a), Columns(b)) > kMostColumns;
  if (is_long && shared > 2 * kBefore) {
    size_t from = shared - kBefore;
    while ((static_cast<unsigned char>(a[from]) & 0xC0) == 0x80) --from;
    for (std::string* text : {&a, &b}) text->replace(0, from, "…");
  }
  a = CutTo(a, kMostColumns);
  b = CutTo(b, kMostColumns);
}

// A walk through two objects at once.
class Walk {
 public:
  void Objects(const json::object& copy, const json::object& view) {
    for (const auto& [key, value] : copy) Member(View(key), &value, view.if_contains(key));
    for (const auto& [key, value] : view) {
      if (!copy.contains(key)) Member(View(key), nullptr, &value);
    }
  }
  Differences Take() { return std::move(found_); }

 private:
  void Member(std::string_view key, const json::value* copy, const json::value* view) {
    const size_t length = path_.size();
    if (IsPlain(key)) {
      StrAppend(&path_, path_.empty() ? "" : ".", key);
    } else {
      path_ += '[';
      AppendJsonString(key, path_);
      path_ += ']';
    }
    Step(length, copy, view);
  }

  void Element(size_t index, const json::value* copy, const json::value* view) {
    const size_t length = path_.size();
    StrAppend(&path_, "[", index, "]");
    Step(length, copy, view);
  }

  // Compares the values at path_, then cuts path_ back to `length`.
  void Step(size_t length, const json::value* copy, const json::value* view) {
    ++depth_;
    if (depth_ > 2 || std::find(std::begin(kNotCompared), std::end(kNotCompared),
                                std::string_view(path_)) == std::end(kNotCompared)) {
      Values(copy, view);
    }
    --depth_;
    path_.resize(length);
  }

  void Values(const json::value* copy, const json::value* view) {
    if (copy != nullptr && copy->is_null()) copy = nullptr;
    if (view != nullptr && view->is_null()) view = nullptr;
    if (copy == nullptr && view == nullptr) return;
    if (copy != nullptr && view != nullptr) {
      if (copy->is_object() && view->is_object()) {
        return Objects(copy->get_object(), view->get_object());
      }
      if (copy->is_array() && view->is_array()) {
        return Arrays(copy->get_array(), view->get_array());
      }
      if (*copy == *view) return;
    }
    Add(copy, view);
  }

  void Arrays(const json::array& copy, const json::array& view) {
    for (size_t i = 0; i < std::max(copy.size(), view.size()); ++i) {
      Element(i, copy.if_contains(i), view.if_contains(i));
    }
  }

  void Add(const json::value* copy, const json::value* view) {
    if (found_.fields.size() == kMostFields) {
      ++found_.more;
      return;
    }
    FieldDifference one;
    one.path = CutTo(Printable(path_), kMostColumns);
    one.copy = TextOf(copy);
    one.view = TextOf(view);
    Cut(one.copy, one.view);
    found_.fields.push_back(std::move(one));
  }

  std::string path_;
  int depth_ = 0;  // the number of the path's parts
  Differences found_;
};

}  // namespace

Differences Compare(const json::object& copy, const json::object& view) {
  Walk walk;
  walk.Objects(copy, view);
  return walk.Take();
}

}  // namespace steward::plugin
