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
  if (!config.username.empty()) {
    return absl::StrCat("Basic ",
                        absl::Base64Escape(absl::StrCat(config.username, ":", config.password)));
  }
  return "";
}

}  // namespace

// As in client-go, a token file wins over a token, which is then only the initial value.
Credentials::Credentials(const ClientConfig& config, Clock& clock, FileReader read_file)
    : token_file_(config.token_file),
      header_(StaticHeader(config)),
      clock_(clock),
      read_file_(std::move(read_file)) {}

absl::Status Credentials::ReadTokenFile() {
  ASSIGN_OR_RETURN(std::string token, read_file_(token_file_));
  absl::StripAsciiWhitespace(&token);
  RETURN_IF_ERROR(CheckToken(token));
  header_ = absl::StrCat("Bearer ", token);
  read_at_ = clock_.Now();
  return absl::OkStatus();
}

absl::StatusOr<std::string> Credentials::Authorization() {
  if (token_file_.empty() || clock_.Now() - read_at_ < kTokenFileMaxAge) return header_;
  const absl::Status status = ReadTokenFile();
  if (!status.ok()) {
    if (header_.empty()) {
      return absl::UnauthenticatedError(
          absl::StrCat("reading the token file ", token_file_, ": ", status.message()));
    }
    log::Warning("Could not read the token file again; using the last token",
                 {{"file", token_file_}, {"err", status}});
  }
  return header_;
}

bool Credentials::Refresh() {
  if (token_file_.empty()) return false;
  const std::string before = header_;
  const absl::Status status = ReadTokenFile();
  return status.ok() && header_ != before;
}

}  // namespace steward::kube
