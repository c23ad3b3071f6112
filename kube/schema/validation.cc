#include <algorithm>
#include <boost/json/array.hpp>
#include <boost/json/value.hpp>
#include <charconv>
#include <cmath>
#include <limits>
#include <string>
#include <utility>

#include "absl/strings/str_join.h"
#include "base/json/json_access.h"
#include "base/json/json_text.h"
#include "base/text/str_cat.h"
#include "kube/meta/quote.h"
#include "kube/schema/formats.h"
#include "kube/schema/schema.h"
#include "kube/schema/schema_node.h"

namespace steward::kube {
namespace json = boost::json;
namespace {

// The field of problems that concern no single field, as Kubernetes names it.
constexpr char kNoField[] = "<nil>";

bool IsInteger(const json::value& value) { return value.is_int64(); }
bool IsNumber(const json::value& value) { return value.is_number(); }
double AsDouble(const json::value& value) { return value.to_number<double>(); }

// Go's %v of a float64.
std::string FloatText(double d) {
  const double size = std::fabs(d);
  const bool fixed = d == 0 || (size >= 1e-4 && size < 1e21);
  char text[400];
  const auto [end, error] =
      std::to_chars(text, text + sizeof(text), d,
                    fixed ? std::chars_format::fixed : std::chars_format::scientific);
  return std::string(text, end);
}

std::string NumberText(const json::value& value) {
  return IsInteger(value) ? StrCat(value.get_int64()) : FloatText(AsDouble(value));
}

std::string_view TypeName(const json::value& value) {
  switch (value.kind()) {
    case json::kind::null:
      return "null";
    case json::kind::bool_:
      return "boolean";
    case json::kind::int64:
      return "integer";
    case json::kind::uint64:
    case json::kind::double_:
      return "number";
    case json::kind::string:
      return "string";
    case json::kind::array:
      return "array";
    case json::kind::object:
      return "object";
  }
  return "null";
}

// A value as causes show it: "Invalid value: <value>".
std::string Shown(const json::value& value) {
  if (value.is_null()) return "\"null\"";
  if (value.is_string()) return Quote(View(value.get_string()));
  if (value.is_bool()) return value.get_bool() ? "true" : "false";
  return IsNumber(value) ? NumberText(value) : Serialize(value);
}

size_t CharactersIn(std::string_view text) {
  return static_cast<size_t>(std::count_if(text.begin(), text.end(), [](char c) {
    return (static_cast<unsigned char>(c) & 0xC0) != 0x80;
  }));
}

std::string Items(int64_t count) { return StrCat(count, count == 1 ? " item" : " items"); }

struct Result {
  std::vector<StatusCause> causes;
  // The number of passed checks. It decides which alternative of anyOf and oneOf counts as the
  // closest.
  int matches = 0;

  bool ok() const { return causes.empty(); }
  void Add(StatusCause cause) {
    if (causes.size() == Schema::kMaxCauses) return;
    if (std::find(causes.begin(), causes.end(), cause) != causes.end()) return;
    causes.push_back(std::move(cause));
  }
  void Merge(Result other) {
    matches += other.matches;
    for (StatusCause& cause : other.causes) Add(std::move(cause));
  }
};

class Validator {
 public:
  // `path` is "" for the root. `stored` is the value at the same place in the stored object; null =
  // there is no such value.
  Result Check(const json::value& value, const SchemaNode& node, const std::string& path,
               const json::value* stored) {
    Result result = CheckAll(value, node, path, stored);
    if (!result.ok() && stored != nullptr && *stored == value) result.causes.clear();
    return result;
  }

  bool gave_up() const { return steps_ >= Schema::kMaxSteps; }

