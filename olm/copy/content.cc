#include "olm/copy/content.h"

#include "base/json/json_text.h"
#include "base/text/str_cat.h"
#include "olm/copy.h"

namespace steward::olm {
namespace {

// Appends `"key":value`, after a comma unless it is the first member.
void AppendText(std::string_view key, std::string_view value, std::string& out) {
  StrAppend(&out, out.ends_with('{') ? "" : ",", "\"", key, "\":");
  AppendJsonString(value, out);
}

}  // namespace

bool AppendAnnotations(const Csv& csv, Rope& out) {
  if (csv.annotations_json.empty()) return false;
  out.text().append(R"("annotations":{)");
  out.Splice(csv.annotations_json);
  out.text().push_back('}');
  return true;
}

bool AppendLabels(const Csv& csv, SeenFrom from, Rope& rope) {
  const bool all = from == SeenFrom::kOwnNamespace && !csv.own_labels_json.empty();
  const std::string& labels = all ? csv.own_labels_json : csv.labels_json;
  if (labels.empty() && from == SeenFrom::kOwnNamespace) return false;
  std::string& out = rope.text();
  StrAppend(&out, R"("labels":{)", labels);
  if (from == SeenFrom::kElsewhere) AppendText(kCopiedFromLabel, csv.key.ns, out);
  out.push_back('}');
  return true;
}

void AppendSpec(const Csv& csv, Rope& out) {
  out.text().append(R"("spec":)");
  if (csv.spec_json.empty()) {
    out.text().append("{}");
  } else {
    out.Splice(csv.spec_json);
  }
}

void AppendStatus(const Csv& csv, SeenFrom from, Rope& rope) {
  std::string& out = rope.text();
  out.append(R"("status":{)");
  rope.Splice(csv.status_json);
  bool first = csv.status_json.empty();
  const auto append = [&](std::string_view key, std::string_view json) {
    if (json.empty()) return;
    StrAppend(&out, first ? "\"" : ",\"", key, "\":", json);
    first = false;
  };
  if (from == SeenFrom::kOwnNamespace) {
    append("message", csv.message_json);
    append("reason", csv.reason_json);
  } else {
    StrAppend(&out, first ? "" : ",", R"("message":)");
    AppendJsonString(CopiedMessage(csv.key.ns), out);
    StrAppend(&out, R"(,"reason":")", kReasonCopied, "\"");
  }
  out.push_back('}');
}

std::string CopyJson(const Csv& original, std::string_view ns) {
  Rope out;
  out.text().append(
      R"({"apiVersion":"operators.coreos.com/v1alpha1","kind":"ClusterServiceVersion","metadata":{)");
  if (AppendAnnotations(original, out)) out.text().push_back(',');
  AppendLabels(original, SeenFrom::kElsewhere, out);
  AppendText("name", original.key.name, out.text());
  AppendText("namespace", ns, out.text());
  out.text().append("},");
  AppendSpec(original, out);
  out.text().push_back(',');
  AppendStatus(original, SeenFrom::kElsewhere, out);
  out.text().push_back('}');
  return out.Flatten();
}

}  // namespace steward::olm
