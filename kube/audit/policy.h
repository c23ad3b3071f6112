// A Policy of audit.k8s.io/v1: which requests are recorded, and how much of them. Immutable.
#ifndef KUBE_AUDIT_POLICY_H_
#define KUBE_AUDIT_POLICY_H_

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "kube/audit/event.h"
#include "kube/meta/user_info.h"

namespace steward::audit {

// The attributes of a request that rules examine.
struct Attributes {
  const kube::UserInfo* user =
      nullptr;  // null: not authenticated, so no rule with users or groups fits
  std::string_view verb;
  const ObjectReference* object = nullptr;  // null: the request is for a path
  std::string_view path;                    // decoded, without the query
};

struct PolicyDecision {
  Level level = Level::kNone;
  bool omit_managed_fields = false;

  bool Omits(Stage stage) const { return (omitted_stages >> static_cast<int>(stage) & 1) != 0; }
  uint8_t omitted_stages = 0;  // one bit each
};

// Rules as the kube-apiserver reads them, so that its policy file works here, too
// (k8s.io/apiserver/pkg/audit/policy), with two differences: responses are never recorded, so
// RequestResponse means Request; and an unknown field is an error, since a rule with a misspelt
// field would fit more than intended.
class Policy {
 public:
  // Parses YAML or JSON of at most 1 MiB. kInvalidArgument or kResourceExhausted with one sentence
  // that names the field.
  static absl::StatusOr<Policy> Parse(std::string_view text);

  // The decision of the first rule that fits; level None when none does.
  PolicyDecision Decide(const Attributes& attributes) const;

  // True when some rule asks for RequestResponse.
  bool wants_responses() const { return wants_responses_; }

 private:
  friend class PolicyReader;
  struct Resources {
    std::string group;  // "" = the core group, "*" = all
    std::vector<std::string> resources;
    std::vector<std::string> names;
    bool Fits(const ObjectReference& object) const;
  };
  struct Rule {
    PolicyDecision decision;
    // Empty = any.
    std::vector<std::string> users;
    std::vector<std::string> groups;
    std::vector<std::string> verbs;
    std::vector<Resources> resources;
    std::vector<std::string> namespaces;
    std::vector<std::string> paths;
    bool Fits(const Attributes& attributes) const;
    bool FitsObject(const ObjectReference& object) const;
  };

  std::vector<Rule> rules_;
  bool wants_responses_ = false;
};

}  // namespace steward::audit

#endif  // KUBE_AUDIT_POLICY_H_
