#include "base/log/log.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

namespace steward::log {
namespace {

using ::testing::IsEmpty;
using ::testing::MatchesRegex;

std::string Captured(void (*act)()) {
  ::testing::internal::CaptureStderr();
  act();
  return ::testing::internal::GetCapturedStderr();
}

TEST(LogTest, WritesKeysAndValues) {
  EXPECT_THAT(Captured([] {
                Info("Listed", {{"resource", "namespaces"}, {"items", 12}});
              }),
              MatchesRegex("I[0-9]{4} [0-9:.]{15} +[0-9]+ \"Listed\" resource=\"namespaces\" "
                           "items=\"12\"\n"));
}

TEST(LogTest, EscapesSoThatALineStaysALine) {
  EXPECT_THAT(Captured([] {
                Error("x\ny", {{"why", "a\"b\nc"}});
              }),
              MatchesRegex("E.* \"x\\\\ny\" why=\"a\\\\\"b\\\\nc\"\n"));
}

TEST(LogTest, ValuesAreCut) {
  EXPECT_THAT(Captured([] {
                Info(std::string(5000, 'm'), {{"path", std::string(1023, 'x') + "\xc3\xa9"}});
              }),
              MatchesRegex("I[^\"]*\"m{1024}\\.\\.\\.\" path=\"x{1023}\\.\\.\\.\"\n"));
}

TEST(LogTest, VerbosityHides) {
  SetVerbosity(1);
  EXPECT_THAT(Captured([] { Verbose(2, "hidden"); }), IsEmpty());
  EXPECT_THAT(Captured([] { Verbose(1, "shown"); }), MatchesRegex("I.*\"shown\"\n"));
  SetVerbosity(0);
}

TEST(LogTest, StatusFieldIsItsMessage) {
  EXPECT_THAT(Captured([] {
                Warning("w", {{"err", absl::NotFoundError("gone")}});
              }),
              MatchesRegex("W.*err=\"gone\"\n"));
}

}  // namespace
}  // namespace steward::log
