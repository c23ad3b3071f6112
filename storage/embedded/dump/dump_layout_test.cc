#include "storage/embedded/dump/dump_layout.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/text/str_cat.h"

namespace steward::storage {
namespace {

struct Path {
  const char* path;
  const char* place;  // "ns group resource"; "" = none
};

TEST(DumpLayoutTest, PathsSayWhatIsInAFile) {
  const Path kPaths[] = {
      {"namespaces/a/a.yaml", "||namespaces"},
      {"must-gather.local.1/quay-io-x-sha256-0/namespaces/a/a.yaml", "||namespaces"},
      {"namespaces/a/core/configmaps.yaml", "a||configmaps"},
      {"namespaces/a/apps/deployments/web.yaml", "a|apps|deployments"},
      {"./namespaces/a/operators.coreos.com/clusterserviceversions/x.v1.0.yaml",
       "a|operators.coreos.com|clusterserviceversions"},
      {"namespaces/a/pods/web-0/web-0.yaml", "a||pods"},
      {"namespaces/namespaces/core/pods.yaml", "namespaces||pods"},
      {"cluster-scoped-resources/core/namespaces/a.yaml", "||namespaces"},
      {"x/cluster-scoped-resources/config.openshift.io/clusterversions.yaml",
       "|config.openshift.io|clusterversions"},
      {"manifests/web.yaml", ""},
      {"namespaces/a/b.yaml", ""},
      {"namespaces/a.yaml", ""},
      {"cluster-scoped-resources/a.yaml", ""},
      {"namespaces/a/b/c/d/e.yaml", ""},
      {"cluster-scoped-resources/core/\x1b[2J.yaml", ""},
      {"namespaces/a/apps/Deployments/web.yaml", ""},
      {"namespaces/a/apps/..yaml", ""},
      {"", ""},
  };
  for (const Path& path : kPaths) {
    const auto place = PlaceOf(path.path);
    const std::string found =
        place.has_value() ? StrCat(place->ns, "|", place->group, "|", place->resource) : "";
    EXPECT_EQ(found, path.place) << path.path;
  }
}

TEST(DumpLayoutTest, OnlyManifestsAreRead) {
  for (const char* path : {"a.yaml", "b/c.yml", "./d.json", "../x/e.yaml"}) {
    EXPECT_TRUE(IsDumpFile(path)) << path;
  }
  for (const char* path : {"a.log", "timestamp", ".a.yaml", ".git/a.yaml", "a.yaml.gz", ""}) {
    EXPECT_FALSE(IsDumpFile(path)) << path;
  }
}

}  // namespace
}  // namespace steward::storage
