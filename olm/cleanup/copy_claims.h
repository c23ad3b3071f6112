// The claims of a ClusterServiceVersion with OLM's label of copies, and the proof of them. Values
// and pure functions.
#ifndef OLM_CLEANUP_COPY_CLAIMS_H_
#define OLM_CLEANUP_COPY_CLAIMS_H_

#include <compare>
#include <optional>
#include <set>
#include <string>

#include "kube/meta/names.h"
#include "olm/csv_facts.h"

namespace steward::olm {

// Thousands of copies of one original make the same claims.
struct CopyClaims {
  kube::NamespacedName original;  // the label's namespace, and the copy's own name
  std::set<std::string> owned_crds;
  std::set<std::string> required_crds;
  std::string replaces;

  auto operator<=>(const CopyClaims&) const = default;
};

// The claims of `csv`; nullopt when it lacks the label.
std::optional<CopyClaims> ClaimsOf(const CsvFacts& csv);

// True when the copy is proven, and so does not count as an operator: its original exists and owns
// and requires no less, so that whatever the copy represents, the original represents, too
// (R-000-85). The copy's status is not considered: OLM writes it a moment after the copy itself.
// REQUIRES: `original` is the object that `copy.original` names, and has no such label itself.
bool Proves(const CsvFacts& original, const CopyClaims& copy);

// The facts of a copy by which other operators are judged: the definitions it owns and requires,
// and the name it replaces.
CsvFacts FactsOf(const kube::NamespacedName& copy, const CopyClaims& claims);

}  // namespace steward::olm

#endif  // OLM_CLEANUP_COPY_CLAIMS_H_
