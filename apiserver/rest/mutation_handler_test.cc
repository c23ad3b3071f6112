#include "apiserver/rest/mutation_handler.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <boost/asio/io_context.hpp>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "apiserver/http/message/message.h"
#include "apiserver/rest/handler.h"
#include "apiserver/rest/resource/field_validation.h"
#include "apiserver/rest/resource/resource.h"
#include "apiserver/rest/resource/reviewer.h"
#include "apiserver/rest/testing/fake_mutations.h"
#include "apiserver/rest/testing/fake_resource.h"
#include "apiserver/rest/testing/recording_writer.h"
#include "base/async/run.h"
#include "base/clock/fake_clock.h"
#include "base/json/json_text.h"
#include "kube/meta/selector.h"
#include "kube/meta/status.h"
#include "kube/meta/user_info.h"

namespace steward::rest {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

using Fields = std::vector<std::pair<std::string, std::string>>;

constexpr char kTable[] = "application/json;as=Table;v=v1;g=meta.k8s.io";
constexpr char kMerge[] = "application/merge-patch+json";

// A request with the info that the request-info filter would fill in.
http::Request Make(const std::string& method, const std::string& verb, const std::string& name,
                   std::string body, const std::string& type = "application/json") {
  http::Request request;
  request.method = method;
  request.path = "/apis/example.com/v1/namespaces/ns1/widgets";
  if (!name.empty()) request.path += "/" + name;
  request.info = {true, verb, "example.com", "v1", "ns1", "widgets", "", name};
  if (!type.empty()) request.headers.Add("Content-Type", type);
  request.body = std::move(body);
  return request;
}
http::Request Post(std::string body = R"({"metadata":{"name":"new"}})") {
  return Make("POST", "create", "", std::move(body));
}
http::Request Put(std::string body = "{}") { return Make("PUT", "update", "a", std::move(body)); }
http::Request PatchIt(std::string body = "{}", const std::string& type = kMerge) {
  return Make("PATCH", "patch", "a", std::move(body), type);
}
http::Request Delete(std::string body = "") {
  return Make("DELETE", "delete", "a", std::move(body), "");
}
std::vector<http::Request> OneOfEach() { return {Post(), Put(), PatchIt(), Delete()}; }

http::Request OfStatus(http::Request request) {
  request.info.subresource = "status";
  request.path += "/status";
  return request;
}

class MutationHandlerTest : public testing::Test {
 protected:
  MutationHandlerTest() : fake_({FakeObject("ns1", "a")}) {
    resource_ = fake_.Definition();
    writes_.AddTo(resource_);
    Serve(resource_);
  }

  void Serve(Resource resource) {
    handler_ = MakeResourceHandler({std::move(resource)}, {random_});
  }

  // Sends the request; returns the status.
  int Ask(http::Request request) {
    boost::asio::io_context io;
    writer_ = RecordingWriter();
    RunOn(io, handler_(request, writer_));
    EXPECT_EQ(writer_.misuse(), "");
    EXPECT_TRUE(writer_.finished());
    return writer_.status();
  }

  FixedRandom random_{0.5};
  FakeResource fake_;
  FakeMutations writes_;
  Resource resource_;
  http::Handler handler_;
  RecordingWriter writer_;
};

std::string Widget(const std::string& name, const std::string& note) {
  return R"({"apiVersion":"example.com/v1","kind":"Widget","metadata":{"name":")" + name +
         R"(","namespace":"ns1","resourceVersion":"78","labels":{}},"spec":{"note":")" + note +
         "\"}}\n";
}

TEST_F(MutationHandlerTest, Creates) {
  http::Request request = Post(R"({"metadata":{"name":"new"},"spec":{"note":"x"}})");
  request.query = {{"dryRun", "All"}, {"fieldManager", "me"}};
  EXPECT_EQ(Ask(std::move(request)), 201);
  EXPECT_EQ(writer_.body(), Widget("new", "create"));
  EXPECT_EQ(writer_.Header("Content-Type"), "application/json");
  ASSERT_EQ(writes_.calls().size(), 1u);
  const FakeMutations::Call& call = writes_.calls()[0];
  EXPECT_EQ(call.verb, "create");
  EXPECT_EQ(call.name.ns, "ns1");
  EXPECT_EQ(Serialize(call.body), R"({"metadata":{"name":"new"},"spec":{"note":"x"}})");
  EXPECT_TRUE(call.options.dry_run);
  EXPECT_EQ(call.options.field_manager, "me");
  EXPECT_EQ(call.options.subresource, "");
}

