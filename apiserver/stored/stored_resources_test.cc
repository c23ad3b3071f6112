#include "apiserver/stored/stored_resources.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <boost/asio/io_context.hpp>
#include <boost/json/value.hpp>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "absl/time/time.h"
#include "apiserver/rest/resource/mutation.h"
#include "apiserver/rest/resource/resource.h"
#include "apiserver/rest/resource/watcher.h"
#include "apiserver/stored/reader.h"
#include "base/async/run.h"
#include "base/async/task.h"
#include "base/clock/fake_clock.h"
#include "base/json/json_text.h"
#include "base/status/matchers.h"
#include "kube/client/client.h"
#include "kube/meta/names.h"
#include "kube/meta/resource_type.h"
#include "kube/meta/selector.h"
#include "kube/meta/status.h"
#include "kube/meta/write_options.h"
#include "kube/testing/fake_client.h"
#include "kube/testing/hook_client.h"

namespace steward::stored {
namespace {

namespace json = boost::json;
using kube::FakeClient;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

kube::ResourceType Type(kube::GroupVersionKind gvk, std::string plural, bool namespaced,
                        bool custom) {
  kube::ResourceType type;
  type.gvk = std::move(gvk);
  type.plural = std::move(plural);
  type.singular = type.plural;
  type.namespaced = namespaced;
  type.custom = custom;
  type.status_subresource = true;
  return type;
}

const kube::ResourceType& Widgets() {
  static const kube::ResourceType& type =
      *new kube::ResourceType(Type({"g", "v1", "Widget"}, "widgets", true, true));
  return type;
}
const kube::ResourceType& Namespaces() {
  static const kube::ResourceType& type =
      *new kube::ResourceType(Type({"", "v1", "Namespace"}, "namespaces", false, false));
  return type;
}

// Records the calls, and passes on those that a FakeClient supports.
class RecordingClient : public kube::HookClient {
 public:
  using HookClient::HookClient;

  Task<kube::ListPage> List(const kube::GroupVersionResource& gvr,
                            const kube::ListOptions& options) override {
    lists.push_back(options);
    kube::ListOptions plain = options;
    plain.resource_version_match.clear();
    co_return co_await inner().List(gvr, plain);
  }
  Task<std::unique_ptr<kube::Watch>> StartWatch(const kube::GroupVersionResource& gvr,
                                                const kube::WatchOptions& options) override {
    watches.push_back(options);
    return inner().StartWatch(gvr, options);
  }
  Task<json::value> Create(const kube::GroupVersionResource& gvr, const std::string& ns,
                           const json::value& object, const kube::WriteOptions& options) override {
    writes.push_back(options);
    return inner().Create(gvr, ns, object, options);
  }
  Task<json::value> Update(const kube::GroupVersionResource& gvr, const json::value& object,
                           const kube::WriteOptions& options) override {
    writes.push_back(options);
    return inner().Update(gvr, object, options);
  }
  Task<json::value> Patch(const kube::GroupVersionResource& gvr, const kube::NamespacedName& name,
                          kube::PatchType type, const json::value& patch,
                          const kube::WriteOptions& options) override {
    writes.push_back(options);
    return inner().Patch(gvr, name, type, patch, options);
  }
  Task<json::value> Delete(const kube::GroupVersionResource& gvr, const kube::NamespacedName& name,
                           const kube::DeleteOptions& options) override {
    if (delete_answer) co_return *delete_answer;
    co_return co_await inner().Delete(gvr, name, options);
  }

  std::vector<kube::ListOptions> lists;
  std::vector<kube::WatchOptions> watches;
  std::vector<kube::WriteOptions> writes;
  std::optional<json::value> delete_answer;
};

class StoredResourcesTest : public testing::Test {
 protected:
  StoredResourcesTest() {
    fake_.Serve(Widgets().gvr());
    fake_.Serve(Namespaces().gvr());
    Serve(Widgets());
  }

  void Serve(const kube::ResourceType& type) {
    resource_ = StoredResources(client_, {type}, clock_).at(0);
  }
  void PutWidgets(int count) {
    for (int i = 0; i < count; ++i) {
      const std::string number = std::to_string(1000 + i);
      fake_.Put(Widgets().gvr(), R"({"metadata":{"namespace":"n","name":"w)" + number + R"("}})");
    }
  }

