// Events of audit.k8s.io/v1: the user, time and outcome of a request. Pure functions over values.
#ifndef KUBE_AUDIT_EVENT_H_
#define KUBE_AUDIT_EVENT_H_

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/time/time.h"
#include "kube/meta/user_info.h"

namespace steward::audit {

// The amount of a request that is recorded; each level includes the ones before it.
enum class Level { kNone, kMetadata, kRequest };

enum class Stage { kRequestReceived, kResponseStarted, kResponseComplete, kPanic };

std::string_view ToString(Level level);
std::string_view ToString(Stage stage);

// Annotations that API servers add.
inline constexpr std::string_view kDecisionAnnotation = "authorization.k8s.io/decision";
inline constexpr std::string_view kReasonAnnotation = "authorization.k8s.io/reason";
inline constexpr std::string_view kTruncatedAnnotation = "audit.k8s.io/truncated";

// The resource that a request is about; "" = any or none.
struct ObjectReference {
  std::string resource;
  std::string ns;
  std::string name;
  std::string uid;
  std::string group;
  std::string version;
  std::string subresource;
};

struct Event {
  Level level = Level::kMetadata;
  Stage stage = Stage::kResponseComplete;
  std::string audit_id;
  std::string request_uri;  // longer ones are cut
  size_t max_request_uri = 8 << 10;
  std::string verb;  // cut at 253, like each text of `object`; an annotation says so
  std::optional<kube::UserInfo> user;  // none: the request is not authenticated
  std::optional<kube::UserInfo> impersonated;
  std::vector<std::string> source_ips;
  std::string user_agent;  // longer ones are cut, as the kube-apiserver cuts them
  std::optional<ObjectReference> object;
  std::string response_status;  // a metav1.Status without kind, as JSON; "" = no response yet
  std::string request_object;   // JSON; "" = none
  absl::Time received;
  absl::Time at;
  std::vector<std::pair<std::string_view, std::string>> annotations;  // longer values are cut
};

// Appends the event as one line of JSON with its newline, in the form of the kube-apiserver's audit
// log. Limits count the bytes of texts as written, with JSON's escapes. REQUIRES: `response_status`
// and `request_object` are JSON without newlines, or empty.
void AppendJsonLine(const Event& event, std::string& out);

}  // namespace steward::audit

#endif  // KUBE_AUDIT_EVENT_H_
