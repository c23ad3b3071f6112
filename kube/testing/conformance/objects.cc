#include "kube/testing/conformance/objects.h"

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <boost/json/serialize.hpp>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/str_split.h"
#include "base/text/str_cat.h"
#include "kube/meta/resource_version.h"

namespace steward::kube::conformance {

namespace json = boost::json;

namespace {

json::string Text(std::string_view text) { return json::string(text.data(), text.size()); }

json::string_view Key(std::string_view key) { return {key.data(), key.size()}; }

std::vector<std::string> Split(std::string_view path) { return absl::StrSplit(ToAbsl(path), '.'); }

const json::value* Child(const json::value* value, std::string_view key) {
  const json::object* object = value ? value->if_object() : nullptr;
  return object ? object->if_contains(Key(key)) : nullptr;
}

std::string Show(const json::value* value) {
  if (value == nullptr) return "";
  if (value->is_string()) return std::string(value->as_string().c_str());
  return json::serialize(*value);
}

}  // namespace

json::value Widget(const GroupVersionResource& gvr, std::string_view name) {
  return {{"apiVersion", gvr.group + "/" + gvr.version},
          {"kind", "Widget"},
          {"metadata", {{"name", Text(name)}}},
          {"spec", {{"size", 1}}}};
}

json::value Widget(const GroupVersionResource& gvr, std::string_view name, std::string_view label,
                   std::string_view value) {
  json::value widget = Widget(gvr, name);
  json::object labels;
  labels[Key(label)] = Text(value);
  Set(widget, "metadata.labels", std::move(labels));
  return widget;
}

json::value ConfigMap(std::string_view name) {
  return {{"apiVersion", "v1"},
          {"kind", "ConfigMap"},
          {"metadata", {{"name", Text(name)}}},
          {"data", {{"a", "1"}}}};
}

json::value NamespaceNamed(std::string_view name) {
  return {{"apiVersion", "v1"}, {"kind", "Namespace"}, {"metadata", {{"name", Text(name)}}}};
}

json::value Definition(const std::string& group, const std::string& kind,
                       const std::vector<std::string>& versions, bool namespaced) {
  const std::string singular = absl::AsciiStrToLower(kind);
  const std::string plural = singular + "s";
  json::array all;
  for (const std::string& version : versions) {
    all.push_back({{"name", version},
                   {"served", true},
                   {"storage", all.empty()},
                   {"subresources", {{"status", json::object()}}},
                   {"schema",
                    {{"openAPIV3Schema",
                      {{"type", "object"}, {"x-kubernetes-preserve-unknown-fields", true}}}}}});
  }
  return {
      {"apiVersion", "apiextensions.k8s.io/v1"},
      {"kind", "CustomResourceDefinition"},
      {"metadata", {{"name", plural + "." + group}}},
      {"spec",
       {{"group", group},
        {"scope", namespaced ? "Namespaced" : "Cluster"},
        {"names",
         {{"plural", plural}, {"singular", singular}, {"kind", kind}, {"listKind", kind + "List"}}},
        {"versions", std::move(all)}}}};
}

std::string At(const json::value& value, std::initializer_list<std::string_view> path) {
  const json::value* at = &value;
  for (const std::string_view key : path) at = Child(at, key);
  return Show(at);
}

std::string At(const json::value& value, std::string_view path) {
  const json::value* at = &value;
  for (const std::string& key : Split(path)) at = Child(at, key);
  return Show(at);
}

void Set(json::value& value, std::string_view path, json::value field) {
  json::value* at = &value;
  for (const std::string& key : Split(path)) {
    if (!at->is_object()) *at = json::object();
    at = &at->as_object()[Key(key)];
  }
  *at = std::move(field);
}

void SetText(json::value& value, std::string_view path, std::string_view text) {
  Set(value, path, Text(text));
}

void Remove(json::value& value, std::string_view path) {
  json::value* at = &value;
  const std::vector<std::string> keys = Split(path);
  for (const std::string& key : keys) {
    json::object* object = at->if_object();
    if (object == nullptr || !object->contains(Key(key))) return;
    if (&key == &keys.back()) {
      object->erase(Key(key));
      return;
    }
    at = &object->at(Key(key));
  }
}

NamespacedName NameOf(const json::value& object) {
  return {At(object, "metadata.namespace"), At(object, "metadata.name")};
}

std::string Names(const std::vector<json::value>& objects) {
  std::string names;
  for (const json::value& object : objects) {
    StrAppend(&names, names.empty() ? "" : " ", At(object, "metadata.name"));
  }
  return names;
}

bool IsNewer(std::string_view a, std::string_view b) {
  return IsResourceVersion(a) && IsResourceVersion(b) && CompareResourceVersions(a, b) > 0;
}

}  // namespace steward::kube::conformance
