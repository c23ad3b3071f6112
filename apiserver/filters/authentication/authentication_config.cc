#include "apiserver/filters/authentication/authentication_config.h"

#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "base/status/macros.h"

namespace steward::filters {
namespace {

absl::Status TrimNames(std::vector<std::string>& names) {
  for (std::string& name : names) {
    absl::StripAsciiWhitespace(&name);
    if (name.empty()) return absl::InvalidArgumentError("an empty front-proxy header name");
  }
  return absl::OkStatus();
}

absl::Status Named(const char* what, const absl::Status& status) {
  if (status.ok()) return status;
  return absl::Status(status.code(), absl::StrCat(what, ": ", status.message()));
}

// With an open front proxy every client could act as any user.
absl::Status CheckFrontProxyIsClosed(const AuthenticationConfig& config,
                                     const RequestHeaderSettings& front) {
  if (!front.allowed_names.empty() || config.client_ca == nullptr) return absl::OkStatus();
  if (!config.request_header_ca->CoversCaOf(*config.client_ca)) return absl::OkStatus();
  return absl::InvalidArgumentError(
      "every client certificate could act as any user: a CA of clients is the front proxy's CA, or "
      "below it, and no allowed name is set (--requestheader-allowed-names)");
}

}  // namespace

absl::StatusOr<std::shared_ptr<const AuthenticationConfig>> AuthenticationConfig::Create(
    AuthenticationSettings settings) {
  auto config = std::make_shared<AuthenticationConfig>();
  if (!settings.client_ca_pem.empty()) {
    auto verifier = X509Verifier::Create(settings.client_ca_pem);
    RETURN_IF_ERROR(Named("client CA", verifier.status()));
    config->client_ca = *std::move(verifier);
  }
  if (settings.request_header.has_value()) {
    RequestHeaderSettings& front = *settings.request_header;
    for (auto* names : {&front.username_headers, &front.group_headers, &front.extra_prefixes,
                        &front.uid_headers}) {
      RETURN_IF_ERROR(TrimNames(*names));
    }
    auto verifier = X509Verifier::Create(front.ca_pem);
    RETURN_IF_ERROR(Named("front-proxy CA", verifier.status()));
    config->request_header_ca = *std::move(verifier);
    RETURN_IF_ERROR(CheckFrontProxyIsClosed(*config, front));
  }
  config->settings = std::move(settings);
  return config;
}

AuthenticationConfigStore::AuthenticationConfigStore()
    : config_(std::make_shared<const AuthenticationConfig>()) {}

std::shared_ptr<const AuthenticationConfig> AuthenticationConfigStore::Get() const {
  MutexLock lock(&mutex_);
  return config_;
}

absl::Status AuthenticationConfigStore::SetFromFlags(AuthenticationSettings settings) {
  MutexLock lock(&update_mutex_);
  std::swap(from_flags_, settings);
  absl::Status updated = Update();
  if (!updated.ok()) std::swap(from_flags_, settings);
  return updated;
}

absl::Status AuthenticationConfigStore::SetFromCluster(AuthenticationSettings settings) {
  MutexLock lock(&update_mutex_);
  std::swap(from_cluster_, settings);
  absl::Status updated = Update();
  if (!updated.ok()) std::swap(from_cluster_, settings);
  if (updated.ok()) awaits_cluster_.store(false, std::memory_order_release);
  return updated;
}

absl::Status AuthenticationConfigStore::Update() {
  AuthenticationSettings merged = from_flags_;
  if (merged.client_ca_pem.empty()) merged.client_ca_pem = from_cluster_.client_ca_pem;
  if (!merged.request_header.has_value()) merged.request_header = from_cluster_.request_header;
  // An unchanged config keeps its cache of verified certificates.
  if (Get()->settings == merged) return absl::OkStatus();
  ASSIGN_OR_RETURN(std::shared_ptr<const AuthenticationConfig> config,
                   AuthenticationConfig::Create(std::move(merged)));
  MutexLock lock(&mutex_);
  config_ = std::move(config);
  return absl::OkStatus();
}

}  // namespace steward::filters
