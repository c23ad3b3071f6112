#include <map>

#include "base/status/matchers.h"
#include "kube/meta/selector.h"

namespace steward::kube {
namespace {

using Term = FieldSelector::Term;
using ::testing::ElementsAreArray;

TEST(FieldSelectorTest, Parses) {
  const struct {
    const char* text;
    std::vector<Term> terms;
    const char* canonical;
  } rows[] = {
      {"", {}, ""},
      {",,", {}, ""},
      {"=", {}, ""},
      {"!=,==", {}, ""},
      {"metadata.name=a", {{"metadata.name", false, "a"}}, "metadata.name=a"},
      {"metadata.name==a", {{"metadata.name", false, "a"}}, "metadata.name=a"},
      {"metadata.name!=a", {{"metadata.name", true, "a"}}, "metadata.name!=a"},
      {"b=2,a=1", {{"a", false, "1"}, {"b", false, "2"}}, "a=1,b=2"},
      {"a=", {{"a", false, ""}}, "a="},
      {"=a", {{"", false, "a"}}, "=a"},
      {"a= b ", {{"a", false, " b "}}, "a= b "},
      {R"(a=b\,c\=d\\e)", {{"a", false, R"(b,c=d\e)"}}, R"(a=b\,c\=d\\e)"},
      {"a=b!", {{"a", false, "b!"}}, "a=b!"},
      {"a=é", {{"a", false, "é"}}, "a=é"},
      {R"(a\=b)", {{"a\\", false, "b"}}, R"(a\=b)"},
  };
  for (const auto& row : rows) {
    SCOPED_TRACE(row.text);
    ASSERT_OK_AND_ASSIGN(const FieldSelector selector, FieldSelector::Parse(row.text));
    EXPECT_THAT(selector.terms(), ElementsAreArray(row.terms));
    EXPECT_EQ(selector.empty(), row.terms.empty());
    EXPECT_EQ(selector.ToString(), row.canonical);
  }
}

TEST(FieldSelectorTest, TooLongOnesAreNotRead) {
  EXPECT_OK(FieldSelector::Parse("a=" + std::string((128 << 10) - 2, 'b')));
  EXPECT_THAT(FieldSelector::Parse("a=" + std::string((128 << 10) - 1, 'b')),
              StatusIs(absl::StatusCode::kInvalidArgument,
                       "a field selector must not be longer than 131072 bytes"));
}

TEST(FieldSelectorTest, TermsAreCountedWhileTheyAreRead) {
  std::string text = "a=b";
  for (int i = 1; i < 500; ++i) text += ",a=b";
  ASSERT_OK_AND_ASSIGN(const FieldSelector selector, FieldSelector::Parse(text));
  EXPECT_EQ(selector.ToString(), "a=b") << "what is required twice is required once";
  EXPECT_OK(FieldSelector::Parse(text + std::string(60'000, ',')));
  EXPECT_THAT(FieldSelector::Parse(text + ",a!=c"),
              StatusIs(absl::StatusCode::kInvalidArgument,
                       "a field selector must not have more than 1000 paths and values"));
}

TEST(FieldSelectorTest, ErrorsAsInKubernetes) {
  const struct {
    const char* text;
    const char* message;
  } rows[] = {
      {"abc,d=e", "invalid selector: 'abc,d=e'; can't understand 'abc'"},
      {"a=b,!", "invalid selector: 'a=b,!'; can't understand '!'"},
      {"a=b=c", "invalid field selector: unescaped character in value: 61"},
      {"a===b", "invalid field selector: unescaped character in value: 61"},
      {R"(a=b\xc)", R"(invalid field selector: invalid escape sequence: \x)"},
      {R"(a=b\é)", R"(invalid field selector: invalid escape sequence: \é)"},
      {"a=b\\", "invalid field selector: invalid escape sequence: \\"},
  };
  for (const auto& row : rows) {
    SCOPED_TRACE(row.text);
    EXPECT_THAT(FieldSelector::Parse(row.text),
                StatusIs(absl::StatusCode::kInvalidArgument, row.message));
  }
}

TEST(FieldSelectorTest, Matches) {
  const std::map<std::string, std::string> object = {{"metadata.name", "a"},
                                                     {"metadata.namespace", "ns"}};
  const auto get = [&](const std::string& path) { return object.at(path); };
  const struct {
    const char* text;
    bool matches;
  } rows[] = {
      {"", true},
      {"metadata.name=a", true},
      {"metadata.name=b", false},
      {"metadata.name!=b", true},
      {"metadata.name!=a", false},
      {"metadata.name=a,metadata.namespace=ns", true},
      {"metadata.name=a,metadata.namespace=other", false},
      {"metadata.name=a,metadata.name=b", false},
      {"metadata.name=", false},
  };
  for (const auto& row : rows) {
    SCOPED_TRACE(row.text);
    ASSERT_OK_AND_ASSIGN(const FieldSelector selector, FieldSelector::Parse(row.text));
    EXPECT_EQ(selector.Matches(get), row.matches);
  }
}

TEST(FieldSelectorTest, RequiredValue) {
  ASSERT_OK_AND_ASSIGN(const FieldSelector selector, FieldSelector::Parse("a!=1,b=2,b=3"));
  EXPECT_EQ(selector.RequiredValue("a"), nullptr);
  EXPECT_EQ(selector.RequiredValue("c"), nullptr);
  ASSERT_NE(selector.RequiredValue("b"), nullptr);
  EXPECT_EQ(*selector.RequiredValue("b"), "2");
}

}  // namespace
}  // namespace steward::kube
