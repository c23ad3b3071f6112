#include "controllers/copies/toggle_flags.h"

#include <string>
#include <vector>

#include "base/text/str_cat.h"
#include "kube/meta/names.h"

namespace steward::controllers {
namespace {

struct ToggleFlags {
  bool disable = false;
  std::vector<std::string> protected_namespaces;
};

}  // namespace

void AddToggleFlags(FlagAdder& adder, FlagValues& values) {
  auto& flags = values.Of<ToggleFlags>();
  adder.Switch(
      "--disable-copied-csvs", flags.disable,
      "Make no copies of operators for all namespaces, and delete those that exist, unless "
      "the OLMConfig \"cluster\" says otherwise");
  adder.List("--protected-copied-csv-namespaces", flags.protected_namespaces,
             "Namespaces that keep their copies even where copies are disabled");
}

absl::Status CheckToggleFlags(const FlagValues& values) {
  for (const std::string& ns : values.Get<ToggleFlags>().protected_namespaces) {
    if (kube::IsDns1123Label(ns)) continue;
    return absl::InvalidArgumentError(
        StrCat("--protected-copied-csv-namespaces: \"", ns, "\" is no name of a namespace"));
  }
  return absl::OkStatus();
}

CopyToggleDefaults ToggleDefaultsOf(const FlagValues& values) {
  const auto flags = values.Get<ToggleFlags>();
  CopyToggleDefaults defaults;
  defaults.disabled = flags.disable;
  defaults.protected_namespaces = {flags.protected_namespaces.begin(),
                                   flags.protected_namespaces.end()};
  return defaults;
}

}  // namespace steward::controllers
