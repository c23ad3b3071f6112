#include "kube/grpc/status.h"

#include <algorithm>
#include <string>

#include "base/text/str_cat.h"
#include "kube/meta/status.h"
#include "proto/google/rpc/error_details.pb.h"
#include "proto/google/rpc/status.pb.h"
#include "proto/steward/common/v1/errors.pb.h"

namespace steward::kube {
namespace {

// A status is sent in headers and contains the message twice; servers and clients accept 8 KiB of
// headers.
constexpr size_t kMaxMessage = 1024;
constexpr size_t kMaxCauses = 4;
constexpr size_t kMaxCause = 256;

// Cuts to at most `limit` bytes, without a broken character at the end: protobuf's strings are
// UTF-8.
std::string Cut(std::string_view text, size_t limit) {
  if (text.size() <= limit) return std::string(text);
  size_t end = limit;
  while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xC0) == 0x80) --end;
  return std::string(text.substr(0, end));
}

common::v1::KubernetesStatus ToMessage(const Status& status) {
  common::v1::KubernetesStatus message;
  message.set_code(status.code);
  message.set_reason(status.reason);
  message.set_message(Cut(status.message, kMaxMessage));
  message.set_name(Cut(status.name, kMaxCause));
  message.set_group(Cut(status.group, kMaxCause));
  message.set_kind(Cut(status.kind, kMaxCause));
  message.set_uid(Cut(status.uid, kMaxCause));
  message.set_retry_after_seconds(status.retry_after_seconds);
  for (size_t i = 0; i < std::min(status.causes.size(), kMaxCauses); ++i) {
    common::v1::KubernetesStatus::Cause& cause = *message.add_causes();
    cause.set_reason(Cut(status.causes[i].reason, kMaxCause));
    cause.set_message(Cut(status.causes[i].message, kMaxCause));
    cause.set_field(Cut(status.causes[i].field, kMaxCause));
  }
  return message;
}

Status FromMessage(const common::v1::KubernetesStatus& message) {
  Status status;
  if (message.code() >= 400 && message.code() < 600) status.code = message.code();
  status.reason = message.reason();
  status.message = message.message();
  status.name = message.name();
  status.group = message.group();
  status.kind = message.kind();
  status.uid = message.uid();
  status.retry_after_seconds = std::max(message.retry_after_seconds(), 0);
  for (const common::v1::KubernetesStatus::Cause& cause : message.causes()) {
    status.causes.push_back({cause.reason(), cause.message(), cause.field()});
  }
  return status;
}

}  // namespace

grpc::Status ToGrpc(const absl::Status& status) {
  if (status.ok()) return grpc::Status::OK;
  const Status error = FromStatus(status);
  google::rpc::Status details;
  details.set_code(static_cast<int>(status.code()));
  details.set_message(Cut(ToStd(status.message()), kMaxMessage));
  details.add_details()->PackFrom(ToMessage(error));
  google::rpc::ErrorInfo info;
  info.set_reason(error.reason);
  info.set_domain(std::string(kErrorDomain));
  details.add_details()->PackFrom(info);
  if (error.retry_after_seconds > 0) {
    google::rpc::RetryInfo retry;
    retry.mutable_retry_delay()->set_seconds(error.retry_after_seconds);
    details.add_details()->PackFrom(retry);
  }
  return grpc::Status(static_cast<grpc::StatusCode>(status.code()), details.message(),
                      details.SerializeAsString());
}

absl::Status FromGrpc(const grpc::Status& status) {
  if (status.ok()) return absl::OkStatus();
  google::rpc::Status details;
  if (!status.error_details().empty() && details.ParseFromString(status.error_details())) {
    for (const google::protobuf::Any& detail : details.details()) {
      common::v1::KubernetesStatus message;
      if (detail.Is<common::v1::KubernetesStatus>() && detail.UnpackTo(&message)) {
        return ToStatus(FromMessage(message));
      }
    }
  }
  return absl::Status(static_cast<absl::StatusCode>(status.error_code()), status.error_message());
}

}  // namespace steward::kube
