#include "apiserver/rest/encoding/object_form.h"

#include "base/json/json_text.h"
#include "base/text/str_cat.h"

namespace steward::rest {

std::string MetaApiVersion(const OutputFormat& format) {
  return "meta.k8s.io/" + format.meta_version;
}

void AppendPartial(const Object& object, std::string_view resource_version,
                   const OutputFormat& format, Rope& out) {
  StrAppend(&out.text(), R"({"kind":"PartialObjectMetadata","apiVersion":")",
            MetaApiVersion(format), R"(","metadata":)");
  object.AppendMetadata(resource_version, out);
  out.text() += '}';
}

void AppendRow(const Object& object, std::string_view resource_version, const OutputFormat& format,
               IncludeObject include_object, Rope& out) {
  out.text() += R"({"cells":)";
  object.AppendCells(out.text());
  out.text() += R"(,"object":)";
  switch (include_object) {
    case IncludeObject::kMetadata:
      AppendPartial(object, resource_version, format, out);
      break;
    case IncludeObject::kObject:
      object.AppendJson(resource_version, out);
      break;
    case IncludeObject::kNone:
      out.text() += "null";
      break;
  }
  out.text() += '}';
}

void AppendColumns(const std::vector<Column>& columns, std::string& out) {
  out += '[';
  for (size_t i = 0; i < columns.size(); ++i) {
    const Column& column = columns[i];
    out += i == 0 ? R"({"name":)" : R"(,{"name":)";
    AppendHtmlSafeJsonString(column.name, out);
    out += R"(,"type":)";
    AppendHtmlSafeJsonString(column.type, out);
    out += R"(,"format":)";
    AppendHtmlSafeJsonString(column.format, out);
    out += R"(,"description":)";
    AppendHtmlSafeJsonString(column.description, out);
    StrAppend(&out, R"(,"priority":)", column.priority, "}");
  }
  out += ']';
}

void AppendElement(const Object& object, std::string_view resource_version,
                   const OutputFormat& format, IncludeObject include_object, Rope& out) {
  switch (format.form) {
    case Form::kObject:
      object.AppendJson(resource_version, out);
      break;
    case Form::kTable:
      AppendRow(object, resource_version, format, include_object, out);
      break;
    case Form::kPartialMetadata:
    case Form::kPartialMetadataList:
      AppendPartial(object, resource_version, format, out);
      break;
  }
}

void AppendAnswered(const Object& object, std::string_view answer_version,
                    const OutputFormat& format, IncludeObject include_object, Rope& out) {
  const std::string own = object.OwnVersion();
  AppendElement(object, own.empty() ? answer_version : own, format, include_object, out);
}

}  // namespace steward::rest
