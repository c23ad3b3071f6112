#include "apiserver/reviews/self_reviews.h"

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <boost/json/value.hpp>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/ascii.h"
#include "apiserver/http/message/message.h"
#include "apiserver/rest/resource/reviewer.h"
#include "base/async/task.h"
#include "base/json/json_access.h"
#include "base/json/json_text.h"
#include "base/log/log.h"
#include "base/splice/rope.h"
#include "base/status/macros.h"
#include "base/text/str_cat.h"
#include "kube/meta/errors.h"
#include "kube/meta/names.h"
#include "kube/meta/status.h"
#include "kube/meta/user_info.h"

namespace steward::reviews {
namespace {

namespace json = boost::json;

constexpr std::string_view kAccessReview = "SelfSubjectAccessReview";
constexpr std::string_view kRulesReview = "SelfSubjectRulesReview";

kube::GroupVersionKind KindOf(std::string_view kind) {
  return {"authorization.k8s.io", "v1", std::string(kind)};
}

std::string Text(const json::object& attributes, std::string_view key) {
  return std::string(StringAt(attributes, key));
}

http::Request ResourceRequest(const kube::UserInfo& user, const json::object& attributes) {
  http::Request request;
  request.user = user;
  request.info.is_resource = true;
  request.info.verb = Text(attributes, "verb");
  request.info.group = Text(attributes, "group");
  request.info.version = Text(attributes, "version");
  request.info.ns = Text(attributes, "namespace");
  request.info.resource = Text(attributes, "resource");
  request.info.subresource = Text(attributes, "subresource");
  request.info.name = Text(attributes, "name");
  // The target is as long as the question, because the authorizer uses the length to decide whether
  // to keep its answer.
  request.target = Serialize(attributes);
  return request;
}

http::Request PathRequest(const kube::UserInfo& user, const json::object& attributes) {
  http::Request request;
  request.user = user;
  request.info.verb = Text(attributes, "verb");
  request.path = Text(attributes, "path");
  request.target = Serialize(attributes);
  return request;
}

// Decides as the authorization filter does.
class Access {
 public:
  Access(const filters::AlwaysAllowed& always_allowed, filters::Authorizer& authorizer)
      : always_allowed_(always_allowed), authorizer_(authorizer) {}

  Task<filters::Decision> Decide(const http::Request& request) const {
    filters::Decision decision;
    decision.allowed = always_allowed_.Allows(request);
    if (decision.allowed) co_return decision;
    co_return co_await authorizer_.Authorize(request);
  }

 private:
  const filters::AlwaysAllowed& always_allowed_;
  filters::Authorizer& authorizer_;
};

// An answer, which has no name.
class AnsweredReview : public rest::Object {
 public:
  explicit AnsweredReview(json::object answer) : answer_(std::move(answer)) {}
  std::string_view ns() const override { return ""; }
  std::string_view name() const override { return ""; }
  void AppendJson(std::string_view /*resource_version*/, Rope& out) const override {
    steward::AppendJson(answer_, out.text());
  }
  void AppendMetadata(std::string_view /*resource_version*/, Rope& out) const override {
    out.text().append("{}");
  }
  void AppendCells(std::string& out) const override { out.append("[]"); }

 private:
  const json::value answer_;
};

rest::ReviewAnswer Answer(std::string_view kind, const json::object& spec, json::object status) {
  const kube::GroupVersionKind gvk = KindOf(kind);
  json::object answer;
  answer["kind"] = gvk.kind;
  answer["apiVersion"] = gvk.ApiVersion();
  answer["metadata"] = json::object();
  answer["spec"] = spec;
  answer["status"] = std::move(status);
  return {.object = std::make_unique<AnsweredReview>(std::move(answer))};
}

class AccessReviewer : public rest::Reviewer {
 public:
  explicit AccessReviewer(const Access& access) : access_(access) {}

  Task<rest::ReviewAnswer> Review(const kube::UserInfo& user,
                                  rest::ReviewRequest request) override {
    const json::object* spec = ObjectAt(request.question, "spec");
    if (spec == nullptr) spec = &none_;
    const json::object* resource = ObjectAt(*spec, "resourceAttributes");
    const json::object* path = ObjectAt(*spec, "nonResourceAttributes");
    CO_RETURN_IF_ERROR(CheckOne(resource, path));
    const http::Request asked =
        resource != nullptr ? ResourceRequest(user, *resource) : PathRequest(user, *path);
    const absl::StatusOr<filters::Decision> decision = co_await access_.Decide(asked);
    json::object status;
    status["allowed"] = decision.ok() && decision->allowed;
    if (!decision.ok()) {
      if (kube::IsTooManyRequests(decision.status())) co_return decision.status();
      log::Error("Unable to answer a SelfSubjectAccessReview", {{"error", decision.status()}});
      status["evaluationError"] = "nobody decided";
    } else if (!decision->reason.empty()) {
      status["reason"] = decision->reason;
    }
    co_return Answer(kAccessReview, *spec, std::move(status));
  }