 private:
  Result CheckAll(const json::value& value, const SchemaNode& node, const std::string& path,
                  const json::value* stored) {
    Result result;
    if (gave_up()) return result;
    ++steps_;
    if (!node.types.empty() || !node.format.empty()) CheckType(value, node, path, result);
    if (value.is_null()) {
      CheckAllowed(value, node, path, result);
      return result;
    }
    CheckAlternatives(value, node, path, result);
    if (value.is_string()) CheckString(value, node, path, result);
    if (IsNumber(value)) CheckNumber(value, node, path, result);
    if (value.is_array()) CheckArray(value.get_array(), node, path, result);
    CheckAllowed(value, node, path, result);
    if (value.is_object()) CheckObject(value.get_object(), node, path, stored, result);
    result.matches += 3;
    return result;
  }

  static void Type(const std::string& path, std::string_view type, std::string_view is,
                   Result& result) {
    result.Add({"FieldValueTypeInvalid",
                StrCat("Invalid value: ", Quote(is), ": ", path, " in body must be of type ", type,
                       ": ", Quote(is)),
                Field(path)});
  }

  static void Invalid(const std::string& path, std::string_view shown, std::string_view must,
                      Result& result) {
    result.Add({"FieldValueInvalid",
                StrCat("Invalid value: ", shown, ": ", path, " in body ", must), Field(path)});
  }

  static std::string Field(const std::string& path) {
    if (path.empty()) return kNoField;
    return path[0] == '.' ? path.substr(1) : path;
  }

  static bool Has(const SchemaNode& node, std::string_view type) {
    return std::find(node.types.begin(), node.types.end(), type) != node.types.end();
  }

  static void CheckType(const json::value& value, const SchemaNode& node, const std::string& path,
                        Result& result) {
    const std::string wanted = absl::StrJoin(node.types, ",");
    const std::string_view type = TypeName(value);
    const bool numeric = Has(node, "integer") || Has(node, "number");
    bool fits = Has(node, type);
    if (value.is_null()) {
      fits = fits || node.types.empty() || node.nullable;
    } else if (type == "integer") {
      fits = fits || Has(node, "number");
    } else if (type == "number") {
      const double d = AsDouble(value);
      fits = fits || (Has(node, "integer") && std::trunc(d) == d && std::fabs(d) < 1e15);
    } else if (!node.format.empty() && !numeric) {
      // Like Kubernetes, accept a list in place of a string that has a format.
      fits = fits || value.is_string() || value.is_array();
    }
    if (fits) {
      result.matches += 2;
      return;
    }
    ++result.matches;
    if (!node.format.empty() && !value.is_null() && !value.is_string() && !value.is_array()) {
      const std::string_view format =
          type == "integer" ? "int64" : (type == "number" ? "float64" : "");
      return Type(path, node.format, format, result);
    }
    Type(path, wanted, type, result);
  }

  void CheckAlternatives(const json::value& value, const SchemaNode& node, const std::string& path,
                         Result& result) {
    ++result.matches;
    if (!node.any_of.empty()) CheckSome(value, node.any_of, path, /*only_one=*/false, result);
    if (!node.one_of.empty()) CheckSome(value, node.one_of, path, /*only_one=*/true, result);
    size_t valid = 0;
    for (const auto& schema : node.all_of) {
      Result each = Check(value, *schema, path, nullptr);
      if (each.ok()) ++valid;
      result.Merge(std::move(each));
    }
    if (valid != node.all_of.size()) {
      Whole(path,
            StrCat("must validate all the schemas (allOf)", valid == 0 ? ". None validated" : ""),
            result);
    }
    if (node.none_of != nullptr && Check(value, *node.none_of, path, nullptr).ok()) {
      Whole(path, "must not validate the schema (not)", result);
    }
  }

  static void Whole(const std::string& path, std::string_view must, Result& result) {
    result.Add(
        {"FieldValueInvalid", StrCat("Invalid value: \"\": ", Quote(path), " ", must), kNoField});
  }