// One resource accepts protobuf, another does not.
TEST_F(MutationHandlerTest, Protobuf) {
  // A ConfigMap, because the handler does not check the kind.
  const std::string body(
      "k8s\0\n\x0f\n\x02v1\x12\x09"
      "ConfigMap\x12\x05\n\x03\n\x01x",
      28);
  http::Request request = Post(body);
  request.headers.Set("Content-Type", "application/vnd.kubernetes.protobuf");
  const http::Request put = [&] {
    http::Request result = Put(body);
    result.headers.Set("Content-Type", "application/vnd.kubernetes.protobuf");
    return result;
  }();
  EXPECT_EQ(Ask(request), 415);
  EXPECT_EQ(Ask(put), 415);
  EXPECT_TRUE(writes_.calls().empty());

  resource_.accepts_protobuf = true;
  Serve(resource_);
  EXPECT_EQ(Ask(request), 201);
  EXPECT_EQ(writer_.Header("Content-Type"), "application/json");
  EXPECT_EQ(Ask(put), 200);
  ASSERT_EQ(writes_.calls().size(), 2u);
  for (const FakeMutations::Call& call : writes_.calls()) {
    EXPECT_EQ(Serialize(call.body),
              R"({"kind":"ConfigMap","apiVersion":"v1","metadata":{"name":"x"}})");
  }
}

class FakeReviewer : public Reviewer {
 public:
  Task<ReviewAnswer> Review(const kube::UserInfo& user, ReviewRequest request) override {
    if (!failure.ok()) co_return failure;
    last = std::move(request);
    ReviewAnswer answer;
    answer.object = std::make_unique<FakeObject>(last.ns, "new", kube::LabelMap(), user.name);
    answer.warnings = warnings;
    answer.columns = columns;
    co_return answer;
  }
  ReviewRequest last;
  std::vector<std::string> warnings;
  std::vector<Column> columns;
  absl::Status failure;
};

TEST_F(MutationHandlerTest, Reviews) {
  FakeReviewer reviewer;
  Resource resource = fake_.Definition();
  resource.review = &reviewer;
  EXPECT_EQ(resource.Verbs(), (std::vector<std::string>{"create", "get", "list"}));
  Serve(resource);
  http::Request request = Post(R"({"a":1,"a":2})");
  request.user.name = "alice";
  EXPECT_EQ(Ask(request), 201);
  EXPECT_EQ(writer_.body(),
            R"({"apiVersion":"example.com/v1","kind":"Widget","metadata":{"name":"new",)"
            R"("namespace":"ns1","resourceVersion":"","labels":{}},"spec":{"note":"alice"}})"
            "\n");
  EXPECT_EQ(Serialize(reviewer.last.question), R"({"a":2})");
  EXPECT_EQ(writer_.Header("Warning"), R"(299 - "duplicate field \"a\"")");
  EXPECT_EQ(reviewer.last.ns, "ns1");
  EXPECT_FALSE(reviewer.last.dry_run);
  EXPECT_EQ(reviewer.last.field_validation, FieldValidation::kWarn);
  request.body = "[]";
  EXPECT_EQ(Ask(request), 400);
  request.body = "{}";
  request.query = {{"dryRun", "All"}, {"fieldValidation", "Strict"}};
  request.audit_id = "audit-1";
  request.traceparent = "00-1-2-01";
  EXPECT_EQ(Ask(request), 201);
  EXPECT_TRUE(reviewer.last.dry_run);
  EXPECT_EQ(reviewer.last.field_validation, FieldValidation::kStrict);
  EXPECT_EQ(reviewer.last.audit_id, "audit-1");
  EXPECT_EQ(reviewer.last.traceparent, "00-1-2-01");
  request.body = R"({"a":1,"a":2})";
  EXPECT_EQ(Ask(request), 400) << "strict";
  request.body = "{}";
  request.query = {{"dryRun", "Some"}};
  EXPECT_EQ(Ask(request), 422);
  request.query = {};
  reviewer.failure = kube::ToStatus(kube::BadRequest("no namespace on request"));
  EXPECT_EQ(Ask(request), 400);
}