  template <typename T>
  T Run(boost::asio::awaitable<T> task) {
    return RunOn(io_, std::move(task));
  }
  // The names of all objects of the cursor, or the error that ends it.
  absl::StatusOr<std::vector<std::string>> NamesOf(rest::Reading& reading) {
    std::vector<std::string> names;
    while (true) {
      while (const rest::Object* object = reading.cursor->Next()) {
        names.emplace_back(object->name());
      }
      const absl::StatusOr<bool> more = Run(reading.cursor->More());
      if (!more.ok()) return more.status();
      if (!*more) return names;
    }
  }
  static std::string JsonOf(rest::Reading& reading) {
    Rope out;
    if (const rest::Object* object = reading.cursor->Next()) object->AppendJson("", out);
    return out.Flatten();
  }

  boost::asio::io_context io_;
  FakeClock clock_;
  FakeClient fake_;
  RecordingClient client_{fake_};
  rest::Resource resource_;
};

TEST_F(StoredResourcesTest, Definition) {
  const std::vector<std::string> all = {"create", "delete", "get",  "list",
                                        "patch",  "update", "watch"};
  EXPECT_EQ(resource_.Verbs(), all);
  ASSERT_EQ(resource_.subresources.size(), 1u);
  EXPECT_EQ(resource_.subresources[0].name, "status");
  EXPECT_THAT(resource_.subresources[0].Verbs(), ElementsAre("get", "patch", "update"));
  EXPECT_THAT(resource_.patch_types, ElementsAre("application/merge-patch+json"));
  EXPECT_THAT(resource_.field_paths, ElementsAre("metadata.name", "metadata.namespace"));
  EXPECT_TRUE(resource_.pages);
  EXPECT_EQ(resource_.columns.size(), 2u);
  EXPECT_THAT(resource_.openapi_schema, HasSubstr("preserve-unknown-fields"));

  EXPECT_FALSE(resource_.accepts_protobuf);

  kube::ResourceType events = Type({"", "v1", "Event"}, "events", true, false);
  events.status_subresource = false;
  Serve(events);
  EXPECT_THAT(resource_.subresources, IsEmpty());
  EXPECT_THAT(resource_.patch_types, ElementsAre("application/merge-patch+json",
                                                 "application/strategic-merge-patch+json"));
  EXPECT_TRUE(resource_.accepts_protobuf);
  EXPECT_THAT(resource_.field_paths,
              testing::IsSupersetOf({"involvedObject.kind", "involvedObject.name",
                                     "involvedObject.namespace", "involvedObject.uid", "reason",
                                     "type", "source"}));
}

TEST_F(StoredResourcesTest, Get) {
  PutWidgets(1);
  auto reading = Run(resource_.get->Get({"n", "w1000"}, {}));
  ASSERT_OK(reading);
  EXPECT_EQ(reading->resource_version, std::to_string(fake_.revision()));
  EXPECT_EQ(JsonOf(*reading), (fake_.Objects(Widgets().gvr()).at({"n", "w1000"})));
  EXPECT_EQ(reading->cursor->Next(), nullptr);

  const auto missing = Run(resource_.get->Get({"n", "other"}, {}));
  EXPECT_TRUE(kube::HasReason(missing.status(), "NotFound"));
}

// The namespace in the path of a Namespace is the object itself.
TEST_F(StoredResourcesTest, ClusterScoped) {
  Serve(Namespaces());
  fake_.Put(Namespaces().gvr(), R"({"metadata":{"name":"a"}})");
  EXPECT_OK(Run(resource_.get->Get({"a", "a"}, {})));
  rest::Selection selection;
  selection.ns = "a";
  auto list = Run(resource_.list->List(selection, {}));
  ASSERT_OK(list);
  EXPECT_THAT(*NamesOf(*list), ElementsAre("a"));
  EXPECT_OK(Run(resource_.create->Create("b", *ParseJson(R"({"metadata":{"name":"b"}})"), {})));
  EXPECT_OK(
      Run(resource_.update->Update({"b", "b"}, *ParseJson(R"({"metadata":{"name":"b"}})"), {})));
  EXPECT_OK(Run(resource_.patch->Patch({"b", "b"}, kube::PatchType::kJsonMerge,
                                       *ParseJson(R"({"x":1})"), {})));
  EXPECT_OK(Run(resource_.del->Delete({"b", "b"}, {})));
}

TEST_F(StoredResourcesTest, ListsPageByPage) {
  const int count = 2 * static_cast<int>(Reader::kPageSize) + 1;
  PutWidgets(count);
  const std::string revision = std::to_string(fake_.revision());
  auto reading = Run(resource_.list->List({}, {}));
  ASSERT_OK(reading);
  EXPECT_EQ(reading->resource_version, revision);
  EXPECT_EQ(reading->continue_token, "");
  EXPECT_EQ(client_.lists.size(), 1u);
  // Later objects are not part of the list.
  fake_.Put(Widgets().gvr(), R"({"metadata":{"namespace":"n","name":"z"}})");
  const auto names = NamesOf(*reading);
  ASSERT_OK(names);
  EXPECT_EQ(static_cast<int>(names->size()), count);
  EXPECT_EQ(names->back(), "w2000");
  ASSERT_EQ(client_.lists.size(), 3u);
  for (const kube::ListOptions& options : client_.lists) {
    EXPECT_EQ(options.limit, Reader::kPageSize);
  }
}

TEST_F(StoredResourcesTest, AListThatExpiresBreaksOff) {
  PutWidgets(static_cast<int>(Reader::kPageSize) + 1);
  auto reading = Run(resource_.list->List({}, {}));
  ASSERT_OK(reading);
  fake_.Expire(Widgets().gvr());
  const auto names = NamesOf(*reading);
  EXPECT_TRUE(kube::HasReason(names.status(), "Expired")) << names.status();
}

TEST_F(StoredResourcesTest, ClientsMayPage) {
  PutWidgets(5);
  rest::ReadOptions options;
  std::vector<std::string> all;
  std::string revision;
  do {
    options.limit = 2;
    auto reading = Run(resource_.list->List({}, options));
    ASSERT_OK(reading);
    if (revision.empty()) revision = reading->resource_version;
    EXPECT_EQ(reading->resource_version, revision);
    const auto names = NamesOf(*reading);
    ASSERT_OK(names);
    EXPECT_LE(names->size(), 2u);
    all.insert(all.end(), names->begin(), names->end());
    options.continue_token = reading->continue_token;
    // This object does not appear in the middle of the list.
    fake_.Put(Widgets().gvr(), R"({"metadata":{"namespace":"n","name":"z"}})");
  } while (!options.continue_token.empty());
  EXPECT_THAT(all, ElementsAre("w1000", "w1001", "w1002", "w1003", "w1004"));
  EXPECT_EQ(client_.lists.size(), 3u);
}

TEST_F(StoredResourcesTest, WhatAListAsksFor) {
  const struct {
    std::string version, match, token;
    int64_t limit;
    std::string want_version, want_match;
    int64_t want_limit;
  } kRows[] = {
      {"", "", "", 0, "", "", 500},
      {"0", "", "", 0, "", "", 500},
      {"0", "NotOlderThan", "", 7, "", "", 7},
      {"1", "", "", 0, "1", "NotOlderThan", 500},
      {"1", "Exact", "", 0, "1", "Exact", 500},
      {"1", "Exact", "", 7, "1", "Exact", 7},
      {"1", "NotOlderThan", "", 7, "1", "NotOlderThan", 7},
      {"", "", "", 9000, "", "", 500},
  };
  rest::Selection selection;
  selection.ns = "n";
  selection.labels = *kube::LabelSelector::Parse("b in (x,y),a");
  selection.fields = *kube::FieldSelector::Parse("metadata.name!=w");
  for (const auto& row : kRows) {
    rest::ReadOptions options;
    options.resource_version = row.version;
    options.resource_version_match = row.match;
    options.continue_token = row.token;
    options.limit = row.limit;
    const auto reading = Run(resource_.list->List(selection, options));
    ASSERT_EQ(client_.lists.size(), 1u);
    const kube::ListOptions asked = client_.lists.back();
    client_.lists.clear();
    EXPECT_EQ(asked.ns, "n");
    EXPECT_EQ(asked.label_selector, "a,b in (x,y)");
    EXPECT_EQ(asked.field_selector, "metadata.name!=w");
    EXPECT_EQ(asked.resource_version, row.want_version);
    EXPECT_EQ(asked.resource_version_match, row.want_match);
    EXPECT_EQ(asked.limit, row.want_limit);
  }
}

TEST_F(StoredResourcesTest, Watch) {
  using Event = rest::WatchEvent::Type;
  PutWidgets(1);
  rest::Selection selection;
  selection.labels = *kube::LabelSelector::Parse("a=b");
  rest::WatchOptions options;
  options.resource_version = std::to_string(fake_.revision());
  options.timeout = absl::Minutes(7);
  auto stream = Run(resource_.watch->Watch(selection, options));
  ASSERT_OK(stream);
  ASSERT_EQ(client_.watches.size(), 1u);
  EXPECT_EQ(client_.watches[0].label_selector, "a=b");
  EXPECT_EQ(client_.watches[0].timeout, absl::Minutes(7));

  fake_.Bookmark(Widgets().gvr());  // not asked for
  fake_.Put(Widgets().gvr(), R"({"metadata":{"namespace":"n","name":"x","labels":{"a":"b"}}})");
  fake_.Put(Widgets().gvr(),
            R"({"metadata":{"namespace":"n","name":"x","labels":{"a":"b"}},"spec":1})");
  fake_.Delete(Widgets().gvr(), {"n", "x"});
  for (const Event want : {Event::kAdded, Event::kModified, Event::kDeleted}) {
    const auto event = Run((*stream)->Next());
    ASSERT_OK(event);
    ASSERT_TRUE(event->has_value());
    EXPECT_EQ((*event)->type, want);
    ASSERT_NE((*event)->object, nullptr);
    EXPECT_EQ((*event)->object->name(), "x");
  }
  fake_.BreakWatches(Widgets().gvr(), kube::ToStatus(kube::Expired("too old")));
  EXPECT_TRUE(kube::HasReason(Run((*stream)->Next()).status(), "Expired"));
  const auto end = Run((*stream)->Next());
  ASSERT_OK(end);
  EXPECT_FALSE(end->has_value());
}

TEST_F(StoredResourcesTest, WatchWithInitialEvents) {
  using Event = rest::WatchEvent::Type;
  PutWidgets(1);
  rest::WatchOptions options;
  options.send_initial_events = true;
  options.bookmarks = true;
  auto stream = Run(resource_.watch->Watch({}, options));
  ASSERT_OK(stream);
  EXPECT_TRUE(client_.watches.at(0).send_initial_events);
  const auto added = Run((*stream)->Next());
  ASSERT_OK(added);
  EXPECT_EQ((*added)->type, Event::kAdded);
  const auto end = Run((*stream)->Next());
  ASSERT_OK(end);
  EXPECT_EQ((*end)->type, Event::kBookmark);
  EXPECT_EQ((*end)->object, nullptr);
  EXPECT_TRUE((*end)->initial_events_end);
  EXPECT_NE((*end)->resource_version, "");
  fake_.Bookmark(Widgets().gvr());
  const auto bookmark = Run((*stream)->Next());
  ASSERT_OK(bookmark);
  EXPECT_EQ((*bookmark)->type, Event::kBookmark);
  EXPECT_FALSE((*bookmark)->initial_events_end);
  EXPECT_TRUE((*bookmark)->resource_version == std::to_string(fake_.revision()));
}

TEST_F(StoredResourcesTest, Writes) {
  kube::WriteOptions options;
  options.field_manager = "kubectl";
  auto created = Run(resource_.create->Create(
      "n", *ParseJson(R"({"metadata":{"name":"w"},"spec":{"size":1}})"), options));
  ASSERT_OK(created);
  EXPECT_EQ(created->status_json, "");
  EXPECT_EQ(created->reading.resource_version, std::to_string(fake_.revision()));
  EXPECT_EQ(JsonOf(created->reading), (fake_.Objects(Widgets().gvr()).at({"n", "w"})));
  EXPECT_EQ(client_.writes.back().field_manager, "kubectl");

  auto updated = Run(resource_.update->Update(
      {"n", "w"}, *ParseJson(R"({"metadata":{"name":"w"},"spec":{"size":2}})"), {}));
  ASSERT_OK(updated);
  EXPECT_THAT(JsonOf(updated->reading), HasSubstr(R"("size":2)"));

  auto patched = Run(resource_.patch->Patch({"n", "w"}, kube::PatchType::kJsonMerge,
                                            *ParseJson(R"({"spec":{"size":3}})"), {}));
  ASSERT_OK(patched);
  EXPECT_THAT(JsonOf(patched->reading), HasSubstr(R"("size":3)"));

  options.subresource = "status";
  auto status = Run(resource_.subresources[0].patch->Patch(
      {"n", "w"}, kube::PatchType::kJsonMerge, *ParseJson(R"({"spec":4,"status":{"ok":true}})"),
      options));
  ASSERT_OK(status);
  const std::string with_status = JsonOf(status->reading);
  EXPECT_THAT(with_status, HasSubstr(R"("size":3)"));
  EXPECT_THAT(with_status, HasSubstr(R"("ok":true)"));

  auto deleted = Run(resource_.del->Delete({"n", "w"}, {}));
  ASSERT_OK(deleted);
  EXPECT_THAT(JsonOf(deleted->reading), HasSubstr(R"("name":"w")"));
  EXPECT_THAT(fake_.Objects(Widgets().gvr()), IsEmpty());
}

TEST_F(StoredResourcesTest, ProtobufIsForWhatHasIt) {
  const struct {
    std::string group;
    bool custom;
    bool want;
  } kRows[] = {{"", false, true},
               {"rbac.authorization.k8s.io", false, true},
               {"apiextensions.k8s.io", false, false},
               {"operators.coreos.com", false, false},
               {"g", true, false}};
  for (const auto& row : kRows) {
    Serve(Type({row.group, "v1", "Thing"}, "things", true, row.custom));
    EXPECT_EQ(resource_.accepts_protobuf, row.want) << row.group;
  }
}

TEST_F(StoredResourcesTest, ADeleteMayAnswerAStatus) {
  client_.delete_answer = *ParseJson(R"({"kind":"Status","apiVersion":"v1","status":"Success"})");
  const auto deleted = Run(resource_.del->Delete({"n", "w"}, {}));
  ASSERT_OK(deleted);
  EXPECT_EQ(deleted->status_json, R"({"kind":"Status","apiVersion":"v1","status":"Success"})");
  EXPECT_EQ(deleted->reading.cursor, nullptr);
}

TEST_F(StoredResourcesTest, TheObjectIsTheOneInThePath) {
  const struct {
    std::string object, error;
  } kRows[] = {
      {R"({"metadata":{"name":"x"}})",
       "the name of the object (x) does not match the name on the URL (w)"},
      {R"({"metadata":{"name":"w","namespace":"m"}})",
       "the namespace of the object (m) does not match the namespace on the request (n)"},
      {R"({"metadata":{}})", "undeterminable: name must be provided"},
      {R"({"metadata":{"name":7}})", "undeterminable: name must be provided"},
      {"{}", "undeterminable: name must be provided"},
      {R"({"metadata":[]})", "metadata is not a JSON object"},
      {"[]", "not a JSON object"},
  };
  for (const auto& row : kRows) {
    const auto result = Run(resource_.update->Update({"n", "w"}, *ParseJson(row.object), {}));
    EXPECT_TRUE(kube::HasReason(result.status(), "BadRequest")) << row.object;
    EXPECT_THAT(result.status().ToString(), HasSubstr(row.error));
  }
  EXPECT_FALSE(Run(resource_.create->Create("n", *ParseJson(R"({"metadata":1})"), {})).ok());
  EXPECT_THAT(client_.writes, IsEmpty());
}

TEST_F(StoredResourcesTest, WarnsOfRulesThatAreNotEvaluated) {
  kube::ResourceType with_rules = Widgets();
  with_rules.schema =
      R"({"type":"object","x-kubernetes-validations":[{"rule":"self.spec.size > 1"}]})";
  const struct {
    const kube::ResourceType& type;
    size_t warnings;
  } kRows[] = {{with_rules, 1}, {Widgets(), 0}, {Namespaces(), 0}};
  for (const auto& row : kRows) {
    SCOPED_TRACE(row.type.plural);
    Serve(row.type);
    const std::string ns = row.type.namespaced ? "n" : "";
    const json::value object = *ParseJson(R"({"metadata":{"name":"w"}})");
    const auto created = Run(resource_.create->Create(ns, object, {}));
    ASSERT_OK(created);
    EXPECT_EQ(created->warnings.size(), row.warnings);
    EXPECT_EQ(Run(resource_.update->Update({ns, "w"}, object, {}))->warnings.size(), row.warnings);
    EXPECT_EQ(Run(resource_.patch->Patch({ns, "w"}, kube::PatchType::kJsonMerge, object, {}))
                  ->warnings.size(),
              row.warnings);
    EXPECT_THAT(Run(resource_.del->Delete({ns, "w"}, {}))->warnings, IsEmpty());
  }
}

TEST_F(StoredResourcesTest, ErrorsAreTheClients) {
  fake_.FailNext(FakeClient::Verb::kList, Widgets().gvr(),
                 kube::ToStatus(kube::Timeout("busy", 1)));
  EXPECT_TRUE(kube::HasReason(Run(resource_.list->List({}, {})).status(), "Timeout"));
  fake_.Withdraw(Widgets().gvr());
  EXPECT_FALSE(Run(resource_.watch->Watch({}, {})).ok());
  EXPECT_FALSE(Run(resource_.del->Delete({"n", "w"}, {})).ok());
}

// The handler may be replaced while it still answers requests.
TEST_F(StoredResourcesTest, OwnsWhatItNeeds) {
  PutWidgets(1);
  std::vector<rest::Resource> resources = StoredResources(client_, {Widgets()}, clock_);
  const rest::Resource copy = resources[0];
  resources.clear();
  EXPECT_OK(Run(copy.get->Get({"n", "w1000"}, {})));
}

}  // namespace
}  // namespace steward::stored
