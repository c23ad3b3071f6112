#include "base/json/json_path/json_path.h"

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <deque>
#include <limits>
#include <optional>

#include "absl/status/status.h"
#include "base/json/json_access.h"
#include "base/json/json_path/go_text.h"
#include "base/status/macros.h"
#include "base/text/str_cat.h"

namespace steward {
namespace {

namespace json = boost::json;

using json_path::Node;
using Kind = Node::Kind;

// A null pointer means no value at all, such as the root of a range over an empty list.
using Values = std::vector<const json::value*>;

constexpr size_t kMaxRanges = 100;  // nested
constexpr size_t kIndent = 4;

absl::Status Wrong(std::string_view message) { return absl::InvalidArgumentError(ToAbsl(message)); }

bool IsNone(const json::value* value) { return value == nullptr || value->is_null(); }

std::string_view KindName(const json::value& value) {
  if (value.is_object()) return "an object";
  if (value.is_array()) return "an array";
  if (value.is_string()) return "a string";
  if (value.is_bool()) return "a boolean";
  return value.is_null() ? "null" : "a number";
}

bool IsInteger(const json::value& value) {
  return value.is_int64() ||
         (value.is_uint64() &&
          value.get_uint64() <= static_cast<uint64_t>(std::numeric_limits<int64_t>::max()));
}

// The order of two values. Two booleans are kEqual or kDifferent.
enum class Order { kLess, kEqual, kGreater, kDifferent };

template <typename T>
Order OrderOf(const T& left, const T& right) {
  return left == right ? Order::kEqual : left < right ? Order::kLess : Order::kGreater;
}

absl::StatusOr<Order> Compare(const json::value& left, const json::value& right) {
  for (const json::value* each : {&left, &right}) {
    if (each->is_structured() || each->is_null()) {
      return Wrong(StrCat(KindName(*each), " cannot be compared"));
    }
  }
  if (left.is_string() && right.is_string()) {
    return OrderOf(View(left.get_string()), View(right.get_string()));
  }
  if (left.is_bool() && right.is_bool()) {
    return left.get_bool() == right.get_bool() ? Order::kEqual : Order::kDifferent;
  }
  if (IsInteger(left) && IsInteger(right)) {
    return OrderOf(left.to_number<int64_t>(), right.to_number<int64_t>());
  }
  if (left.is_number() && right.is_number() && !IsInteger(left) && !IsInteger(right)) {
    return OrderOf(left.to_number<double>(), right.to_number<double>());
  }
  return Wrong("values of different types cannot be compared");
}

absl::StatusOr<bool> Holds(std::string_view op, const json::value& left, const json::value& right) {
  const bool equality = op == "==" || op == "!=";
  if (!equality && op != "<" && op != "<=" && op != ">" && op != ">=") {
    return Wrong(StrCat("unrecognized filter operator ", json_path::Shown(op)));
  }
  ASSIGN_OR_RETURN(const Order order, Compare(left, right));
  if (equality) return (order == Order::kEqual) == (op == "==");
  if (left.is_bool()) return Wrong("a boolean is neither less nor greater");
  if (order == Order::kEqual) return op.ends_with('=');
  return (order == Order::kLess) == op.starts_with('<');
}

// One run of a template. An operation that fails leaves its input in `values` unless its comment
// says otherwise, because a filter for existence counts them.
class Evaluation {
 public:
  Evaluation(const std::vector<Node>& nodes, size_t max_steps)
      : nodes_(nodes), steps_left_(max_steps) {}

  absl::StatusOr<std::vector<Values>> Run(const json::value& document) {
    std::vector<Values> results;
    RETURN_IF_ERROR(RunFrom(0, &document, results));
    return results;
  }

 private:
  // Runs the nodes from `first` on, until the end of their range.
  absl::Status RunFrom(size_t first, const json::value* root, std::vector<Values>& results) {
    for (size_t i = first; i < nodes_.size(); ++i) {
      Values values = {root};
      RETURN_IF_ERROR(Walk(nodes_[i], values));
      if (ends_ > 0 && ends_ <= depth_) {
        --ends_;
        last_end_ = i;
        return absl::OkStatus();
      }
      if (begins_ == 0) {
        results.push_back(std::move(values));
        continue;
      }
      --begins_;
      RETURN_IF_ERROR(RunRange(i, values, results));
      // Goes on behind the end of the range. A range without an end of its own uses the end of its
      // parent.
      if (last_end_ > i) i = last_end_;
    }
    return absl::OkStatus();
  }

  absl::Status RunRange(size_t at, const Values& values, std::vector<Values>& results) {
    if (++depth_ > kMaxRanges) return Wrong("ranges are nested too deeply");
    for (const json::value* value : values) {
      RETURN_IF_ERROR(
          RunFrom(at + 1, value != nullptr && value->is_null() ? nullptr : value, results));
    }
    if (values.empty()) {
      std::vector<Values> none;
      RETURN_IF_ERROR(RunFrom(at + 1, nullptr, none));
    }
    --depth_;
    return absl::OkStatus();
  }

