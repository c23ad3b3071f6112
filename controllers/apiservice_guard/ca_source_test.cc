#include "controllers/apiservice_guard/ca_source.h"

#include <gtest/gtest.h>

#include <boost/asio/io_context.hpp>

#include "absl/status/status.h"
#include "base/async/run.h"
#include "base/status/matchers.h"
#include "base/text/str_cat.h"
#include "kube/meta/names.h"
#include "kube/testing/fake_client.h"

namespace steward::controllers {
namespace {

TEST(CaSourceTest, Parses) {
  for (const char* text : {"secrets/a/ca.crt", "configmaps/b/service-ca.crt"}) {
    const auto source = CaSource::Parse(text);
    ASSERT_OK(source.status());
    EXPECT_EQ(source->ToString(), text);
  }
  for (const char* text :
       {"", "secrets", "secrets/a", "secrets//b", "secrets/a/", "pods/a/b", "secrets/a/b/c"}) {
    EXPECT_FALSE(CaSource::Parse(text).ok()) << text;
  }
}

TEST(CaSourceTest, Reads) {
  kube::FakeClient cluster;
  cluster.Serve({"", "v1", "secrets"});
  cluster.Serve({"", "v1", "configmaps"});
  boost::asio::io_context io(1);
  const struct {
    const char* what;
    bool secret;
    const char* data;  // "" = there is no object
    const char* bundle;
  } rows[] = {
      {"nothing", true, "", ""},
      {"a Secret", true, R"({"ca.crt":"cm9vdA=="})", "root"},
      {"another key", true, R"({"tls.crt":"cm9vdA=="})", ""},
      {"a ConfigMap", false, R"({"ca.crt":"root"})", "root"},
      {"no text", false, R"({"ca.crt":1})", ""},
  };
  for (const auto& row : rows) {
    CaSource source;
    source.secret = row.secret;
    const kube::GroupVersionResource gvr = {"", "v1", row.secret ? "secrets" : "configmaps"};
    if (*row.data != 0) {
      cluster.Put(gvr, StrCat(R"({"metadata":{"name":"steward-apiserver-ca","namespace":"ns"},
          "data":)",
                              row.data, "}"));
    }
    const auto bundle = RunOn(io, ReadCaBundle(cluster, "ns", source));
    ASSERT_OK(bundle.status()) << row.what;
    EXPECT_EQ(*bundle, row.bundle) << row.what;
  }
  cluster.Put({"", "v1", "secrets"}, R"({"metadata":{"name":"steward-apiserver-ca",
      "namespace":"ns"},"data":{"ca.crt":"?"}})");
  CaSource source;
  source.secret = true;
  EXPECT_TRUE(absl::IsDataLoss(RunOn(io, ReadCaBundle(cluster, "ns", source)).status()));
}

}  // namespace
}  // namespace steward::controllers
