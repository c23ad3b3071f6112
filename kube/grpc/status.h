// The conversion of errors between absl and gRPC. Pure functions.
#ifndef KUBE_GRPC_STATUS_H_
#define KUBE_GRPC_STATUS_H_

#include <grpcpp/support/status.h>

#include <string_view>

#include "absl/status/status.h"

namespace steward::kube {

// The domain of every google.rpc.ErrorInfo that is sent.
inline constexpr std::string_view kErrorDomain = "steward.operators.coreos.com";

// Returns the absl code (both have the same numbers), the message, and as details a
// google.rpc.Status that holds the error as a steward.common.v1.KubernetesStatus, an ErrorInfo, and
// a RetryInfo where the error has a time for the next try. The size is bounded: a long message is
// cut.
grpc::Status ToGrpc(const absl::Status& status);

// Returns the error with the KubernetesStatus of the details as payload (kube/meta/status.h).
// Without details, it has code and message alone: such an error comes from another server than
// Steward or from the transport.
absl::Status FromGrpc(const grpc::Status& status);

}  // namespace steward::kube

#endif  // KUBE_GRPC_STATUS_H_