  absl::Status Walk(const Node& node, Values& values) {
    RETURN_IF_ERROR(Spend(1 + values.size()));
    switch (node.kind) {
      case Kind::kText:
        values = {&node.value};
        return absl::OkStatus();
      case Kind::kLiteral:
        values.assign(values.size(), &node.value);
        return absl::OkStatus();
      case Kind::kIdentifier:
        return Obey(node.text, values);
      case Kind::kField:
        return TakeField(node.text, values);
      case Kind::kWildcard:
        return TakeChildren(values);
      case Kind::kRecursive:
        return TakeAll(values);
      case Kind::kSlice:
        return TakeSlices(node, values);
      case Kind::kUnion:
        return TakeUnion(node, values);
      case Kind::kFilter:
        return TakeFiltered(node, values);
      case Kind::kAction:
        return WalkChain(node.lists[0], values);
    }
    return absl::OkStatus();
  }

  absl::Status WalkChain(const std::vector<Node>& chain, Values& values) {
    for (const Node& node : chain) RETURN_IF_ERROR(Walk(node, values));
    return absl::OkStatus();
  }

  // Runs `range` or `end`. An `end` without a range fails and leaves no values.
  absl::Status Obey(std::string_view word, Values& values) {
    if (word == "range") {
      ++begins_;
      return absl::OkStatus();
    }
    if (word != "end") return Wrong(StrCat("unrecognized identifier ", json_path::Shown(word)));
    values.clear();
    if (depth_ == 0) return Wrong("not in range, nothing to end");
    ++ends_;
    return absl::OkStatus();
  }

  static absl::Status TakeField(std::string_view name, Values& values) {
    Values found;
    for (const json::value* value : values) {
      if (value == nullptr || !value->is_object()) continue;
      const json::value* member = value->get_object().if_contains(name);
      if (member != nullptr) found.push_back(member);
    }
    values = std::move(found);
    return absl::OkStatus();
  }

  // A string counts as the list of its bytes, as numbers.
  absl::Status AppendChildren(const json::value& value, Values& children) {
    if (const json::object* object = value.if_object()) {
      RETURN_IF_ERROR(Spend(object->size()));
      for (const auto& member : *object) children.push_back(&member.value());
    } else if (const json::array* array = value.if_array()) {
      RETURN_IF_ERROR(Spend(array->size()));
      for (const json::value& item : *array) children.push_back(&item);
    } else if (const json::string* string = value.if_string()) {
      RETURN_IF_ERROR(Spend(string->size()));
      for (const char c : *string) {
        children.push_back(
            &made_.emplace_back(static_cast<int64_t>(static_cast<unsigned char>(c))));
      }
    }
    return absl::OkStatus();
  }

  absl::Status TakeChildren(Values& values) {
    Values children;
    for (const json::value* value : values) {
      if (value != nullptr) RETURN_IF_ERROR(AppendChildren(*value, children));
    }
    values = std::move(children);
    return absl::OkStatus();
  }

  // Objects, arrays and strings that are not empty.
  absl::Status TakeAll(Values& values) {
    Values found;
    for (const json::value* value : values) RETURN_IF_ERROR(AppendAll(value, found));
    values = std::move(found);
    return absl::OkStatus();
  }

  absl::Status AppendAll(const json::value* value, Values& found) {
    RETURN_IF_ERROR(Spend(1));
    if (IsNone(value)) return absl::OkStatus();
    if (const json::string* string = value->if_string()) {
      if (!string->empty()) found.push_back(value);
      return absl::OkStatus();
    }
    Values children;
    RETURN_IF_ERROR(AppendChildren(*value, children));
    if (!children.empty()) found.push_back(value);
    for (const json::value* child : children) RETURN_IF_ERROR(AppendAll(child, found));
    return absl::OkStatus();
  }

  absl::Status TakeSlices(const Node& node, Values& values) {
    Values found;
    for (const json::value* value : values) {
      if (IsNone(value)) continue;
      if (!value->is_array()) return Wrong(StrCat(KindName(*value), " is not an array"));
      ASSIGN_OR_RETURN(const bool some, AppendSlice(node, value->get_array(), found));
      // Like client-go, an empty slice ends the search.
      if (!some) break;
    }
    values = std::move(found);
    return absl::OkStatus();
  }

