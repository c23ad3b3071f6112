// Values and matchers for tests of the object rules. Pure functions.
#ifndef STORAGE_EMBEDDED_RULES_TEST_RULES_H_
#define STORAGE_EMBEDDED_RULES_TEST_RULES_H_

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <boost/json/object.hpp>
#include <boost/json/value.hpp>
#include <string>
#include <string_view>
#include <utility>

#include "absl/status/status.h"
#include "base/json/json_text.h"
#include "base/status/matchers.h"
#include "base/text/str_cat.h"
#include "kube/meta/resource_type.h"
#include "kube/meta/status.h"

namespace steward::storage {

inline kube::ResourceType MakeType(std::string group, std::string kind, std::string plural,
                                   bool namespaced = true, bool custom = false) {
  kube::ResourceType type;
  type.gvk = {std::move(group), "v1", std::move(kind)};
  type.plural = std::move(plural);
  type.namespaced = namespaced;
  type.custom = custom;
  return type;
}

inline kube::ResourceType Widget() {
  kube::ResourceType type = MakeType("example.com", "Widget", "widgets", true, true);
  type.status_subresource = true;
  return type;
}
// A cluster-scoped kind whose status is a member like others.
inline kube::ResourceType Gizmo() {
  return MakeType("example.com", "Gizmo", "gizmos", false, true);
}
inline kube::ResourceType ConfigMap() { return MakeType("", "ConfigMap", "configmaps"); }
inline kube::ResourceType Namespace() {
  kube::ResourceType type = MakeType("", "Namespace", "namespaces", false);
  type.status_subresource = true;
  return type;
}
inline kube::ResourceType Role() { return MakeType("rbac.authorization.k8s.io", "Role", "roles"); }
inline kube::ResourceType Event() { return MakeType("", "Event", "events"); }

// "" when `text` is no JSON, after a test failure.
inline boost::json::value Json(std::string_view text) {
  absl::StatusOr<boost::json::value> value = ParseJson(text);
  EXPECT_TRUE(value.ok()) << value.status() << " in " << text;
  return value.ok() ? *std::move(value) : boost::json::value("");
}
inline boost::json::object JsonObject(std::string_view text) {
  boost::json::value value = Json(text);
  EXPECT_TRUE(value.is_object()) << text;
  return value.is_object() ? std::move(value.get_object()) : boost::json::object();
}

// The Status of an error, in one line: `code reason message`. "OK" for none.
template <typename T>
std::string Answer(const absl::StatusOr<T>& result) {
  if (result.ok()) return "OK";
  const kube::Status status = kube::FromStatus(result.status());
  return StrCat(status.code, " ", status.reason, " ", status.message);
}

// Kubernetes' longer explanations.
inline constexpr char kLabelForm[] =
    "a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and "
    "must start and end with an alphanumeric character (e.g. 'my-name',  or '123-abc', regex used "
    "for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?')";
inline constexpr char kSubdomainForm[] =
    "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or "
    "'.', and must start and end with an alphanumeric character (e.g. 'example.com', regex used "
    "for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')";
inline constexpr char kKeyForm[] =
    "name part must consist of alphanumeric characters, '-', '_' or '.', and must start and end "
    "with an alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for "
    "validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')";
inline constexpr char kValueForm[] =
    "a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or "
    "'.', and must start and end with an alphanumeric character (e.g. 'MyValue',  or 'my_value',  "
    "or '12345', regex used for validation is '(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?')";

}  // namespace steward::storage

#endif  // STORAGE_EMBEDDED_RULES_TEST_RULES_H_
