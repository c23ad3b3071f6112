// A client's calls beside objects: the acting user, warnings, and discovery.
#include <boost/json/value.hpp>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "base/text/str_cat.h"
#include "kube/client/rest_client.h"
#include "kube/client/rest_test_fixture.h"
#include "kube/meta/errors.h"
#include "kube/meta/status.h"
#include "kube/meta/user_info.h"
#include "kube/meta/write_options.h"

namespace steward::kube {
namespace {

namespace json = boost::json;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::SizeIs;

class RestActingTest : public RestTest {
 protected:
  static constexpr int kCalls = 8;
  // Makes the call of this number; returns how it ended.
  absl::Status Call(Client& client, int number) {
    switch (number) {
      case 0:
        return Finish(client.Get(kPods, name_)).status();
      case 1:
        return Finish(client.List(kPods, list_)).status();
      case 2:
        return Finish(client.StartWatch(kPods, watch_)).status();
      case 3:
        return Finish(client.Create(kPods, name_.ns, object_, write_)).status();
      case 4:
        return Finish(client.Update(kPods, object_, write_)).status();
      case 5:
        return Finish(client.Patch(kPods, name_, PatchType::kJsonMerge, object_, write_)).status();
      case 6:
        return Finish(client.Delete(kPods, name_, delete_)).status();
      default:
        return Finish(client.Discover(version_)).status();
    }
  }

