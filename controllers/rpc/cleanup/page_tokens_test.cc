#include "controllers/rpc/cleanup/page_tokens.h"

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

PageBinding PendingOf(const std::string& ns, const std::string& name) {
  cleanup::v1::ListPendingRequest request;
  request.set_namespace_(ns);
  request.set_name(name);
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

TEST(PendingTokenTest, IsOfOneRequestAndWellFormed) {
  const PendingToken token{7, {"widgets.example.com", "a", "w"}};
  const PageBinding binding = PendingOf("ops", "widget.v1");
  const std::string good = token.ToString(binding);
  const auto parsed = PendingToken::Parse(good, binding);
  ASSERT_OK(parsed);
  EXPECT_EQ(parsed->listing, 7u);
  EXPECT_EQ(parsed->after, token.after);
  EXPECT_OK(PendingToken::Parse(With(good, 4, ""), binding)) << "cluster-scoped";
  for (const PageBinding& other : {PendingOf("ops", "other"), PendingOf("b", "widget.v1")}) {
    EXPECT_EQ(CodeOf(PendingToken::Parse(good, other).status()), 400);
  }
  const struct {
    const char* what;
    std::string token;
  } rows[] = {
      {"no base64", "!!"},
      {"too long", std::string(10'000, 'A')},
      {"another form", With(good, 0, "p2")},
      {"no listing", With(good, 2, "x")},
      {"a listing written otherwise", With(good, 2, "07")},
      {"no resource", With(good, 3, "")},
      {"no namespace's name", With(good, 4, "A")},
      {"no name", With(good, 5, "")},
      {"a path", With(good, 5, "a/b")},
  };
  for (const auto& row : rows) {
    EXPECT_EQ(CodeOf(PendingToken::Parse(row.token, binding).status()), 400) << row.what;
  }
}

}  // namespace
}  // namespace steward::rpc
