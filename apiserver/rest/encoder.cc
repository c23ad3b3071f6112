#include "apiserver/rest/encoder.h"

#include <string>
#include <string_view>
#include <utility>

#include "apiserver/rest/array_document.h"
#include "apiserver/rest/body_stream.h"
#include "base/json/json_text.h"
#include "base/status/macros.h"
#include "base/text/str_cat.h"
#include "kube/meta/status.h"

namespace steward::rest {
namespace {

std::string MetaApiVersion(const OutputFormat& format) {
  return "meta.k8s.io/" + format.meta_version;
}

void AppendPartial(const Object& object, std::string_view resource_version,
                   const OutputFormat& format, std::string& out) {
  StrAppend(&out, R"({"kind":"PartialObjectMetadata","apiVersion":")", MetaApiVersion(format),
            R"(","metadata":)");
  object.AppendMetadata(resource_version, out);
  out += '}';
}

void AppendRow(const Object& object, std::string_view resource_version, const Encoding& encoding,
               std::string& out) {
  out += R"({"cells":)";
  object.AppendCells(out);
  out += R"(,"object":)";
  switch (encoding.include_object) {
    case IncludeObject::kMetadata:
      AppendPartial(object, resource_version, encoding.format, out);
      break;
    case IncludeObject::kObject:
      object.AppendJson(resource_version, out);
      break;
    case IncludeObject::kNone:
      out += "null";
      break;
  }
  out += '}';
}

// An element of the array of a list in this form, or the document of a single object.
void AppendElement(const Object& object, std::string_view resource_version,
                   const Encoding& encoding, std::string& out) {
  switch (encoding.format.form) {
    case Form::kObject:
      object.AppendJson(resource_version, out);
      break;
    case Form::kTable:
      AppendRow(object, resource_version, encoding, out);
      break;
    case Form::kPartialMetadata:
    case Form::kPartialMetadataList:
      AppendPartial(object, resource_version, encoding.format, out);
      break;
  }
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

// Everything of the document but the array.
ArrayDocument DocumentOf(const Resource& resource, const OutputFormat& format,
                         std::string_view resource_version) {
  const bool table = format.form == Form::kTable;
  const bool partial = format.form == Form::kPartialMetadataList;
  const kube::GroupVersionKind& gvk = resource.descriptor.gvk;
  std::string head = R"({"kind":)";
  AppendJsonString(table     ? "Table"
                   : partial ? "PartialObjectMetadataList"
                             : gvk.kind + "List",
                   head);
  head += R"(,"apiVersion":)";
  AppendJsonString(table || partial ? MetaApiVersion(format) : gvk.ApiVersion(), head);
  head += R"(,"metadata":{"resourceVersion":)";
  AppendJsonString(resource_version, head);
  head += '}';
  if (table) {
    head += R"(,"columnDefinitions":)";
    AppendColumns(resource.columns, head);
  }
  head += '}';
  return ArrayDocument(format, std::move(head), table ? "rows" : "items");
}

BodyStream StreamTo(http::ResponseWriter& writer, const Encoding& encoding,
                    const Reading& reading) {
  http::ResponseHead head;
  head.headers.Set("Content-Type", std::string(ContentType(encoding.format.serializer)));
  if (!reading.warning.empty()) {
    std::string quoted;
    AppendJsonString(reading.warning, quoted);
    head.headers.Add("Warning", StrCat("299 - ", quoted));
  }
  return BodyStream(writer, std::move(head), encoding.gzip);
}

absl::Status WrongForm(std::string_view asked, std::string_view found,
                       const kube::GroupVersionKind& gvk, std::string_view suffix) {
  kube::Status status = kube::NotAcceptable({});
  status.message = StrCat("you requested ", asked, ", but the requested object is ", found, " (*",
                          gvk.version, ".", gvk.kind, suffix, ")");
  return kube::ToStatus(status);
}

}  // namespace

absl::Status CheckForm(const Resource& resource, const OutputFormat& format, bool is_list) {
  const kube::GroupVersionKind& gvk = resource.descriptor.gvk;
  if (is_list && format.form == Form::kPartialMetadata) {
    return WrongForm("PartialObjectMetadata", "a list", gvk, "List");
  }
  if (!is_list && format.form == Form::kPartialMetadataList) {
    return WrongForm("PartialObjectMetadataList", "not a list", gvk, "");
  }
  return absl::OkStatus();
}

StatusTask WriteList(http::ResponseWriter& writer, const Resource& resource, Encoding encoding,
                     Reading reading) {
  BodyStream body = StreamTo(writer, encoding, reading);
  ArrayDocument document = DocumentOf(resource, encoding.format, reading.resource_version);
  CO_RETURN_IF_ERROR(document.Begin(body.buffer()));
  while (const Object* object = reading.cursor->Next()) {
    const absl::Status added = document.Element(body.buffer(), [&](std::string& out) {
      AppendElement(*object, reading.resource_version, encoding, out);
    });
    CO_RETURN_IF_ERROR(added);
    if (body.full()) CO_RETURN_IF_ERROR(co_await body.Flush());
  }
  document.End(body.buffer());
  co_return co_await body.Finish();
}

StatusTask WriteObject(http::ResponseWriter& writer, const Resource& resource, Encoding encoding,
                       Reading reading) {
  // A Table of one object is a list of one row.
  if (encoding.format.form == Form::kTable) {
    co_return co_await WriteList(writer, resource, std::move(encoding), std::move(reading));
  }
  const Object* object = reading.cursor->Next();
  if (object == nullptr) {
    co_return kube::ToStatus(kube::InternalError("the resource answered without an object"));
  }
  std::string json;
  AppendElement(*object, reading.resource_version, encoding, json);
  BodyStream body = StreamTo(writer, encoding, reading);
  CO_RETURN_IF_ERROR(AppendDocument(encoding.format, json, body.buffer()));
  co_return co_await body.Finish();
}

}  // namespace steward::rest
