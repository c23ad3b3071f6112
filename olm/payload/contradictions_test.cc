#include "olm/payload/contradictions.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <boost/json/parse.hpp>
#include <string>
#include <utility>
#include <vector>

#include "base/text/str_cat.h"

namespace steward::olm {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

// A manifest: its place, its object, and its annotations.
struct Written {
  std::string where;
  std::string kind;
  std::string ns;
  std::string name;
  std::string annotations;
};

constexpr char kDeletes[] = R"("release.openshift.io/delete":"true")";
std::string For(const std::string& profile, const std::string& more = "") {
  return StrCat(R"("include.release.openshift.io/)", profile, R"(":"true")", more);
}
std::string Sets(const std::string& sets) {
  return StrCat(R"(,"release.openshift.io/feature-set":")", sets, "\"");
}
std::string Gates(const std::string& gates) {
  return StrCat(R"(,"release.openshift.io/feature-gate":")", gates, "\"");
}

std::vector<PayloadManifest> Read(const std::vector<Written>& written) {
  std::vector<PayloadDocument> documents;
  for (const Written& each : written) {
    const std::string ns = each.ns.empty() ? "" : StrCat(R"("namespace":")", each.ns, "\",");
    const std::string version = each.kind == "Project" ? "project.openshift.io/v1" : "v1";
    documents.push_back(
        {each.where, each.where,
         boost::json::parse(StrCat(R"({"apiVersion":")", version, R"(","kind":")", each.kind,
                                   R"(","metadata":{)", ns, R"("name":")", each.name,
                                   R"(","annotations":{)", each.annotations, "}}}"))
             .as_object()});
  }
  Payload payload = ReadPayload(std::move(documents));
  EXPECT_THAT(payload.faults, IsEmpty());
  return std::move(payload.manifests);
}

std::vector<std::string> Texts(const std::vector<PayloadFault>& faults) {
  std::vector<std::string> texts;
  for (const PayloadFault& each : faults) texts.push_back(StrCat(each.where, ": ", each.what));
  return texts;
}

// R-003-34, 55: all at once, in the payload's order.
TEST(ContradictionsTest, R_003_34_OneObjectTwice) {
  const auto faults = Texts(ContradictionsAmong(Read({{"a", "ConfigMap", "n", "x", kDeletes},
                                                      {"b", "ConfigMap", "n", "y", ""},
                                                      {"c", "ConfigMap", "n", "x", ""},
                                                      {"d", "ConfigMap", "n", "z", ""},
                                                      {"e", "ConfigMap", "n", "z", ""},
                                                      {"f", "ConfigMap", "m", "z", ""}})));
  EXPECT_THAT(faults, ElementsAre("c: ConfigMap \"n/x\" is applied here, and deleted by a",
                                  "e: ConfigMap \"n/z\" is applied here, and applied by d"));
}

// Case 52: identity follows storage.
TEST(ContradictionsTest, OneObjectByTwoGroups) {
  EXPECT_THAT(Texts(ContradictionsAmong(
                  Read({{"a", "Project", "", "x", kDeletes}, {"b", "Namespace", "", "x", ""}}))),
              ElementsAre("b: Namespace \"x\" is applied here, and deleted by a"));
}

TEST(ContradictionsTest, AnObjectInANamespaceThatIsDeleted) {
  EXPECT_THAT(Texts(ContradictionsAmong(Read({{"a", "ConfigMap", "x", "first", ""},
                                              {"b", "Namespace", "", "x", kDeletes},
                                              {"c", "ConfigMap", "x", "gone", kDeletes},
                                              {"d", "ConfigMap", "y", "other", ""}}))),
              ElementsAre("a: ConfigMap \"x/first\" is applied in a namespace that b deletes"));
}

// Case 46: what no cluster takes together is no contradiction.
TEST(ContradictionsTest, R_003_34_OnlyWhereOneClusterTakesBoth) {
  struct Case {
    std::string one;
    std::string other;
    std::string where;  // the end of the fault; "-" = none
  };
  const std::string both = For("p", StrCat(",", For("q")));
  for (const Case& tc : std::vector<Case>{
           {For("p"), For("q"), "-"},
           {For("p"), For("p"), "by a, for the profile p and the feature set Default"},
           {both, For("q"), "by a, for the profile q and the feature set Default"},
           {both, both, "by a"},
           {For("p", Sets("Default")), For("p", Sets("Tech,Dev")), "-"},
           {For("p", Sets("Default,Tech")), For("p", Sets("Tech,Dev")),
            "by a, for the profile p and the feature set Tech"},
           {For("p", Gates("A")), For("p", Gates("-A")), "-"},
           {For("p", Gates("A")), For("p", Gates("B")),
            "by a, for the profile p and the feature set Default"},
           {For("p", Gates("A")), For("p", Gates("-B")),
            "by a, for the profile p and the feature set Default"},
           {"", "", "by a, for no profile and the feature set Default"},
       }) {
    // Two manifests tell the profiles apart in every case but the last.
    std::vector<Written> written = {{"a", "ConfigMap", "n", "x", tc.one},
                                    {"b", "ConfigMap", "n", "x", tc.other}};
    if (!tc.one.empty()) written.push_back({"c", "ConfigMap", "n", "y", both});
    ClusterChoices given;
    given.profile = tc.one.empty() ? "other" : "p";
    const auto faults = Texts(ContradictionsAnywhere(Read(written), given));
    if (tc.where == "-") {
      EXPECT_THAT(faults, IsEmpty()) << tc.one << " " << tc.other;
    } else {
      EXPECT_THAT(faults, ElementsAre(::testing::EndsWith(tc.where))) << tc.one << " " << tc.other;
    }
  }
}

// Case 52, and a release's manifest without annotations, which no cluster takes.
TEST(ContradictionsTest, NamespacesThatKindsNeed) {
  const std::vector<PayloadManifest> manifests = Read({{"a", "ConfigMap", "", "x", For("p")},
                                                       {"b", "Secret", "", "x", For("q")},
                                                       {"c", "ServiceAccount", "", "x", ""},
                                                       {"d", "Thing", "", "x", For("p")}});
  ClusterChoices given;
  given.profile = "p";
  EXPECT_THAT(
      Texts(ContradictionsAnywhere(manifests, given)),
      ElementsAre("a: ConfigMap \"x\": objects of its kind lie in a namespace; it names none",
                  HasSubstr("b: Secret \"x\"")));
  EXPECT_THAT(Texts(ContradictionsAmong({manifests[2], manifests[3]})),
              ElementsAre(HasSubstr("c: ServiceAccount \"x\"")));
}

TEST(ContradictionsTest, TooManyClustersAreAFault) {
  std::vector<Written> written;
  for (int i = 0; i < 300; ++i) {
    written.push_back({"a", "ConfigMap", "n", StrCat("x", i), For(StrCat("p", i))});
  }
  EXPECT_THAT(Texts(ContradictionsAnywhere(Read(written), {})),
              ElementsAre(HasSubstr("more than 256 clusters")));
}

}  // namespace
}  // namespace steward::olm
