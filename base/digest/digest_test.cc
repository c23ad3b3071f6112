#include "base/digest/digest.h"

#include <gtest/gtest.h>

#include <thread>

#include "absl/strings/escaping.h"

namespace steward {
namespace {

std::string Hex(const std::array<uint8_t, 20>& digest) {
  return absl::BytesToHexString({reinterpret_cast<const char*>(digest.data()), digest.size()});
}

// FIPS 180-4's examples.
TEST(DigestTest, KnownAnswers) {
  EXPECT_EQ(Hex(Sha1({"abc"})), "a9993e364706816aba3e25717850c26c9cd0d89d");
  EXPECT_EQ(Hex(Sha1({})), "da39a3ee5e6b4b0d3255bfef95601890afd80709");
  EXPECT_EQ(absl::BytesToHexString(Sha256("abc")),
            "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  EXPECT_EQ(absl::BytesToHexString(Sha256("")),
            "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
}

TEST(DigestTest, PiecesAreOneText) {
  EXPECT_EQ(Sha1({"a", "", "bc"}), Sha1({"abc"}));
  EXPECT_NE(Sha1({"a", "b"}), Sha1({"abc"}));
}

TEST(DigestTest, EachThreadHasItsOwn) {
  const std::string wanted = Sha256("x");
  std::string got;
  std::thread([&got] {
    for (int i = 0; i < 100; ++i) got = Sha256("x");
  }).join();
  EXPECT_EQ(got, wanted);
}

}  // namespace
}  // namespace steward
