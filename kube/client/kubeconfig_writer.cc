#include "kube/client/kubeconfig_writer.h"

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <boost/json/value.hpp>

#include "absl/status/statusor.h"
#include "absl/strings/escaping.h"
#include "base/status/macros.h"
#include "base/text/str_cat.h"
#include "base/tls/files.h"
#include "base/yaml/yaml.h"

namespace steward::kube {
namespace {

namespace json = boost::json;

std::string Text(const KubeconfigContents& contents) {
  const json::object cluster = {
      {"server", contents.server},
      {"certificate-authority-data", absl::Base64Escape(contents.ca_pem)}};
  const json::object user = {{"client-certificate-data", absl::Base64Escape(contents.cert_pem)},
                             {"client-key-data", absl::Base64Escape(contents.key_pem)}};
  const json::object context = {{"cluster", contents.name}, {"user", contents.name}};
  const auto named = [&contents](const char* item, const json::object& value) {
    return json::array({json::object({{"name", contents.name}, {item, value}})});
  };
  const json::value kubeconfig = {{"apiVersion", "v1"},
                                  {"kind", "Config"},
                                  {"current-context", contents.name},
                                  {"clusters", named("cluster", cluster)},
                                  {"users", named("user", user)},
                                  {"contexts", named("context", context)}};
  std::string text;
  WriteYaml(kubeconfig, text);
  return text;
}

bool HasOneClusterCalled(const std::string& name, std::string_view kubeconfig) {
  const absl::StatusOr<json::value> document = ParseYaml(kubeconfig);
  const json::object* root = document.ok() ? document->if_object() : nullptr;
  const json::value* clusters = root == nullptr ? nullptr : root->if_contains("clusters");
  if (clusters == nullptr || !clusters->is_array() || clusters->get_array().size() != 1)
    return false;
  const json::object* cluster = clusters->get_array()[0].if_object();
  const json::value* called = cluster == nullptr ? nullptr : cluster->if_contains("name");
  return called != nullptr && *called == json::value(name);
}

}  // namespace

absl::Status WriteKubeconfig(const std::string& path, const KubeconfigContents& contents) {
  const absl::StatusOr<std::string> present = ReadSmallFile(path);
  if (!present.ok() && !absl::IsNotFound(present.status())) return present.status();
  if (present.ok() && !HasOneClusterCalled(contents.name, *present)) {
    return absl::FailedPreconditionError(
        StrCat(path, " is not a kubeconfig of ", contents.name, " alone; it is left as it is"));
  }
  return ReplaceFile(path, Text(contents), 0600);
}

}  // namespace steward::kube