  // Returns false if the slice is empty.
  absl::StatusOr<bool> AppendSlice(const Node& node, const json::array& array, Values& found) {
    const auto length = static_cast<int64_t>(array.size());
    int64_t begin = node.begin.value_or(0);
    int64_t end = node.single ? begin + 1 : node.end.value_or(length);
    if (begin < 0) begin += length;
    if (end < 0 || (end == 0 && node.single)) end += length;
    if (begin == end) return false;
    for (const int64_t bound : {begin, end - 1}) {
      if (bound < 0 || bound >= length) {
        return Wrong(StrCat("array index out of bounds: index ", bound, ", length ", length));
      }
    }
    if (begin > end) {
      return Wrong(StrCat("starting index ", begin, " is greater than ending index ", end));
    }
    const int64_t step = node.step.value_or(1);
    if (step <= 0) return Wrong("step must be > 0");
    RETURN_IF_ERROR(Spend(static_cast<size_t>(end - begin)));
    for (int64_t i = begin; i < end; i += std::min(step, length)) {
      found.push_back(&array[static_cast<size_t>(i)]);
    }
    return true;
  }

  absl::Status TakeUnion(const Node& node, Values& values) {
    Values found;
    for (const std::vector<Node>& chain : node.lists) {
      Values some = values;
      RETURN_IF_ERROR(WalkChain(chain, some));
      found.insert(found.end(), some.begin(), some.end());
    }
    values = std::move(found);
    return absl::OkStatus();
  }

  absl::Status TakeFiltered(const Node& node, Values& values) {
    Values found;
    for (const json::value* value : values) {
      if (value == nullptr || !value->is_array()) {
        return Wrong(StrCat(value == nullptr ? "nothing" : KindName(*value),
                            " is not an array and cannot be filtered"));
      }
      for (const json::value& item : value->get_array()) {
        ASSIGN_OR_RETURN(const bool holds, Passes(node, item));
        if (holds) found.push_back(&item);
      }
    }
    values = std::move(found);
    return absl::OkStatus();
  }

  absl::StatusOr<bool> Passes(const Node& node, const json::value& item) {
    Values left = {&item};
    const absl::Status walked = WalkChain(node.lists[0], left);
    if (absl::IsResourceExhausted(walked)) return walked;
    if (node.text.empty()) return !left.empty();
    RETURN_IF_ERROR(walked);
    if (left.empty()) return false;
    if (left.size() > 1) return Wrong("can only compare one element at a time");
    Values right = {&item};
    RETURN_IF_ERROR(WalkChain(node.lists[1], right));
    if (right.empty()) return false;
    if (right.size() > 1) return Wrong("can only compare one element at a time");
    return Holds(node.text, *left[0], *right[0]);
  }

  absl::Status Spend(size_t steps) {
    if (steps > steps_left_) return absl::ResourceExhaustedError("it finds too much");
    steps_left_ -= steps;
    return absl::OkStatus();
  }

  const std::vector<Node>& nodes_;
  size_t steps_left_;
  size_t begins_ = 0;  // ranges that the last action has begun
  size_t depth_ = 0;   // ranges that are running
  size_t ends_ = 0;    // ranges that the last action has ended
  size_t last_end_ = 0;
  std::deque<json::value> made_;  // values that were made, since the document does not have them
};

// Prints values. Checks the size after each value, because a short template can find each value
// many times.
class Printer {
 public:
  explicit Printer(size_t max_output) : max_output_(max_output) {}

  absl::Status AppendResults(const Values& values) {
    for (size_t i = 0; i < values.size(); ++i) {
      if (i > 0) out_ += ' ';
      if (values[i] == nullptr) {
        out_ += "<no value>";
      } else {
        json_path::AppendText(*values[i], out_);
      }
      RETURN_IF_ERROR(Measure());
    }
    return absl::OkStatus();
  }

  absl::Status AppendArray(const Values& values) {
    static const json::value kNone;
    out_ += '[';
    for (size_t i = 0; i < values.size(); ++i) {
      StrAppend(&out_, i > 0 ? ",\n" : "\n", std::string(kIndent, ' '));
      json_path::AppendGoJson(values[i] == nullptr ? kNone : *values[i], kIndent, out_, 1);
      RETURN_IF_ERROR(Measure());
    }
    out_ += values.empty() ? "]\n" : "\n]\n";
    return Measure();
  }

  std::string Take() && { return std::move(out_); }

 private:
  absl::Status Measure() const {
    if (out_.size() <= max_output_) return absl::OkStatus();
    return absl::ResourceExhaustedError("it prints too much");
  }

  const size_t max_output_;
  std::string out_;
};

}  // namespace

absl::StatusOr<JsonPath> JsonPath::Parse(std::string_view text) {
  ASSIGN_OR_RETURN(std::vector<Node> nodes, json_path::ParseTemplate(text));
  return JsonPath(std::move(nodes));
}

absl::StatusOr<std::string> JsonPath::Print(const json::value& document, Form form,
                                            const JsonPathLimits& limits) const {
  Evaluation evaluation(nodes_, limits.max_steps);
  ASSIGN_OR_RETURN(const std::vector<Values> results, evaluation.Run(document));
  Printer printer(limits.max_output);
  for (const Values& values : results) {
    RETURN_IF_ERROR(form == Form::kJson ? printer.AppendArray(values)
                                        : printer.AppendResults(values));
  }
  return std::move(printer).Take();
}

}  // namespace steward
