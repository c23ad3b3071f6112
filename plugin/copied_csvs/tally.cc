#include "plugin/copied_csvs/tally.h"

#include <boost/json/array.hpp>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_join.h"
#include "base/text/str_cat.h"
#include "plugin/terminal/words.h"

namespace steward::plugin {
namespace {

namespace json = boost::json;

constexpr char kAllNamespaces[] = "AllNamespaces";

std::string_view ToString(Found::What what) {
  switch (what) {
    case Found::What::kDiffers:
      return "Differs";
    case Found::What::kOnlyCopy:
      return "OnlyCopy";
    case Found::What::kOnlyView:
      return "OnlyInstalledOperator";
  }
  return "Differs";
}

std::string ValueText(const std::string& value) { return value.empty() ? "nothing" : value; }

json::value ValueJson(const std::string& value) {
  return value.empty() ? json::value() : json::value(value);
}

// "1 copy", "2 copies".
std::string CopiesText(int64_t count) { return StrCat(count, count == 1 ? " copy" : " copies"); }

std::string_view Have(int64_t count) { return count == 1 ? " has" : " have"; }

void ShowToggle(Terminal& terminal, const Tally& tally, Copies copies) {
  if (copies == Copies::kOff) {
    terminal.Line(StrCat("Copies are turned off by the OLMConfig cluster: ",
                         CountText(tally.needs_none, "InstalledOperator"), Have(tally.needs_none),
                         " none, as it should be"));
    return;
  }
  if (tally.only_view == 0) return;
  if (copies == Copies::kUnknown) {
    terminal.Line(
        "You may not read the OLMConfig cluster, which says whether copies are turned off",
        Style::kWarning);
  } else if (copies == Copies::kNotUnderstood) {
    terminal.Line(kChoiceNotUnderstood, Style::kWarning);
  } else if (tally.copies == 0) {
    terminal.Line("There are no copies at all, though no OLMConfig turns them off",
                  Style::kWarning);
  }
}

void ShowSavings(Terminal& terminal, const Tally& tally, Copies copies) {
  if (copies == Copies::kOff) {
    if (tally.deletable == 0) return;
    terminal.Line(StrCat(CopiesText(tally.deletable), tally.deletable == 1 ? " is" : " are",
                         " left of operators for all namespaces: in protected namespaces, or not "
                         "deleted yet"));
    return;
  }
  const int64_t bytes = tally.deletable_bytes;
  terminal.Line(StrCat("Turning copies off would delete ", CopiesText(tally.deletable),
                       " of operators for all namespaces: ", BytesText(bytes),
                       " in etcd, and about ", BytesText(bytes * kMemoryPerByte),
                       " of memory in each kube-apiserver"));
  if (tally.staying > 0) {
    terminal.Line(StrCat(CopiesText(tally.staying), tally.staying == 1 ? " stays" : " stay",
                         ", of operators for some namespaces"));
  }
}

}  // namespace

void Tally::AddCopy(std::string_view mode, size_t bytes) {
  ++copies;
  if (mode == kAllNamespaces) {
    ++deletable;
    deletable_bytes += static_cast<int64_t>(bytes);
  } else if (!mode.empty()) {
    ++staying;
  }
}

Tally& Tally::operator+=(const Tally& other) {
  namespaces += other.namespaces;
  going += other.going;
  copies += other.copies;
  differ += other.differ;
  only_copy += other.only_copy;
  only_view += other.only_view;
  needs_none += other.needs_none;
  deletable += other.deletable;
  deletable_bytes += other.deletable_bytes;
  staying += other.staying;
  return *this;
}

void ShowFound(Terminal& terminal, const Found& found) {
  const std::string name = StrCat(found.key.ns, "/", found.key.name, ": ");
  switch (found.what) {
    case Found::What::kOnlyCopy:
      terminal.Line(StrCat(name, "a copy, but no InstalledOperator"), Style::kBad);
      return;
    case Found::What::kOnlyView:
      terminal.Line(StrCat(name, "an InstalledOperator, but no copy"), Style::kBad);
      return;
    case Found::What::kDiffers:
      break;
  }
  for (const FieldDifference& field : found.differences.fields) {
    terminal.Line(StrCat(name, field.path), Style::kBad);
    terminal.Line(StrCat("  copy               ", ValueText(field.copy)));
    terminal.Line(StrCat("  InstalledOperator  ", ValueText(field.view)));
  }
  if (found.differences.more > 0) {
    terminal.Line(StrCat(name, CountText(found.differences.more, "more field")), Style::kBad);
  }
}

json::object FoundJson(const Found& found) {
  json::array fields;
  for (const FieldDifference& field : found.differences.fields) {
    fields.push_back({{"path", field.path},
                      {"copy", ValueJson(field.copy)},
                      {"installedOperator", ValueJson(field.view)}});
  }
  return {{"namespace", found.key.ns},
          {"name", found.key.name},
          {"found", json::string(ToString(found.what))},
          {"fields", std::move(fields)},
          {"moreFields", found.differences.more}};
}

void ShowTally(Terminal& terminal, const Tally& tally, Copies copies, bool complete) {
  const std::string where = CountText(tally.namespaces, "namespace");
  if (tally.copies > 0) {
    const int64_t same = tally.copies - tally.differ - tally.only_copy;
    const bool all = same == tally.copies;
    terminal.Line(StrCat("Compared ", CopiesText(tally.copies), " in ", where,
                         " with InstalledOperators: ", all ? "all" : StrCat(same), " the same"),
                  all ? Style::kGood : Style::kPlain);
  } else {
    terminal.Line(StrCat("No copies in ", where));
  }
  if (tally.going > 0) {
    terminal.Line(StrCat("Left out: ", CountText(tally.going, "namespace"), " being deleted"));
  }
  ShowToggle(terminal, tally, copies);
  if (complete && tally.copies > 0) ShowSavings(terminal, tally, copies);
}

void AddTally(const Tally& tally, Copies copies, bool complete, json::object& document) {
  document["complete"] = complete;
  if (copies == Copies::kOn || copies == Copies::kOff)
    document["copiesTurnedOff"] = copies == Copies::kOff;
  document["namespaces"] = tally.namespaces;
  document["namespacesBeingDeleted"] = tally.going;
  document["copies"] = tally.copies;
  document["differing"] = tally.differ;
  document["onlyCopies"] = tally.only_copy;
  document["onlyInstalledOperators"] = tally.only_view;
  document["withoutCopyAsTurnedOff"] = tally.needs_none;
  document["savings"] = {{"copies", tally.deletable},
                         {"etcdBytes", tally.deletable_bytes},
                         {"memoryBytes", tally.deletable_bytes * kMemoryPerByte},
                         {"copiesThatStay", tally.staying}};
}

absl::Status Judge(const Tally& tally) {
  if (tally.all_same()) return absl::OkStatus();
  std::vector<std::string> parts;
  if (tally.differ > 0) {
    parts.push_back(StrCat(CopiesText(tally.differ), tally.differ == 1 ? " differs" : " differ",
                           " from the InstalledOperator"));
  }
  if (tally.only_copy > 0)
    parts.push_back(
        StrCat(CopiesText(tally.only_copy), Have(tally.only_copy), " no InstalledOperator"));
  if (tally.only_view > 0) {
    parts.push_back(
        StrCat(CountText(tally.only_view, "InstalledOperator"), Have(tally.only_view), " no copy"));
  }
  return absl::FailedPreconditionError(absl::StrJoin(parts, ", "));
}

}  // namespace steward::plugin
