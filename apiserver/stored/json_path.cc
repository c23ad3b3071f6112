#include "apiserver/stored/json_path.h"

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <charconv>
#include <utility>

#include "absl/status/status.h"
#include "base/json/json_text.h"
#include "base/status/macros.h"
#include "base/text/str_cat.h"

namespace steward::stored {

namespace json = boost::json;

struct JsonPath::Filter {
  enum class Operator { kExists, kEqual, kNotEqual };

  bool Passes(const json::value& element) const;

  std::vector<Step> path;
  Operator op = Operator::kExists;
  json::value literal;
};

namespace {

bool Equal(const json::value& a, const json::value& b) {
  if (a.is_number() && b.is_number()) return a.to_number<double>() == b.to_number<double>();
  return a == b;
}

}  // namespace

class JsonPathParser {
 public:
  explicit JsonPathParser(std::string_view text) : rest_(text) {}

  absl::StatusOr<JsonPath> Parse() {
    Take("$");
    JsonPath path;
    while (!rest_.empty()) {
      ASSIGN_OR_RETURN(JsonPath::Step step, ParseStep(/*filters=*/true));
      path.steps_.push_back(std::move(step));
    }
    if (path.steps_.empty()) return Wrong("a step");
    return path;
  }

 private:
  using Step = JsonPath::Step;

  absl::Status Wrong(std::string_view wanted) const {
    return absl::InvalidArgumentError(StrCat("expected ", wanted, " at \"", rest_, "\""));
  }

  bool Take(std::string_view token) {
    if (!rest_.starts_with(token)) return false;
    rest_.remove_prefix(token.size());
    return true;
  }

  void SkipSpace() {
    while (Take(" ")) {
    }
  }

  absl::StatusOr<Step> ParseStep(bool filters) {
    if (Take(".")) {
      if (Take("*")) return Step{Step::Kind::kEach};
      ASSIGN_OR_RETURN(std::string name, ParseName());
      return Step{Step::Kind::kMember, std::move(name)};
    }
    if (filters && Take("[?(")) return ParseFilter();
    if (!Take("[")) return Wrong("'.' or '['");
    ASSIGN_OR_RETURN(Step step, ParseBracket());
    if (!Take("]")) return Wrong("']'");
    return step;
  }

  absl::StatusOr<std::string> ParseName() {
    std::string name;
    while (!rest_.empty()) {
      if (rest_[0] == '\\' && rest_.size() > 1) {
        rest_.remove_prefix(1);
      } else if (std::string_view(" \t\r\n.,[]$@{}()=!<>'\"").find(rest_[0]) !=
                 std::string_view::npos) {
        break;
      }
      name += rest_[0];
      rest_.remove_prefix(1);
    }
    if (name.empty()) return Wrong("a name");
    return name;
  }

  absl::StatusOr<Step> ParseBracket() {
    if (Take("*")) return Step{Step::Kind::kEach};
    if (rest_.starts_with('\'') || rest_.starts_with('"')) {
      ASSIGN_OR_RETURN(std::string name, ParseQuoted());
      return Step{Step::Kind::kMember, std::move(name)};
    }
    Step step{Step::Kind::kElement};
    const auto [end, error] =
        std::from_chars(rest_.data(), rest_.data() + rest_.size(), step.index);
    if (error != std::errc()) return Wrong("an index, a quoted name or '*'");
    rest_.remove_prefix(static_cast<size_t>(end - rest_.data()));
    return step;
  }

  absl::StatusOr<std::string> ParseQuoted() {
    const char quote = rest_[0];
    std::string text;
    for (size_t i = 1; i < rest_.size(); ++i) {
      if (rest_[i] == quote) {
        rest_.remove_prefix(i + 1);
        return text;
      }
      if (rest_[i] == '\\' && i + 1 < rest_.size()) ++i;
      text += rest_[i];
    }
    return Wrong("a closed string");
  }

  // Parses the part behind `[?(`.
  absl::StatusOr<Step> ParseFilter() {
    auto filter = std::make_shared<JsonPath::Filter>();
    SkipSpace();
    if (!Take("@")) return Wrong("'@'");
    while (rest_.starts_with('.') || rest_.starts_with('[')) {
      ASSIGN_OR_RETURN(Step step, ParseStep(/*filters=*/false));
      filter->path.push_back(std::move(step));
    }
    SkipSpace();
    using Operator = JsonPath::Filter::Operator;
    if (Take("==")) {
      filter->op = Operator::kEqual;
    } else if (Take("!=")) {
      filter->op = Operator::kNotEqual;
    }
    if (filter->op != Operator::kExists) {
      ASSIGN_OR_RETURN(filter->literal, ParseLiteral());
    }
    SkipSpace();
    if (!Take(")]")) return Wrong("')]'");
    Step step{Step::Kind::kFilter};
    step.filter = std::move(filter);
    return step;
  }

  absl::StatusOr<json::value> ParseLiteral() {
    SkipSpace();
    if (rest_.starts_with('\'') || rest_.starts_with('"')) {
      ASSIGN_OR_RETURN(const std::string text, ParseQuoted());
      return json::value(text);
    }
    const size_t end = rest_.find_first_of(" )");
    auto value = ParseJson(rest_.substr(0, end));
    if (!value.ok() || !(value->is_number() || value->is_bool())) return Wrong("a literal");
    rest_.remove_prefix(end == std::string_view::npos ? rest_.size() : end);
    return value;
  }

  std::string_view rest_;
};

bool JsonPath::Filter::Passes(const json::value& element) const {
  const json::value* found = Walk(path, 0, element);
  if (found == nullptr) return false;
  return op == Operator::kExists || Equal(*found, literal) == (op == Operator::kEqual);
}

absl::StatusOr<JsonPath> JsonPath::Parse(std::string_view text) {
  if (text.size() > kMaxLength) return absl::InvalidArgumentError("the path is too long");
  return JsonPathParser(text).Parse();
}

const json::value* JsonPath::FindFirst(const json::value& root) const {
  return Walk(steps_, 0, root);
}

const json::value* JsonPath::Walk(const std::vector<Step>& steps, size_t next,
                                  const json::value& value) {
  if (next == steps.size()) return &value;
  const Step& step = steps[next];
  if (step.kind == Step::Kind::kMember) {
    const json::object* object = value.if_object();
    const json::value* member = object == nullptr ? nullptr : object->if_contains(step.name);
    return member == nullptr ? nullptr : Walk(steps, next + 1, *member);
  }
  if (step.kind == Step::Kind::kElement) {
    const json::array* array = value.if_array();
    if (array == nullptr) return nullptr;
    const auto size = static_cast<int64_t>(array->size());
    const int64_t index = step.index < 0 ? step.index + size : step.index;
    if (index < 0 || index >= size) return nullptr;
    return Walk(steps, next + 1, (*array)[static_cast<size_t>(index)]);
  }
  return WalkEach(steps, next, value);
}

const json::value* JsonPath::WalkEach(const std::vector<Step>& steps, size_t next,
                                      const json::value& value) {
  const Filter* filter = steps[next].filter.get();
  const auto try_one = [&](const json::value& element) -> const json::value* {
    if (filter != nullptr && !filter->Passes(element)) return nullptr;
    return Walk(steps, next + 1, element);
  };
  if (const json::array* array = value.if_array()) {
    for (const json::value& element : *array) {
      if (const json::value* found = try_one(element)) return found;
    }
  } else if (const json::object* object = value.if_object(); object && filter == nullptr) {
    for (const auto& [key, member] : *object) {
      if (const json::value* found = try_one(member)) return found;
    }
  }
  return nullptr;
}

}  // namespace steward::stored