TEST_F(MutationHandlerTest, ReviewsInOtherForms) {
  FakeReviewer reviewer;
  reviewer.warnings = {"so so"};
  Resource resource = fake_.Definition();
  resource.review = &reviewer;
  Serve(resource);
  http::Request request = Post("{}");
  request.headers.Set("Accept", kTable);
  EXPECT_EQ(Ask(request), 201);
  EXPECT_THAT(writer_.body(), HasSubstr(R"("rows":[{"cells":["new",0],)"));
  EXPECT_EQ(writer_.Header("Warning"), R"(299 - "so so")");
  reviewer.columns = {{"Answer", "string", "name", "What is answered", 0},
                      {"Size", "integer", "", "How much", 0}};
  EXPECT_EQ(Ask(request), 201);
  EXPECT_THAT(writer_.body(), HasSubstr(R"("columnDefinitions":[{"name":"Answer",)"));
  request.headers.Set("Accept", "application/json;as=PartialObjectMetadata;v=v1;g=meta.k8s.io");
  EXPECT_EQ(Ask(request), 201);
  EXPECT_THAT(writer_.body(), HasSubstr(R"("kind":"PartialObjectMetadata")"));
  request.headers.Set("Accept", "application/yaml");
  EXPECT_EQ(Ask(request), 201);
  EXPECT_THAT(writer_.body(), HasSubstr("kind: Widget\n"));

  // Kinds without columns have one form.
  resource.columns.clear();
  Serve(resource);
  request.headers.Set("Accept", kTable);
  EXPECT_EQ(Ask(request), 201);
  EXPECT_THAT(writer_.body(), HasSubstr(R"("kind":"Widget")"));
}

TEST_F(MutationHandlerTest, Updates) {
  EXPECT_EQ(Ask(Put(R"({"spec":{}})")), 200);
  EXPECT_EQ(writer_.body(), Widget("a", "update"));
  EXPECT_EQ(writes_.calls()[0].name, (kube::NamespacedName{"ns1", "a"}));
  EXPECT_EQ(Serialize(writes_.calls()[0].body), R"({"spec":{}})");
  EXPECT_FALSE(writes_.calls()[0].options.dry_run);
}

TEST_F(MutationHandlerTest, Patches) {
  const struct {
    std::string type;
    std::string body;
    kube::PatchType want;
    std::string json;
  } kRows[] = {
      {kMerge, R"({"spec":null})", kube::PatchType::kJsonMerge, R"({"spec":null})"},
      {"application/strategic-merge-patch+json; charset=utf-8", "{}",
       kube::PatchType::kStrategicMerge, "{}"},
      {"application/json-patch+json", "[]", kube::PatchType::kJson, "[]"},
      {"application/apply-patch+yaml", "spec: {note: x}", kube::PatchType::kApply,
       R"({"spec":{"note":"x"}})"},
  };
  for (const auto& row : kRows) {
    SCOPED_TRACE(row.type);
    http::Request request = PatchIt(row.body, row.type);
    request.query = {{"fieldManager", "me"}};
    EXPECT_EQ(Ask(std::move(request)), 200);
    EXPECT_EQ(writer_.body(), Widget("a", "patch"));
    const FakeMutations::Call& call = writes_.calls().back();
    EXPECT_EQ(call.patch_type, row.want);
    EXPECT_EQ(Serialize(call.body), row.json);
    EXPECT_EQ(call.options.field_manager, "me");
  }
}

TEST_F(MutationHandlerTest, Deletes) {
  http::Request request = Delete(R"({"propagationPolicy":"Orphan","preconditions":{"uid":"u"}})");
  EXPECT_EQ(Ask(std::move(request)), 200);
  EXPECT_EQ(writer_.body(), Widget("a", "delete"));
  const FakeMutations::Call& call = writes_.calls()[0];
  EXPECT_EQ(call.name, (kube::NamespacedName{"ns1", "a"}));
  EXPECT_EQ(call.delete_options.uid, "u");
  EXPECT_EQ(call.delete_options.propagation, kube::DeleteOptions::Propagation::kOrphan);

  request = Delete();
  request.query = {{"propagationPolicy", "Foreground"}};
  EXPECT_EQ(Ask(std::move(request)), 200);
  EXPECT_EQ(writes_.calls()[1].delete_options.propagation,
            kube::DeleteOptions::Propagation::kForeground);
}

