#include "plugin/command/exit.h"

#include "absl/strings/cord.h"
#include "base/text/str_cat.h"
#include "kube/meta/errors.h"

namespace steward::plugin {
namespace {

constexpr char kExitPayload[] = "steward.operatorframework.io/exit";

absl::Status Ending(absl::StatusCode code, std::string_view message, Exit exit) {
  absl::Status status(code, ToAbsl(message));
  status.SetPayload(kExitPayload, absl::Cord(ToAbsl(ToString(exit))));
  return status;
}

}  // namespace

std::string_view ToString(Exit exit) {
  switch (exit) {
    case Exit::kDone:
      return "Done";
    case Exit::kError:
      return "Error";
    case Exit::kUsage:
      return "Usage";
    case Exit::kRefused:
      return "Refused";
    case Exit::kStalled:
      return "Stalled";
    case Exit::kForewarned:
      return "Forewarned";
  }
  return "Error";
}

absl::Status Misused(std::string_view message) {
  return Ending(absl::StatusCode::kInvalidArgument, message, Exit::kUsage);
}

absl::Status Refused(std::string_view message) {
  return Ending(absl::StatusCode::kFailedPrecondition, message, Exit::kRefused);
}

absl::Status Stalled(std::string_view message) {
  return Ending(absl::StatusCode::kDeadlineExceeded, message, Exit::kStalled);
}

absl::Status Forewarned(std::string_view message) {
  return Ending(absl::StatusCode::kFailedPrecondition, message, Exit::kForewarned);
}

Exit ExitOf(const absl::Status& status) {
  if (status.ok()) return Exit::kDone;
  const absl::optional<absl::Cord> payload = status.GetPayload(kExitPayload);
  if (!payload.has_value()) return kube::IsForbidden(status) ? Exit::kRefused : Exit::kError;
  for (const Exit exit : {Exit::kUsage, Exit::kRefused, Exit::kStalled, Exit::kForewarned}) {
    if (*payload == ToAbsl(ToString(exit))) return exit;
  }
  return Exit::kError;
}

}  // namespace steward::plugin
