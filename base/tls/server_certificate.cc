#include "base/tls/server_certificate.h"

#include <utility>

#include "base/log/log.h"
#include "base/status/macros.h"
#include "base/tls/files.h"

namespace steward {
namespace {

absl::StatusOr<PemKeyPair> ReadPair(const std::string& cert_file, const std::string& key_file) {
  PemKeyPair pair;
  ASSIGN_OR_RETURN(pair.cert_pem, ReadSmallFile(cert_file));
  ASSIGN_OR_RETURN(pair.key_pem, ReadSmallFile(key_file));
  return pair;
}

}  // namespace

ServerCertificate::ServerCertificate(std::string cert_file, std::string key_file,
                                     ServerTlsOptions options)
    : cert_file_(std::move(cert_file)),
      key_file_(std::move(key_file)),
      options_(std::move(options)) {}

absl::StatusOr<std::unique_ptr<ServerCertificate>> ServerCertificate::Load(
    std::string cert_file, std::string key_file, ServerTlsOptions options) {
  std::unique_ptr<ServerCertificate> result(
      new ServerCertificate(std::move(cert_file), std::move(key_file), options));
  ASSIGN_OR_RETURN(result->last_read_, ReadPair(result->cert_file_, result->key_file_));
  ASSIGN_OR_RETURN(SslContext context, MakeServerContext(result->last_read_, options));
  MutexLock lock(&result->mutex_);
  result->context_ = std::move(context);
  return result;
}

bool ServerCertificate::MaybeReload() {
  auto pair = ReadPair(cert_file_, key_file_);
  if (!pair.ok()) {
    if (last_read_error_ != std::string(pair.status().message())) {
      last_read_error_ = std::string(pair.status().message());
      log::Error("Cannot read the serving certificate; keeping the last good one",
                 {{"err", pair.status()}});
    }
    return false;
  }
  last_read_error_.clear();
  if (*pair == last_read_) return false;
  last_read_ = *std::move(pair);
  auto context = MakeServerContext(last_read_, options_);
  if (!context.ok()) {
    log::Error("The new serving certificate is unusable; keeping the last good one",
               {{"cert", cert_file_}, {"key", key_file_}, {"err", context.status()}});
    return false;
  }
  MutexLock lock(&mutex_);
  context_ = *std::move(context);
  log::Info("Reloaded the serving certificate", {{"cert", cert_file_}, {"key", key_file_}});
  return true;
}

SslContext ServerCertificate::context() const {
  MutexLock lock(&mutex_);
  return context_;
}

}  // namespace steward
