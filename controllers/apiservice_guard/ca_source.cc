#include "controllers/apiservice_guard/ca_source.h"

#include <boost/json/object.hpp>
#include <boost/json/value.hpp>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/escaping.h"
#include "absl/strings/str_split.h"
#include "base/json/json_access.h"
#include "base/json/json_text.h"
#include "base/status/macros.h"
#include "base/text/str_cat.h"
#include "kube/meta/errors.h"
#include "kube/meta/names.h"

namespace steward::controllers {
namespace json = boost::json;
namespace {

constexpr std::string_view kSecrets = "secrets";
constexpr std::string_view kConfigMaps = "configmaps";

}  // namespace

absl::StatusOr<CaSource> CaSource::Parse(std::string_view text) {
  const std::vector<std::string> parts =
      absl::StrSplit(absl::string_view(text.data(), text.size()), '/');
  if (parts.size() != 3 || (parts[0] != kSecrets && parts[0] != kConfigMaps) || parts[1].empty() ||
      parts[2].empty()) {
    return absl::InvalidArgumentError(
        StrCat("'", text, "' is neither secrets/NAME/KEY nor configmaps/NAME/KEY"));
  }
  CaSource source;
  source.secret = parts[0] == kSecrets;
  source.name = parts[1];
  source.key = parts[2];
  return source;
}

std::string CaSource::ToString() const {
  return StrCat(secret ? kSecrets : kConfigMaps, "/", name, "/", key);
}

Task<std::string> ReadCaBundle(kube::Client& client, const std::string& ns,
                               const CaSource& source) {
  const kube::GroupVersionResource gvr = {"", "v1",
                                          std::string(source.secret ? kSecrets : kConfigMaps)};
  const kube::NamespacedName name = {ns, source.name};
  const absl::StatusOr<kube::RawObject> raw = co_await client.Get(gvr, name);
  if (kube::IsNotFound(raw.status(), name.name)) co_return std::string();
  CO_RETURN_IF_ERROR(raw.status());
  CO_ASSIGN_OR_RETURN(const json::value object, ParseJson(raw->json));
  const json::object* members = object.if_object();
  const json::object* data = members == nullptr ? nullptr : ObjectAt(*members, "data");
  if (data == nullptr) co_return std::string();
  const std::string_view text = StringAt(*data, source.key);
  if (!source.secret) co_return std::string(text);
  std::string decoded;
  if (!absl::Base64Unescape(absl::string_view(text.data(), text.size()), &decoded)) {
    co_return absl::DataLossError(StrCat(source.ToString(), " is not base64"));
  }
  co_return decoded;
}

}  // namespace steward::controllers
