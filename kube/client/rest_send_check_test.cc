// A write is sent only while its caller permits it, whatever the client waited for before
// (R-000-78).
#include <string>

#include "base/tls/testing.h"
#include "kube/client/rest_client.h"
#include "kube/client/rest_test_fixture.h"
#include "kube/meta/write_options.h"

namespace steward::kube {
namespace {

using ::testing::IsEmpty;
using Then = TestServer::Then;

constexpr int kVerbs = 4;

class RestSendCheckTest : public RestTest {
 protected:
  // Makes one write with the verb of this number.
  Task<boost::json::value> Write(int verb) {
    switch (verb) {
      case 0:
        return client_->Create(kPods, name_.ns, object_, write_);
      case 1:
        return client_->Update(kPods, object_, write_);
      case 2:
        return client_->Patch(kPods, name_, PatchType::kJsonMerge, object_, write_);
      default:
        return client_->Delete(kPods, name_, delete_);
    }
  }
  void Forbid() { permission_ = absl::FailedPreconditionError("the guards are old"); }
  void Permit() { permission_ = absl::OkStatus(); }
  void ExpectRefused(const Result<boost::json::value>& result) {
    RunUntil([&] { return result->has_value(); });
    EXPECT_EQ((*result)->status(), permission_);
  }

  absl::Status permission_;
  int asked_ = 0;
  const NamespacedName name_{"n", "a"};
  const boost::json::value object_ = {{"metadata", {{"name", "a"}, {"namespace", "n"}}}};
  const SendCheck check_ = [this] {
    ++asked_;
    return permission_;
  };
  const WriteOptions write_ = [this] {
    WriteOptions options;
    options.may_send = check_;
    return options;
  }();
  const DeleteOptions delete_ = [this] {
    DeleteOptions options;
    options.may_send = check_;
    return options;
  }();
};

TEST_F(RestSendCheckTest, WhatMayNotBeSentIsNot) {
  Connect();
  for (int verb = 0; verb < kVerbs; ++verb) {
    SCOPED_TRACE(verb);
    const size_t before = server_->requests().size();
    Forbid();
    ExpectRefused(Begin(Write(verb)));
    // The check also stops a write on a kept connection.
    server_->Answer(Response(200, kEmptyList));
    ASSERT_OK(List());
    ExpectRefused(Begin(Write(verb)));
    EXPECT_EQ(server_->requests().size() - before, 1u);
    Permit();
    server_->Answer(Response(200, "{}"));
    EXPECT_OK(Finish(Write(verb)));
    EXPECT_EQ(server_->requests().size() - before, 2u);
  }
}

TEST_F(RestSendCheckTest, EveryTryIsAskedFor) {
  Connect();
  for (int verb = 0; verb < kVerbs; ++verb) {
    server_->Answer(Response(429, "", "Retry-After: 1\r\n"));
    server_->Answer(Response(429, "", "Retry-After: 1\r\n"));
    server_->Answer(Response(200, "{}"));
    asked_ = 0;
    EXPECT_OK(Finish(Write(verb)));
    EXPECT_EQ(asked_, 3) << verb;
  }
}

// The clock moves only as far as the server asked: no time limit expires.
TEST_F(RestSendCheckTest, NotSentAgainAfterTheServersWait) {
  Connect();
  for (int verb = 0; verb < kVerbs; ++verb) {
    SCOPED_TRACE(verb);
    Permit();
    const size_t before = server_->requests().size();
    server_->Answer(Response(429, "", "Retry-After: 2\r\n"));
    const auto result = Begin(Write(verb));
    RunUntil([&] { return clock_.sleepers() == 2; });
    Forbid();
    clock_.Advance(absl::Seconds(2));
    ExpectRefused(result);
    EXPECT_EQ(server_->requests().size() - before, 1u);
  }
}

TEST_F(RestSendCheckTest, NotSentAfterTheWaitForAConnection) {
  RestClientOptions options;
  options.transport.connections.max_connections = 1;
  Connect(Config(), options);
  for (int verb = 0; verb < kVerbs; ++verb) {
    SCOPED_TRACE(verb);
    Permit();
    const size_t before = server_->requests().size();
    server_->Answer(ChunkedHead(), Then::kHold);
    const ListOptions list;
    const auto first = Begin(client_->List(kPods, list));
    RunUntil([&] { return server_->requests().size() == before + 1; });
    const auto waiting = Begin(Write(verb));
    io_.poll();
    EXPECT_EQ(asked_, 0);
    Forbid();
    server_->Push(Chunk(kEmptyList) + Chunk(""));
    ExpectRefused(waiting);
    RunUntil([&] { return first->has_value(); });
    EXPECT_OK(**first);
    EXPECT_EQ(server_->requests().size(), before + 1);
    asked_ = 0;
  }
}

TEST_F(RestSendCheckTest, NotSentAfterTheHandshake) {
  const TestCa ca("ca");
  TestCertOptions names;
  names.ip_addresses = {"127.0.0.1"};
  const TestKeyPair cert = ca.Issue(names);
  const TestServerTls tls{cert.cert_pem, cert.key_pem, ""};
  server_ = std::make_unique<TestServer>(io_, &tls);
  ClientConfig config = Config();
  config.tls = true;
  config.ca_pem = ca.cert_pem();
  for (int verb = 0; verb < kVerbs; ++verb) {
    SCOPED_TRACE(verb);
    Permit();
    Connect(config);
    const int before = server_->connections_accepted();
    const auto result = Begin(Write(verb));
    RunUntil([&] { return server_->connections_accepted() == before + 1; });
    EXPECT_EQ(asked_, 0);
    Forbid();
    ExpectRefused(result);
    EXPECT_EQ(asked_, 1);
    asked_ = 0;
  }
  EXPECT_THAT(server_->requests(), IsEmpty());
}

TEST_F(RestSendCheckTest, NotSentAgainWithAnotherToken) {
  std::string token = "one";
  RestClientOptions options;
  options.transport.read_file = [&](const std::string&) -> absl::StatusOr<std::string> {
    if (token != "one") Forbid();
    return token;
  };
  ClientConfig config = Config();
  config.token_file = "/run/token";
  for (int verb = 0; verb < kVerbs; ++verb) {
    SCOPED_TRACE(verb);
    Permit();
    token = "one";
    Connect(config, options);
    const size_t before = server_->requests().size();
    server_->Answer(Response(401, ""));
    const auto result = Begin(Write(verb));
    RunUntil([&] { return server_->requests().size() == before + 1; });
    token = "two";
    ExpectRefused(result);
    EXPECT_EQ(server_->requests().size(), before + 1);
  }
}

}  // namespace
}  // namespace steward::kube
