#include "storage/embedded/dump/dump_summary.h"

#include <algorithm>
#include <string_view>
#include <utility>

#include "base/text/one_line.h"
#include "base/text/printable.h"
#include "base/text/str_cat.h"

namespace steward::storage {
namespace {

using Sort = DumpProblem::Sort;

constexpr std::string_view kCsvs = "clusterserviceversions.operators.coreos.com";
constexpr size_t kLongestLine = 400;

std::string Counted(size_t count, std::string_view one, std::string_view many) {
  return StrCat(count, " ", count == 1 ? one : many);
}

std::string Title(Sort sort, size_t count) {
  switch (sort) {
    case Sort::kCutOff:
      return StrCat(Counted(count, "file is", "files are"), " cut off:");
    case Sort::kUnreadable:
      return StrCat(Counted(count, "part", "parts"), " cannot be used:");
    case Sort::kDuplicate:
      return StrCat(Counted(count, "object is", "objects are"), " there more than once:");
    case Sort::kUnknown:
      return StrCat(Counted(count, "kind is", "kinds are"),
                    " left out, which neither a definition nor a path describes:");
    case Sort::kMissing:
      return StrCat(Counted(count, "object is", "objects are"), " missing:");
    case Sort::kAssumed:
      return StrCat(Counted(count, "namespace is", "namespaces are"),
                    " assumed: the objects are there, the namespace is not:");
  }
  return {};
}

// Makes text printable, because names come from the dump.
std::string Shown(std::string_view text) { return Printable(OneLine(text, kLongestLine)); }

bool IsOlms(const std::string& resource) { return resource.ends_with(".operators.coreos.com"); }

}  // namespace

size_t DumpSummary::Objects() const {
  size_t count = 0;
  for (const auto& [resource, of_it] : objects) count += of_it;
  return count;
}

void DumpSummary::Add(DumpProblem problem) {
  Problems& of_sort = problems[problem.sort];
  ++of_sort.count;
  if (of_sort.kept.size() < kKept) of_sort.kept.push_back(std::move(problem));
}

void DumpSummary::Add(DumpPart& part) {
  for (const auto& [sort, count] : part.counts) {
    problems[sort].count += count - std::min(count, DumpPart::kKept);
  }
  for (DumpProblem& problem : part.problems) Add(std::move(problem));
}

std::string DumpSummary::ToText(const std::string& dump, size_t shown) const {
  std::string text = StrCat(Shown(dump), ": ", Counted(Objects(), "object", "objects"), " in ",
                            Counted(files, "file", "files"), "\n");
  std::vector<std::pair<std::string, size_t>> sorted(objects.begin(), objects.end());
  std::stable_sort(sorted.begin(), sorted.end(), [](const auto& a, const auto& b) {
    if (IsOlms(a.first) != IsOlms(b.first)) return IsOlms(a.first);
    return a.second > b.second;
  });
  size_t more = 0;
  for (size_t i = 0; i < sorted.size(); ++i) {
    const auto& [resource, count] = sorted[i];
    if (i >= shown) {
      more += count;
      continue;
    }
    if (resource == kCsvs && copies > 0) {
      StrAppend(&text, "  ", count - copies, " ", Shown(resource), ", and ",
                Counted(copies, "copy", "copies"), " that OLM made\n");
    } else {
      StrAppend(&text, "  ", count, " ", Shown(resource), "\n");
    }
  }
  if (sorted.size() > shown) {
    StrAppend(&text, "  and ", Counted(more, "object", "objects"), " of ",
              Counted(sorted.size() - shown, "more resource", "more resources"), "\n");
  }
  if (computed > 0) {
    StrAppend(&text, Counted(computed, "object is", "objects are"),
              " left out that Steward had computed: they are computed here, too\n");
  }
  for (const auto& [sort, of_sort] : problems) {
    StrAppend(&text, Title(sort, of_sort.count), "\n");
    const size_t listed = std::min(shown, of_sort.kept.size());
    for (size_t i = 0; i < listed; ++i) {
      const DumpProblem& problem = of_sort.kept[i];
      StrAppend(&text, "  ", Shown(problem.where), problem.where.empty() ? "" : ": ",
                Shown(problem.what), "\n");
    }
    if (of_sort.count > listed) StrAppend(&text, "  and ", of_sort.count - listed, " more\n");
  }
  return text;
}

}  // namespace steward::storage
