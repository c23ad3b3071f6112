#include "kube/audit/event.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "absl/time/time.h"
#include "base/json/json_text.h"
#include "base/status/matchers.h"
#include "kube/meta/user_info.h"

namespace steward::audit {
namespace {

using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::Not;

std::string LineOf(const Event& event) {
  std::string line;
  AppendJsonLine(event, line);
  return line;
}

Event Full() {
  Event event;
  event.level = Level::kRequest;
  event.stage = Stage::kResponseComplete;
  event.audit_id = "id-1";
  event.request_uri = "/apis/g/v1/namespaces/n/widgets?fieldManager=<me>";
  event.verb = "create";
  event.user =
      kube::UserInfo{"alice", "u1", {"dev", "system:authenticated"}, {{"scopes", {"a", "b"}}}};
  event.impersonated = kube::UserInfo{.name = "bob"};
  event.source_ips = {"10.0.0.1", "::1"};
  event.user_agent = "kubectl/v1";
  event.object = ObjectReference{.resource = "widgets",
                                 .ns = "n",
                                 .name = "w",
                                 .uid = "u2",
                                 .group = "g",
                                 .version = "v1",
                                 .subresource = "status"};
  event.response_status = R"({"metadata":{},"code":201})";
  event.request_object = R"({"kind":"Widget"})";
  event.received = absl::FromUnixMicros(1'700'000'000'123'456);
  event.at = absl::FromUnixMicros(1'700'000'001'000'007);
  event.annotations = {{kDecisionAnnotation, "allow"}, {kReasonAnnotation, ""}};
  return event;
}

// The members stand in the kube-apiserver's own order.
TEST(EventTest, IsOneLineAsTheKubeApiserverWritesIt) {
  EXPECT_EQ(
      LineOf(Full()),
      R"({"kind":"Event","apiVersion":"audit.k8s.io/v1","level":"Request","auditID":"id-1",)"
      R"("stage":"ResponseComplete",)"
      R"("requestURI":"/apis/g/v1/namespaces/n/widgets?fieldManager=\u003cme\u003e",)"
      R"("verb":"create","user":{"username":"alice","uid":"u1",)"
      R"("groups":["dev","system:authenticated"],"extra":{"scopes":["a","b"]}},)"
      R"("impersonatedUser":{"username":"bob"},"sourceIPs":["10.0.0.1","::1"],)"
      R"("userAgent":"kubectl/v1","objectRef":{"resource":"widgets","namespace":"n","name":"w",)"
      R"("uid":"u2","apiGroup":"g","apiVersion":"v1","subresource":"status"},)"
      R"("responseStatus":{"metadata":{},"code":201},"requestObject":{"kind":"Widget"},)"
      R"("requestReceivedTimestamp":"2023-11-14T22:13:20.123456Z",)"
      R"("stageTimestamp":"2023-11-14T22:13:21.000007Z",)"
      R"("annotations":{"authorization.k8s.io/decision":"allow",)"
      R"("authorization.k8s.io/reason":""}})"
      "\n");
}

TEST(EventTest, WhatIsNotThereIsLeftOut) {
  Event event;
  event.stage = Stage::kRequestReceived;
  event.audit_id = "id-1";
  event.request_uri = "/x";
  event.verb = "get";
  event.received = event.at = absl::UnixEpoch();
  EXPECT_EQ(LineOf(event),
            R"({"kind":"Event","apiVersion":"audit.k8s.io/v1","level":"Metadata","auditID":"id-1",)"
            R"("stage":"RequestReceived","requestURI":"/x","verb":"get","user":{},)"
            R"("requestReceivedTimestamp":"1970-01-01T00:00:00.000000Z",)"
            R"("stageTimestamp":"1970-01-01T00:00:00.000000Z"})"
            "\n");
}

TEST(EventTest, StaysOneLineOfJsonWhateverClientsSend) {
  Event event = Full();
  event.request_uri = "/a\n\"b\xff";
  event.user_agent = "\r\n{}";
  event.user->groups = {"\xe2\x80\xa8"};
  event.annotations = {{kReasonAnnotation, "\x01\xc3"}};
  const std::string line = LineOf(event);
  EXPECT_EQ(line.find('\n'), line.size() - 1);
  EXPECT_OK(ParseJson(line));
}

TEST(EventTest, LongTextsAreCut) {
  Event event = Full();
  event.request_uri = std::string(100'000, 'u');
  event.user_agent = std::string(100'000, 'a');
  std::string reason(1023, 'r');
  reason += "\xc3\xa9";
  event.annotations = {{kReasonAnnotation, reason}};
  const std::string line = LineOf(event);
  EXPECT_LT(line.size(), 12'000u);
  EXPECT_THAT(line, HasSubstr("\"" + std::string(1024, 'a') + "...TRUNCATED\""));
  EXPECT_THAT(line, HasSubstr("\"" + std::string(1023, 'r') + "...TRUNCATED\""));
  EXPECT_THAT(line, Not(HasSubstr("\\ufffd")));
  EXPECT_THAT(line, EndsWith("}}\n"));
}

TEST(EventTest, LongNamesAreCutAndItSaysSo) {
  const std::string longest(253, 'n');
  const std::string longer = longest + "n";
  Event event = Full();
  event.verb = longest;
  event.object = ObjectReference{longest, longest, longest, longest, longest, longest, longest};
  EXPECT_THAT(LineOf(event), Not(HasSubstr("truncated")));
  event.annotations = {{kReasonAnnotation, "why"}};
  std::string ObjectReference::*const members[] = {
      &ObjectReference::resource,   &ObjectReference::ns,    &ObjectReference::name,
      &ObjectReference::uid,        &ObjectReference::group, &ObjectReference::version,
      &ObjectReference::subresource};
  for (const auto member : members) {
    Event with = event;
    (*with.object).*member = longer;
    const std::string line = LineOf(with);
    EXPECT_THAT(line, HasSubstr("\"" + longest + "...TRUNCATED\""));
    EXPECT_THAT(line, EndsWith(R"("annotations":{"authorization.k8s.io/reason":"why",)"
                               R"("audit.k8s.io/truncated":"true"}})"
                               "\n"));
  }
  event.verb = longer;
  event.annotations = {{kTruncatedAnnotation, "true"}};
  EXPECT_THAT(LineOf(event), HasSubstr("\"verb\":\"" + longest + "...TRUNCATED\""));
  EXPECT_THAT(LineOf(event), EndsWith("\"annotations\":{\"audit.k8s.io/truncated\":\"true\"}}\n"))
      << "once";
}

// The limit counts written bytes: a control character, or one that HTML treats as markup, takes
// six.
TEST(EventTest, WhatIsEscapedIsCutSooner) {
  const std::string bad(21'800, '\x01');
  Event event;
  event.verb = bad;
  event.object = ObjectReference{bad, bad, bad, bad, bad, bad, bad};
  event.user_agent = bad;
  event.request_uri = "/" + std::string(100'000, '&');
  event.annotations = {{kReasonAnnotation, std::string(1, 'a') + bad}};
  const std::string line = LineOf(event);
  EXPECT_LT(line.size(), 13'000u);
  EXPECT_OK(ParseJson(line));
  event.max_request_uri = 2 << 10;
  EXPECT_LT(LineOf(event).size(), 7'000u);
  for (const std::string unit :
       {"\xc3\xa9", "\xe2\x80\xa8", "\xf0\x9f\x98\x80", "\xff", "\\", "\n"}) {
    SCOPED_TRACE(unit);
    event.verb = "a";
    for (int i = 0; i < 1000; ++i) event.verb += unit;
    EXPECT_OK(ParseJson(LineOf(event)));
  }
}

}  // namespace
}  // namespace steward::audit
