#include "controllers/certificates/managed_secret.h"

#include <boost/json/value.hpp>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/escaping.h"
#include "base/json/json_access.h"
#include "base/json/json_text.h"
#include "base/status/macros.h"
#include "base/text/str_cat.h"
#include "kube/meta/errors.h"
#include "kube/meta/metadata_access.h"
#include "kube/meta/resources.h"
#include "kube/meta/write_options.h"

namespace steward::controllers {
namespace json = boost::json;
namespace {

constexpr std::string_view kManagedBy = "app.kubernetes.io/managed-by";
constexpr std::string_view kManager = "steward-certificates";

json::object Labels() {
  return {{"app.kubernetes.io/name", "steward"},
          {"app.kubernetes.io/part-of", "steward"},
          {kManagedBy, kManager}};
}

ManagedSecret::Keeper KeeperOf(const json::object& metadata) {
  const json::object* labels = ObjectAt(metadata, "labels");
  const json::array* owners = ArrayAt(metadata, "ownerReferences");
  const bool ours = labels != nullptr && StringAt(*labels, kManagedBy) == kManager &&
                    (owners == nullptr || owners->empty()) &&
                    !IsInjected(ObjectAt(metadata, "annotations"));
  return ours ? ManagedSecret::Keeper::kUs : ManagedSecret::Keeper::kForeign;
}

absl::StatusOr<SecretData> DataOf(const json::object& secret) {
  SecretData decoded;
  const json::object* data = ObjectAt(secret, "data");
  if (data == nullptr) return decoded;
  for (const auto& [key, value] : *data) {
    std::string text;
    const std::string_view encoded = StringAt(*data, View(key));
    if (!absl::Base64Unescape(absl::string_view(encoded.data(), encoded.size()), &text)) {
      return absl::DataLossError(StrCat("data.", View(key), " is not base64"));
    }
    decoded.emplace(View(key), std::move(text));
  }
  return decoded;
}

absl::StatusOr<ManagedSecret> Decode(kube::NamespacedName name, const json::value& object) {
  const json::object* metadata = kube::MetadataOf(object);
  if (metadata == nullptr) {
    return absl::DataLossError(StrCat("Secret ", name.name, " has no metadata"));
  }
  ManagedSecret secret;
  secret.name = std::move(name);
  secret.keeper = KeeperOf(*metadata);
  secret.uid = kube::MetadataText(object, "uid");
  secret.resource_version = kube::MetadataText(object, "resourceVersion");
  ASSIGN_OR_RETURN(secret.data, DataOf(object.get_object()));
  return secret;
}

json::object Encoded(const SecretData& data) {
  json::object encoded;
  for (const auto& [key, text] : data) encoded[key] = absl::Base64Escape(text);
  return encoded;
}

}  // namespace

std::string_view ManagedSecret::Text(const std::string& key) const {
  const auto found = data.find(key);
  return found == data.end() ? std::string_view() : std::string_view(found->second);
}

bool IsInjected(const json::object* annotations) {
  if (annotations == nullptr) return false;
  for (const auto& each : *annotations) {
    const std::string_view key = View(each.key());
    for (const std::string_view prefix :
         {"cert-manager.io/", "service.beta.openshift.io/", "service.alpha.openshift.io/"}) {
      if (key.starts_with(prefix)) return true;
    }
  }
  return false;
}

Task<ManagedSecret> ReadSecret(kube::Client& client, kube::NamespacedName name) {
  const absl::StatusOr<kube::RawObject> raw = co_await client.Get(kube::kSecrets, name);
  if (kube::IsNotFound(raw.status(), name.name)) {
    ManagedSecret none;
    none.name = std::move(name);
    co_return none;
  }
  CO_RETURN_IF_ERROR(raw.status());
  CO_ASSIGN_OR_RETURN(const json::value object, ParseJson(raw->json));
  co_return Decode(std::move(name), object);
}

StatusTask WriteSecret(kube::Client& client, ManagedSecret& secret, std::string_view type,
                       const SecretData& data) {
  kube::WriteOptions options;
  options.field_manager = std::string(kManager);
  json::object encoded = Encoded(data);
  json::value answer;
  if (secret.keeper == ManagedSecret::Keeper::kNobody) {
    json::object object = {{"apiVersion", "v1"}, {"kind", "Secret"}, {"type", type}};
    object["metadata"] = {
        {"name", secret.name.name}, {"namespace", secret.name.ns}, {"labels", Labels()}};
    object["data"] = std::move(encoded);
    const json::value created = std::move(object);
    CO_ASSIGN_OR_RETURN(answer,
                        co_await client.Create(kube::kSecrets, secret.name.ns, created, options));
  } else {
    for (const auto& [key, text] : secret.data) {
      if (!data.contains(key)) encoded[key] = nullptr;
    }
    json::object patch;
    patch["metadata"] = {{"resourceVersion", secret.resource_version}};
    patch["data"] = std::move(encoded);
    const json::value change = std::move(patch);
    CO_ASSIGN_OR_RETURN(
        answer, co_await client.Patch(kube::kSecrets, secret.name, kube::PatchType::kJsonMerge,
                                      change, options));
  }
  const kube::NamespacedName name = secret.name;
  CO_ASSIGN_OR_RETURN(secret, Decode(name, answer));
  co_return absl::OkStatus();
}

}  // namespace steward::controllers
