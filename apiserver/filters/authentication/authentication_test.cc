#include "apiserver/filters/authentication/authentication.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <prometheus/registry.h>
#include <prometheus/text_serializer.h>

#include <boost/json/object.hpp>
#include <boost/json/value.hpp>

#include "absl/time/clock.h"
#include "apiserver/filters/authentication/authentication_metrics.h"
#include "apiserver/filters/testing/requests.h"
#include "apiserver/rest/testing/recording_writer.h"
#include "base/clock/fake_clock.h"
#include "base/fairness/pool_metrics.h"
#include "base/status/matchers.h"
#include "base/tls/testing.h"
#include "kube/meta/status.h"
#include "kube/meta/user_info.h"
#include "kube/testing/fake_client.h"

namespace steward::filters {
namespace {

namespace json = boost::json;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Pair;

const kube::GroupVersionResource kTokenReviews{"authentication.k8s.io", "v1", "tokenreviews"};

absl::StatusOr<json::value> ReviewToken(const json::value& review) {
  const json::string& token = review.at("spec").at("token").as_string();
  if (token == "good") {
    return json::value{{"status",
                        {{"authenticated", true},
                         {"user",
                          {{"username", "token-user"},
                           {"uid", "u-1"},
                           {"groups", {"g"}},
                           {"extra", {{"scopes", {"a", "b"}}}}}}}}};
  }
  return json::value{{"status", {{"authenticated", false}}}};
}

std::string Describe(const kube::UserInfo& user) {
  std::string text = user.name;
  if (!user.uid.empty()) text += " uid=" + user.uid;
  for (const std::string& group : user.groups) text += " " + group;
  return text;
}

constexpr char kAnonymous[] = "system:anonymous system:unauthenticated";

class AuthenticationTest : public ::testing::Test {
 protected:
  AuthenticationTest() {
    client_.HandleCreate(kTokenReviews, ReviewToken);
    EXPECT_OK(store_.SetFromCluster(Settings(proxy_ca_, client_ca_)));
  }

  static AuthenticationSettings Settings(const TestCa& proxy_ca, const TestCa& client_ca) {
    RequestHeaderSettings front;
    front.ca_pem = proxy_ca.cert_pem();
    front.allowed_names = {"front-proxy-client"};
    front.username_headers = {"X-Remote-User", "X-Also-User"};
    front.group_headers = {"X-Remote-Group", "X-Also-Group"};
    front.extra_prefixes = {"X-Remote-Extra-"};
    return {client_ca.cert_pem(), front};
  }

  static std::string Cert(const TestCa& ca, const std::string& common_name,
                          std::vector<std::string> organizations = {}) {
    TestCertOptions options;
    options.common_name = common_name;
    options.organizations = std::move(organizations);
    return ca.Issue(options).cert_pem;
  }
  std::string ProxyCert() { return Cert(proxy_ca_, "front-proxy-client"); }

  // The user, or the status code of the refusal.
  std::string Authenticate(http::Request& request, bool allow_anonymous = true) {
    Authenticator authenticator(store_, tokens_, clock_, allow_anonymous);
    rest::RecordingWriter writer;
    Handle(WithAuthentication(ServedHandler(), authenticator), request, writer);
    if (writer.status() != 200) return std::to_string(writer.status());
    return Describe(request.user);
  }

