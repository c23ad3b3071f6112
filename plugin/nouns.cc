#include "plugin/nouns.h"

#include "plugin/bundle/install.h"
#include "plugin/bundle/lint.h"
#include "plugin/bundle/steps.h"
#include "plugin/payload/apply.h"
#include "plugin/payload/lint.h"
#include "plugin/payload/preflight.h"
#include "plugin/payload/preview.h"

namespace steward::plugin {

const std::vector<KnownCommand>& KnownNouns() {
  // Each noun has one line.
  static const auto& known = *new std::vector<KnownCommand>{
      {.name = "bundle",
       .description = "Bundles of operators, in their authors' folders",
       .commands = {KnownBundleLint(), KnownBundleSteps(), KnownBundleInstall()}},
      {.name = "payload",
       .description = "Payloads of releases, in a folder",
       .commands = {KnownPayloadLint(), KnownPayloadPreview(), KnownPayloadPreflight(),
                    KnownPayloadApply()}},
  };
  return known;
}

}  // namespace steward::plugin