TEST_F(MutationHandlerTest, StatusesAsAnswers) {
  const std::string status = R"({"kind":"Status","apiVersion":"v1","status":"Success"})";
  writes_.AnswerStatus(status);
  EXPECT_EQ(Ask(Delete()), 200);
  EXPECT_EQ(writer_.body(), status + "\n");
  http::Request request = Delete();
  request.headers.Add("Accept", kTable);
  EXPECT_EQ(Ask(request), 200);
  EXPECT_EQ(writer_.body(), status + "\n");
  request.headers.Set("Accept", "application/yaml");
  EXPECT_EQ(Ask(request), 200);
  EXPECT_EQ(writer_.body(), "apiVersion: v1\nkind: Status\nstatus: Success\n");
}

TEST_F(MutationHandlerTest, Subresources) {
  EXPECT_EQ(Ask(OfStatus(Put())), 200);
  EXPECT_EQ(writes_.calls()[0].options.subresource, "status");
  EXPECT_EQ(Ask(OfStatus(PatchIt())), 200);
  EXPECT_EQ(writes_.calls()[1].options.subresource, "status");
  EXPECT_EQ(Ask(OfStatus(Make("GET", "get", "a", "", ""))), 200);
  EXPECT_THAT(writer_.body(), HasSubstr(R"("kind":"Widget")"));
  EXPECT_EQ(Ask(OfStatus(Delete())), 405);
  EXPECT_EQ(Ask(OfStatus(Make("POST", "create", "a", "{}"))), 405);
  http::Request picture = Put();
  picture.info.subresource = "picture";
  picture.path += "/picture";
  EXPECT_EQ(Ask(std::move(picture)), 405);
  EXPECT_EQ(writes_.calls().size(), 2u);
}

TEST_F(MutationHandlerTest, Yaml) {
  for (http::Request request : {Post(), Put(), Delete()}) {
    request.headers.Set("Content-Type", "application/yaml");
    request.headers.Add("Accept", "application/yaml");
    request.body = "dryRun: [All]\nmetadata: {name: a}";
    EXPECT_LT(Ask(std::move(request)), 300);
    EXPECT_THAT(writer_.body(), HasSubstr("kind: Widget\n"));
  }
  EXPECT_EQ(Serialize(writes_.calls()[0].body), R"({"dryRun":["All"],"metadata":{"name":"a"}})");
  EXPECT_TRUE(writes_.calls()[2].delete_options.dry_run);
}

TEST_F(MutationHandlerTest, Forms) {
  constexpr char kPartial[] = "application/json;as=PartialObjectMetadata;v=v1;g=meta.k8s.io";
  constexpr char kList[] = "application/json;as=PartialObjectMetadataList;v=v1;g=meta.k8s.io";
  const struct {
    std::string accept;
    bool fine;
    std::string want;
  } kRows[] = {
      {kTable, true,
       R"({"kind":"Table","apiVersion":"meta.k8s.io/v1","metadata":)"
       R"({"resourceVersion":"78"})"},
      {kPartial, true, R"({"kind":"PartialObjectMetadata")"},
      {kList, false, "the requested object is not a list"},
      {"text/html", false, "only the following media types are accepted"},
  };
  for (const auto& row : kRows) {
    SCOPED_TRACE(row.accept);
    for (http::Request request : OneOfEach()) {
      SCOPED_TRACE(request.method);
      const size_t before = writes_.calls().size();
      const int fine = request.method == "POST" ? 201 : 200;
      request.headers.Add("Accept", row.accept);
      EXPECT_EQ(Ask(std::move(request)), row.fine ? fine : 406);
      EXPECT_THAT(writer_.body(), HasSubstr(row.want));
      EXPECT_EQ(writes_.calls().size() - before, row.fine ? 1u : 0u);
    }
  }
}

