#include "apiserver/filters/authentication/extension_authentication_source.h"

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <boost/json/parse.hpp>
#include <boost/json/value.hpp>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "base/log/log.h"
#include "base/status/macros.h"
#include "kube/meta/errors.h"

namespace steward::filters {
namespace json = boost::json;
namespace {

constexpr char kNamespace[] = "kube-system";
constexpr char kName[] = "extension-apiserver-authentication";

const kube::GroupVersionResource& ConfigMaps() {
  static const auto& gvr = *new kube::GroupVersionResource{"", "v1", "configmaps"};
  return gvr;
}

std::string FieldSelector() { return absl::StrCat("metadata.name=", kName); }

absl::StatusOr<json::value> ParseJson(std::string_view text) {
  json::error_code error;
  json::value value = json::parse(json::string_view(text.data(), text.size()), error);
  if (error) return absl::InvalidArgumentError("not JSON: " + error.message());
  return value;
}

// The text; "" when absent.
absl::StatusOr<std::string> Text(const json::object& data, const char* key) {
  const json::value* value = data.if_contains(key);
  if (value == nullptr) return "";
  const json::string* text = value->if_string();
  if (text == nullptr) return absl::InvalidArgumentError(absl::StrCat(key, " is not a string"));
  return std::string(text->data(), text->size());
}

// The strings of a JSON array inside a string; absent, empty and null mean none.
absl::StatusOr<std::vector<std::string>> List(const json::object& data, const char* key) {
  ASSIGN_OR_RETURN(const std::string text, Text(data, key));
  std::vector<std::string> items;
  if (text.empty()) return items;
  const auto value = ParseJson(text);
  if (value.ok() && value->is_null()) return items;
  const json::array* array = value.ok() ? value->if_array() : nullptr;
  const auto wrong = absl::InvalidArgumentError(absl::StrCat(key, " is not a list of strings"));
  if (array == nullptr) return wrong;
  for (const json::value& item : *array) {
    const json::string* name = item.if_string();
    if (name == nullptr) return wrong;
    items.emplace_back(name->data(), name->size());
  }
  return items;
}

absl::StatusOr<std::optional<RequestHeaderSettings>> ReadRequestHeader(const json::object& data) {
  RequestHeaderSettings front;
  ASSIGN_OR_RETURN(front.ca_pem, Text(data, "requestheader-client-ca-file"));
  if (front.ca_pem.empty()) return std::nullopt;
  ASSIGN_OR_RETURN(front.allowed_names, List(data, "requestheader-allowed-names"));
  ASSIGN_OR_RETURN(front.username_headers, List(data, "requestheader-username-headers"));
  ASSIGN_OR_RETURN(front.group_headers, List(data, "requestheader-group-headers"));
  ASSIGN_OR_RETURN(front.extra_prefixes, List(data, "requestheader-extra-headers-prefix"));
  ASSIGN_OR_RETURN(front.uid_headers, List(data, "requestheader-uid-headers"));
  return front;
}

// Logs one sentence that names a remedy.
void LogFailure(const absl::Status& status) {
  const std::string object = absl::StrCat(kNamespace, "/", kName);
  if (kube::IsForbidden(status)) {
    log::Error(
        "Not allowed to read the cluster's authentication settings, so requests through the "
        "kube-apiserver cannot be authenticated: bind this server's service account to the Role "
        "extension-apiserver-authentication-reader in kube-system",
        {{"configMap", object}, {"error", status}});
    return;
  }
  log::Warning("Reading the cluster's authentication settings failed; the last good ones stay",
               {{"configMap", object}, {"error", status}});
}

}  // namespace

absl::StatusOr<AuthenticationSettings> ParseExtensionAuthentication(std::string_view config_map) {
  ASSIGN_OR_RETURN(const json::value root, ParseJson(config_map));
  const json::object* object = root.if_object();
  if (object == nullptr) return absl::InvalidArgumentError("not a JSON object");
  AuthenticationSettings settings;
  const json::value* data = object->if_contains("data");
  if (data == nullptr || data->is_null()) return settings;
  if (!data->is_object()) return absl::InvalidArgumentError("data is not an object");
  ASSIGN_OR_RETURN(settings.client_ca_pem, Text(data->get_object(), "client-ca-file"));
  ASSIGN_OR_RETURN(settings.request_header, ReadRequestHeader(data->get_object()));
  return settings;
}

void ExtensionAuthenticationSource::Apply(const kube::RawObject& config_map) {
  auto settings = ParseExtensionAuthentication(config_map.json);
  absl::Status applied = settings.status();
  if (settings.ok()) applied = store_.SetFromCluster(*std::move(settings));
  if (applied.ok()) {
    synced_.store(true, std::memory_order_release);
  } else {
    LogFailure(applied);
  }
}

Task<std::string> ExtensionAuthenticationSource::List() {
  kube::ListOptions options;
  options.ns = kNamespace;
  options.field_selector = FieldSelector();
  absl::StatusOr<kube::ListPage> page = co_await client_.List(ConfigMaps(), options);
  CO_RETURN_IF_ERROR(page.status());
  if (page->items.empty()) {
    log::Warning("The cluster publishes no authentication settings for aggregated API servers",
                 {{"configMap", absl::StrCat(kNamespace, "/", kName)}});
  }
  for (const kube::RawObject& item : page->items) Apply(item);
  co_return std::move(page->resource_version);
}

// Ends when the stream ends: cleanly, or with an error.
StatusTask ExtensionAuthenticationSource::ListAndWatch() {
  kube::WatchOptions options;
  options.ns = kNamespace;
  options.field_selector = FieldSelector();
  CO_ASSIGN_OR_RETURN(options.resource_version, co_await List());
  absl::StatusOr<std::unique_ptr<kube::Watch>> watch =
      co_await client_.StartWatch(ConfigMaps(), options);
  CO_RETURN_IF_ERROR(watch.status());
  for (;;) {
    absl::StatusOr<std::optional<kube::WatchEvent>> next = co_await (*watch)->Next();
    CO_RETURN_IF_ERROR(next.status());
    if (!next->has_value()) co_return absl::OkStatus();
    // An event shows that the server is well, so the next failure is a new one.
    backoff_.Reset();
    const kube::WatchEvent& event = **next;
    if (event.type == kube::WatchEvent::Type::kAdded ||
        event.type == kube::WatchEvent::Type::kModified) {
      Apply(event.object);
    }
  }
}

VoidTask ExtensionAuthenticationSource::Run() {
  for (;;) {
    const absl::Time start = clock_.Now();
    const absl::Status ended = co_await ListAndWatch();
    if (!ended.ok() && !kube::IsExpired(ended)) LogFailure(ended);
    // It is normal that a watch ends after some time; listing one object is cheap.
    if (clock_.Now() - start > absl::Minutes(1)) backoff_.Reset();
    co_await clock_.Sleep(backoff_.Next());
  }
}

}  // namespace steward::filters
