// The server's certificate and its renewal. The renewal task may run on any executor, once.
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

// Loads the pair of --tls-cert-file, or a self-signed one in --cert-dir.
absl::StatusOr<std::unique_ptr<ServerCertificate>> LoadServingCertificate(const Options& options,
                                                                          const Clock& clock);

// Each minute, renews the self-signed pair if it expires soon, loads changed files, and sets
// `expiry` to the end of the current certificate. Runs until cancelled. The references outlive the
// task.
VoidTask KeepServingCertificateFresh(const Options& options, ServerCertificate& certificate,
                                     Clock& clock, ServingExpiry expiry);

}  // namespace steward::server

#endif  // APISERVER_SERVER_SERVING_CERTIFICATE_H_