TEST_F(MutationHandlerTest, RefusedBeforeAnythingHappens) {
  const auto with = [](http::Request request, auto change) {
    change(request);
    return request;
  };
  const auto typed = [&](http::Request request, std::string type) {
    return with(std::move(request), [&](auto& r) { r.headers.Set("Content-Type", type); });
  };
  const auto asked = [&](http::Request request, Fields query) {
    return with(std::move(request), [&](auto& r) { r.query = query; });
  };
  const struct {
    std::string name;
    http::Request request;
    int status;
    std::string want;
  } kRows[] = {
      {"post protobuf", typed(Post(), "application/vnd.kubernetes.protobuf"), 415,
       "accepted media types include: application/json, application/yaml"},
      {"put form", typed(Put(), "application/x-www-form-urlencoded"), 415, "unknown format"},
      {"patch json", PatchIt("{}", "application/json"), 415,
       "accepted media types include: application/json-patch+json, application/merge-patch+json, "
       "application/strategic-merge-patch+json, application/apply-patch+yaml"},
      {"delete text", typed(Delete("{}"), "text/plain"), 415, "unknown format"},
      {"post nothing", Post(""), 400, "must be of type Widget"},
      {"post array", Post("[]"), 400, "cannot unmarshal array into an object"},
      {"put garbage", Put("{"), 400, "json parse error"},
      {"patch array", PatchIt("[]"), 400, "error decoding patch"},
      {"delete array", Delete("[]"), 400, "must be of type DeleteOptions"},
      {"post dry run", asked(Post(), {{"dryRun", "x"}}), 422, "CreateOptions.meta.k8s.io"},
      {"put dry run", asked(Put(), {{"dryRun", "x"}}), 422, "UpdateOptions.meta.k8s.io"},
      {"patch dry run", asked(PatchIt(), {{"dryRun", "x"}}), 422, "PatchOptions.meta.k8s.io"},
      {"delete dry run", asked(Delete(), {{"dryRun", "x"}}), 422, "DeleteOptions.meta.k8s.io"},
      {"apply by nobody", PatchIt("{}", "application/apply-patch+yaml"), 422,
       "fieldManager: Required value"},
      {"strict", asked(Post(R"({"a":1,"a":1})"), {{"fieldValidation", "Strict"}}), 400,
       "strict decoding error: duplicate field"},
  };
  for (const auto& row : kRows) {
    SCOPED_TRACE(row.name);
    EXPECT_EQ(Ask(row.request), row.status);
    EXPECT_THAT(writer_.body(), HasSubstr(row.want));
  }
  EXPECT_TRUE(writes_.calls().empty());
}

TEST_F(MutationHandlerTest, PatchTypesAreTheResources) {
  resource_.patch_types = {kMerge};
  Serve(resource_);
  EXPECT_EQ(Ask(PatchIt("{}", kMerge)), 200);
  EXPECT_EQ(Ask(OfStatus(PatchIt("{}", kMerge))), 200);
  for (const bool of_status : {false, true}) {
    http::Request request = PatchIt("{}", "application/strategic-merge-patch+json");
    EXPECT_EQ(Ask(of_status ? OfStatus(request) : request), 415);
    EXPECT_THAT(writer_.body(),
                HasSubstr("accepted media types include: application/merge-patch+json\""));
  }
}

TEST_F(MutationHandlerTest, ErrorsOfTheResource) {
  writes_.Fail(kube::ToStatus(kube::Conflict({"example.com", "v1", "widgets"}, "a", "it moved")));
  for (http::Request request : OneOfEach()) {
    EXPECT_EQ(Ask(std::move(request)), 409);
    EXPECT_THAT(writer_.body(), HasSubstr("it moved"));
  }
}

TEST_F(MutationHandlerTest, Warnings) {
  writes_.Warn({"unknown field \"spec.x\"", "old"});
  for (http::Request request : OneOfEach()) {
    Ask(std::move(request));
    EXPECT_THAT(writer_.head().headers.FindAll("Warning"),
                ElementsAre(R"(299 - "unknown field \"spec.x\"")", R"(299 - "old")"));
  }
  EXPECT_EQ(Ask(Put(R"({"a":1,"a":1})")), 200);
  EXPECT_THAT(writer_.head().headers.FindAll("Warning"),
              ElementsAre(R"(299 - "duplicate field \"a\"")", R"(299 - "unknown field \"spec.x\"")",
                          R"(299 - "old")"));
  writes_.AnswerStatus("{}");
  Ask(Delete());
  EXPECT_EQ(writer_.head().headers.FindAll("Warning").size(), 2u);
}

