#include "apiserver/rest/encoding/watch_encoder.h"

#include <string_view>
#include <utility>

#include "apiserver/rest/encoding/object_form.h"
#include "base/json/json_text.h"
#include "base/text/str_cat.h"

namespace steward::rest {
namespace {

std::string_view NameOf(WatchEvent::Type type) {
  switch (type) {
    case WatchEvent::Type::kAdded:
      return "ADDED";
    case WatchEvent::Type::kModified:
      return "MODIFIED";
    case WatchEvent::Type::kDeleted:
      return "DELETED";
    case WatchEvent::Type::kBookmark:
      return "BOOKMARK";
  }
  return "";
}

void AppendBookmarkMetadata(const WatchEvent& event, std::string& out) {
  out += R"({"resourceVersion":)";
  AppendJsonString(event.resource_version, out);
  out += R"(,"creationTimestamp":null)";
  if (event.initial_events_end) {
    out += R"(,"annotations":{"k8s.io/initial-events-end":"true"})";
  }
  out += '}';
}

// The cell that Kubernetes prints for a missing value.
std::string_view EmptyCell(const Column& column) {
  if (column.type == "integer" || column.type == "number") return "0";
  if (column.type == "boolean") return "false";
  return R"("")";
}

}  // namespace

WatchEncoder::WatchEncoder(const Resource& resource, OutputFormat format,
                           IncludeObject include_object)
    : resource_(resource), format_(std::move(format)), include_object_(include_object) {}

void WatchEncoder::Append(const WatchEvent& event, Rope& out) {
  StrAppend(&out.text(), R"({"type":")", NameOf(event.type), R"(","object":)");
  if (format_.form == Form::kTable) {
    AppendTable(event, out);
  } else if (event.type == WatchEvent::Type::kBookmark) {
    AppendBookmark(event, out.text());
  } else {
    AppendElement(*event.object, event.resource_version, format_, include_object_, out);
  }
  out.text() += "}\n";
}

void WatchEncoder::AppendError(const kube::Status& status, std::string& out) {
  StrAppend(&out, R"({"type":"ERROR","object":)", kube::ToJson(status), "}\n");
}

void WatchEncoder::AppendBookmark(const WatchEvent& event, std::string& out) const {
  const kube::GroupVersionKind& gvk = resource_.descriptor.gvk;
  const bool whole = format_.form == Form::kObject ||
                     (format_.form == Form::kTable && include_object_ == IncludeObject::kObject);
  out += R"({"kind":)";
  AppendJsonString(whole ? gvk.kind : "PartialObjectMetadata", out);
  out += R"(,"apiVersion":)";
  AppendJsonString(whole ? gvk.ApiVersion() : MetaApiVersion(format_), out);
  out += R"(,"metadata":)";
  AppendBookmarkMetadata(event, out);
  out += '}';
}

void WatchEncoder::AppendBookmarkRow(const WatchEvent& event, std::string& out) const {
  out += R"({"cells":[)";
  for (const Column& column : resource_.columns) {
    if (&column != &resource_.columns.front()) out += ',';
    out += EmptyCell(column);
  }
  out += R"(],"object":)";
  // The annotation must be sent even to clients that want no objects.
  if (include_object_ == IncludeObject::kNone && !event.initial_events_end) {
    out += "null";
  } else {
    AppendBookmark(event, out);
  }
  out += '}';
}

void WatchEncoder::AppendTable(const WatchEvent& event, Rope& rope) {
  std::string& out = rope.text();
  StrAppend(&out, R"({"kind":"Table","apiVersion":")", MetaApiVersion(format_),
            R"(","metadata":{"resourceVersion":)");
  AppendJsonString(event.resource_version, out);
  out += R"(},"columnDefinitions":)";
  if (std::exchange(columns_sent_, true)) {
    out += "null";
  } else {
    AppendColumns(resource_.columns, out);
  }
  out += R"(,"rows":[)";
  if (event.type == WatchEvent::Type::kBookmark) {
    AppendBookmarkRow(event, out);
  } else {
    AppendRow(*event.object, event.resource_version, format_, include_object_, rope);
  }
  out += "]}";
}

}  // namespace steward::rest
