#include "apiserver/server/health.h"

#include <gtest/gtest.h>

#include "apiserver/filters/testing/requests.h"
#include "apiserver/rest/testing/recording_writer.h"

namespace steward::server {
namespace {

HealthCheck OnlyReady(std::string name, const bool& holds) {
  HealthCheck check;
  check.name = std::move(name);
  check.in_healthz = false;
  check.in_livez = false;
  check.check = [&holds] {
    return holds ? absl::OkStatus() : absl::UnavailableError("secret reason");
  };
  return check;
}

struct Row {
  std::string target;
  bool synced;
  int status;
  std::string body;
};

TEST(HealthTest, AnswersAsKubernetesDoes) {
  const Row rows[] = {
      {"/healthz", true, 200, "ok"},
      {"/livez", true, 200, "ok"},
      {"/readyz", true, 200, "ok"},
      {"/healthz?verbose", true, 200, "[+]ping ok\nhealthz check passed\n"},
      {"/livez?verbose=1", false, 200, "[+]ping ok\nlivez check passed\n"},
      {"/readyz?verbose", true, 200,
       "[+]ping ok\n[+]informer-sync ok\n[+]shutdown ok\nreadyz check passed\n"},
      {"/readyz", false, 500,
       "[+]ping ok\n[-]informer-sync failed: reason withheld\n[+]shutdown ok\n"
       "readyz check failed\n"},
      {"/readyz?exclude=informer-sync", false, 200, "ok"},
      {"/readyz?verbose&exclude=informer-sync&exclude=ping", false, 200,
       "[+]ping excluded: ok\n[+]informer-sync excluded: ok\n[+]shutdown ok\n"
       "readyz check passed\n"},
      {"/readyz?verbose&exclude=x&exclude=a", true, 200,
       "[+]ping ok\n[+]informer-sync ok\n[+]shutdown ok\n"
       "warn: some health checks cannot be excluded: no matches for \"a\",\"x\"\n"
       "readyz check passed\n"},
      {"/readyz/informer-sync", true, 200, "ok"},
      {"/readyz/informer-sync", false, 500, "internal server error: secret reason\n"},
      {"/readyz/ping", false, 200, "ok"},
      {"/livez/informer-sync", true, 404, "404 page not found\n"},
      {"/readyz/unknown", true, 404, "404 page not found\n"},
      {"/readyz/", true, 404, "404 page not found\n"},
      {"/readyzed", true, 404, "404 page not found\n"},
  };
  for (const Row& row : rows) {
    SCOPED_TRACE(row.target);
    const bool running = true;
    const http::Handler handler = HealthHandler(
        {PingCheck(), OnlyReady("informer-sync", row.synced), OnlyReady("shutdown", running)});
    http::Request request = filters::MakeRequest("GET", row.target);
    rest::RecordingWriter writer;
    filters::Handle(handler, request, writer);
    EXPECT_EQ(writer.status(), row.status);
    EXPECT_EQ(writer.body(), row.body);
    EXPECT_EQ(writer.Header("Content-Type"), "text/plain; charset=utf-8");
    EXPECT_EQ(writer.Header("X-Content-Type-Options"), "nosniff");
    EXPECT_EQ(writer.misuse(), "");
  }
}

TEST(HealthTest, Paths) {
  for (const char* path : {"/healthz", "/livez", "/readyz", "/readyz/", "/readyz/ping"}) {
    EXPECT_TRUE(IsHealthPath(path)) << path;
  }
  for (const char* path : {"/", "", "/health", "/readyzed", "readyz", "/apis/readyz"}) {
    EXPECT_FALSE(IsHealthPath(path)) << path;
  }
}

}  // namespace
}  // namespace steward::server
