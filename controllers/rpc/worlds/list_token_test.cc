#include "controllers/rpc/worlds/list_token.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "absl/strings/escaping.h"
#include "base/status/matchers.h"
#include "base/text/str_cat.h"
#include "kube/meta/status.h"
#include "proto/steward/cleanup/v1/cleanup.pb.h"

namespace steward::rpc {
namespace {

const storage::Number kNumber{.clock = 90'000, .vector = {700, 800, 900}};

PageBinding ListIn(const std::string& ns) {
  cleanup::v1::ListRequest request;
  request.set_namespace_(ns);
  return PageBinding::Of(request);
}

int CodeOf(const absl::Status& status) { return kube::FromStatus(status).code; }

// Returns the token with another value for one part, as WritePageToken would write it.
std::string With(const std::string& token, size_t part, const std::string& value) {
  std::string plain;
  EXPECT_TRUE(absl::WebSafeBase64Unescape(token, &plain));
  std::string out;
  for (size_t i = 0, at = 0; at <= plain.size(); ++i) {
    const size_t end = std::min(plain.find('\n', at), plain.size());
    StrAppend(&out, i == 0 ? "" : "\n", i == part ? value : plain.substr(at, end - at));
    at = end + 1;
  }
  return absl::WebSafeBase64Escape(out);
}

TEST(ListTokenTest, SaysAgainWhatItSaid) {
  for (const std::string ns : {"", "ops"}) {
    const ListToken token{kNumber, {"ops", "widget.v1"}};
    const auto parsed = ListToken::Parse(token.ToString(ListIn(ns)), ListIn(ns), ns);
    ASSERT_OK(parsed);
    EXPECT_EQ(parsed->after, token.after);
    EXPECT_EQ(parsed->number.ToString(), kNumber.ToString());
  }
}

TEST(ListTokenTest, OfAnotherRequestItIsRefused) {
  const ListToken token{kNumber, {"ops", "widget.v1"}};
  struct Row {
    const char* given_for;
    const char* used_for;
  } const rows[] = {{"ops", "b"}, {"ops", ""}, {"", "ops"}};
  for (const Row& row : rows) {
    const std::string text = token.ToString(ListIn(row.given_for));
    EXPECT_EQ(CodeOf(ListToken::Parse(text, ListIn(row.used_for), row.used_for).status()), 400)
        << row.given_for << " for " << row.used_for;
  }
}

TEST(ListTokenTest, ForgedItIsRefused) {
  const std::string good = ListToken{kNumber, {"ops", "widget.v1"}}.ToString(ListIn("ops"));
  ASSERT_OK(ListToken::Parse(good, ListIn("ops"), "ops"));
  const std::string number = kNumber.ToString();
  const struct {
    const char* what;
    std::string token;
  } rows[] = {
      {"nothing", ""},
      {"no base64", "!!"},
      {"too long", std::string(10'000, 'A')},
      {"another form", With(good, 0, "l2")},
      {"another digest", With(good, 1, std::string(32, '0'))},
      {"no number", With(good, 2, "x")},
      {"an empty number", With(good, 2, "")},
      {"a number written otherwise", With(good, 2, StrCat("0", number))},
      {"a namespace behind", With(good, 3, "zoo")},
      {"a namespace before", With(good, 3, "a")},
      {"no namespace", With(good, 3, "")},
      {"the bound above the namespace", With(good, 3, std::string("ops\0", 4))},
      {"no name", With(good, 4, "")},
      {"what is no name", With(good, 4, "No Name")},
      {"one part more", With(good, 4, "a\nb")},
      {"padding", good + "="},
      {"white space", good + " "},
  };
  for (const auto& row : rows) {
    EXPECT_EQ(CodeOf(ListToken::Parse(row.token, ListIn("ops"), "ops").status()), 400) << row.what;
  }
}

}  // namespace
}  // namespace steward::rpc
