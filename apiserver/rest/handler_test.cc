#include "apiserver/rest/handler.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <boost/asio/io_context.hpp>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "apiserver/http/message/message.h"
#include "apiserver/rest/resource/page_getter.h"
#include "apiserver/rest/testing/fake_mutations.h"
#include "apiserver/rest/testing/fake_resource.h"
#include "apiserver/rest/testing/fake_watcher.h"
#include "apiserver/rest/testing/recording_writer.h"
#include "base/async/run.h"
#include "base/clock/fake_clock.h"
#include "base/splice/gunzip.h"
#include "base/status/matchers.h"
#include "base/text/str_cat.h"
#include "kube/meta/names.h"
#include "kube/meta/status.h"
#include "kube/meta/user_info.h"

namespace steward::rest {
namespace {

using testing::HasSubstr;

constexpr char kTable[] = "application/json;as=Table;v=v1;g=meta.k8s.io";

// A request with the info that the request-info filter would fill in.
http::Request Get(std::string path, http::RequestInfo info) {
  http::Request request;
  request.method = "GET";
  request.path = std::move(path);
  info.is_resource = true;
  if (info.group.empty()) info.group = "example.com";
  if (info.version.empty()) info.version = "v1";
  if (info.resource.empty()) info.resource = "widgets";
  request.info = std::move(info);
  return request;
}

http::Request GetOne(const std::string& ns, const std::string& name) {
  http::RequestInfo info;
  info.verb = "get";
  info.ns = ns;
  info.name = name;
  return Get("/apis/example.com/v1/namespaces/" + ns + "/widgets/" + name, info);
}

http::Request ListAll() {
  http::RequestInfo info;
  info.verb = "list";
  return Get("/apis/example.com/v1/widgets", info);
}

http::Request ListIn(const std::string& ns) {
  http::RequestInfo info;
  info.verb = "list";
  info.ns = ns;
  return Get("/apis/example.com/v1/namespaces/" + ns + "/widgets", info);
}

http::Request GetPicture(const std::string& name) {
  http::Request request = GetOne("ns1", name);
  request.info.subresource = "picture";
  request.path += "/picture";
  return request;
}

class HandlerTest : public testing::Test {
 protected:
  HandlerTest()
      : resource_({FakeObject("ns1", "a", {{"x", "y"}}, "one"), FakeObject("ns1", "b"),
                   FakeObject("ns2", "a")}),
        handler_(MakeResourceHandler({resource_.Definition()}, {random_})) {}

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
  FakeResource resource_;
  http::Handler handler_;
  RecordingWriter writer_;
};

TEST_F(HandlerTest, GetsOne) {
  EXPECT_EQ(Ask(GetOne("ns1", "a")), 200);
  EXPECT_EQ(writer_.body(),
            R"({"apiVersion":"example.com/v1","kind":"Widget","metadata":{"name":"a",)"
            R"("namespace":"ns1","resourceVersion":"77","labels":{"x":"y"}},)"
            R"("spec":{"note":"one"}})"
            "\n");
  EXPECT_EQ(writer_.Header("Content-Type"), "application/json");
  EXPECT_EQ(writer_.head().content_length, writer_.body().size());
}

TEST_F(HandlerTest, ATrailingSlashIsFine) {
  http::Request request = GetOne("ns1", "a");
  request.path += "/";
  EXPECT_EQ(Ask(std::move(request)), 200);
}

TEST_F(HandlerTest, ListsWhatIsAskedFor) {
  const struct {
    std::string name;
    http::Request request;
    std::vector<std::pair<std::string, std::string>> query;
    int items;
  } kRows[] = {
      {"all", ListAll(), {}, 3},
      {"namespace", ListIn("ns1"), {}, 2},
      {"unknown namespace", ListIn("nowhere"), {}, 0},
      {"impossible namespace", ListIn("@fake:svm_ns!"), {}, 0},
      {"label", ListAll(), {{"labelSelector", "x=y"}}, 1},
      {"name", ListAll(), {{"fieldSelector", "metadata.name=a"}}, 2},
      {"name and namespace",
       ListAll(),
       {{"fieldSelector", "metadata.name=a,metadata.namespace=ns2"}},
       1},
      {"limit", ListAll(), {{"limit", "1"}}, 3},
      {"unknown parameter", ListAll(), {{"foo", "bar"}}, 3},
      {"not a watch", ListAll(), {{"watch", "false"}}, 3},
  };
  for (const auto& row : kRows) {
    SCOPED_TRACE(row.name);
    http::Request request = row.request;
    request.query = row.query;
    ASSERT_EQ(Ask(std::move(request)), 200);
    EXPECT_THAT(writer_.body(), HasSubstr(R"("metadata":{"resourceVersion":"77"},"items":[)"));
    int items = 0;
    for (size_t at = writer_.body().find("\"Widget\""); at != std::string::npos;
         at = writer_.body().find("\"Widget\"", at + 1)) {
      ++items;
    }
    EXPECT_EQ(items, row.items);
  }
}

TEST_F(HandlerTest, AListMayHaveTheNameOfItsFieldSelector) {
  http::Request request = ListIn("ns1");
  request.info.name = "a";
  request.query = {{"fieldSelector", "metadata.name=a"}};
  EXPECT_EQ(Ask(std::move(request)), 200);
  EXPECT_THAT(writer_.body(), HasSubstr("WidgetList"));
}

TEST_F(HandlerTest, PassesVersionsOn) {
  http::Request request = ListAll();
  request.query = {{"resourceVersion", "5"}, {"resourceVersionMatch", "Exact"}};
  EXPECT_EQ(Ask(std::move(request)), 200);
  EXPECT_EQ(resource_.last_options().resource_version, "5");
  EXPECT_EQ(resource_.last_options().resource_version_match, "Exact");
  request = GetOne("ns1", "a");
  request.query = {{"resourceVersion", "6"}};
  EXPECT_EQ(Ask(std::move(request)), 200);
  EXPECT_EQ(resource_.last_options().resource_version, "6");
}

TEST_F(HandlerTest, Forms) {
  const struct {
    std::string name;
    http::Request request;
    std::string accept;
    int status;
    std::string want;
  } kRows[] = {
      {"table", ListAll(), kTable, 200, R"({"kind":"Table","apiVersion":"meta.k8s.io/v1",)"},
      {"table of one", GetOne("ns1", "a"), kTable, 200, R"("rows":[{"cells":["a",3],"object":)"},
      {"yaml", GetOne("ns1", "a"), "application/yaml", 200, "apiVersion: example.com/v1\n"},
      {"metadata", GetOne("ns1", "a"),
       "application/json;as=PartialObjectMetadata;v=v1;g=meta.k8s.io", 200,
       R"({"kind":"PartialObjectMetadata","apiVersion":"meta.k8s.io/v1","metadata":)"},
      {"metadata of a list", ListAll(),
       "application/json;as=PartialObjectMetadata;v=v1;g=meta.k8s.io,application/json", 406,
       "you requested PartialObjectMetadata, but the requested object is a list"},
      {"nothing known", ListAll(), "text/html", 406,
       "only the following media types are accepted: application/json, application/yaml"},
  };
  for (const auto& row : kRows) {
    SCOPED_TRACE(row.name);
    http::Request request = row.request;
    request.headers.Add("Accept", row.accept);
    EXPECT_EQ(Ask(std::move(request)), row.status);
    EXPECT_THAT(writer_.body(), HasSubstr(row.want));
  }
}

TEST_F(HandlerTest, IncludeObjectMattersToTablesOnly) {
  http::Request request = ListAll();
  request.query = {{"includeObject", "foo"}};
  EXPECT_EQ(Ask(request), 200);
  request.headers.Add("Accept", kTable);
  EXPECT_EQ(Ask(request), 400);
  EXPECT_THAT(writer_.body(), HasSubstr("Unable to convert to Table as requested"));
  request.query = {{"includeObject", "None"}};
  EXPECT_EQ(Ask(request), 200);
  EXPECT_THAT(writer_.body(), HasSubstr(R"({"cells":["a",3],"object":null})"));
  request = GetOne("ns1", "a");
  request.headers.Add("Accept", kTable);
  request.query = {{"includeObject", "foo"}};
  EXPECT_EQ(Ask(request), 400);
}

TEST_F(HandlerTest, OtherVerbsAreNotAllowed) {
  for (const char* method : {"HEAD", "POST", "PUT", "PATCH", "DELETE", "FOO"}) {
    SCOPED_TRACE(method);
    for (http::Request request : {ListIn("ns1"), GetOne("ns1", "a"), GetPicture("a")}) {
      request.method = method;
      EXPECT_EQ(Ask(std::move(request)), 405);
      EXPECT_THAT(writer_.body(), HasSubstr("\"reason\":\"MethodNotAllowed\""));
    }
  }
  EXPECT_EQ(resource_.calls(), 0);
}

TEST_F(HandlerTest, WhatIsNotAvailableYet) {
  bool available = false;
  HandlerOptions options{.random = random_};
  options.available = [&] {
    return available ? absl::OkStatus() : kube::ToStatus(kube::ServiceUnavailable("loading", 1));
  };
  handler_ = MakeResourceHandler({resource_.Definition()}, options);
  http::Request unknown = ListAll();
  unknown.info.resource = "nothings";
  for (const http::Request& request : {ListAll(), GetOne("ns1", "a"), unknown}) {
    EXPECT_EQ(Ask(request), 503);
    EXPECT_EQ(writer_.Header("Retry-After"), "1");
  }
  EXPECT_EQ(resource_.calls(), 0);
  available = true;
  EXPECT_EQ(Ask(ListAll()), 200);
}

// A refused write of a computed object says what to change instead.
TEST_F(HandlerTest, RefusedWritesSayWhereToWrite) {
  Resource resource = resource_.Definition();
  resource.where_to_write = [](const kube::NamespacedName& name) {
    return "change " + name.ns + "/" + name.name;
  };
  handler_ = MakeResourceHandler({resource}, {random_});
  const struct {
    http::Request request;
    const char* method;
    const char* message;
  } kRows[] = {
      {GetOne("ns1", "a"), "PUT", "on the requested resource: change ns1/a\""},
      {GetOne("ns1", "a"), "DELETE", "on the requested resource: change ns1/a\""},
      {GetPicture("a"), "PATCH", "on the requested resource: change ns1/a\""},
      {ListIn("ns1"), "POST", "on the requested resource: change ns1/\""},
      {GetOne("ns1", "a"), "HEAD", "on the requested resource\""},
      {GetOne("ns1", "a"), "OPTIONS", "on the requested resource\""},
  };
  for (const auto& row : kRows) {
    SCOPED_TRACE(row.method);
    http::Request request = row.request;
    request.method = row.method;
    EXPECT_EQ(Ask(std::move(request)), 405);
    EXPECT_THAT(writer_.body(), HasSubstr(row.message));
  }
}

// The words are Kubernetes'.
TEST_F(HandlerTest, NamesThatMeanAnotherPlace) {
  const struct {
    const char* name;
    const char* why;
  } kRows[] = {{".", "may not be '.'"}, {"..", "may not be '..'"}, {"a%b", "may not contain '%'"}};
  for (const auto& row : kRows) {
    SCOPED_TRACE(row.name);
    EXPECT_EQ(Ask(GetOne("ns1", row.name)), 400);
    EXPECT_THAT(writer_.body(), HasSubstr(std::string(R"(Name parameter invalid: \")") + row.name +
                                          R"(\": )" + row.why));
  }
  EXPECT_EQ(resource_.calls(), 0);
}

TEST_F(HandlerTest, WatchIsNotAllowed) {
  http::Request request = ListAll();
  request.info.verb = "watch";
  request.query = {{"watch", "true"}};
  EXPECT_EQ(Ask(std::move(request)), 405);
  EXPECT_EQ(resource_.calls(), 0);
}

TEST_F(HandlerTest, AbsentCapabilitiesAreNotAllowed) {
  Resource resource = resource_.Definition();
  resource.get = nullptr;
  resource.list = nullptr;
  resource.subresources[0].get_blob = nullptr;
  handler_ = MakeResourceHandler({resource}, {random_});
  for (http::Request request : {ListAll(), GetOne("ns1", "a"), GetPicture("a")}) {
    EXPECT_EQ(Ask(std::move(request)), 405);
  }
}

TEST_F(HandlerTest, UnknownPaths) {
  const auto with = [](http::Request request, auto change) {
    change(request);
    return request;
  };
  const struct {
    std::string name;
    http::Request request;
    bool text;
  } kRows[] = {
      {"not a resource", with(ListAll(), [](auto& r) { r.info.is_resource = false; }), true},
      {"group", with(ListAll(), [](auto& r) { r.info.group = "other.com"; }), true},
      {"version", with(ListAll(), [](auto& r) { r.info.version = "v2"; }), true},
      {"resource", with(ListAll(), [](auto& r) { r.info.resource = "gadgets"; }), false},
      {"subresource", with(GetPicture("a"), [](auto& r) { r.info.subresource = "x"; }), false},
      {"behind the subresource", with(GetPicture("a"), [](auto& r) { r.path += "/x"; }), false},
      {"name without namespace",
       with(GetOne("ns1", "a"),
            [](auto& r) {
              r.info.ns = "";
              r.path = "/apis/example.com/v1/widgets/a";
            }),
       true},
      {"collection of all namespaces, to write to",
       with(ListAll(),
            [](auto& r) {
              r.method = "POST";
              r.info.verb = "create";
            }),
       true},
      {"legacy watch path",
       with(ListAll(),
            [](auto& r) {
              r.info.verb = "watch";
              r.path = "/apis/example.com/v1/watch/widgets";
            }),
       false},
  };
  for (const auto& row : kRows) {
    SCOPED_TRACE(row.name);
    EXPECT_EQ(Ask(row.request), 404);
    EXPECT_EQ(writer_.Header("Content-Type"),
              row.text ? "text/plain; charset=utf-8" : "application/json");
    EXPECT_THAT(writer_.body(), HasSubstr(row.text ? "404 page not found"
                                                   : "the server could not find the requested "
                                                     "resource"));
  }
  EXPECT_EQ(resource_.calls(), 0);
}

TEST_F(HandlerTest, ClusterScopedResources) {
  Resource resource = resource_.Definition();
  resource.descriptor.namespaced = false;
  handler_ = MakeResourceHandler({resource}, {random_});
  http::Request request = GetOne("ns1", "a");
  EXPECT_EQ(Ask(request), 404);
  EXPECT_EQ(Ask(ListIn("ns1")), 404);
  EXPECT_EQ(Ask(ListAll()), 200);
  request.info.ns = "";
  request.path = "/apis/example.com/v1/widgets/zz";
  request.info.name = "zz";
  EXPECT_EQ(Ask(request), 404);
  EXPECT_THAT(writer_.body(), HasSubstr(R"(widgets.example.com \"zz\" not found)"));
}

TEST_F(HandlerTest, ErrorsOfTheResource) {
  EXPECT_EQ(Ask(GetOne("ns1", "zz")), 404);
  EXPECT_THAT(writer_.body(), HasSubstr(R"(widgets.example.com \"zz\" not found)"));
  http::Request as_list = GetOne("ns1", "zz");
  as_list.headers.Add("Accept", "application/json;as=PartialObjectMetadataList;v=v1;g=meta.k8s.io");
  EXPECT_EQ(Ask(as_list), 404);
  resource_.Fail(kube::ToStatus(kube::ServiceUnavailable("not synced yet", 1)));
  for (http::Request request : {ListAll(), GetOne("ns1", "a"), GetPicture("a")}) {
    request.headers.Add("Accept", "application/yaml");
    EXPECT_EQ(Ask(std::move(request)), 503);
    EXPECT_EQ(writer_.Header("Retry-After"), "1");
    EXPECT_THAT(writer_.body(), HasSubstr("message: not synced yet\n"));
  }
}

TEST_F(HandlerTest, BadParametersNeverReachTheResource) {
  http::Request list = ListAll();
  list.query = {{"limit", "x"}};
  EXPECT_EQ(Ask(list), 400);
  list.query = {{"sendInitialEvents", "true"}};
  EXPECT_EQ(Ask(list), 422);
  http::Request get = GetOne("ns1", "a");
  get.query = {{"resourceVersion", "x"}};
  EXPECT_EQ(Ask(get), 400);
  EXPECT_EQ(resource_.calls(), 0);
}

TEST_F(HandlerTest, Blobs) {
  http::Request request = GetPicture("a");
  EXPECT_EQ(Ask(request), 200);
  EXPECT_EQ(writer_.body(), "pixels of a");
  EXPECT_EQ(writer_.Header("Content-Type"), "image/png");
  EXPECT_EQ(writer_.Header("ETag"), "\"a\"");
  EXPECT_EQ(writer_.Header("X-Content-Type-Options"), "nosniff");
  EXPECT_THAT(writer_.Header("Content-Security-Policy"), HasSubstr("sandbox"));
  request.headers.Add("If-None-Match", "\"a\"");
  EXPECT_EQ(Ask(request), 304);
  EXPECT_EQ(writer_.body(), "");
  EXPECT_EQ(writer_.Header("ETag"), "\"a\"");
  EXPECT_EQ(writer_.Header("Content-Type"), "");
}

// Answers with a description of the request.
class FakePages : public PageGetter {
 public:
  Task<std::string> GetPage(const kube::UserInfo& user, PageRequest request) override {
    if (!failure.ok()) co_return failure;
    co_return StrCat(R"({"kind":"PieceList","user":")", user.name, R"(","of":")", request.name.ns,
                     "/", request.name.name, R"(","limit":)", request.limit, R"(,"continue":")",
                     request.continue_token, R"("})");
  }
  absl::Status failure;
};

