#include "kube/audit/event.h"

#include "base/json/json_text.h"
#include "kube/meta/time.h"
#include "kube/meta/user_info.h"

namespace steward::audit {
namespace {

// Limits of texts as they are written, with JSON's escapes.
constexpr size_t kMaxName = 253;
constexpr size_t kMaxUserAgent = 1024;
constexpr size_t kMaxAnnotation = 1024;
constexpr std::string_view kTruncated = "...TRUNCATED";

// The length in bytes of the first character of a JSON string's content.
size_t CharacterLength(std::string_view json) {
  if (json.starts_with("\\u")) return 6;
  if (json.starts_with('\\')) return 2;
  size_t length = 1;
  while (length < json.size() && (static_cast<unsigned char>(json[length]) & 0xc0) == 0x80)
    ++length;
  return length;
}

// Appends `text` as a JSON string with at most `max` bytes within its quotes, and behind them a
// marker when the text was cut. Returns true when it was cut.
bool AppendUpTo(size_t max, std::string_view text, std::string& out) {
  const size_t begin = out.size() + 1;
  // A character never takes fewer bytes in JSON than in the text.
  const std::string_view enough = text.substr(0, max + 1);
  AppendHtmlSafeJsonString(enough, out);
  const size_t length = out.size() - 1 - begin;
  if (length <= max && enough.size() == text.size()) return false;
  const std::string_view written = std::string_view(out).substr(begin, length);
  size_t end = 0;
  for (size_t next = 0; next < length; end = next) {
    next += CharacterLength(written.substr(next));
    if (next > max) break;
  }
  out.resize(begin + end);
  out += kTruncated;
  out += '"';
  return true;
}

// Writes the members of one JSON object; its destructor closes the object.
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
  // Returns true when the value was too long: then its beginning and a marker are written.
  bool TextUpTo(size_t max, std::string_view key, std::string_view value) {
    return AppendUpTo(max, value, Key(key));
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
  // Writes the key; the caller appends the value.
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

void AppendUser(const kube::UserInfo& user, std::string& out) {
  ObjectWriter object(out);
  object.TextUnlessEmpty("username", user.name);
  object.TextUnlessEmpty("uid", user.uid);
  object.Texts("groups", user.groups);
  if (user.extra.empty()) return;
  ObjectWriter extra(object.Key("extra"));
  for (const auto& [key, values] : user.extra) extra.Texts(key, values);
}

// Returns true when one of the texts was cut.
bool AppendReference(const ObjectReference& reference, std::string& out) {
  ObjectWriter object(out);
  bool cut = false;
  const auto append = [&](std::string_view key, const std::string& value) {
    if (!value.empty() && object.TextUpTo(kMaxName, key, value)) cut = true;
  };
  append("resource", reference.resource);
  append("namespace", reference.ns);
  append("name", reference.name);
  append("uid", reference.uid);
  append("apiGroup", reference.group);
  append("apiVersion", reference.version);
  append("subresource", reference.subresource);
  return cut;
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
    object.TextUpTo(event.max_request_uri, "requestURI", event.request_uri);
    bool cut = object.TextUpTo(kMaxName, "verb", event.verb);
    AppendUser(event.user.value_or(kube::UserInfo()), object.Key("user"));
    if (event.impersonated) AppendUser(*event.impersonated, object.Key("impersonatedUser"));
    object.Texts("sourceIPs", event.source_ips);
    if (!event.user_agent.empty()) {
      object.TextUpTo(kMaxUserAgent, "userAgent", event.user_agent);
    }
    if (event.object && AppendReference(*event.object, object.Key("objectRef"))) cut = true;
    if (!event.response_status.empty()) object.Key("responseStatus") += event.response_status;
    if (!event.request_object.empty()) object.Key("requestObject") += event.request_object;
    object.Text("requestReceivedTimestamp", kube::FormatRfc3339Micro(event.received));
    object.Text("stageTimestamp", kube::FormatRfc3339Micro(event.at));
    if (cut || !event.annotations.empty()) {
      ObjectWriter annotations(object.Key("annotations"));
      for (const auto& [key, value] : event.annotations) {
        annotations.TextUpTo(kMaxAnnotation, key, value);
        if (key == kTruncatedAnnotation) cut = false;  // the event says so already
      }
      if (cut) annotations.Text(kTruncatedAnnotation, "true");
    }
  }
  out += '\n';
}

}  // namespace steward::audit
