// What a ClusterServiceVersion with OLM's label of copies says of itself, and when it is believed.
// Values; pure.
#ifndef OLM_CLEANUP_COPY_CLAIMS_H_
#define OLM_CLEANUP_COPY_CLAIMS_H_

#include <compare>
#include <optional>
#include <set>
#include <string>

#include "kube/meta/names.h"
#include "olm/cleanup/csv_facts.h"

namespace steward::olm {

// Thousands of copies of one original say the same.
struct CopyClaims {
  kube::NamespacedName original;  // the label's namespace, and the copy's own name
  std::set<std::string> owned_crds;
  std::set<std::string> required_crds;
  std::string replaces;

  auto operator<=>(const CopyClaims&) const = default;
};

// nullopt when the label is not there.
std::optional<CopyClaims> ClaimsOf(const CsvFacts& csv);

// A copy is proven, and does not count, when its original is there and owns and requires no less:
// whatever the copy stands for, the original stands for, too (R-000-85). Its status is not asked
// for: OLM writes that a moment after the copy itself.
// REQUIRES: `original` is the object that `copy.original` names, and has no such label itself.
bool Proves(const CsvFacts& original, const CopyClaims& copy);

// The facts of a copy by which others are judged: what it owns, requires and replaces.
CsvFacts FactsOf(const kube::NamespacedName& copy, const CopyClaims& claims);

}  // namespace steward::olm

#endif  // OLM_CLEANUP_COPY_CLAIMS_H_