  const TestCa proxy_ca_{"front-proxy-ca"};
  const TestCa client_ca_{"client-ca"};
  FakeClock clock_{absl::Now()};
  FixedRandom random_{0};
  kube::FakeClient client_;
  prometheus::Registry registry_;
  ReviewMetrics metrics_{registry_, ReviewMetrics::Kind::kAuthentication};
  ReviewerOptions one_attempt_{.attempts = 1};
  PoolMetrics pools_{registry_};
  Reviewer reviewer_{client_, clock_, random_, metrics_, pools_, "reviews", one_attempt_};
  TokenAuthenticator tokens_{reviewer_, clock_};
  AuthenticationConfigStore store_;
};

using HeaderList = std::vector<std::pair<std::string, std::string>>;

TEST_F(AuthenticationTest, IsCounted) {
  AuthenticationMetrics metrics(registry_);
  Authenticator authenticator(store_, tokens_, clock_, true, &metrics);
  const auto ask = [&](const std::vector<std::string>& certificates, const HeaderList& headers) {
    http::Request request = MakeRequest("GET", "/");
    if (!certificates.empty()) request.peer = MakePeer(certificates);
    for (const auto& [name, value] : headers) request.headers.Add(name, value);
    rest::RecordingWriter writer;
    Handle(WithAuthentication(ServedHandler(), authenticator), request, writer);
  };
  ask({}, {});
  ask({ProxyCert()}, {{"X-Remote-User", "alice"}});
  ask({Cert(client_ca_, "bob")}, {});
  ask({Cert(TestCa("x"), "mallory")}, {});
  ask({}, {{"Authorization", "Bearer made-up"}});
  client_.FailNext(kube::FakeClient::Verb::kCreate, kTokenReviews, absl::InternalError("broken"));
  ask({}, {{"Authorization", "Bearer other"}});
  const std::string text = prometheus::TextSerializer().Serialize(registry_.Collect());
  EXPECT_THAT(text, HasSubstr("authentication_attempts{result=\"success\"} 3\n"));
  EXPECT_THAT(text, HasSubstr("authentication_attempts{result=\"failure\"} 2\n"));
  EXPECT_THAT(text, HasSubstr("authentication_attempts{result=\"error\"} 1\n"));
  // Only the first of two requests is measured; its certificate ends in a day.
  EXPECT_THAT(text, HasSubstr("apiserver_client_certificate_expiration_seconds_count 1\n"));
  EXPECT_THAT(text, HasSubstr("seconds_bucket{le=\"43200\"} 0\n"));
  EXPECT_THAT(text, HasSubstr("seconds_bucket{le=\"172800\"} 1\n"));
}

// As long as the cluster's CAs are unknown, a user with another CA's certificate gets 503, or is
// anonymous with may_be_anybody set.
TEST_F(AuthenticationTest, UsersAreNotKnownYet) {
  struct Row {
    std::string name;
    std::vector<std::string> certificates;
    HeaderList headers;
    bool flags;  // true: the flags name the clients' CA
    std::string want;
    bool may_be_anybody;
  };
  const Row rows[] = {
      {"nothing", {}, {}, false, kAnonymous, true},
      {"the front proxy", {ProxyCert()}, {{"X-Remote-User", "alice"}}, false, kAnonymous, true},
      {"the front proxy, and CAs of flags", {ProxyCert()}, {}, true, "503", false},
      {"a client of the flags",
       {Cert(client_ca_, "bob")},
       {},
       true,
       "bob system:authenticated",
       false},
      {"a good token",
       {},
       {{"Authorization", "Bearer good"}},
       false,
       "token-user uid=u-1 g system:authenticated",
       false},
  };
  for (const Row& row : rows) {
    SCOPED_TRACE(row.name);
    AuthenticationConfigStore store;
    store.AwaitCluster();
    if (row.flags) {
      AuthenticationSettings flags;
      flags.client_ca_pem = client_ca_.cert_pem();
      ASSERT_OK(store.SetFromFlags(flags));
    }
    Authenticator authenticator(store, tokens_, clock_, true);
    for (const bool known : {false, true}) {
      if (known) {
        ASSERT_OK(store.SetFromCluster(Settings(proxy_ca_, client_ca_)));
      }
      http::Request request = MakeRequest("GET", "/");
      if (!row.certificates.empty()) request.peer = MakePeer(row.certificates);
      for (const auto& [name, value] : row.headers) request.headers.Add(name, value);
      rest::RecordingWriter writer;
      Handle(WithAuthentication(ServedHandler(), authenticator), request, writer);
      if (known) {
        EXPECT_FALSE(request.may_be_anybody);
        continue;
      }
      EXPECT_EQ(writer.status() == 200 ? Describe(request.user) : std::to_string(writer.status()),
                row.want);
      EXPECT_EQ(request.may_be_anybody, row.may_be_anybody);
    }
  }
}

TEST_F(AuthenticationTest, WhoIsWho) {
  TestCertOptions server_only;
  server_only.common_name = "front-proxy-client";
  server_only.client_auth = false;
  TestCertOptions expired;
  expired.common_name = "front-proxy-client";
  expired.not_after = clock_.Now() - absl::Hours(1);
  expired.not_before = clock_.Now() - absl::Hours(2);
  const HeaderList remote = {{"X-Remote-User", "alice"}, {"X-Remote-Group", "dev"}};
  struct Row {
    std::string name;
    std::vector<std::string> certificates;
    HeaderList headers;
    std::string want;
  };
  const Row rows[] = {
      {"nothing", {}, {}, kAnonymous},
      {"through the front proxy", {ProxyCert()}, remote, "alice dev system:authenticated"},
      {"forged headers, no certificate", {}, remote, kAnonymous},
      {"forged headers, client's certificate",
       {Cert(client_ca_, "mallory", {"x"})},
       remote,
       "mallory x system:authenticated"},
      {"forged headers, front proxy's name from the clients' CA",
       {Cert(client_ca_, "front-proxy-client")},
       remote,
       "front-proxy-client system:authenticated"},
      {"forged headers, other name of the proxy CA", {Cert(proxy_ca_, "kubelet")}, remote, "401"},
      {"forged headers, unknown CA", {Cert(TestCa("x"), "front-proxy-client")}, remote, "401"},
      {"proxy's certificate without client use",
       {proxy_ca_.Issue(server_only).cert_pem},
       remote,
       "401"},
      {"proxy's certificate expired", {proxy_ca_.Issue(expired).cert_pem}, remote, "401"},
      {"proxy without a user", {ProxyCert()}, {{"X-Remote-Group", "dev"}}, "401"},
      {"proxy with an empty user",
       {ProxyCert()},
       {{"X-Remote-User", ""}, {"X-Also-User", "bob"}},
       "bob system:authenticated"},
      {"the first user header wins",
       {ProxyCert()},
       {{"X-Also-User", "bob"}, {"x-remote-user", "alice"}},
       "alice system:authenticated"},
      {"all group headers count",
       {ProxyCert()},
       {{"X-Remote-User", "a"},
        {"X-Also-Group", "g3"},
        {"X-Remote-Group", "g1"},
        {"X-Remote-Group", ""},
        {"x-remote-group", "g2"}},
       "a g1 g2 g3 system:authenticated"},
      {"UID header that is not configured",
       {ProxyCert()},
       {{"X-Remote-User", "a"}, {"X-Remote-Uid", "u"}},
       "a system:authenticated"},
      {"proxied anonymous stays so",
       {ProxyCert()},
       {{"X-Remote-User", "system:anonymous"}, {"X-Remote-Group", "system:unauthenticated"}},
       kAnonymous},
      {"proxied group is not doubled",
       {ProxyCert()},
       {{"X-Remote-User", "a"}, {"X-Remote-Group", "system:authenticated"}},
       "a system:authenticated"},
      {"proxied token is the proxy's business",
       {ProxyCert()},
       {{"X-Remote-User", "a"}, {"Authorization", "Bearer bad"}},
       "a system:authenticated"},
      {"client certificate",
       {Cert(client_ca_, "carol", {"o1", "o2"})},
       {},
       "carol o1 o2 system:authenticated"},
      {"client certificate without a name", {Cert(client_ca_, "", {"o"})}, {}, "401"},
      {"good token",
       {},
       {{"Authorization", "Bearer good"}},
       "token-user uid=u-1 g system:authenticated"},
      {"good token, scheme in lower case",
       {},
       {{"authorization", "bearer good"}},
       "token-user uid=u-1 g system:authenticated"},
      {"good token beside a bad certificate",
       {Cert(TestCa("x"), "x")},
       {{"Authorization", "Bearer good"}},
       "token-user uid=u-1 g system:authenticated"},
      {"bad token", {}, {{"Authorization", "Bearer bad"}}, "401"},
      {"bad token, forged headers",
       {},
       {{"Authorization", "Bearer bad"}, {"X-Remote-User", "alice"}},
       "401"},
      {"another scheme is no credential",
       {},
       {{"Authorization", "Basic Zm9vOmJhcg=="}},
       kAnonymous},
      {"bearer without a token", {}, {{"Authorization", "Bearer"}}, kAnonymous},
  };
  for (const Row& row : rows) {
    SCOPED_TRACE(row.name);
    http::Request request = MakeRequest("GET", "/apis/g/v1/widgets");
    if (!row.certificates.empty()) request.peer = MakePeer(row.certificates);
    for (const auto& [name, value] : row.headers) request.headers.Add(name, value);
    EXPECT_EQ(Authenticate(request), row.want);
  }
}

TEST_F(AuthenticationTest, RecognizesWhoWasJudgedAMomentAgo) {
  Authenticator authenticator(store_, tokens_, clock_, true);
  http::Request request = MakeRequest("GET", "/");
  request.headers.Add("Authorization", "Bearer good");
  EXPECT_FALSE(authenticator.Recognize(request).has_value());
  http::Request same = request;
  ASSERT_EQ(Authenticate(same), "token-user uid=u-1 g system:authenticated");
  const std::optional<kube::UserInfo> user = authenticator.Recognize(request);
  ASSERT_TRUE(user.has_value());
  EXPECT_EQ(Describe(*user), "token-user uid=u-1 g system:authenticated");
  clock_.Advance(absl::Seconds(10));
  EXPECT_FALSE(authenticator.Recognize(request).has_value());
}

TEST_F(AuthenticationTest, RecognizesNoStrangers) {
  Authenticator authenticator(store_, tokens_, clock_, true);
  http::Request nobody = MakeRequest("GET", "/");
  EXPECT_FALSE(authenticator.Recognize(nobody).has_value());
  http::Request bad = MakeRequest("GET", "/");
  bad.headers.Add("Authorization", "Bearer made-up");
  http::Request same = bad;
  EXPECT_EQ(Authenticate(same), "401");
  EXPECT_FALSE(authenticator.Recognize(bad).has_value());
  http::Request known = MakeRequest("GET", "/");
  known.peer = MakePeer({Cert(client_ca_, "bob")});
  EXPECT_TRUE(authenticator.Recognize(known).has_value());
}

TEST_F(AuthenticationTest, WebSockets) {
  const std::string good = "base64url.bearer.authorization.k8s.io.Z29vZA";
  const std::string bad = "base64url.bearer.authorization.k8s.io.YmFk";
  const struct {
    std::string name;
    std::string authorization;
    std::string subprotocols;
    bool certificate;
    bool websocket;
    std::string want;
  } kRows[] = {
      {"good", "", "a," + good, false, true, "token-user uid=u-1 g system:authenticated"},
      {"bad", "", "a," + bad, false, true, "401"},
      {"alone", "", good, false, true, "401"},
      {"not asked for a WebSocket", "", "a," + good, false, false, kAnonymous},
      {"beside a bad header", "Bearer bad", "a," + good, false, true,
       "token-user uid=u-1 g system:authenticated"},
      {"bad beside a good header", "Bearer good", "a," + bad, false, true,
       "token-user uid=u-1 g system:authenticated"},
      {"malformed beside a bad header", "Bearer bad", good, false, true, "401"},
      {"a certificate comes first", "", "a," + good, true, true, "carol system:authenticated"},
      {"alone beside a certificate", "", good, true, true, "carol system:authenticated"},
  };
  for (const auto& row : kRows) {
    SCOPED_TRACE(row.name);
    http::Request request = MakeRequest("GET", "/apis/g/v1/widgets?watch=1");
    request.websocket = row.websocket;
    if (row.certificate) request.peer = MakePeer({Cert(client_ca_, "carol")});
    if (!row.authorization.empty()) request.headers.Add("Authorization", row.authorization);
    request.headers.Add("Sec-WebSocket-Protocol", row.subprotocols);
    EXPECT_EQ(Authenticate(request), row.want);
    // No token is passed on, whichever credential was accepted.
    const std::string* left = request.headers.Find("Sec-WebSocket-Protocol");
    EXPECT_EQ(left != nullptr ? *left : "", row.subprotocols.starts_with("a,") ? "a" : "");
  }
}

TEST_F(AuthenticationTest, SameCaForProxiesAndClients) {
  EXPECT_OK(store_.SetFromCluster(Settings(client_ca_, client_ca_)));
  http::Request proxied = MakeRequest("GET", "/");
  proxied.peer = MakePeer({Cert(client_ca_, "front-proxy-client")});
  proxied.headers.Add("X-Remote-User", "alice");
  EXPECT_EQ(Authenticate(proxied), "alice system:authenticated");

  // Another certificate of that CA belongs to a client, whatever headers it sends.
  http::Request direct = MakeRequest("GET", "/");
  direct.peer = MakePeer({Cert(client_ca_, "mallory")});
  direct.headers.Add("X-Remote-User", "alice");
  EXPECT_EQ(Authenticate(direct), "mallory system:authenticated");
}

TEST_F(AuthenticationTest, TellsWhoIsNoStranger) {
  http::Request known = MakeRequest("GET", "/");
  known.peer = MakePeer({Cert(client_ca_, "carol")});
  EXPECT_EQ(Authenticate(known), "carol system:authenticated");
  EXPECT_TRUE(known.authenticated);
  http::Request anonymous = MakeRequest("GET", "/");
  EXPECT_EQ(Authenticate(anonymous), kAnonymous);
  EXPECT_FALSE(anonymous.authenticated);
}

TEST_F(AuthenticationTest, StrangersDoNotFillTheLog) {
  http::Request request = MakeRequest("GET", "/" + std::string(100'000, 'x'));
  request.headers.Add("Authorization", "Bearer bad");
  ::testing::internal::CaptureStderr();
  EXPECT_EQ(Authenticate(request), "401");
  EXPECT_LT(::testing::internal::GetCapturedStderr().size(), 2000u);
}

TEST_F(AuthenticationTest, ExtraAndUid) {
  AuthenticationSettings settings = Settings(proxy_ca_, client_ca_);
  settings.request_header->uid_headers = {"X-Remote-Uid"};
  EXPECT_OK(store_.SetFromCluster(settings));
  http::Request request = MakeRequest("GET", "/");
  request.peer = MakePeer({ProxyCert()});
  request.headers.Add("X-Remote-User", "a");
  request.headers.Add("X-Remote-Uid", "u-9");
  request.headers.Add("X-Remote-Extra-Example.com%2fScope", "one");
  request.headers.Add("x-remote-extra-example.com%2Fscope", "two");
  request.headers.Add("X-Remote-Extra-Bad%zz", "kept");
  request.headers.Add("X-Remote-Extra-Cut%2", "kept");
  EXPECT_EQ(Authenticate(request), "a uid=u-9 system:authenticated");
  EXPECT_THAT(request.user.extra,
              ElementsAre(Pair("example.com/scope", ElementsAre("one", "two")),
                          Pair("bad%zz", ElementsAre("kept")), Pair("cut%2", ElementsAre("kept"))));
}

TEST_F(AuthenticationTest, CertificateUsersCarryTheirCredentialId) {
  http::Request request = MakeRequest("GET", "/");
  request.peer = MakePeer({Cert(client_ca_, "carol")});
  Authenticate(request);
  ASSERT_EQ(request.user.extra.size(), 1u);
  EXPECT_EQ(request.user.extra[0].first, "authentication.kubernetes.io/credential-id");
}

TEST_F(AuthenticationTest, WithoutConfigProxiedRequestsAreNobodys) {
  AuthenticationConfigStore empty;
  Authenticator authenticator(empty, tokens_, clock_, false);
  http::Request request = MakeRequest("GET", "/");
  request.peer = MakePeer({ProxyCert()});
  request.headers.Add("X-Remote-User", "alice");
  rest::RecordingWriter writer;
  Handle(WithAuthentication(ServedHandler(), authenticator), request, writer);
  EXPECT_EQ(writer.status(), 401);
}

TEST_F(AuthenticationTest, AnonymousCanBeOff) {
  http::Request request = MakeRequest("GET", "/healthz");
  EXPECT_EQ(Authenticate(request, /*allow_anonymous=*/false), "401");
}

TEST_F(AuthenticationTest, IdentityHeadersEndHere) {
  http::Request request = MakeRequest("GET", "/");
  request.peer = MakePeer({ProxyCert()});
  for (const char* name :
       {"Authorization", "X-Remote-User", "X-Remote-Group", "x-remote-extra-scope", "X-Remote-Uid",
        "X-Also-User", "x-also-group", "X-Remote-Anything"}) {
    request.headers.Add(name, "v");
  }
  request.headers.Add("Accept", "application/json");
  Authenticate(request);
  ASSERT_EQ(request.headers.fields().size(), 1u);
  EXPECT_EQ(request.headers.fields()[0].first, "Accept");

  // Identity headers are removed also when they were not trusted.
  http::Request forged = MakeRequest("GET", "/");
  forged.headers.Add("X-Remote-User", "alice");
  EXPECT_EQ(Authenticate(forged), kAnonymous);
  EXPECT_THAT(forged.headers.fields(), IsEmpty());
}

TEST_F(AuthenticationTest, RefusalSaysNothingMore) {
  http::Request request = MakeRequest("GET", "/");
  request.headers.Add("Authorization", "Bearer bad");
  Authenticator authenticator(store_, tokens_, clock_, true);
  rest::RecordingWriter writer;
  Handle(WithAuthentication(ServedHandler(), authenticator), request, writer);
  ASSERT_OK_AND_ASSIGN(const kube::Status status, kube::ParseStatus(writer.body()));
  EXPECT_EQ(status.reason, "Unauthorized");
  EXPECT_EQ(status.message, "Unauthorized");
  EXPECT_EQ(writer.Header("WWW-Authenticate"), "");
}

TEST_F(AuthenticationTest, RotatedCaCountsAtOnce) {
  const TestCa next_ca("front-proxy-ca");
  http::Request request = MakeRequest("GET", "/");
  request.peer = MakePeer({Cert(next_ca, "front-proxy-client")});
  request.headers.Add("X-Remote-User", "alice");
  http::Request again = request;
  EXPECT_EQ(Authenticate(request), "401");
  EXPECT_OK(store_.SetFromCluster(Settings(next_ca, client_ca_)));
  EXPECT_EQ(Authenticate(again), "alice system:authenticated");
}

}  // namespace
}  // namespace steward::filters
