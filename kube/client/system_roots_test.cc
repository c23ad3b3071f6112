#include "kube/client/system_roots.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <stdlib.h>

#include <fstream>
#include <string>

#include "base/testing/test_directory.h"

namespace steward::kube {
namespace {

TEST(SystemRootsTest, WhereOpenSslHasNone) {
  ::unsetenv("SSL_CERT_FILE");
  ::unsetenv("SSL_CERT_DIR");
  const TestDirectory directory;
  const std::string there = directory.path() + "/there.crt";
  std::ofstream(there) << "x";
  const std::string absent = directory.path() + "/absent";
  EXPECT_EQ(FindRootFile(absent, {absent, there, directory.path()}), there);
  EXPECT_EQ(FindRootFile(absent, {absent}), "");
  EXPECT_EQ(FindRootFile(directory.path(), {there}), "") << "OpenSSL has its own";
  for (const char* name : {"SSL_CERT_FILE", "SSL_CERT_DIR"}) {
    ::setenv(name, "/x", 1);
    EXPECT_EQ(FindRootFile(absent, {there}), "") << "the user says where";
    ::setenv(name, "", 1);
    EXPECT_EQ(FindRootFile(absent, {there}), there);
    ::unsetenv(name);
  }
}

}  // namespace
}  // namespace steward::kube
