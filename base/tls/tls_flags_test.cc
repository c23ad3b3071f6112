#include "base/tls/tls_flags.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <CLI/App.hpp>
#include <CLI/Config.hpp>
#include <CLI/Formatter.hpp>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "base/status/matchers.h"

namespace steward {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;

TEST(TlsFlagsTest, WhatIsTaken) {
  const ServerTlsOptions all;
  const struct {
    TlsFlags flags;
    ServerTlsOptions want;
  } rows[] = {
      {{}, all},
      {{"VersionTLS12"}, all},
      {{"VersionTLS13"}, {.tls13_only = true}},
      {{"VersionTLS12", {"TLS_ECDHE_RSA_WITH_AES_256_GCM_SHA384"}},
       {.tls12_ciphers = "ECDHE-RSA-AES256-GCM-SHA384"}},
      {{"VersionTLS12",
        {"TLS_AES_256_GCM_SHA384", "TLS_ECDHE_ECDSA_WITH_CHACHA20_POLY1305_SHA256",
         "TLS_ECDHE_RSA_WITH_CHACHA20_POLY1305"}},
       {.tls12_ciphers = "ECDHE-ECDSA-CHACHA20-POLY1305:ECDHE-RSA-CHACHA20-POLY1305",
        .tls13_ciphers = "TLS_AES_256_GCM_SHA384"}},
      {{"VersionTLS13", {"TLS_CHACHA20_POLY1305_SHA256"}},
       {.tls13_only = true, .tls13_ciphers = "TLS_CHACHA20_POLY1305_SHA256"}},
  };
  for (const auto& row : rows) {
    ASSERT_OK_AND_ASSIGN(const ServerTlsOptions got, ParseTlsFlags(row.flags));
    EXPECT_EQ(got.tls13_only, row.want.tls13_only);
    EXPECT_EQ(got.tls12_ciphers, row.want.tls12_ciphers);
    EXPECT_EQ(got.tls13_ciphers, row.want.tls13_ciphers);
  }
}

TEST(TlsFlagsTest, WhatIsRefused) {
  const struct {
    TlsFlags flags;
    std::string why;
  } rows[] = {
      {{"VersionTLS11"}, "--tls-min-version: \"VersionTLS11\" is neither"},
      {{""}, "--tls-min-version: \"\" is neither"},
      {{"1.3"}, "--tls-min-version: \"1.3\" is neither"},
      {{"VersionTLS12", {"TLS_RSA_WITH_AES_128_CBC_SHA"}},
       "--tls-cipher-suites: there is no \"TLS_RSA_WITH_AES_128_CBC_SHA\"; known are: TLS_AES_128"},
      {{"VersionTLS12", {"ECDHE-RSA-AES256-GCM-SHA384"}}, "--tls-cipher-suites: there is no"},
      {{"VersionTLS12", {"TLS_AES_256_GCM_SHA384"}},
       "--tls-cipher-suites: none of them is one of TLS 1.2"},
  };
  for (const auto& row : rows) {
    EXPECT_THAT(ParseTlsFlags(row.flags),
                StatusIs(absl::StatusCode::kInvalidArgument, StartsWith(row.why)));
  }
}

TEST(TlsFlagsTest, AreRead) {
  TlsFlags flags;
  CLI::App app;
  AddTlsFlags(app, flags);
  app.parse(
      std::vector<std::string>{"--tls-cipher-suites=TLS_AES_128_GCM_SHA256,TLS_AES_256_GCM_SHA384",
                               "--tls-min-version=VersionTLS13"});
  EXPECT_EQ(flags.min_version, "VersionTLS13");
  EXPECT_EQ(flags.cipher_suites,
            (std::vector<std::string>{"TLS_AES_128_GCM_SHA256", "TLS_AES_256_GCM_SHA384"}));
  EXPECT_THAT(app.help(), HasSubstr("VersionTLS12"));
}

}  // namespace
}  // namespace steward