TEST_F(MutationHandlerTest, AbsentCapabilitiesAreNotAllowed) {
  Serve(fake_.Definition());
  for (http::Request request : OneOfEach()) EXPECT_EQ(Ask(std::move(request)), 405);
  const struct {
    http::Request request;
    void (*remove)(Resource&);
  } kRows[] = {
      {Post(), [](Resource& r) { r.create = nullptr; }},
      {Put(), [](Resource& r) { r.update = nullptr; }},
      {PatchIt(), [](Resource& r) { r.patch = nullptr; }},
      {Delete(), [](Resource& r) { r.del = nullptr; }},
      {OfStatus(Put()), [](Resource& r) { r.subresources.back().update = nullptr; }},
      {OfStatus(PatchIt()), [](Resource& r) { r.subresources.back().patch = nullptr; }},
      {OfStatus(Make("GET", "get", "a", "", "")),
       [](Resource& r) { r.subresources.back().get_object = nullptr; }},
  };
  for (const auto& row : kRows) {
    SCOPED_TRACE(row.request.method + " " + row.request.path);
    Resource resource = resource_;
    row.remove(resource);
    Serve(resource);
    EXPECT_EQ(Ask(row.request), 405);
  }
  EXPECT_TRUE(writes_.calls().empty());
}

TEST_F(MutationHandlerTest, VerbsHaveTheirPlaces) {
  const auto at = [](http::Request request, std::string path, std::string ns) {
    request.path = std::move(path);
    request.info.ns = std::move(ns);
    return request;
  };
  const std::string root = "/apis/example.com/v1";
  const struct {
    std::string name;
    http::Request request;
    int status;
  } kRows[] = {
      {"post an object", Make("POST", "create", "a", "{}"), 405},
      {"put the collection", Make("PUT", "update", "", "{}"), 405},
      {"patch the collection", Make("PATCH", "patch", "", "{}", kMerge), 405},
      {"delete the collection", Make("DELETE", "deletecollection", "", ""), 405},
      {"post everywhere", at(Post(), root + "/widgets", ""), 404},
      {"put without namespace", at(Put(), root + "/widgets/a", ""), 404},
      {"verb of another method", Make("GET", "delete", "a", ""), 405},
      {"behind the object", at(Put(), root + "/namespaces/ns1/widgets/a/b", "ns1"), 404},
      {"slash", at(Post(), root + "/namespaces/ns1/widgets/", "ns1"), 201},
  };
  for (const auto& row : kRows) {
    SCOPED_TRACE(row.name);
    const size_t before = writes_.calls().size();
    EXPECT_EQ(Ask(row.request), row.status);
    EXPECT_EQ(writes_.calls().size() - before, row.status == 201 ? 1u : 0u);
  }
}

TEST_F(MutationHandlerTest, Namespaces) {
  resource_.descriptor.gvk = {"", "v1", "Namespace"};
  resource_.descriptor.plural = "namespaces";
  resource_.descriptor.namespaced = false;
  Serve(resource_);
  http::Request request = Put();
  request.path = "/api/v1/namespaces/a";
  request.info = {true, "update", "", "v1", "a", "namespaces", "", "a"};
  EXPECT_EQ(Ask(request), 200);
  EXPECT_EQ(Ask(OfStatus(request)), 200);
  for (const FakeMutations::Call& call : writes_.calls()) {
    EXPECT_EQ(call.name, (kube::NamespacedName{"", "a"}));
  }
  request = Post();
  request.path = "/api/v1/namespaces";
  request.info = {true, "create", "", "v1", "", "namespaces", "", ""};
  EXPECT_EQ(Ask(request), 201);
  request.path = "/apis//v1/namespaces";
  EXPECT_EQ(Ask(request), 404);
}

TEST_F(MutationHandlerTest, TheClientMayBeGone) {
  for (int call = 0; call < 3; ++call) {
    for (http::Request request : OneOfEach()) {
      boost::asio::io_context io;
      RecordingWriter writer;
      writer.FailFrom(call);
      RunOn(io, handler_(request, writer));
      EXPECT_EQ(writer.misuse(), "");
      EXPECT_FALSE(writer.finished());
    }
  }
}

}  // namespace
}  // namespace steward::rest
