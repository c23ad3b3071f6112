// Where the server's certificate comes from, and its renewal.
#ifndef APISERVER_SERVER_SERVING_CERTIFICATE_H_
#define APISERVER_SERVER_SERVING_CERTIFICATE_H_

#include <memory>

#include "absl/status/statusor.h"
#include "apiserver/server/options.h"
#include "base/async/task.h"
#include "base/clock/clock.h"
#include "base/metrics/serving_expiry.h"
#include "base/tls/server_certificate.h"

namespace steward::server {

// The pair of --tls-cert-file, or a self-signed one in --cert-dir.
absl::StatusOr<std::unique_ptr<ServerCertificate>> LoadServingCertificate(const Options& options,
                                                                          const Clock& clock);

// Each minute: renews the self-signed pair in time, and takes over changed files; `expiry` says
// when the one in force ends. Until cancelled. The references outlive the task.
VoidTask KeepServingCertificateFresh(const Options& options, ServerCertificate& certificate,
                                     Clock& clock, ServingExpiry expiry);

}  // namespace steward::server

#endif  // APISERVER_SERVER_SERVING_CERTIFICATE_H_
