#include "plugin/payload/preview.h"

#include <boost/json/array.hpp>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/str_join.h"
#include "base/status/macros.h"
#include "base/text/str_cat.h"
#include "payload/payload_folder.h"
#include "payload/payload_pass.h"
#include "payload/payload_preview.h"
#include "plugin/payload/payload_source.h"
#include "plugin/payload/preview_text.h"
#include "plugin/terminal/terminal.h"
#include "plugin/terminal/words.h"

namespace steward::plugin {
namespace json = boost::json;
namespace {

void Show(Session& session, const payload::Preview& preview,
          const std::vector<PreviewedLine>& lines) {
  for (const std::string& each : preview.notes) session.terminal.Note(each, Style::kFaint);
  session.document["notes"] = json::array(preview.notes.begin(), preview.notes.end());
  std::map<std::string, size_t> counts;
  json::array objects;
  for (const PreviewedLine& line : lines) {
    session.terminal.Line(line.ToString(), line.style());
    objects.push_back(line.ToJson());
    ++counts[line.action];
  }
  session.document["objects"] = std::move(objects);
  session.document["version"] = preview.version;
  session.document["state"] = NameOf(preview.state);
  session.document["preconditions"] =
      json::array(preview.preconditions.begin(), preview.preconditions.end());
  for (const std::string& each : preview.preconditions) {
    session.terminal.Line(StrCat("the update may not begin: ", each), Style::kBad);
  }
  std::vector<std::pair<std::string, size_t>> ordered;
  for (const char* each :
       {"create", "update", "unchanged", "delete", "kept", "refused", "left out"}) {
    ordered.emplace_back(each, counts[each]);
  }
  session.terminal.Line(Summary(preview.version, preview.state, ordered));
}

class PreviewCommand : public PayloadCommand {
 protected:
  StatusTask Work(Session& session, const payload::PassDeps& deps, const payload::Release& release,
                  const payload::PayloadOptions& options) override {
    CO_ASSIGN_OR_RETURN(const payload::Preview preview,
                        co_await payload::MakePreview(deps, release, options));
    CO_RETURN_IF_ERROR(RefuseFaults(session, preview.faults));
    Show(session, preview, LinesOf(release, preview));
    int64_t refused = 0;
    for (const payload::PreviewedObject& each : preview.objects) {
      if (each.action == payload::PreviewAction::kRefused) ++refused;
    }
    std::vector<std::string> why;
    if (refused > 0) why.push_back(StrCat(CountText(refused, "object"), " would be refused"));
    if (!preview.preconditions.empty()) why.emplace_back("the update may not begin");
    if (why.empty()) co_return absl::OkStatus();
    co_return absl::FailedPreconditionError(absl::StrJoin(why, ", and "));
  }
};

}  // namespace

KnownCommand KnownPayloadPreview() {
  return {.name = "preview",
          .description = "Say what applying a payload would create, change and delete",
          .report = "PayloadPreview",
          .examples = {{"Show what an update would change", "payload preview ./release-manifests"}},
          .make = [] { return std::make_unique<PreviewCommand>(); }};
}

}  // namespace steward::plugin
