#include "storage/reflector/held_versions.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "kube/client/raw_object.h"

namespace steward::storage {
namespace {

kube::RawObject Object(const std::string& ns, const std::string& name, const std::string& uid,
                       const std::string& version, const std::string& rest = "") {
  return kube::OwnedRawObject(absl::StrCat(R"({"metadata":{"name":")", name, R"(","namespace":")",
                                           ns, R"(","uid":")", uid, R"(","resourceVersion":")",
                                           version, R"("})", rest, "}"));
}

HeldVersions Of(const std::vector<kube::RawObject>& objects) {
  HeldVersions held;
  for (const kube::RawObject& object : objects) held.Put(object);
  return held;
}

TEST(HeldVersionsTest, OnlyIdentityAndVersionCount) {
  const HeldVersions held = Of({Object("n", "a", "1", "5"), Object("n", "b", "2", "6")});
  EXPECT_TRUE(held.SameAs(held));
  EXPECT_TRUE(
      held.SameAs(Of({Object("n", "b", "2", "6", R"(,"spec":{})"), Object("n", "a", "1", "5")})));
  const struct {
    const char* why;
    HeldVersions other;
  } kOthers[] = {
      {"nothing", Of({})},
      {"one fewer", Of({Object("n", "a", "1", "5")})},
      {"one more",
       Of({Object("n", "a", "1", "5"), Object("n", "b", "2", "6"), Object("n", "c", "3", "6")})},
      {"a later version", Of({Object("n", "a", "1", "7"), Object("n", "b", "2", "6")})},
      {"another object of the name", Of({Object("n", "a", "9", "5"), Object("n", "b", "2", "6")})},
      {"another namespace", Of({Object("m", "a", "1", "5"), Object("n", "b", "2", "6")})},
      {"one that cannot be read", Of({Object("n", "a", "1", "5"), Object("n", "b", "2", "")})},
  };
  for (const auto& c : kOthers) {
    EXPECT_FALSE(held.SameAs(c.other)) << c.why;
    EXPECT_FALSE(c.other.SameAs(held)) << c.why;
  }
}

TEST(HeldVersionsTest, FollowsChanges) {
  HeldVersions held = Of({Object("n", "a", "1", "5"), Object("n", "b", "2", "6")});
  held.Put(Object("n", "a", "1", "7"));
  held.Remove(Object("n", "b", "2", "8"));
  EXPECT_TRUE(held.SameAs(Of({Object("n", "a", "1", "7")})));
}

TEST(HeldVersionsTest, WhatCannotBeReadMakesTheWholeUnknownUntilItIsCleared) {
  for (const char* json : {"", "[]", "{", R"({"metadata":{}})", R"({"metadata":{"name":7}})"}) {
    HeldVersions held;
    held.Put(kube::OwnedRawObject(json));
    EXPECT_FALSE(held.known()) << json;
    EXPECT_FALSE(held.SameAs(held)) << json;
    held.Clear();
    EXPECT_TRUE(held.SameAs(HeldVersions())) << json;
    held.Remove(kube::OwnedRawObject(json));
    EXPECT_FALSE(held.known()) << json;
  }
}

}  // namespace
}  // namespace steward::storage
