#include "kube/client/credentials.h"

#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/escaping.h"
#include "absl/strings/str_cat.h"
#include "base/log/log.h"
#include "base/status/macros.h"

namespace steward::kube {
namespace {

std::string StaticHeader(const ClientConfig& config) {
  if (!config.token.empty()) return absl::StrCat("Bearer ", config.token);
  if (!config.username.empty() || !config.password.empty()) {
    return absl::StrCat("Basic ",
                        absl::Base64Escape(absl::StrCat(config.username, ":", config.password)));
  }
  return "";
}

// Keeps the pointer of `before` if the bytes are equal, because credentials are compared by
// pointer.
std::shared_ptr<const PemKeyPair> CertificateOf(const ExecCredential& said,
                                                const Credential& before) {
  if (said.cert_pem.empty()) return nullptr;
  PemKeyPair pair{said.cert_pem, said.key_pem};
  if (before.certificate != nullptr && *before.certificate == pair) return before.certificate;
  return std::make_shared<const PemKeyPair>(std::move(pair));
}

}  // namespace

// As in client-go, a token file wins over a token. The token is used only until the file was read.
Credentials::Credentials(const ClientConfig& config, boost::asio::any_io_executor executor,
                         Clock& clock, FileReader read_file, PluginRunner run_plugin)
    : token_file_(config.token_file),
      held_{StaticHeader(config), nullptr},
      clock_(clock),
      read_file_(std::move(read_file)) {
  if (!config.exec || HasStaticCredentials(config)) return;
  plugin_.emplace(std::move(executor), "running a credential plugin",
                  [plugin = *config.exec, run = std::move(run_plugin)] { return run(plugin); });
}

absl::Status Credentials::ReadTokenFile() {
  ASSIGN_OR_RETURN(std::string token, read_file_(token_file_));
  absl::StripAsciiWhitespace(&token);
  RETURN_IF_ERROR(CheckToken(token));
  held_.authorization = absl::StrCat("Bearer ", token);
  read_at_ = clock_.Now();
  return absl::OkStatus();
}

absl::StatusOr<Credential> Credentials::FromFile() {
  if (clock_.Now() - read_at_ < kTokenFileMaxAge) return held_;
  const absl::Status status = ReadTokenFile();
  if (!status.ok()) {
    if (held_.authorization.empty()) {
      return absl::UnauthenticatedError(
          absl::StrCat("reading the token file ", token_file_, ": ", status.message()));
    }
    log::Warning("Could not read the token file again; using the last token",
                 {{"file", token_file_}, {"err", status}});
  }
  return held_;
}

StatusTask Credentials::AskPlugin() {
  CO_ASSIGN_OR_RETURN(const ExecCredential said, co_await plugin_->Run());
  Credential credential;
  if (!said.token.empty()) {
    const absl::Status usable = CheckToken(said.token);
    if (!usable.ok()) {
      co_return absl::UnauthenticatedError(
          absl::StrCat("the credential plugin gave no usable token: ", usable.message()));
    }
    credential.authorization = absl::StrCat("Bearer ", said.token);
  }
  credential.certificate = CertificateOf(said, held_);
  held_ = std::move(credential);
  expires_at_ = said.expiry.value_or(absl::InfiniteFuture());
  co_return absl::OkStatus();
}

Task<Credential> Credentials::Current() {
  if (plugin_) {
    if (clock_.Now() >= expires_at_) CO_RETURN_IF_ERROR(co_await AskPlugin());
    co_return held_;
  }
  if (token_file_.empty()) co_return held_;
  co_return FromFile();
}

Task<bool> Credentials::Renew(Credential refused) {
  if (refused != held_) co_return true;  // another request got a new one meanwhile
  if (plugin_) {
    if (clock_.Now() - renewed_in_vain_at_ < kRenewalPause) co_return false;
    renewed_in_vain_at_ = clock_.Now();
    CO_RETURN_IF_ERROR(co_await AskPlugin());
    if (refused != held_) renewed_in_vain_at_ = absl::InfinitePast();
  } else if (!token_file_.empty()) {
    const absl::Status status = ReadTokenFile();
    if (!status.ok()) log::Warning("Could not read the token file again", {{"err", status}});
  }
  co_return refused != held_;
}

}  // namespace steward::kube
