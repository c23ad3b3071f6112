#include "apiserver/filters/authentication/authentication_files.h"

#include <utility>

#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "base/log/log.h"
#include "base/status/macros.h"
#include "base/tls/files.h"

namespace steward::filters {
namespace {

absl::StatusOr<std::string> ReadCas(const std::string& path) {
  ASSIGN_OR_RETURN(std::string pem, ReadSmallFile(path));
  if (pem.empty()) return absl::InvalidArgumentError(absl::StrCat(path, " is empty"));
  return pem;
}

}  // namespace

absl::Status AuthenticationFiles::Load() {
  AuthenticationSettings settings;
  if (!flags_.client_ca_file.empty()) {
    ASSIGN_OR_RETURN(settings.client_ca_pem, ReadCas(flags_.client_ca_file));
  }
  if (!flags_.request_header_ca_file.empty()) {
    RequestHeaderSettings front;
    ASSIGN_OR_RETURN(front.ca_pem, ReadCas(flags_.request_header_ca_file));
    front.allowed_names = flags_.allowed_names;
    front.username_headers = flags_.username_headers;
    front.group_headers = flags_.group_headers;
    front.extra_prefixes = flags_.extra_prefixes;
    front.uid_headers = flags_.uid_headers;
    settings.request_header = std::move(front);
  }
  return store_.SetFromFlags(std::move(settings));
}

VoidTask AuthenticationFiles::Poll() {
  for (;;) {
    co_await clock_.Sleep(absl::Minutes(1));
    const absl::Status loaded = Load();
    if (!loaded.ok()) {
      log::Error("Re-reading the CA files failed; the last good ones stay", {{"error", loaded}});
    }
  }
}

}  // namespace steward::filters