TEST_F(HandlerTest, Pages) {
  FakePages pages;
  Resource resource = resource_.Definition();
  Subresource& pieces = resource.subresources.emplace_back();
  pieces.name = "pieces";
  pieces.get_page = &pages;
  EXPECT_EQ(pieces.Verbs(), std::vector<std::string>{"get"});
  handler_ = MakeResourceHandler({resource}, {random_});
  http::Request request = GetPicture("a");
  request.info.subresource = "pieces";
  request.path.replace(request.path.rfind('/') + 1, std::string::npos, "pieces");
  request.user.name = "alice";
  EXPECT_EQ(Ask(request), 200);
  const std::string plain = writer_.body();
  EXPECT_THAT(plain, HasSubstr(R"("user":"alice")"));
  EXPECT_THAT(plain, HasSubstr(R"("limit":0,"continue":"")"));
  EXPECT_EQ(writer_.Header("Content-Type"), "application/json");
  request.query = {{"limit", "7"}, {"continue", "abc"}};
  EXPECT_EQ(Ask(request), 200);
  EXPECT_THAT(writer_.body(), HasSubstr(R"("limit":7,"continue":"abc")"));
  request.query = {{"limit", "-7"}};
  EXPECT_EQ(Ask(request), 200);
  EXPECT_EQ(writer_.body(), plain);
  request.query = {{"limit", "many"}};
  EXPECT_EQ(Ask(request), 400);
  request.query.clear();
  request.headers.Add("Accept", "image/png");
  EXPECT_EQ(Ask(request), 406);
  request.headers = {};
  pages.failure = kube::ToStatus(kube::ServiceUnavailable("away", 5));
  EXPECT_EQ(Ask(request), 503);
  EXPECT_EQ(writer_.Header("Retry-After"), "5");
}

