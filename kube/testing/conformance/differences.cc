#include "kube/testing/conformance/differences.h"

namespace steward::kube::conformance {
namespace {

constexpr const char* kParameters =
    "which parameters go together is checked where requests are read (apiserver/rest)";

}  // namespace

const std::vector<Difference>& EmbeddedDifferences() {
  static const std::vector<Difference>& differences = *new std::vector<Difference>{
      {"Patch.JsonPatch", "RFC 6902 is not implemented: nothing of ours sends it"},
      {"Patch.Apply", "server-side apply is not implemented: no managedFields are kept"},
      {"List.ContinuationHasItsNumber", kParameters},
      {"List.ImpossibleMatches", kParameters},
      {"Watch.FutureNumberWaits",
       "refused with 504: nobody else writes to the store, so the number is another store's"},
      {"Watch.NoNumber", "400 as for a list: the 500 of a kube-apiserver helps nobody"},
      {"Watch.NumberBeforeTheDefinitionExpires",
       "the history goes back to the beginning until it is compacted"},
      {"Definition.NamespacedNeedsANamespace",
       "400: over HTTP there is no path for it, and the store refuses it on its own account"},
  };
  return differences;
}

}  // namespace steward::kube::conformance
