// The conversion of errors between absl and gRPC. Pure functions.
#ifndef KUBE_GRPC_STATUS_H_
#define KUBE_GRPC_STATUS_H_

#include <grpcpp/support/status.h>

#include <string_view>

#include "absl/status/status.h"

namespace steward::kube {

// The domain of every google.rpc.ErrorInfo that is sent.
inline constexpr std::string_view kErrorDomain = "steward.operators.coreos.com";

// Returns the absl code (gRPC uses the same numbers) and the message. The details are a
// google.rpc.Status with the error as a steward.common.v1.KubernetesStatus, an ErrorInfo, and, if
// the error says when to try again, a RetryInfo. The size is bounded: a long message is cut.
grpc::Status ToGrpc(const absl::Status& status);

// Returns the error with the KubernetesStatus of the details as payload (kube/meta/status.h).
// Without details (the error came from the transport, or from another server than Steward) it has
// the code and the message alone.
absl::Status FromGrpc(const grpc::Status& status);

}  // namespace steward::kube

#endif  // KUBE_GRPC_STATUS_H_
