#include "apiserver/stored/columns.h"

#include <cmath>
#include <cstdint>
#include <utility>

#include "base/json/json_text.h"
#include "base/text/str_cat.h"
#include "kube/meta/human_duration.h"
#include "kube/meta/time.h"

namespace steward::stored {
namespace {

namespace json = boost::json;

constexpr std::string_view kNull = "null";

std::string_view View(const json::string& s) { return {s.data(), s.size()}; }

// The limit up to which a double is shown as a whole number.
constexpr double kLargestInteger = 9.2e18;

void AppendInteger(const json::value& value, std::string& out) {
  if (const double* number = value.if_double()) {
    if (!(std::fabs(*number) < kLargestInteger)) {
      out += kNull;
    } else {
      StrAppend(&out, static_cast<int64_t>(*number));
    }
  } else if (value.is_number()) {
    AppendJson(value, out);
  } else {
    out += kNull;
  }
}

void AppendDate(const json::value& value, absl::Time now, std::string& out) {
  const json::string* text = value.if_string();
  if (text == nullptr) {
    out += kNull;
    return;
  }
  const absl::StatusOr<absl::Time> time = kube::ParseRfc3339(View(*text));
  AppendJsonString(time.ok() ? kube::HumanDuration(now - *time) : "<invalid>", out);
}

void AppendText(const json::value& value, std::string& out) {
  if (const json::string* text = value.if_string()) {
    AppendJsonString(View(*text), out);
  } else if (value.is_null()) {
    out += kNull;
  } else {
    AppendJsonString(Serialize(value), out);
  }
}

void AppendCell(std::string_view type, const json::value& value, absl::Time now, std::string& out) {
  if (type == "integer") {
    AppendInteger(value, out);
  } else if (type == "date") {
    AppendDate(value, now, out);
  } else if (type == "number" || type == "boolean") {
    const bool fits = type == "number" ? value.is_number() : value.is_bool();
    fits ? AppendJson(value, out) : (void)(out += kNull);
  } else {
    AppendText(value, out);
  }
}

kube::PrinterColumn Age() {
  kube::PrinterColumn age;
  age.name = "Age";
  age.type = "date";
  age.description = "How long ago the object was created.";
  age.json_path = ".metadata.creationTimestamp";
  return age;
}

}  // namespace

Columns::Columns(std::vector<kube::PrinterColumn> columns) {
  definitions_.push_back({"Name", "string", "name",
                          "Unique among the resource's objects in a namespace. Never changes.", 0});
  if (columns.empty()) columns.push_back(Age());
  for (kube::PrinterColumn& column : columns) {
    if (column.description.empty()) {
      column.description = StrCat("What the object has at ", column.json_path, ".");
    }
    absl::StatusOr<JsonPath> path = JsonPath::Parse(column.json_path);
    paths_.push_back(path.ok() ? std::make_optional(*std::move(path)) : std::nullopt);
    definitions_.push_back({std::move(column.name), std::move(column.type),
                            std::move(column.format), std::move(column.description),
                            column.priority});
  }
}

void Columns::AppendCells(std::string_view name, const json::value& object, absl::Time now,
                          std::string& out) const {
  out += '[';
  AppendJsonString(name, out);
  for (size_t i = 0; i < paths_.size(); ++i) {
    out += ',';
    const json::value* value = paths_[i] ? paths_[i]->FindFirst(object) : nullptr;
    if (value == nullptr) {
      out += kNull;
    } else {
      AppendCell(definitions_[i + 1].type, *value, now, out);
    }
  }
  out += ']';
}

}  // namespace steward::stored
