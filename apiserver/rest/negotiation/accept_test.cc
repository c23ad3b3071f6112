#include "apiserver/rest/negotiation/accept.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace steward::rest {
namespace {

std::string Print(const AcceptClause& clause) {
  std::string out = clause.type + "/" + clause.subtype;
  for (const auto& [key, value] : clause.parameters) out += ";" + key + "=" + value;
  return out;
}

struct Case {
  std::string name;
  std::string header;
  std::vector<std::string> want;
};

class AcceptTest : public testing::TestWithParam<Case> {};

TEST_P(AcceptTest, Parses) {
  std::vector<std::string> got;
  for (const AcceptClause& clause : ParseAccept(GetParam().header)) got.push_back(Print(clause));
  EXPECT_EQ(got, GetParam().want);
}

const Case kCases[] = {
    {"Empty", "", {}},
    {"OnlyCommas", ",,,", {}},
    {"One", "application/json", {"application/json"}},
    {"OrderKept", "a/b,c/d , e/f", {"a/b", "c/d", "e/f"}},
    {"QualitySorts", "a/b;q=0.1,c/d;q=0.9,e/f", {"e/f", "c/d", "a/b"}},
    {"SpecificFirst", "*/*,a/*,a/b", {"a/b", "a/*", "*/*"}},
    {"QualityBeforeSpecific", "*/*,a/b;q=0.5", {"*/*", "a/b"}},
    {"BadQualityIsLast", "a/b;q=x,c/d;q=nan,e/f;q=-1,g/h;q=0.1", {"g/h", "a/b", "c/d", "e/f"}},
    {"ZeroStaysAcceptable", "a/b;q=0", {"a/b"}},
    {"LoneStar", "*", {"*/*"}},
    {"NoSubtype", "text, a/b", {"a/b"}},
    {"TwoSlashes", "a/b/c, a/b", {"a/b"}},
    {"Case", "Application/JSON", {"application/json"}},
    {"Parameters", "a/b; as=Table ;v=v1;g=meta.k8s.io", {"a/b;as=Table;v=v1;g=meta.k8s.io"}},
    {"BadParameters", "a/b;x;=;y=;z=1=2;k=v", {"a/b;k=v"}},
    {"TrailingSemicolon", "a/b;", {"a/b"}},
};
INSTANTIATE_TEST_SUITE_P(All, AcceptTest, testing::ValuesIn(kCases),
                         [](const auto& info) { return info.param.name; });

TEST(AcceptClauseTest, Matches) {
  const struct {
    std::string header;
    bool json, yaml;
  } kRows[] = {{"application/json", true, false},
               {"application/*", true, true},
               {"*/*", true, true},
               {"*/json", false, false},
               {"text/*", false, false}};
  for (const auto& row : kRows) {
    SCOPED_TRACE(row.header);
    const AcceptClause clause = ParseAccept(row.header).at(0);
    EXPECT_EQ(clause.Matches("application", "json"), row.json);
    EXPECT_EQ(clause.Matches("application", "yaml"), row.yaml);
  }
}

}  // namespace
}  // namespace steward::rest
