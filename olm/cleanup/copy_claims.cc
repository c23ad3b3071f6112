#include "olm/cleanup/copy_claims.h"

#include <algorithm>

namespace steward::olm {
namespace {

bool Includes(const std::set<std::string>& all, const std::set<std::string>& some) {
  return std::includes(all.begin(), all.end(), some.begin(), some.end());
}

}  // namespace

std::optional<CopyClaims> ClaimsOf(const CsvFacts& csv) {
  if (!csv.copied_from.has_value()) return std::nullopt;
  return CopyClaims{
      {*csv.copied_from, csv.key.name}, csv.owned_crds, csv.required_crds, csv.replaces};
}

bool Proves(const CsvFacts& original, const CopyClaims& copy) {
  return Includes(original.owned_crds, copy.owned_crds) &&
         Includes(original.required_crds, copy.required_crds);
}

CsvFacts FactsOf(const kube::NamespacedName& copy, const CopyClaims& claims) {
  CsvFacts facts;
  facts.key = copy;
  facts.copied_from = claims.original.ns;
  facts.owned_crds = claims.owned_crds;
  facts.required_crds = claims.required_crds;
  facts.replaces = claims.replaces;
  return facts;
}

}  // namespace steward::olm
