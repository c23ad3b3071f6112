// The claims of a ClusterServiceVersion that has OLM's label of copies, and their proof. Values and
// pure functions.
#ifndef OLM_CLEANUP_COPY_CLAIMS_H_
#define OLM_CLEANUP_COPY_CLAIMS_H_

#include <compare>
#include <optional>
#include <set>
#include <string>

#include "kube/meta/names.h"
#include "olm/csv_facts.h"

namespace steward::olm {

// What a copy says about its original and the definitions. Thousands of copies of one original have
// equal claims.
struct CopyClaims {
  kube::NamespacedName original;  // the label's namespace, and the copy's own name
  std::set<std::string> owned_crds;
  std::set<std::string> required_crds;
  std::string replaces;

  auto operator<=>(const CopyClaims&) const = default;
};

// The claims of `csv`; nullopt when it lacks the label.
std::optional<CopyClaims> ClaimsOf(const CsvFacts& csv);

// True when the copy is proven: its original exists and owns and requires no less. A proven copy
// does not count as an operator, because the original represents everything that the copy does
// (R-000-85). The copy's status is not considered: OLM writes it a moment after the copy itself.
// REQUIRES: `original` is the object that `copy.original` names, and does not have the label of
// copies.
bool Proves(const CsvFacts& original, const CopyClaims& copy);

// The facts of a copy by which other operators are judged: the definitions it owns and requires,
// and the name it replaces.
CsvFacts FactsOf(const kube::NamespacedName& copy, const CopyClaims& claims);

}  // namespace steward::olm

#endif  // OLM_CLEANUP_COPY_CLAIMS_H_
