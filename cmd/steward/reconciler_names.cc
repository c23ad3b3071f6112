#include "cmd/steward/reconciler_names.h"

#include <algorithm>

#include "absl/strings/str_join.h"
#include "base/text/str_cat.h"

namespace steward {

using controllers::KnownReconciler;

std::string NamesOf(const std::vector<KnownReconciler>& known) {
  return absl::StrJoin(known, ", ", [](std::string* text, const KnownReconciler& reconciler) {
    text->append(reconciler.options.name);
  });
}

absl::Status CheckReconcilerNames(const std::vector<std::string>& names,
                                  const std::vector<KnownReconciler>& known) {
  if (names.empty()) {
    return absl::InvalidArgumentError(
        StrCat("--reconcilers: name at least one of: ", NamesOf(known)));
  }
  for (const std::string& name : names) {
    const auto is_named = [&name](const KnownReconciler& k) { return k.options.name == name; };
    if (std::any_of(known.begin(), known.end(), is_named)) continue;
    return absl::InvalidArgumentError(
        StrCat("--reconcilers: there is no \"", name, "\"; known are: ", NamesOf(known)));
  }
  const auto are_given = [&names](const std::string& name) {
    return std::find(names.begin(), names.end(), name) != names.end();
  };
  for (const KnownReconciler& reconciler : known) {
    if (reconciler.needs.empty() || !are_given(reconciler.options.name)) continue;
    if (are_given(reconciler.needs)) continue;
    return absl::InvalidArgumentError(StrCat("--reconcilers: ", reconciler.options.name,
                                             " does nothing without ", reconciler.needs));
  }
  return absl::OkStatus();
}

}  // namespace steward
