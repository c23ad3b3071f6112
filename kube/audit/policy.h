// Which requests are recorded, and how much of them: a Policy of audit.k8s.io/v1.
#ifndef KUBE_AUDIT_POLICY_H_
#define KUBE_AUDIT_POLICY_H_

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "kube/audit/event.h"

namespace steward::audit {

// What rules look at.
struct Attributes {
  const User* user =
      nullptr;  // null: nobody was authenticated, so no rule with users or groups fits
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

// Rules as the kube-apiserver reads them, so that its policy file serves here, too
// (k8s.io/apiserver/pkg/audit/policy), with two differences: nothing is recorded of responses, so
// RequestResponse means Request; and a field that is not known is an error, since a rule with a
// misspelt one fits more than was meant. Immutable.
class Policy {
 public:
  // Reads YAML or JSON of at most 1 MiB. kInvalidArgument or kResourceExhausted with one sentence
  // that names the field.
  static absl::StatusOr<Policy> Parse(std::string_view text);

  // By the first rule that fits; without one nothing is recorded.
  PolicyDecision Decide(const Attributes& attributes) const;

  // Whether some rule asks for RequestResponse.
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