 private:
  static absl::Status CheckOne(const json::object* resource, const json::object* path) {
    if ((resource == nullptr) != (path == nullptr)) return absl::OkStatus();
    const bool both = resource != nullptr;
    const std::string message =
        both ? StrCat("Invalid value: ", Serialize(*path),
                      ": cannot be specified in combination with resourceAttributes")
             : "Invalid value: null: exactly one of nonResourceAttributes or resourceAttributes "
               "must be specified";
    const std::string field = both ? "spec.nonResourceAttributes" : "spec.resourceAttributes";
    return kube::ToStatus(
        kube::Invalid(KindOf(kAccessReview), "", {{"FieldValueInvalid", message, field}}));
  }

  const json::object none_;
  const Access access_;
};

class RulesReviewer : public rest::Reviewer {
 public:
  explicit RulesReviewer(const Access& access) : access_(access) {}

  Task<rest::ReviewAnswer> Review(const kube::UserInfo& user,
                                  rest::ReviewRequest request) override {
    const json::object* spec = ObjectAt(request.question, "spec");
    if (spec == nullptr || StringAt(*spec, "namespace").empty()) {
      co_return kube::ToStatus(kube::BadRequest("no namespace on request"));
    }
    const json::object resources{{"verb", "*"},
                                 {"group", "*"},
                                 {"version", "*"},
                                 {"resource", "*"},
                                 {"namespace", spec->at("namespace")}};
    const json::object paths{{"verb", "*"}, {"path", "*"}};
    CO_ASSIGN_OR_RETURN(const bool every_resource,
                        co_await Allowed(ResourceRequest(user, resources)));
    CO_ASSIGN_OR_RETURN(const bool every_path, co_await Allowed(PathRequest(user, paths)));
    const json::array all{"*"};
    json::object status;
    json::array& resource_rules = status["resourceRules"].emplace_array();
    if (every_resource) {
      resource_rules.push_back({{"verbs", all}, {"apiGroups", all}, {"resources", all}});
    }
    json::array& path_rules = status["nonResourceRules"].emplace_array();
    if (every_path) path_rules.push_back({{"verbs", all}, {"nonResourceURLs", all}});
    status["incomplete"] = !every_resource || !every_path;
    if (!every_resource || !every_path) {
      status["evaluationError"] = "this server can decide about requests, but not list rules";
    }
    co_return Answer(kRulesReview, *spec, std::move(status));
  }

 private:
  Task<bool> Allowed(http::Request request) const {
    const absl::StatusOr<filters::Decision> decision = co_await access_.Decide(request);
    if (!decision.ok() && kube::IsTooManyRequests(decision.status())) {
      co_return decision.status();
    }
    co_return decision.ok() && decision->allowed;
  }

  const Access access_;
};

constexpr std::string_view kSchema = R"({
"description":"A question of its sender about what it may do here. It is answered and not kept.",
"type":"object","required":["spec"],"properties":{
"apiVersion":{"description":"Group and version of this object's form.","type":"string"},
"kind":{"description":"The kind of this object.","type":"string"},
"metadata":{"description":"Empty.","default":{},"allOf":[
{"$ref":"#/components/schemas/io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta"}]},
"spec":{"description":"What is asked.","type":"object","default":{},
"x-kubernetes-preserve-unknown-fields":true},
"status":{"description":"The answer.","type":"object","default":{},
"x-kubernetes-preserve-unknown-fields":true}}})";

rest::Resource ResourceOf(std::string_view kind, std::shared_ptr<rest::Reviewer> reviewer) {
  rest::Resource resource;
  resource.descriptor.gvk = KindOf(kind);
  resource.descriptor.singular = absl::AsciiStrToLower(ToAbsl(kind));
  resource.descriptor.plural = StrCat(resource.descriptor.singular, "s");
  resource.descriptor.namespaced = false;
  resource.openapi_schema = kSchema;
  resource.accepts_protobuf = true;
  resource.review = reviewer.get();
  resource.owner = std::move(reviewer);
  return resource;
}

}  // namespace

std::vector<rest::Resource> SelfReviews(const filters::AlwaysAllowed& always_allowed,
                                        filters::Authorizer& authorizer) {
  const Access access(always_allowed, authorizer);
  std::vector<rest::Resource> resources;
  resources.push_back(ResourceOf(kAccessReview, std::make_shared<AccessReviewer>(access)));
  resources.push_back(ResourceOf(kRulesReview, std::make_shared<RulesReviewer>(access)));
  return resources;
}

}  // namespace steward::reviews
