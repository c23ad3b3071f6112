#include "kube/protobuf/decoder.h"

#include <google/protobuf/arena.h>
#include <google/protobuf/descriptor.h>
#include <google/protobuf/message.h>
#include <google/protobuf/stubs/logging.h>

#include <boost/json/array.hpp>
#include <boost/json/value.hpp>
#include <cstdint>
#include <map>
#include <string>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/escaping.h"
#include "absl/time/time.h"
#include "base/json/json_text.h"
#include "base/status/macros.h"
#include "base/text/str_cat.h"
#include "kube/meta/time.h"
#include "kube/protobuf/authorization.pb.h"
#include "kube/protobuf/core.pb.h"
#include "kube/protobuf/meta.pb.h"
#include "kube/protobuf/rbac.pb.h"

namespace steward::kube {
namespace json = boost::json;
namespace {

using google::protobuf::FieldDescriptor;
using google::protobuf::Message;
using google::protobuf::Reflection;

constexpr std::string_view kMagic("k8s\0", 4);

// Null when there is no such kind.
const Message* PrototypeOf(const std::string& api_version, const std::string& kind) {
  // Every group has DeleteOptions.
  if (kind == "DeleteOptions") return &protobuf::DeleteOptions::default_instance();
  const std::string rbac = "rbac.authorization.k8s.io/v1";
  const std::string authorization = "authorization.k8s.io/v1";
  static const auto& prototypes =
      *new std::map<std::pair<std::string, std::string>, const Message*>{
          {{"v1", "ConfigMap"}, &protobuf::ConfigMap::default_instance()},
          {{"v1", "Event"}, &protobuf::Event::default_instance()},
          {{"v1", "Namespace"}, &protobuf::Namespace::default_instance()},
          {{"v1", "Secret"}, &protobuf::Secret::default_instance()},
          {{"v1", "ServiceAccount"}, &protobuf::ServiceAccount::default_instance()},
          {{rbac, "ClusterRole"}, &protobuf::ClusterRole::default_instance()},
          {{rbac, "ClusterRoleBinding"}, &protobuf::ClusterRoleBinding::default_instance()},
          {{rbac, "Role"}, &protobuf::Role::default_instance()},
          {{rbac, "RoleBinding"}, &protobuf::RoleBinding::default_instance()},
          {{authorization, "SelfSubjectAccessReview"},
           &protobuf::SelfSubjectAccessReview::default_instance()},
          {{authorization, "SelfSubjectRulesReview"},
           &protobuf::SelfSubjectRulesReview::default_instance()},
      };
  const auto found = prototypes.find({api_version, kind});
  return found == prototypes.end() ? nullptr : found->second;
}

absl::Status Parse(std::string_view bytes, std::string_view what, Message& message) {
  // Silences the library's log about text that is not UTF-8: the client gets the error.
  const google::protobuf::LogSilencer silencer;
  if (message.ParseFromArray(bytes.data(), static_cast<int>(bytes.size()))) return absl::OkStatus();
  return absl::InvalidArgumentError(StrCat("proto: cannot parse ", what));
}

absl::StatusOr<absl::Time> ReadTime(int64_t seconds) {
  // The bounds are 0001-01-01 and 9999-12-31.
  constexpr int64_t kFirst = -62135596800, kLast = 253402300799;
  if (seconds >= kFirst && seconds <= kLast) return absl::FromUnixSeconds(seconds);
  return absl::InvalidArgumentError("proto: a time outside the years 1 to 9999");
}

// Null when the message holds no time.
absl::StatusOr<json::value> ToJson(const protobuf::Time& time) {
  if (!time.has_seconds() && !time.has_nanos()) return json::value();
  ASSIGN_OR_RETURN(const absl::Time read, ReadTime(time.seconds()));
  return json::value(FormatRfc3339(read));
}

absl::StatusOr<json::value> ToJson(const protobuf::MicroTime& time) {
  if (!time.has_seconds() && !time.has_nanos()) return json::value();
  if (time.nanos() < 0 || time.nanos() > 999'999'999) {
    return absl::InvalidArgumentError("proto: a fraction of a second that is none");
  }
  ASSIGN_OR_RETURN(const absl::Time read, ReadTime(time.seconds()));
  return json::value(FormatRfc3339Micro(read + absl::Nanoseconds(time.nanos())));
}

absl::StatusOr<json::value> ToJson(const protobuf::FieldsV1& fields) {
  if (fields.raw().empty()) return json::value();
  JsonLimits limits;
  // Leaves room for the levels of the object around the value.
  limits.max_depth -= 16;
  return ParseJson(fields.raw(), limits);
}

absl::StatusOr<json::value> ToJson(const Message& message);

// The value of a field that is neither repeated nor a message.
json::value Scalar(const Message& message, const FieldDescriptor& field) {
  const Reflection& reflection = *message.GetReflection();
  switch (field.cpp_type()) {
    case FieldDescriptor::CPPTYPE_BOOL:
      return json::value(reflection.GetBool(message, &field));
    case FieldDescriptor::CPPTYPE_INT32:
      return json::value(int64_t{reflection.GetInt32(message, &field)});
    case FieldDescriptor::CPPTYPE_INT64:
      return json::value(int64_t{reflection.GetInt64(message, &field)});
    default:
      break;
  }
  std::string scratch;
  const std::string& text = reflection.GetStringReference(message, &field, &scratch);
  if (field.type() == FieldDescriptor::TYPE_BYTES) {
    return json::value(absl::Base64Escape(text));
  }
  return json::value(text);
}

// The map's entries, in the order of their keys.
json::value Map(const Message& message, const FieldDescriptor& field) {
  const Reflection& reflection = *message.GetReflection();
  const FieldDescriptor& key = *field.message_type()->map_key();
  const FieldDescriptor& value = *field.message_type()->map_value();
  std::map<std::string, json::value> sorted;
  for (int i = 0; i < reflection.FieldSize(message, &field); ++i) {
    const Message& entry = reflection.GetRepeatedMessage(message, &field, i);
    sorted[entry.GetReflection()->GetString(entry, &key)] = Scalar(entry, value);
  }
  json::object object;
  for (auto& [name, member] : sorted) object[name] = std::move(member);
  return object;
}

absl::StatusOr<json::value> List(const Message& message, const FieldDescriptor& field) {
  const Reflection& reflection = *message.GetReflection();
  const int size = reflection.FieldSize(message, &field);
  json::array list;
  list.reserve(static_cast<size_t>(size));
  for (int i = 0; i < size; ++i) {
    if (field.cpp_type() == FieldDescriptor::CPPTYPE_MESSAGE) {
      ASSIGN_OR_RETURN(json::value element,
                       ToJson(reflection.GetRepeatedMessage(message, &field, i)));
      list.push_back(std::move(element));
    } else {
      list.emplace_back(reflection.GetRepeatedString(message, &field, i));
    }
  }
  return json::value(std::move(list));
}

// The member's JSON; null when the JSON form leaves it out.
absl::StatusOr<json::value> Member(const Message& message, const FieldDescriptor& field) {
  const Reflection& reflection = *message.GetReflection();
  if (field.is_repeated()) {
    if (reflection.FieldSize(message, &field) == 0) return json::value();
    if (field.is_map()) return Map(message, field);
    return List(message, field);
  }
  if (!reflection.HasField(message, &field)) return json::value();
  if (field.cpp_type() != FieldDescriptor::CPPTYPE_MESSAGE) return Scalar(message, field);
  ASSIGN_OR_RETURN(json::value member, ToJson(reflection.GetMessage(message, &field)));
  const json::object* object = member.if_object();
  const bool empty = object != nullptr && object->empty();
  if (empty && !field.has_optional_keyword()) return json::value();
  return member;
}

absl::Status AddMembers(const Message& message, json::object& object) {
  const google::protobuf::Descriptor& type = *message.GetDescriptor();
  for (int i = 0; i < type.field_count(); ++i) {
    const FieldDescriptor& field = *type.field(i);
    ASSIGN_OR_RETURN(json::value member, Member(message, field));
    if (!member.is_null()) object[field.name()] = std::move(member);
  }
  return absl::OkStatus();
}

absl::StatusOr<json::value> ToJson(const Message& message) {
  using google::protobuf::DynamicCastToGenerated;
  if (const auto* time = DynamicCastToGenerated<protobuf::Time>(&message)) return ToJson(*time);
  if (const auto* time = DynamicCastToGenerated<protobuf::MicroTime>(&message)) {
    return ToJson(*time);
  }
  if (const auto* fields = DynamicCastToGenerated<protobuf::FieldsV1>(&message)) {
    return ToJson(*fields);
  }
  json::object object;
  RETURN_IF_ERROR(AddMembers(message, object));
  return json::value(std::move(object));
}

absl::Status CheckFrame(std::string_view body) {
  const size_t limit = JsonLimits().max_size;
  if (body.size() > limit) {
    return absl::ResourceExhaustedError(StrCat("more than ", limit, " bytes"));
  }
  if (body.empty()) return absl::InvalidArgumentError("empty data");
  if (!body.starts_with(kMagic)) {
    return absl::InvalidArgumentError(
        "provided data does not appear to be a protobuf message, expected prefix [107 56 115 0]");
  }
  if (body.size() == kMagic.size()) return absl::InvalidArgumentError("empty body");
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<json::object> DecodeProtobuf(std::string_view body,
                                            const GroupVersionKind& expected) {
  RETURN_IF_ERROR(CheckFrame(body));
  protobuf::Envelope envelope;
  RETURN_IF_ERROR(Parse(body.substr(kMagic.size()), "the envelope", envelope));
  std::string api_version = envelope.typemeta().apiversion();
  if (api_version.empty()) api_version = expected.ApiVersion();
  std::string kind = envelope.typemeta().kind();
  if (kind.empty()) kind = expected.kind;
  const Message* prototype = PrototypeOf(api_version, kind);
  if (prototype == nullptr) {
    return absl::UnimplementedError(
        StrCat("the binary form of ", kind, " in version ", api_version, " is not known"));
  }
  google::protobuf::Arena arena;
  Message& message = *prototype->New(&arena);
  RETURN_IF_ERROR(Parse(envelope.raw(), kind, message));
  json::object object;
  object["kind"] = kind;
  object["apiVersion"] = api_version;
  RETURN_IF_ERROR(AddMembers(message, object));
  return object;
}

}  // namespace steward::kube