TEST_F(HandlerTest, WarningsAreHeaders) {
  EXPECT_EQ(Ask(ListAll()), 200);
  EXPECT_EQ(writer_.Header("Warning"), "");
  resource_.Warn("it may be \"old\"");
  EXPECT_EQ(Ask(ListAll()), 200);
  EXPECT_EQ(writer_.Header("Warning"), R"(299 - "it may be \"old\"")");
  EXPECT_EQ(Ask(GetOne("ns1", "a")), 200);
  EXPECT_EQ(writer_.Header("Warning"), R"(299 - "it may be \"old\"")");
}

TEST_F(HandlerTest, Gzip) {
  std::vector<FakeObject> objects;
  for (int i = 0; i < 100; ++i) {
    objects.emplace_back("ns", std::to_string(i), kube::LabelMap(), std::string(2000, 'x'));
  }
  FakeResource large(std::move(objects));
  handler_ = MakeResourceHandler({large.Definition()}, {random_});
  EXPECT_EQ(Ask(ListAll()), 200);
  const std::string plain = writer_.body();
  http::Request request = ListAll();
  request.headers.Add("Accept-Encoding", "gzip");
  EXPECT_EQ(Ask(request), 200);
  EXPECT_EQ(writer_.Header("Content-Encoding"), "gzip");
  EXPECT_EQ(Gunzip(writer_.body()), plain);
}