  void CheckSome(const json::value& value,
                 const std::vector<std::unique_ptr<const SchemaNode>>& schemas,
                 const std::string& path, bool only_one, Result& result) {
    Result best, first;
    bool has_best = false;
    int valid = 0;
    for (const auto& schema : schemas) {
      Result each = Check(value, *schema, path, nullptr);
      if (each.ok()) {
        if (++valid == 1) first = std::move(each);
        if (!only_one) break;
      } else if (valid == 0 && (!has_best || each.matches > best.matches)) {
        best = std::move(each);
        has_best = true;
      }
    }
    if (valid == 1 || (valid > 0 && !only_one)) return result.Merge(std::move(first));
    if (!only_one) {
      Whole(path, "must validate at least one schema (anyOf)", result);
    } else if (valid == 0) {
      Whole(path, "must validate one and only one schema (oneOf). Found none valid", result);
    } else {
      return Whole(path,
                   StrCat("must validate one and only one schema (oneOf). Found ", valid,
                          " valid alternatives"),
                   result);
    }
    result.Merge(std::move(best));
  }

  static void CheckString(const json::value& value, const SchemaNode& node, const std::string& path,
                          Result& result) {
    const std::string_view text = View(value.get_string());
    const auto length = static_cast<int64_t>(
        node.min_length.has_value() || node.max_length.has_value() ? CharactersIn(text) : 0);
    if (node.max_length.has_value() && length > *node.max_length) {
      result.Add({"FieldValueTooLong",
                  StrCat("Too long: may not be more than ", *node.max_length,
                         *node.max_length == 1 ? " byte" : " bytes"),
                  Field(path)});
    } else if (node.min_length.has_value() && length < *node.min_length) {
      Invalid(path, Shown(value), StrCat("should be at least ", *node.min_length, " chars long"),
              result);
    } else if (node.regex != nullptr &&
               !re2::RE2::PartialMatch(re2::StringPiece(text.data(), text.size()), *node.regex)) {
      Invalid(path, Shown(value), StrCat("should match '", node.pattern, "'"), result);
    }
    ++result.matches;
    if (IsStringFormat(node.format)) {
      ++result.matches;
      if (!HasFormat(text, node.format)) Type(path, node.format, text, result);
    }
  }

  // True if a number fits into the type and the format that the schema names.
  static bool FitsRange(double number, const SchemaNode& node) {
    constexpr double kInt32 = 2147483648.0;
    constexpr double kInt64 = 9223372036854775808.0;
    if (node.types.size() != 1) return true;
    if (node.types[0] == "integer") {
      const double bound = node.format == "int32" ? kInt32 : kInt64;
      return std::trunc(number) == number && number >= -bound && number < bound;
    }
    return node.format != "float" || std::fabs(number) <= std::numeric_limits<float>::max();
  }

  static void CheckNumber(const json::value& value, const SchemaNode& node, const std::string& path,
                          Result& result) {
    result.matches += 2;
    const double number = AsDouble(value);
    if (!FitsRange(number, node) && !(IsInteger(value) && node.format != "int32")) {
      const std::string format =
          node.format.empty() ? "(default format)" : StrCat("with format ", node.format);
      result.Add({"FieldValueInvalid",
                  StrCat("Invalid value: \"\": Checked value must be of type ", node.types[0], " ",
                         format, " in ", path),
                  kNoField});
    }
    // For integers, fractions of bounds are cut off, as in Kubernetes.
    const auto bound = [&](double d) { return IsInteger(value) ? std::trunc(d) : d; };
    if (node.multiple_of.has_value()) {
      const bool cut = IsInteger(value) && *node.multiple_of >= 1;
      const double factor = cut ? std::trunc(*node.multiple_of) : *node.multiple_of;
      const double times = factor < 1 ? 1 / factor * number : number / factor;
      if (std::fabs(times - std::round(times)) > 1e-9 * std::max(1.0, std::fabs(times))) {
        Invalid(path, Shown(value), StrCat("should be a multiple of ", FloatText(factor)), result);
      }
    }
    if (node.maximum.has_value()) {
      const double most = bound(*node.maximum);
      if (number > most || (node.exclusive_maximum && number >= most)) {
        Invalid(path, Shown(value),
                StrCat("should be less than ", node.exclusive_maximum ? "" : "or equal to ",
                       FloatText(most)),
                result);
      }
    }
    if (node.minimum.has_value()) {
      const double least = bound(*node.minimum);
      if (number < least || (node.exclusive_minimum && number <= least)) {
        Invalid(path, Shown(value),
                StrCat("should be greater than ", node.exclusive_minimum ? "" : "or equal to ",
                       FloatText(least)),
                result);
      }
    }
  }

