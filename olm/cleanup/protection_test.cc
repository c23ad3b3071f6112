#include "olm/cleanup/protection.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <boost/json/parse.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "absl/time/time.h"
#include "base/text/str_cat.h"
#include "kube/meta/uuid.h"
#include "olm/cleanup/names.h"

namespace steward::olm {
namespace {

using ::testing::HasSubstr;

// The content of a policy or a binding, apart from its name.
struct Words {
  std::string failure = R"("Fail")";
  std::string operations;  // "" = those that the policy must control
  std::string match;       // more of the constraints
  std::string resources = R"("clusterserviceversions")";
  std::string rule;  // more of the rule
  // The policy on deletions looks at writes of the status, too.
  std::string status_rule =
      R"(,{"apiGroups":["operators.coreos.com"],"apiVersions":["v1alpha1"],)"
      R"("operations":["UPDATE"],"resources":["clusterserviceversions/status"]})";
  std::string validations = R"([{"expression":"false"}])";
  std::string meta = R"(,"uid":"u","generation":1,"creationTimestamp":"2026-01-01T00:00:00Z")";
};

std::string_view OperationsOf(std::string_view policy) {
  if (policy == kOptInPolicy) return R"("CREATE","UPDATE")";
  return policy == kUninstallPolicy ? R"("DELETE")" : R"("UPDATE")";
}

boost::json::object PolicyObject(std::string_view name, const Words& words = {}) {
  return boost::json::parse(
             StrCat(
                 R"({"metadata":{"name":")", name, R"(")", words.meta,
                 R"(},"spec":{"failurePolicy":)", words.failure,
                 R"(,"matchConstraints":{"resourceRules":[{"apiGroups":["operators.coreos.com"],)",
                 R"("apiVersions":["v1alpha1"],"operations":[)",
                 words.operations.empty() ? OperationsOf(name) : words.operations,
                 R"(],"resources":[)", words.resources, "]", words.rule, "}",
                 name == kUninstallPolicy ? words.status_rule : "", "]", words.match,
                 R"(},"validations":)", words.validations, "}}"))
      .as_object();
}

boost::json::object BindingObject(std::string_view policy, std::string_view actions = R"("Deny")",
                                  std::string_view more = "", std::string_view meta = "") {
  return boost::json::parse(
             StrCat(R"({"metadata":{"name":"b","uid":"b","generation":1,"resourceVersion":"7",)",
                    R"("creationTimestamp":)", R"("2026-01-01T00:00:05Z")", meta,
                    R"(},"spec":{"policyName":")", policy, R"(","validationActions":[)", actions,
                    "]", more, "}}"))
      .as_object();
}

const std::vector<std::string_view>& Names() {
  static const auto& names =
      *new std::vector<std::string_view>{kOptInPolicy, kUninstallPolicy, kCopiedFromPolicy};
  return names;
}

ProtectionPolicies All() {
  return {PolicyObject(kOptInPolicy), PolicyObject(kUninstallPolicy),
          PolicyObject(kCopiedFromPolicy)};
}

std::optional<boost::json::object>& Of(ProtectionPolicies& policies, std::string_view name) {
  if (name == kOptInPolicy) return policies.opt_in;
  return name == kUninstallPolicy ? policies.uninstall : policies.copied_from;
}

bool IsBound(const ProtectionFacts& facts, std::string_view name) {
  if (name == kOptInPolicy) return facts.opt_in.bound;
  return name == kUninstallPolicy ? facts.uninstall.bound : facts.copies_protected;
}

std::vector<boost::json::object> AllBindings() {
  return {BindingObject(kOptInPolicy), BindingObject(kUninstallPolicy),
          BindingObject(kCopiedFromPolicy)};
}

TEST(ProtectionTest, R_000_77_EachIsBoundByItself) {
  for (const std::string_view name : Names()) {
    ProtectionPolicies policies = All();
    Of(policies, name).reset();
    std::vector<boost::json::object> bindings;
    for (const std::string_view other : Names()) {
      if (other != name) bindings.push_back(BindingObject(other));
    }
    const ProtectionFacts complete = JudgeProtection(All(), AllBindings());
    for (const ProtectionFacts& facts :
         {JudgeProtection(policies, AllBindings()), JudgeProtection(All(), bindings)}) {
      for (const std::string_view other : Names()) {
        EXPECT_EQ(IsBound(facts, other), other != name) << name << " " << other;
        EXPECT_TRUE(IsBound(complete, other)) << other;
      }
    }
  }
}

TEST(ProtectionTest, Bound) {
  Words whole;
  whole.match = R"(,"namespaceSelector":{})";
  whole.operations = R"("*")";
  whole.resources = R"("*")";
  for (const std::string_view name : Names()) {
    ProtectionPolicies policies = All();
    Of(policies, name) = PolicyObject(name, whole);
    EXPECT_TRUE(IsBound(JudgeProtection(policies, {BindingObject(name, R"("Audit")"),
                                                   BindingObject(name, R"("Deny","Audit")")}),
                        name));
  }
}

TEST(ProtectionTest, NotBound) {
  struct Case {
    std::string name;
    Words words;
    std::string why;  // the reason for the first two
  };
  std::vector<Case> cases;
  const auto add = [&cases](std::string name, std::string why, auto change) {
    Case made{std::move(name), {}, std::move(why)};
    change(made.words);
    cases.push_back(std::move(made));
  };
  add("fails open", "fail closed", [](Words& words) { words.failure = R"("Ignore")"; });
  add("sees nothing", "does not look", [](Words& words) { words.operations = R"("CONNECT")"; });
  add("some labels", "does not look",
      [](Words& words) { words.match = R"(,"objectSelector":{"matchLabels":{"a":"b"}})"; });
  add("some namespaces", "does not look",
      [](Words& words) { words.match = R"(,"namespaceSelector":{"matchLabels":{"a":"b"}})"; });
  add("with exceptions", "does not look", [](Words& words) {
    words.match = R"(,"excludeResourceRules":[{"resources":["clusterserviceversions"]}])";
  });
  add("one name", "does not look",
      [](Words& words) { words.rule = R"(,"resourceNames":["one"])"; });
  add("other resources", "does not look",
      [](Words& words) { words.resources = R"("subscriptions")"; });
  add("of the cluster", "does not look",
      [](Words& words) { words.rule = R"(,"scope":"Cluster")"; });
  add("going", "being deleted", [](Words& words) { words.meta = R"(,"deletionTimestamp":"T")"; });
  for (const char* nothing : {"[]", "null"}) {
    add(StrCat("validates ", nothing), "validates nothing",
        [nothing](Words& words) { words.validations = nothing; });
  }
  for (const std::string_view name : Names()) {
    for (const Case& test : cases) {
      SCOPED_TRACE(StrCat(name, " ", test.name));
      ProtectionPolicies policies = All();
      Of(policies, name) = PolicyObject(name, test.words);
      const ProtectionFacts facts = JudgeProtection(policies, AllBindings());
      EXPECT_FALSE(IsBound(facts, name));
      if (name == kCopiedFromPolicy) continue;
      const PolicyFacts& judged = name == kOptInPolicy ? facts.opt_in : facts.uninstall;
      EXPECT_THAT(judged.why_not, HasSubstr(test.why));
    }
    for (const boost::json::object& binding :
         {BindingObject(name, R"("Warn")"),
          BindingObject(name, R"("Deny")", R"(,"paramRef":{"name":"p"})"),
          BindingObject(name, R"("Deny")",
                        R"(,"matchResources":{"namespaceSelector":{"matchLabels":{"a":"b"}}})"),
          BindingObject("other"),
          BindingObject(name, R"("Deny")", "", R"(,"deletionTimestamp":"T")")}) {
      EXPECT_FALSE(IsBound(JudgeProtection(All(), {binding}), name)) << name;
    }
  }
}

// Opting in can be a create or an update.
TEST(ProtectionTest, R_000_74_HalfOfTheWritesIsNotEnough) {
  for (const char* operations : {R"("CREATE")", R"("UPDATE")", R"("UPDATE","DELETE")"}) {
    ProtectionPolicies policies = All();
    Words words;
    words.operations = operations;
    policies.opt_in = PolicyObject(kOptInPolicy, words);
    EXPECT_FALSE(JudgeProtection(policies, AllBindings()).opt_in.bound) << operations;
  }
}

// OLM deletes by the phase that others write. "*" has no subresources among it.
TEST(ProtectionTest, R_000_77_WritesOfTheStatus) {
  const std::pair<const char*, bool> rows[] = {
      {R"("clusterserviceversions/status")", true},
      {R"("clusterserviceversions/*")", true},
      {R"("*/status")", true},
      {R"("*/*")", true},
      {R"("*")", false},
      {R"("clusterserviceversions")", false},
      {R"("subscriptions/status")", false},
      {R"("clusterserviceversions/scale")", false},
      {"", false},
  };
  for (const auto& [resources, bound] : rows) {
    SCOPED_TRACE(resources);
    Words words;
    words.status_rule = StrCat(R"(,{"apiGroups":["operators.coreos.com"],"apiVersions":["*"],)",
                               R"("operations":["UPDATE"],"resources":[)", resources, "]}");
    ProtectionPolicies policies = All();
    policies.uninstall = PolicyObject(kUninstallPolicy, words);
    const PolicyFacts facts = JudgeProtection(policies, AllBindings()).uninstall;
    EXPECT_EQ(facts.bound, bound);
    EXPECT_THAT(facts.why_not, bound ? HasSubstr("") : HasSubstr("every write of the status"));
  }
}

// Else an older binding that somebody added would void every opt-in, and kubectl steward, which
// reads the one of the policy's name, would write another proof than the controllers want.
TEST(ProtectionTest, R_000_76_TheBindingOfThePolicysNameCounts) {
  std::vector<boost::json::object> bindings = AllBindings();
  const std::string other = JudgeProtection(All(), bindings).opt_in.proof;
  boost::json::object named = bindings[0];
  named.at("metadata").as_object()["name"] = kOptInPolicy;
  named.at("metadata").as_object()["uid"] = "named";
  named.at("metadata").as_object()["creationTimestamp"] = "2026-02-01T00:00:00Z";
  const std::string proof = JudgeProtection(All(), {named}).opt_in.proof;
  EXPECT_NE(proof, other);
  EXPECT_EQ(JudgeProtection(All(), {named, bindings[0]}).opt_in.proof, proof);
  EXPECT_EQ(JudgeProtection(All(), {bindings[0], named}).opt_in.proof, proof);
}

// R-000-76: these facts identify a confirmation, and an opt-in from before the policy.
TEST(ProtectionTest, R_000_76_AProofIsOfOnePolicyBoundByOneBinding) {
  const auto proof = [](const std::string& policy, const std::string& binding) {
    ProtectionPolicies policies = All();
    policies.opt_in->at("metadata").as_object()["uid"] = policy;
    std::vector<boost::json::object> bindings = AllBindings();
    boost::json::object& metadata = bindings[0].at("metadata").as_object();
    metadata["uid"] = binding.substr(0, binding.find('/'));
    metadata["resourceVersion"] = binding.substr(binding.find('/') + 1);
    return JudgeProtection(policies, bindings).opt_in.proof;
  };
  const std::string before = proof("u", "b/1");
  EXPECT_EQ(before.size(), 36u);
  EXPECT_EQ(before, proof("u", "b/1"));
  EXPECT_NE(before, proof("newer", "b/1"));
  EXPECT_NE(before, proof("u", "newer/1"));  // for a while the policy was not bound
  EXPECT_NE(before, proof("u", "b/2"));      // or the binding denied nothing
  EXPECT_EQ(proof("", "b/1"), "");
  EXPECT_EQ(proof("u", "/1"), "");
  EXPECT_EQ(proof("u", "b/"), "");
  EXPECT_EQ(JudgeProtection(All(), {}).opt_in.proof, "");
}

TEST(ProtectionTest, R_000_76_SaysWhichPolicySinceWhen) {
  const PolicyFacts facts = JudgeProtection(All(), AllBindings()).opt_in;
  EXPECT_EQ(facts.proof, kube::UuidV5("u", "b/7"));
  EXPECT_EQ(facts.since,
            absl::FromCivil(absl::CivilSecond(2026, 1, 1, 0, 0, 5), absl::UTCTimeZone()));

  ProtectionPolicies edited = All();
  Words words;
  words.meta = R"(,"uid":"u","generation":2,"creationTimestamp":"2026-01-01T00:00:00Z")";
  edited.opt_in = PolicyObject(kOptInPolicy, words);
  EXPECT_NE(JudgeProtection(edited, AllBindings()).opt_in.revision, facts.revision);
  std::vector<boost::json::object> bindings = AllBindings();
  bindings[0].at("metadata").as_object()["generation"] = 2;
  EXPECT_NE(JudgeProtection(All(), bindings).opt_in.revision, facts.revision);

  // The last write counts, too: the policy may have admitted everything until then. A write of its
  // status does not count.
  words.meta =
      R"(,"uid":"u","generation":3,"creationTimestamp":"2026-01-01T00:00:00Z","managedFields":[)"
      R"({"manager":"kubectl","operation":"Apply","time":"2026-01-01T00:00:00Z"},)"
      R"({"manager":"somebody","operation":"Update","time":"2026-01-02T00:00:00Z"},)"
      R"({"manager":"kcm","operation":"Update","subresource":"status","time":"2026-01-03T00:00:00Z"}])";
  edited.opt_in = PolicyObject(kOptInPolicy, words);
  EXPECT_EQ(JudgeProtection(edited, AllBindings()).opt_in.since,
            absl::FromCivil(absl::CivilSecond(2026, 1, 2), absl::UTCTimeZone()));

  words.meta = R"(,"uid":"u","creationTimestamp":"soon")";
  edited.opt_in = PolicyObject(kOptInPolicy, words);
  EXPECT_EQ(JudgeProtection(edited, AllBindings()).opt_in.since, absl::InfiniteFuture());
}

}  // namespace
}  // namespace steward::olm
