#include "apiserver/stored/writer.h"

#include <boost/json/object.hpp>
#include <string_view>
#include <utility>

#include "apiserver/stored/cursors.h"
#include "base/json/json_text.h"
#include "base/status/macros.h"
#include "base/text/str_cat.h"
#include "kube/client/raw_object.h"
#include "kube/meta/status.h"

namespace steward::stored {
namespace {

namespace json = boost::json;

constexpr char kRules[] = "x-kubernetes-validations";
constexpr char kRulesIgnored[] = "this server does not evaluate x-kubernetes-validations";

absl::Status BadRequest(std::string_view message) {
  return kube::ToStatus(kube::BadRequest(message));
}

// "" for any value that is not text.
std::string_view Text(const json::object& object, const char* key) {
  const json::value* value = object.if_contains(key);
  const json::string* text = value == nullptr ? nullptr : value->if_string();
  return text == nullptr ? std::string_view() : std::string_view(text->data(), text->size());
}

absl::StatusOr<json::object*> MetadataOf(json::value& object) {
  json::object* root = object.if_object();
  if (root == nullptr) return BadRequest("the object is not a JSON object");
  json::value& metadata = (*root)["metadata"];
  if (metadata.is_null()) metadata.emplace_object();
  if (!metadata.is_object()) return BadRequest("the object's metadata is not a JSON object");
  return &metadata.get_object();
}

bool IsSuccess(const json::value& answer) {
  const json::object* object = answer.if_object();
  return object != nullptr && Text(*object, "kind") == "Status" &&
         Text(*object, "apiVersion") == "v1";
}

}  // namespace

Writer::Writer(kube::Client& client, const kube::ResourceType& type, const Columns& columns,
               const Clock& clock)
    : client_(client),
      gvr_(type.gvr()),
      namespaced_(type.namespaced),
      has_rules_(type.custom && type.schema.find(kRules) != std::string::npos),
      columns_(columns),
      clock_(clock) {}

kube::NamespacedName Writer::Key(const kube::NamespacedName& name) const {
  // The path of a Namespace names it twice.
  return {namespaced_ ? name.ns : std::string(), name.name};
}

rest::WriteResult Writer::ResultOf(const json::value& answer, bool warn) const {
  rest::WriteResult result;
  if (IsSuccess(answer)) {
    result.status_json = Serialize(answer);
  } else {
    result.reading = ReadingOf(kube::OwnedRawObject(Serialize(answer)), columns_, clock_);
  }
  if (warn) result.warnings.emplace_back(kRulesIgnored);
  return result;
}

Task<rest::WriteResult> Writer::Create(const std::string& ns, json::value object,
                                       const kube::WriteOptions& options) {
  CO_RETURN_IF_ERROR(MetadataOf(object).status());
  const std::string target = namespaced_ ? ns : std::string();
  CO_ASSIGN_OR_RETURN(const json::value answer,
                      co_await client_.Create(gvr_, target, object, options));
  co_return ResultOf(answer, has_rules_);
}

Task<rest::WriteResult> Writer::Update(const kube::NamespacedName& name, json::value object,
                                       const kube::WriteOptions& options) {
  CO_ASSIGN_OR_RETURN(json::object * metadata, MetadataOf(object));
  const kube::NamespacedName key = Key(name);
  const std::string_view own_name = Text(*metadata, "name");
  const std::string_view own_ns = Text(*metadata, "namespace");
  if (own_name.empty()) {
    co_return BadRequest(StrCat("the name of the object (", key.name,
                                " based on URL) was undeterminable: name must be provided"));
  }
  if (own_name != key.name) {
    co_return BadRequest(StrCat("the name of the object (", own_name,
                                ") does not match the name on the URL (", key.name, ")"));
  }
  if (namespaced_ && !own_ns.empty() && own_ns != key.ns) {
    co_return BadRequest(StrCat("the namespace of the object (", own_ns,
                                ") does not match the namespace on the request (", key.ns, ")"));
  }
  if (namespaced_) (*metadata)["namespace"] = key.ns;
  CO_ASSIGN_OR_RETURN(const json::value answer, co_await client_.Update(gvr_, object, options));
  co_return ResultOf(answer, has_rules_);
}

Task<rest::WriteResult> Writer::Patch(const kube::NamespacedName& name, kube::PatchType type,
                                      json::value patch, const kube::WriteOptions& options) {
  const kube::NamespacedName key = Key(name);
  CO_ASSIGN_OR_RETURN(const json::value answer,
                      co_await client_.Patch(gvr_, key, type, patch, options));
  co_return ResultOf(answer, has_rules_);
}

Task<rest::WriteResult> Writer::Delete(const kube::NamespacedName& name,
                                       const kube::DeleteOptions& options) {
  const kube::NamespacedName key = Key(name);
  CO_ASSIGN_OR_RETURN(const json::value answer, co_await client_.Delete(gvr_, key, options));
  co_return ResultOf(answer, /*warn=*/false);
}

}  // namespace steward::stored
