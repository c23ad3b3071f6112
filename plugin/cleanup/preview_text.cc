// The text form of a preview.
#include <algorithm>
#include <boost/json/array.hpp>
#include <utility>

#include "absl/strings/str_join.h"
#include "base/text/str_cat.h"
#include "plugin/cleanup/preview.h"

namespace steward::plugin {
namespace {

namespace json = boost::json;

using Row = Terminal::Row;

constexpr size_t kShownNamespaces = 6;

Row Plain(std::string text) { return {{std::move(text), Style::kPlain}}; }

// The namespaces of the operands: "3 in a, 1 in b and 12 in 4 more namespaces".
std::string Places(const CrdCount& crd) {
  std::string text;
  size_t shown = 0;
  int64_t left = crd.pending();
  for (const auto& [ns, count] : crd.to_delete) {
    if (ns.empty()) return StrCat(count, ", cluster-scoped");
    if (shown == kShownNamespaces) break;
    StrAppend(&text, shown == 0 ? "" : ", ", count, " in ", ns);
    left -= count;
    ++shown;
  }
  if (left > 0) {
    const size_t more = crd.to_delete.size() - shown;
    StrAppend(&text, " and ", left, " in ", more, " more namespace", more == 1 ? "" : "s");
  }
  return text;
}

size_t WidthOf(const std::vector<CrdCount>& crds) {
  size_t width = 0;
  for (const CrdCount& crd : crds) width = std::max(width, crd.crd.size());
  return width;
}

std::string Padded(const std::string& text, size_t width) {
  return text + std::string(width > text.size() ? width - text.size() : 0, ' ');
}

void AddDeleted(const Preview& preview, const std::string& saving, std::vector<Row>& rows) {
  const OperandCounts& counts = *preview.operands;
  rows.push_back(
      {{"Deleted by Steward, while the operator can still finish them:", Style::kStrong}});
  if (counts.pending() == 0) rows.push_back(Plain("  no custom resources: there are none"));
  for (const CrdCount& crd : counts.crds) {
    if (crd.pending() == 0) continue;
    rows.push_back(
        {{StrCat("  ", Padded(crd.crd, WidthOf(counts.crds)), "  ", Places(crd)), Style::kBad}});
  }
  if (counts.pending() > 0) rows.push_back(Plain(StrCat("  ", saving)));
}

void AddKept(const Preview& preview, std::vector<Row>& rows) {
  std::vector<Row> kept;
  if (!preview.operands.has_value()) {
    kept.push_back(Plain(StrCat("  all custom resources (", preview.why_uncounted, ")")));
  } else {
    const size_t width = WidthOf(preview.operands->crds);
    for (const CrdCount& crd : preview.operands->crds) {
      const int64_t count = crd.kept + (preview.opt_in_change.deletes_operands ? 0 : crd.pending());
      if (count > 0) {
        const std::string why =
            preview.opt_in_change.deletes_operands ? StrCat(": ", crd.why_kept) : std::string();
        kept.push_back(Plain(StrCat("  ", Padded(crd.crd, width), "  ", count, why)));
      }
      if (!crd.kept_known) {
        kept.push_back(Plain(
            StrCat("  ", Padded(crd.crd, width), "  in other namespaces, which you may not list")));
      }
    }
  }
  if (kept.empty()) return;
  rows.push_back({{"Kept:", Style::kStrong}});
  rows.insert(rows.end(), kept.begin(), kept.end());
}

void AddRelated(const Preview& preview, std::vector<Row>& rows) {
  std::vector<Row> deleted, kept;
  for (const RelatedObject& object : preview.related) {
    if (!object.kept()) {
      deleted.push_back(Plain(StrCat("  ", Describe(object))));
      continue;
    }
    kept.push_back(
        {{StrCat("  ", Describe(object), ": it also installs ",
                 absl::StrJoin(object.also_installs, ", "),
                 ". Unless it is deleted, it can install ", preview.csv.facts.key.name, " again"),
          Style::kWarning}});
  }
  if (!deleted.empty()) {
    rows.push_back({{"Deleted, so that OLM does not install it again:", Style::kStrong}});
    rows.insert(rows.end(), deleted.begin(), deleted.end());
  }
  if (!kept.empty()) {
    rows.push_back({{"Kept for other operators:", Style::kStrong}});
    rows.insert(rows.end(), kept.begin(), kept.end());
  }
}

std::string WhyKeepsAll(const Preview& preview) {
  if (preview.opt_in_change.opt_out) return "--keep: the opt-in to cleanup is removed first.";
  if (!preview.csv.facts.cleanup_enabled) {
    return "The author does not say that the operator cleans up (spec.cleanup.enabled).";
  }
  return "Nobody opted in to cleanup; --cleanup does.";
}

}  // namespace

std::vector<Row> PreviewRows(const Preview& preview, const std::string& saving, bool refused) {
  const olm::CsvFacts& facts = preview.csv.facts;
  std::string title = preview.csv.display_name;
  if (!preview.csv.version.empty()) {
    StrAppend(&title, title.empty() ? "" : " ", preview.csv.version);
  }
  std::vector<Row> rows;
  rows.push_back({{StrCat("ClusterServiceVersion ", facts.key.ns, "/", facts.key.name,
                          title.empty() ? "" : StrCat(" (", title, ")"),
                          facts.deleting() ? ", which is being deleted already" : ""),
                   Style::kStrong}});
  if (refused) {
    rows.push_back({{"It is refused: nothing is deleted or changed.", Style::kBad}});
  } else if (preview.opt_in_change.deletes_operands) {
    AddDeleted(preview, saving, rows);
  } else {
    rows.push_back(Plain(StrCat("No custom resource is deleted. ", WhyKeepsAll(preview))));
  }
  if (!refused) {
    AddKept(preview, rows);
    AddRelated(preview, rows);
  }
  const std::vector<CleanupStatus::Blocker> blockers = preview.Blockers();
  if (!blockers.empty()) {
    rows.push_back({{"What stands against it:", Style::kStrong}});
    for (const CleanupStatus::Blocker& blocker : blockers) {
      rows.push_back({{StrCat("  ", DescribeBlocker(blocker)), Style::kWarning}});
    }
  }
  return rows;
}

json::object PreviewJson(const Preview& preview) {
  const olm::CsvFacts& facts = preview.csv.facts;
  json::array definitions;
  if (preview.operands.has_value()) {
    for (const CrdCount& crd : preview.operands->crds) {
      const bool deletes = preview.opt_in_change.deletes_operands;
      json::object namespaces;
      for (const auto& [ns, count] : crd.to_delete) {
        if (deletes && !ns.empty()) namespaces[ns] = count;
      }
      definitions.push_back({{"name", crd.crd},
                             {"deleted", deletes ? crd.pending() : 0},
                             {"deletedByNamespace", std::move(namespaces)},
                             {"kept", crd.kept + (deletes ? 0 : crd.pending())},
                             {"keptIsComplete", crd.kept_known}});
    }
  }
  json::array related, kept;
  for (const RelatedObject& object : preview.related) {
    json::object entry = {{"kind", object.kind},
                          {"namespace", object.name.ns},
                          {"name", object.name.name},
                          {"uid", object.uid}};
    if (object.kept()) {
      entry["alsoInstalls"] = json::array(object.also_installs.begin(), object.also_installs.end());
    }
    (object.kept() ? kept : related).push_back(std::move(entry));
  }
  json::array blockers;
  for (const CleanupStatus::Blocker& blocker : preview.Blockers()) {
    blockers.push_back({{"reason", blocker.reason},
                        {"message", blocker.message},
                        {"objects", json::array(blocker.objects.begin(), blocker.objects.end())},
                        {"objectsElsewhere", blocker.elsewhere}});
  }
  return {{"phase", preview.status.phase},
          {"cleanupEnabled", facts.cleanup_enabled},
          {"optedIn", preview.status.opted_in},
          {"deleting", facts.deleting()},
          {"operands", preview.opt_in_change.deletes_operands ? "Delete" : "Keep"},
          {"definitions", std::move(definitions)},
          {"related", std::move(related)},
          {"keptRelated", std::move(kept)},
          {"blockers", std::move(blockers)}};
}

}  // namespace steward::plugin
