#include "plugin/cleanup/progress.h"

#include <algorithm>

#include "absl/strings/str_join.h"
#include "base/text/str_cat.h"
#include "plugin/terminal/printer.h"

namespace steward::plugin {
namespace {

namespace json = boost::json;

constexpr size_t kBarWidth = 20;

}  // namespace

void Progress::Add(const OperandCounts& counts) {
  for (const CrdCount& crd : counts.crds) {
    const int64_t left = crd.pending();
    if (left == 0 && !of_.contains(crd.crd)) continue;
    OfCrd& of = of_[crd.crd];
    of.left = left;
    of.deleting = crd.deleting;
    of.total = std::max(of.total, left);
  }
}

std::vector<Terminal::Row> Progress::Bars() const {
  size_t width = 0;
  for (const auto& [crd, of] : of_) width = std::max(width, crd.size());
  std::vector<Terminal::Row> rows;
  for (const auto& [crd, of] : of_) {
    std::string name = crd;
    name.resize(width, ' ');
    Terminal::Row row = {{StrCat(name, "  ")},
                         {Bar(of.total - of.left, of.total, kBarWidth),
                          of.left == 0 ? Style::kGood : Style::kStrong},
                         {StrCat("  ", of.total - of.left, " of ", of.total, " deleted")}};
    if (of.deleting > 0) {
      row.push_back({StrCat(", ", of.deleting, " being finished"), Style::kFaint});
    }
    rows.push_back(std::move(row));
  }
  return rows;
}

std::string Progress::Summary() const {
  std::vector<std::string> parts;
  for (const auto& [crd, of] : of_) {
    parts.push_back(StrCat(crd, " ", of.total - of.left, " of ", of.total));
  }
  return parts.empty() ? "" : StrCat(absl::StrJoin(parts, ", "), " deleted");
}

std::string DescribeHeld(const HeldOperand& held) {
  return StrCat(held.crd, " ", held.name.ns.empty() ? "" : StrCat(held.name.ns, "/"),
                held.name.name, ": deleted ", held.since, ", ",
                held.finalizers.empty() ? std::string("held by no finalizer")
                                        : StrCat("held by ", absl::StrJoin(held.finalizers, ", ")));
}

void PrintHeld(Terminal& terminal, const std::vector<HeldOperand>& held, Style style) {
  std::vector<std::string> lines;
  for (const HeldOperand& one : held) lines.push_back(DescribeHeld(one));
  PrintSome(terminal, lines, lines.size(), style);
}

json::array HeldJson(const std::vector<HeldOperand>& held) {
  json::array list;
  for (const HeldOperand& one : held) {
    list.push_back({{"resource", one.crd},
                    {"namespace", one.name.ns},
                    {"name", one.name.name},
                    {"deletedAt", one.since},
                    {"finalizers", json::array(one.finalizers.begin(), one.finalizers.end())}});
  }
  return list;
}

}  // namespace steward::plugin