  const NamespacedName name_{"n", "a"};
  const GroupVersion version_{"example.com", "v1"};
  const json::value object_ = {{"metadata", {{"name", "a"}, {"namespace", "n"}}}};
  const ListOptions list_ = {};
  const WatchOptions watch_ = {};
  WriteOptions write_;
  const DeleteOptions delete_ = {};
};

TEST_F(RestActingTest, EachCallActsAsTheUser) {
  Connect();
  const std::unique_ptr<Client> alice =
      client_->As({"alice", "u-1", {"dev"}, {{"Scopes", {"a b"}}}});
  for (int number = 0; number < kCalls; ++number) {
    SCOPED_TRACE(number);
    server_->Answer(Response(400, ""));
    EXPECT_FALSE(Call(*alice, number).ok());
    ASSERT_THAT(server_->requests(), SizeIs(number + 1));
    EXPECT_THAT(server_->requests().back(), HasSubstr("\r\nImpersonate-User: alice\r\n"
                                                      "Impersonate-Uid: u-1\r\n"
                                                      "Impersonate-Group: dev\r\n"
                                                      "Impersonate-Extra-%53copes: a b\r\n"));
  }
}

TEST_F(RestActingTest, OthersShareTheConnections) {
  Connect();
  const std::unique_ptr<Client> alice = client_->As({"alice"});
  const std::unique_ptr<Client> bob = alice->As({"bob"});
  for (Client* client : {client_.get(), alice.get(), bob.get()}) {
    server_->Answer(Response(200, "{}"));
    EXPECT_OK(Call(*client, 0));
  }
  ASSERT_THAT(server_->requests(), SizeIs(3));
  EXPECT_THAT(server_->requests()[0], Not(HasSubstr("Impersonate")));
  EXPECT_THAT(server_->requests()[1], HasSubstr("Impersonate-User: alice\r\n"));
  EXPECT_THAT(server_->requests()[2], HasSubstr("Impersonate-User: bob\r\n"));
  EXPECT_THAT(server_->requests()[2], Not(HasSubstr("alice")));
  EXPECT_EQ(server_->connections_accepted(), 1);
}

TEST_F(RestActingTest, NobodyActsWithoutANameOrAsAMaster) {
  Connect();
  const std::vector<UserInfo> users = {
      {""}, {"alice", "", {"system:masters"}}, {"alice\r\nImpersonate-Group: system:masters"}};
  for (const UserInfo& user : users) {
    const std::unique_ptr<Client> client = client_->As(user);
    const std::unique_ptr<Client> of_it = client->As({"alice"});
    for (int number = 0; number < kCalls; ++number) {
      EXPECT_TRUE(absl::IsInvalidArgument(Call(*client, number))) << number;
      EXPECT_TRUE(absl::IsInvalidArgument(Call(*of_it, number))) << number;
    }
  }
  EXPECT_EQ(server_->connections_accepted(), 0);
}

TEST_F(RestActingTest, WarningsReachTheCaller) {
  Connect();
  std::vector<std::string> warnings;
  write_.on_warning = [&warnings](std::string text) { warnings.push_back(std::move(text)); };
  const std::string headers = "Warning: 299 - \"old\"\r\nWarning: 299 - \"a\", 299 - \"b\"\r\n";
  for (const int number : {3, 4, 5}) {
    warnings.clear();
    server_->Answer(Response(200, "{}", headers));
    EXPECT_OK(Call(*client_, number));
    EXPECT_THAT(warnings, ElementsAre("old", "a", "b")) << number;
  }
  // The warnings of a refusal count, too. If there are several answers, only those of the last one
  // count.
  warnings.clear();
  server_->Answer(Response(429, "", "Retry-After: 1\r\nWarning: 299 - \"busy\"\r\n"));
  server_->Answer(Response(403, "", "Warning: 299 - \"no\"\r\n"));
  EXPECT_TRUE(IsForbidden(Call(*client_, 3)));
  EXPECT_THAT(warnings, ElementsAre("no"));

  warnings.clear();
  server_->Answer(Response(200, "{}"));
  EXPECT_OK(Call(*client_, 3));
  EXPECT_THAT(warnings, IsEmpty());
  write_.on_warning = nullptr;
  server_->Answer(Response(200, "{}", headers));
  EXPECT_OK(Call(*client_, 3));
}

TEST_F(RestActingTest, TellsWhichGroupsAreServed) {
  Connect();
  server_->Answer(Response(200, R"({"kind":"APIVersions","versions":["v1"]})"));
  server_->Answer(Response(
      200, R"({"kind":"APIGroupList","groups":[{"name":"a.b","versions":[{"version":"v2"}]}]})"));
  EXPECT_THAT(Finish(client_->DiscoverGroups()),
              IsOkAndHolds(ElementsAre(GroupVersion{"", "v1"}, GroupVersion{"a.b", "v2"})));
  EXPECT_THAT(server_->requests()[0], HasSubstr("GET /api HTTP/1.1\r\n"));
  EXPECT_THAT(server_->requests()[1], HasSubstr("GET /apis HTTP/1.1\r\n"));
}

TEST_F(RestActingTest, TellsWhatIsServed) {
  Connect();
  server_->Answer(Response(
      200,
      R"({"kind":"APIResourceList","groupVersion":"v1","resources":[{"name":"pods",)"
      R"("namespaced":true,"kind":"Pod","verbs":["get"]},{"name":"pods/log","kind":"Pod"}]})"));
  ASSERT_OK_AND_ASSIGN(const std::vector<ApiResource> core,
                       Finish(client_->Discover(kPods.group_version())));
  EXPECT_THAT(core, ElementsAre(ApiResource{"Pod", "pods", true, {"get"}}));
  server_->Answer(Response(
      200, R"({"kind":"APIResourceList","groupVersion":"example.com/v1","resources":[]})"));
  ASSERT_OK_AND_ASSIGN(const std::vector<ApiResource> none, Finish(client_->Discover(version_)));
  EXPECT_THAT(none, IsEmpty());
  EXPECT_THAT(server_->requests()[0], HasSubstr("GET /api/v1 HTTP/1.1\r\n"));
  EXPECT_THAT(server_->requests()[1], HasSubstr("GET /apis/example.com/v1 HTTP/1.1\r\n"));
}

TEST_F(RestActingTest, OnlyA404SaysThatNothingIsServed) {
  Connect();
  // The answers of kube-apiserver and of our own servers.
  server_->Answer(Response(404, "404 page not found\n", "Content-Type: text/plain\r\n"));
  EXPECT_TRUE(IsNotServed(Finish(client_->Discover(version_)).status()));
  server_->Answer(Response(404, ToJson(NotFoundPath())));
  EXPECT_TRUE(IsNotServed(Finish(client_->Discover(version_)).status()));
  struct Row {
    const char* name;
    std::string answer;
    int tries = 1;
  };
  for (const Row& row : {Row{"an outage", Response(503, ""), 3}, Row{"no right", Response(403, "")},
                         Row{"a proxy's page", Response(200, "<html>")},
                         Row{"another document", Response(200, R"({"kind":"APIGroup"})")}}) {
    for (int i = 0; i < row.tries; ++i) server_->Answer(row.answer);
    const absl::Status status = Finish(client_->Discover(version_)).status();
    EXPECT_FALSE(status.ok()) << row.name;
    EXPECT_FALSE(IsNotServed(status)) << row.name;
  }
}

}  // namespace
}  // namespace steward::kube
