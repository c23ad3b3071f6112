// Label and field selectors: parsing and matching as Kubernetes does. Values without shared state.
#ifndef KUBE_META_SELECTOR_H_
#define KUBE_META_SELECTOR_H_

#include <boost/json/fwd.hpp>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "absl/base/attributes.h"
#include "absl/status/statusor.h"

namespace steward::kube {

using LabelMap = std::map<std::string, std::string, std::less<>>;

// A conjunction of requirements on labels. An empty one matches everything.
class LabelSelector {
 public:
  enum class Operator { kIn, kNotIn, kExists, kDoesNotExist, kGreaterThan, kLessThan };
  struct Requirement {
    std::string key;
    Operator op;
    std::vector<std::string> values;  // sorted; for kGreaterThan and kLessThan one decimal integer
    bool operator==(const Requirement&) const = default;
  };

  LabelSelector() = default;

  // Parses the query form: `a=b,c!=d,e in (f,g),h notin (i),j,!k,l>1,m<2`, also `==` and empty
  // values. Keys and values are validated; repeated ones count once. The error's message is
  // Kubernetes' for the same input ("unable to parse requirement: ..."), except for the limits,
  // which Kubernetes does not have.
  static absl::StatusOr<LabelSelector> Parse(std::string_view text);
  // Reads the object form, metav1.LabelSelector {matchLabels, matchExpressions}. An empty object
  // selects everything; the caller decides what a missing selector means.
  static absl::StatusOr<LabelSelector> FromJson(const boost::json::value& selector);

  // `!=` and `notin` also match where the key is absent.
  bool Matches(const LabelMap& labels) const;
  bool empty() const { return requirements_.empty(); }
  const std::vector<Requirement>& requirements() const { return requirements_; }
  // The canonical query form: requirements sorted by key; parses back to an equal selector.
  std::string ToString() const;

  bool operator==(const LabelSelector&) const = default;

 private:
  explicit LabelSelector(std::vector<Requirement> requirements);

  std::vector<Requirement> requirements_;  // sorted by key, operator, values
};

// A conjunction of `path = value` and `path != value` terms.
class FieldSelector {
 public:
  struct Term {
    std::string path;
    bool negated = false;
    std::string value;
    bool operator==(const Term&) const = default;
  };

  FieldSelector() = default;

  // Parses `k=v`, `k==v`, `k!=v` joined by commas; `\\`, `\,` and `\=` are escapes in values.
  // Repeated terms count once.
  static absl::StatusOr<FieldSelector> Parse(std::string_view text);

  bool empty() const { return terms_.empty(); }
  const std::vector<Term>& terms() const { return terms_; }
  // The value that `path` must equal; null when no term requires a value.
  const std::string* RequiredValue(std::string_view path) const ABSL_ATTRIBUTE_LIFETIME_BOUND;
  // `get(path)` returns the object's value at a path.
  template <typename Get>
  bool Matches(Get get) const {
    for (const Term& term : terms_) {
      if ((std::string_view(get(term.path)) == term.value) == term.negated) return false;
    }
    return true;
  }
  std::string ToString() const;

 private:
  std::vector<Term> terms_;  // sorted
};

}  // namespace steward::kube

#endif  // KUBE_META_SELECTOR_H_
