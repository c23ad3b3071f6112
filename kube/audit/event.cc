#include "kube/audit/event.h"

#include "base/json/json_text.h"
#include "kube/meta/time.h"

namespace steward::audit {
namespace {

constexpr size_t kMaxUri = 8 << 10;
constexpr size_t kMaxUserAgent = 1024;
constexpr size_t kMaxAnnotation = 1024;
constexpr std::string_view kTruncated = "...TRUNCATED";

// Appends the members of one JSON object; its end closes it.
class ObjectWriter {
 public:
  explicit ObjectWriter(std::string& out) : out_(out) { out_ += '{'; }
  ~ObjectWriter() { out_ += '}'; }
  ObjectWriter(const ObjectWriter&) = delete;
  ObjectWriter& operator=(const ObjectWriter&) = delete;

  void Text(std::string_view key, std::string_view value) {
    Key(key);
    AppendHtmlSafeJsonString(value, out_);
  }
  void TextUnlessEmpty(std::string_view key, std::string_view value) {
    if (!value.empty()) Text(key, value);
  }
  void Texts(std::string_view key, const std::vector<std::string>& values) {
    if (values.empty()) return;
    Key(key);
    char separator = '[';
    for (const std::string& value : values) {
      out_ += separator;
      AppendHtmlSafeJsonString(value, out_);
      separator = ',';
    }
    out_ += ']';
  }
  // What follows is the value.
  std::string& Key(std::string_view key) {
    if (!first_) out_ += ',';
    first_ = false;
    AppendHtmlSafeJsonString(key, out_);
    out_ += ':';
    return out_;
  }

 private:
  std::string& out_;
  bool first_ = true;
};

std::string Cut(std::string_view text, size_t max) {
  if (text.size() <= max) return std::string(text);
  // Not within a character.
  while (max > 0 && (static_cast<unsigned char>(text[max]) & 0xc0) == 0x80) --max;
  std::string cut(text.substr(0, max));
  cut += kTruncated;
  return cut;
}

void AppendUser(const User& user, std::string& out) {
  ObjectWriter object(out);
  object.TextUnlessEmpty("username", user.name);
  object.TextUnlessEmpty("uid", user.uid);
  object.Texts("groups", user.groups);
  if (user.extra.empty()) return;
  ObjectWriter extra(object.Key("extra"));
  for (const auto& [key, values] : user.extra) extra.Texts(key, values);
}

void AppendReference(const ObjectReference& reference, std::string& out) {
  ObjectWriter object(out);
  object.TextUnlessEmpty("resource", reference.resource);
  object.TextUnlessEmpty("namespace", reference.ns);
  object.TextUnlessEmpty("name", reference.name);
  object.TextUnlessEmpty("uid", reference.uid);
  object.TextUnlessEmpty("apiGroup", reference.group);
  object.TextUnlessEmpty("apiVersion", reference.version);
  object.TextUnlessEmpty("subresource", reference.subresource);
}

}  // namespace

std::string_view ToString(Level level) {
  switch (level) {
    case Level::kNone:
      return "None";
    case Level::kMetadata:
      return "Metadata";
    case Level::kRequest:
      return "Request";
  }
  return "";
}

std::string_view ToString(Stage stage) {
  switch (stage) {
    case Stage::kRequestReceived:
      return "RequestReceived";
    case Stage::kResponseStarted:
      return "ResponseStarted";
    case Stage::kResponseComplete:
      return "ResponseComplete";
    case Stage::kPanic:
      return "Panic";
  }
  return "";
}

void AppendJsonLine(const Event& event, std::string& out) {
  {
    ObjectWriter object(out);
    object.Text("kind", "Event");
    object.Text("apiVersion", "audit.k8s.io/v1");
    object.Text("level", ToString(event.level));
    object.Text("auditID", event.audit_id);
    object.Text("stage", ToString(event.stage));
    object.Text("requestURI", Cut(event.request_uri, kMaxUri));
    object.Text("verb", event.verb);
    AppendUser(event.user.value_or(User()), object.Key("user"));
    if (event.impersonated) AppendUser(*event.impersonated, object.Key("impersonatedUser"));
    object.Texts("sourceIPs", event.source_ips);
    object.TextUnlessEmpty("userAgent", Cut(event.user_agent, kMaxUserAgent));
    if (event.object) AppendReference(*event.object, object.Key("objectRef"));
    if (!event.response_status.empty()) object.Key("responseStatus") += event.response_status;
    if (!event.request_object.empty()) object.Key("requestObject") += event.request_object;
    object.Text("requestReceivedTimestamp", kube::FormatRfc3339Micro(event.received));
    object.Text("stageTimestamp", kube::FormatRfc3339Micro(event.at));
    if (!event.annotations.empty()) {
      ObjectWriter annotations(object.Key("annotations"));
      for (const auto& [key, value] : event.annotations) {
        annotations.Text(key, Cut(value, kMaxAnnotation));
      }
    }
  }
  out += '\n';
}

}  // namespace steward::audit