TEST_F(HandlerTest, TheClientMayBeGone) {
  for (int call = 0; call < 3; ++call) {
    for (http::Request request : {ListAll(), GetOne("ns1", "zz"), GetPicture("a")}) {
      boost::asio::io_context io;
      RecordingWriter writer;
      writer.FailFrom(call);
      RunOn(io, handler_(request, writer));
      EXPECT_EQ(writer.misuse(), "");
      EXPECT_FALSE(writer.finished());
    }
  }
}

TEST_F(HandlerTest, ResourcesThatPage) {
  http::Request request = ListAll();
  request.query = {{"limit", "2"}, {"continue", "abc"}};
  EXPECT_EQ(Ask(request), 400);
  Resource resource = resource_.Definition();
  resource.pages = true;
  handler_ = MakeResourceHandler({resource}, {random_});
  EXPECT_EQ(Ask(request), 200);
  EXPECT_EQ(resource_.last_options().limit, 2);
  EXPECT_EQ(resource_.last_options().continue_token, "abc");
}

TEST_F(HandlerTest, OwnersLiveAsLongAsTheHandler) {
  auto owner = std::make_shared<int>(1);
  Resource resource = resource_.Definition();
  resource.owner = owner;
  handler_ = MakeResourceHandler({std::move(resource)}, {random_});
  EXPECT_EQ(owner.use_count(), 2);
  handler_ = nullptr;
  EXPECT_EQ(owner.use_count(), 1);
}

TEST(ResourceTest, VerbsAreCapabilities) {
  FakeResource fake({});
  FakeMutations writes;
  FakeWatcher watcher;
  Resource resource = fake.Definition();
  EXPECT_EQ(resource.Verbs(), (std::vector<std::string>{"get", "list"}));
  EXPECT_EQ(resource.subresources[0].Verbs(), (std::vector<std::string>{"get"}));
  resource.get = nullptr;
  EXPECT_EQ(resource.Verbs(), (std::vector<std::string>{"list"}));
  resource.list = nullptr;
  resource.subresources[0].get_blob = nullptr;
  EXPECT_TRUE(resource.Verbs().empty());
  EXPECT_TRUE(resource.subresources[0].Verbs().empty());

  resource = fake.Definition();
  writes.AddTo(resource);
  watcher.AddTo(resource);
  EXPECT_EQ(resource.Verbs(), (std::vector<std::string>{"create", "delete", "get", "list", "patch",
                                                        "update", "watch"}));
  EXPECT_EQ(resource.subresources[1].Verbs(), (std::vector<std::string>{"get", "patch", "update"}));
}

}  // namespace
}  // namespace steward::rest
