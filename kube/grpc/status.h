// The one place where an error becomes one of gRPC, and the way back.
#ifndef KUBE_GRPC_STATUS_H_
#define KUBE_GRPC_STATUS_H_

#include <grpcpp/support/status.h>

#include <string_view>

#include "absl/status/status.h"

namespace steward::kube {

// Of every google.rpc.ErrorInfo that is sent.
inline constexpr std::string_view kErrorDomain = "steward.operators.coreos.com";

// The absl code (both have the same numbers), the message, and as details a google.rpc.Status that
// holds the error as a steward.common.v1.KubernetesStatus, an ErrorInfo, and a RetryInfo where the
// error says when to try again. What is sent is bounded: a long message is cut.
grpc::Status ToGrpc(const absl::Status& status);

// With the KubernetesStatus of the details as payload (kube/meta/status.h). Without details, code
// and message alone: of somebody who is no Steward, or of the way there.
absl::Status FromGrpc(const grpc::Status& status);

}  // namespace steward::kube

#endif  // KUBE_GRPC_STATUS_H_
