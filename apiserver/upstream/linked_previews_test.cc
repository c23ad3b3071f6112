#include "apiserver/upstream/linked_previews.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <boost/asio/io_context.hpp>
#include <memory>
#include <optional>
#include <string>

#include "apiserver/upstream/channel.h"
#include "base/async/run.h"
#include "base/clock/clock.h"
#include "base/clock/fake_clock.h"
#include "base/status/matchers.h"
#include "base/tls/files.h"
#include "base/tls/testing.h"
#include "controllers/rpc/testing/scene.h"
#include "kube/meta/names.h"
#include "kube/meta/status.h"

namespace steward::upstream {
namespace {

using rpc::Scene;
using ::testing::HasSubstr;

Asker Alice() {
  Asker asker;
  asker.user.name = "alice";
  return asker;
}

TEST(LinkedPreviewsTest, WithoutALinkItSaysWhy) {
  boost::asio::io_context io;
  LinkedPreviews previews({.plans = {nullptr, "no plans"},
                           .cleanup = {nullptr, "no cleanup"},
                           .copies = {nullptr, "no copies"}});
  const auto check = [](const absl::Status& status, const std::string& why) {
    const kube::Status said = kube::FromStatus(status);
    EXPECT_EQ(said.code, 503);
    EXPECT_EQ(said.message, why);
    EXPECT_GT(said.retry_after_seconds, 0);
  };
  check(RunOn(io, previews.OfPlan(Alice(), {"ops", "p"})).status(), "no plans");
  check(RunOn(io, previews.OfBundle(Alice(), "ops", {})).status(), "no plans");
  check(RunOn(io, previews.OfUninstall(Alice(), {"ops", "w.v1"}, true)).status(), "no cleanup");
  check(RunOn(io, previews.OfCopies(Alice(), true)).status(), "no copies");
}

// The client calls the methods by the names that the services have.
TEST(LinkedPreviewsTest, TheControllersAreAsked) {
  boost::asio::io_context io;
  FixedRandom random(0.0);
  Scene scene;
  scene.PutCsv("w.v1");
  scene.Allow("alice get cleanupstatuses/preview ops");
  scene.Start();
  const std::string path = scene.directory().path();
  TestCertOptions certificate;
  certificate.common_name = "steward-apiserver";
  const TestKeyPair pair = scene.ca().Issue(certificate);
  ASSERT_OK(ReplaceFile(path + "/client.crt", pair.cert_pem, 0644));
  ASSERT_OK(ReplaceFile(path + "/client.key", pair.key_pem, 0600));
  ASSERT_OK(ReplaceFile(path + "/authority.crt", scene.ca().cert_pem(), 0644));
  ChannelOptions options;
  options.address = scene.Address();
  options.ca_file = path + "/authority.crt";
  options.cert_file = path + "/client.crt";
  options.key_file = path + "/client.key";
  options.circuit.failures = 1;
  ASSERT_OK_AND_ASSIGN(const std::unique_ptr<Channel> channel,
                       Channel::Create(options, Clock::Real(), random));
  LinkedPreviews previews({.plans = {channel.get()}, .cleanup = {channel.get()}, .copies = {}});
  const kube::NamespacedName csv = {"ops", "w.v1"};
  const kube::Status unknown =
      kube::FromStatus(RunOn(io, previews.OfPlan(Alice(), {"ops", "p"})).status());
  EXPECT_EQ(unknown.code, 503);
  EXPECT_THAT(unknown.message, HasSubstr("another version"));
  // This answer of the controllers is no failure of the transport.
  const auto answer = RunOn(io, previews.OfUninstall(Alice(), csv, std::nullopt));
  ASSERT_OK(answer);
  ASSERT_FALSE(answer->steps.empty());
  EXPECT_EQ(answer->steps[0].ns, csv.ns);
  EXPECT_EQ(answer->steps[0].name, csv.name);
  Asker bob = Alice();
  bob.user.name = "bob";
  const absl::Status refused = RunOn(io, previews.OfUninstall(bob, csv, std::nullopt)).status();
  EXPECT_EQ(kube::FromStatus(refused).code, 403);
}

}  // namespace
}  // namespace steward::upstream
