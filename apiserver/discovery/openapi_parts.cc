#include "apiserver/discovery/openapi_parts.h"

#include "absl/strings/str_split.h"
#include "base/text/str_cat.h"

namespace steward::discovery {
namespace {

namespace json = boost::json;

json::string_view View(std::string_view s) { return {s.data(), s.size()}; }

json::object Parameter(std::string_view name, std::string_view in, std::string_view type,
                       std::string_view description) {
  json::object parameter{
      {"name", View(name)}, {"in", View(in)}, {"description", View(description)}};
  if (in == "path") parameter["required"] = true;
  parameter["schema"] = json::object{{"type", View(type)}, {"uniqueItems", true}};
  return parameter;
}

constexpr std::string_view kVersionHelp =
    "Which state may be shown: absent = the newest, 0 = any, a number = that or a newer one.";

json::object ContinueParameter() {
  return Parameter("continue", "query", "string",
                   "Show the part that follows the one with this token.");
}

json::object LimitParameter() {
  return Parameter("limit", "query", "integer",
                   "How many items to show at most. The server may show fewer, and more follow.");
}

void AddWatchParameters(json::array& parameters) {
  parameters.push_back(Parameter("allowWatchBookmarks", "query", "boolean",
                                 "Of a watch: the server may say how far it has come."));
  parameters.push_back(
      Parameter("sendInitialEvents", "query", "boolean",
                "Of a watch: begin with what there is, and say when that is all."));
  parameters.push_back(
      Parameter("timeoutSeconds", "query", "integer", "Of a watch: how long it lasts at most."));
  parameters.push_back(Parameter("watch", "query", "boolean",
                                 "Send what changes, as it changes, instead of a list."));
}

}  // namespace

std::string SchemaName(const kube::GroupVersionKind& gvk) {
  if (gvk.group.empty()) return StrCat("io.k8s.api.core.", gvk.version, ".", gvk.kind);
  const std::vector<std::string> labels = absl::StrSplit(gvk.group, '.');
  std::string name;
  for (auto label = labels.rbegin(); label != labels.rend(); ++label) StrAppend(&name, *label, ".");
  return StrCat(name, gvk.version, ".", gvk.kind);
}

json::object Ref(std::string_view schema) {
  return {{"$ref", StrCat("#/components/schemas/", schema)}};
}

json::object Gvk(const kube::GroupVersionKind& gvk) {
  return {{"group", gvk.group}, {"version", gvk.version}, {"kind", gvk.kind}};
}

json::array ListParameters(const rest::Resource& resource) {
  json::array parameters;
  if (resource.pages) parameters.push_back(ContinueParameter());
  parameters.push_back(
      Parameter("fieldSelector", "query", "string", "Show only objects whose fields match."));
  parameters.push_back(
      Parameter("labelSelector", "query", "string", "Show only objects whose labels match."));
  parameters.push_back(
      resource.pages
          ? LimitParameter()
          : Parameter("limit", "query", "integer",
                      "How many items the client would like at most. The server may answer with "
                      "all."));
  parameters.push_back(Parameter("resourceVersion", "query", "string", kVersionHelp));
  parameters.push_back(
      Parameter("resourceVersionMatch", "query", "string",
                "How resourceVersion is meant: NotOlderThan, or Exact for that state and no "
                "other."));
  if (resource.watch != nullptr) AddWatchParameters(parameters);
  return parameters;
}

json::array GetParameters() {
  return {Parameter("resourceVersion", "query", "string", kVersionHelp)};
}

json::array PageParameters() { return {ContinueParameter(), LimitParameter()}; }

json::array WriteParameters() {
  return {
      Parameter("dryRun", "query", "string", "All: do everything but the change itself."),
      Parameter("fieldManager", "query", "string", "The name of the writer."),
      Parameter("fieldValidation", "query", "string",
                "What to do about unknown fields: Ignore, Warn or Strict."),
  };
}

json::array DeleteParameters() {
  return {
      Parameter("dryRun", "query", "string", "All: do everything but the change itself."),
      Parameter("propagationPolicy", "query", "string",
                "What becomes of dependents: Orphan, Background or Foreground."),
  };
}

json::array PathParameters(bool namespaced, bool named, bool pretty) {
  json::array parameters;
  if (named) parameters.push_back(Parameter("name", "path", "string", "Name of the object."));
  if (namespaced) {
    parameters.push_back(Parameter("namespace", "path", "string", "Namespace of the object."));
  }
  if (pretty) {
    parameters.push_back(
        Parameter("pretty", "query", "string",
                  "Indent the output. Browsers, curl and wget get that unless they say false."));
  }
  return parameters;
}

json::object Content(const std::vector<std::string>& media_types, const json::object& schema) {
  json::object content;
  for (const std::string& media_type : media_types) {
    content[media_type] = json::object{{"schema", schema}};
  }
  return content;
}

}  // namespace steward::discovery