  void CheckArray(const json::array& array, const SchemaNode& node, const std::string& path,
                  Result& result) {
    result.matches += 2;
    for (size_t i = 0; node.items != nullptr && i < array.size(); ++i) {
      result.Merge(Check(array[i], *node.items, StrCat(path, "[", i, "]"), nullptr));
    }
    const auto size = static_cast<int64_t>(array.size());
    if (node.min_items.has_value() && size < *node.min_items) {
      Invalid(path, StrCat(size), StrCat("should have at least ", *node.min_items, " items"),
              result);
    }
    if (node.max_items.has_value() && size > *node.max_items) {
      TooMany(path, size, *node.max_items, result);
    }
  }

  static void TooMany(const std::string& path, int64_t is, int64_t most, Result& result) {
    result.Add({"FieldValueTooMany", StrCat("Too many: ", is, ": must have at most ", Items(most)),
                Field(path)});
  }

  void CheckAllowed(const json::value& value, const SchemaNode& node, const std::string& path,
                    Result& result) {
    if (node.allowed.empty()) return;
    steps_ += static_cast<int64_t>(node.allowed.size());
    // In Kubernetes, null never matches an enum.
    if (!value.is_null() &&
        std::find(node.allowed.begin(), node.allowed.end(), value) != node.allowed.end()) {
      return;
    }
    std::vector<std::string> values;
    for (const json::value& each : node.allowed) {
      values.push_back(Quote(each.is_string() ? View(each.get_string()) : Serialize(each)));
    }
    result.Add({"FieldValueNotSupported",
                StrCat("Unsupported value: ", Shown(value),
                       ": supported values: ", absl::StrJoin(values, ", ")),
                Field(path)});
  }

  void CheckObject(const json::object& object, const SchemaNode& node, const std::string& path,
                   const json::value* stored, Result& result) {
    ++result.matches;
    const auto size = static_cast<int64_t>(object.size());
    if (node.min_properties.has_value() && size < *node.min_properties) {
      Invalid(path, StrCat(size),
              StrCat("should have at least ", *node.min_properties, " properties"), result);
    }
    if (node.max_properties.has_value() && size > *node.max_properties) {
      TooMany(path, size, *node.max_properties, result);
    }
    const json::object* before = stored == nullptr ? nullptr : stored->if_object();
    for (const auto& [key, member] : object) {
      const SchemaNode* schema = node.Member(View(key));
      if (schema == nullptr) continue;
      const bool property = node.properties.contains(View(key));
      const std::string place =
          path.empty() && property ? std::string(View(key)) : StrCat(path, ".", View(key));
      result.Merge(
          Check(member, *schema, place, before == nullptr ? nullptr : before->if_contains(key)));
    }
    for (const std::string& name : node.required) {
      if (object.contains(name)) continue;
      result.Add({"FieldValueRequired", "Required value", Field(StrCat(path, ".", name))});
    }
  }

  int64_t steps_ = 0;
};

}  // namespace

std::vector<StatusCause> Schema::Validate(const json::object& object,
                                          const json::object* stored) const {
  Validator validator;
  const json::value value = object;
  json::value before;
  if (stored != nullptr) before = *stored;
  Result result = validator.Check(value, *root_, "", stored == nullptr ? nullptr : &before);
  if (validator.gave_up()) {
    return {{"FieldValueInvalid",
             StrCat("Invalid value: \"\": the object takes more than ", kMaxSteps,
                    " steps to validate"),
             kNoField}};
  }
  return std::move(result.causes);
}

}  // namespace steward::kube
