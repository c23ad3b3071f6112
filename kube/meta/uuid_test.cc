#include "kube/meta/uuid.h"

#include <gtest/gtest.h>

#include <set>

namespace steward::kube {
namespace {

TEST(UuidV5Test, KnownValues) {
  const struct {
    const char* ns;
    std::string name;
    const char* uuid;
  } rows[] = {
      {"6ba7b810-9dad-11d1-80b4-00c04fd430c8", "python.org",
       "886313e1-3b8a-5372-9b90-0c9aee199e5d"},
      {"6ba7b810-9dad-11d1-80b4-00c04fd430c8", "www.example.com",
       "2ed6657d-e927-568b-95e1-2665a8aea6a2"},
      {"6ba7b811-9dad-11d1-80b4-00c04fd430c8", "http://www.example.com/",
       "fcde3c85-2270-590f-9e7c-ee003d65e0e2"},
      {"6ba7b812-9dad-11d1-80b4-00c04fd430c8", "1.3.6.1", "1447fa61-5277-5fef-a9b3-fbc6e44f4af3"},
      {"6ba7b810-9dad-11d1-80b4-00c04fd430c8", "", "4ebd0208-8328-5d69-8c44-ec50939c0967"},
      {"F81D4FAE-7DEC-11D0-A765-00A0C91E6BF6", std::string(1000, 'x'),
       "59bffaa2-662d-5c90-b541-c6f636ba8507"},
  };
  for (const auto& row : rows) EXPECT_EQ(UuidV5(row.ns, row.name), row.uuid) << row.name;
}

TEST(UuidV5Test, AnyNamespaceGivesAWellFormedUuid) {
  std::set<std::string> seen;
  for (const char* ns :
       {"", "x", "6ba7b810-9dad-11d1-80b4-00c04fd430c", "6ba7b810-9dad-11d1-80b4-00c04fd430cg",
        "6ba7b810+9dad-11d1-80b4-00c04fd430c8", "6ba7b8109dad11d180b400c04fd430c8",
        "------------------------------------", "\xff"}) {
    const std::string uuid = UuidV5(ns, "name");
    ASSERT_EQ(uuid.size(), 36u);
    EXPECT_EQ(uuid[14], '5');
    EXPECT_NE(std::string("89ab").find(uuid[19]), std::string::npos);
    EXPECT_EQ(uuid, UuidV5(ns, "name"));
    EXPECT_TRUE(seen.insert(uuid).second) << ns;
  }
}

}  // namespace
}  // namespace steward::kube
