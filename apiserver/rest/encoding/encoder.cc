#include "apiserver/rest/encoding/encoder.h"

#include <string>
#include <string_view>
#include <utility>

#include "apiserver/rest/encoding/array_document.h"
#include "apiserver/rest/encoding/body_stream.h"
#include "apiserver/rest/encoding/object_form.h"
#include "apiserver/rest/encoding/warnings.h"
#include "base/async/yield.h"
#include "base/json/json_text.h"
#include "base/splice/rope.h"
#include "base/status/macros.h"
#include "base/text/str_cat.h"
#include "kube/meta/status.h"

namespace steward::rest {
namespace {

// The size of a short list without the texts that it shares with others.
constexpr size_t kListText = 8 << 10;

// The whole document except the array's elements.
ArrayDocument DocumentOf(const Resource& resource, const OutputFormat& format,
                         const Reading& reading) {
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
  AppendJsonString(reading.resource_version, head);
  if (!reading.continue_token.empty()) {
    head += R"(,"continue":)";
    AppendJsonString(reading.continue_token, head);
  }
  if (reading.remaining_item_count) {
    StrAppend(&head, R"(,"remainingItemCount":)", *reading.remaining_item_count);
  }
  head += '}';
  if (table) {
    head += R"(,"columnDefinitions":)";
    AppendColumns(resource.columns, head);
  }
  head += '}';
  return ArrayDocument(format, std::move(head), table ? "rows" : "items");
}

BodyStream StreamTo(http::ResponseWriter& writer, const Encoding& encoding,
                    const std::string& warning) {
  http::ResponseHead head;
  head.status = encoding.status;
  head.headers.Set("Content-Type", std::string(ContentType(encoding.format.serializer)));
  std::vector<std::string> warnings = encoding.warnings;
  warnings.push_back(warning);
  AddWarnings(warnings, head.headers);
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
  BodyStream body = StreamTo(writer, encoding, reading.warning);
  body.buffer().text().reserve(kListText);
  ArrayDocument document = DocumentOf(resource, encoding.format, reading);
  CO_RETURN_IF_ERROR(document.Begin(body.buffer().text()));
  for (;;) {
    const Object* object = reading.cursor->Next();
    if (object == nullptr) {
      CO_ASSIGN_OR_RETURN(const bool more, co_await reading.cursor->More());
      if (!more) break;
      continue;
    }
    const absl::Status added = document.Element(body.buffer(), [&](Rope& out) {
      AppendAnswered(*object, reading.resource_version, encoding.format, encoding.include_object,
                     out);
    });
    CO_RETURN_IF_ERROR(added);
    if (!body.full()) continue;
    CO_RETURN_IF_ERROR(co_await body.Flush());
    // Without this, a client that reads fast would keep the thread, because Flush never waits for
    // it.
    co_await Yield();
  }
  document.End(body.buffer().text());
  co_return co_await body.Finish();
}

StatusTask WriteObject(http::ResponseWriter& writer, const Resource& resource, Encoding encoding,
                       Reading reading) {
  // The Table of one object is a list of one row.
  if (encoding.format.form == Form::kTable) {
    co_return co_await WriteList(writer, resource, std::move(encoding), std::move(reading));
  }
  const Object* object = reading.cursor->Next();
  if (object == nullptr) {
    co_return kube::ToStatus(kube::InternalError("the resource answered without an object"));
  }
  BodyStream body = StreamTo(writer, encoding, reading.warning);
  Rope json;
  AppendAnswered(*object, reading.resource_version, encoding.format, encoding.include_object, json);
  if (IsCompact(encoding.format)) {
    body.buffer() = std::move(json);
    body.buffer().text() += '\n';
  } else {
    CO_RETURN_IF_ERROR(AppendDocument(encoding.format, json.Flatten(), body.buffer().text()));
  }
  co_return co_await body.Finish();
}

StatusTask WriteDocument(http::ResponseWriter& writer, Encoding encoding, std::string json) {
  BodyStream body = StreamTo(writer, encoding, "");
  CO_RETURN_IF_ERROR(AppendDocument(encoding.format, json, body.buffer().text()));
  co_return co_await body.Finish();
}

}  // namespace steward::rest
