#include "storage/embedded/dump/dump_objects.h"

#include <algorithm>
#include <boost/json/value.hpp>
#include <charconv>
#include <utility>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "base/json/json_access.h"
#include "base/text/str_cat.h"
#include "base/yaml/yaml.h"
#include "kube/manifest/manifest_files.h"

namespace steward::storage {
namespace json = boost::json;
namespace {

constexpr size_t kTogether = 1 << 20;
constexpr std::string_view kSpace = " \t\r\n";
// A name is printed, and is a part of paths.
constexpr size_t kMaxName = 512;

uint32_t CountLines(std::string_view text) {
  return static_cast<uint32_t>(std::count(text.begin(), text.end(), '\n'));
}

// Takes the number of "line 12: reason" out of it; 1 where there is none.
uint32_t TakeLine(std::string& message) {
  constexpr std::string_view kLine = "line ";
  uint32_t line = 1;
  if (!message.starts_with(kLine)) return line;
  const char* begin = message.data() + kLine.size();
  const auto [end, error] = std::from_chars(begin, message.data() + message.size(), line);
  if (error == std::errc() && std::string_view(end).starts_with(": ")) {
    message.erase(0, static_cast<size_t>(end - message.data()) + 2);
  }
  return std::max<uint32_t>(line, 1);
}

YamlLimits Limits() {
  YamlLimits limits;
  limits.max_size = DumpFiles::kMaxFile;
  return limits;
}

bool IsPrintable(std::string_view text) {
  return std::all_of(text.begin(), text.end(), [](char c) {
    return static_cast<unsigned char>(c) >= 0x20 && c != 0x7F && c != '/';
  });
}

}  // namespace

// Takes "12, item 3" apart, which follows the path.
DumpObjects::Spot DumpObjects::SpotOf(std::string_view place) {
  Spot spot;
  std::from_chars(place.data(), place.data() + place.size(), spot.line);
  const size_t item = place.rfind("item ");
  if (item != place.npos) {
    std::from_chars(place.data() + item + 5, place.data() + place.size(), spot.item);
  }
  return spot;
}

std::string DumpObjects::Where(const Spot& spot) const {
  std::string where = StrCat(file_.path, ":", spot.line);
  if (spot.item > 0) StrAppend(&where, ", item ", spot.item);
  return where;
}

void DumpObjects::Refuse(Spot spot, std::string what, DumpPart& part) const {
  const bool last = !list_.has_value() || list_->next >= list_->end;
  // What is wrong with the last object is told already.
  if (cut_off_ && last) return;
  const bool cut = last && file_.place.has_value() && !text_.ends_with('\n');
  part.problems.push_back({cut ? DumpProblem::Sort::kCutOff : DumpProblem::Sort::kUnreadable,
                           Where(spot), std::move(what)});
}

bool DumpObjects::Next(DumpPart& part) {
  if (!begun_) {
    begun_ = true;
    if (!Begin(part)) return false;
  }
  if (!list_.has_value()) return false;
  const size_t start = list_->next;
  while (list_->next < list_->end && list_->next - start < kTogether) ReadItem(part);
  return list_->next < list_->end;
}

// Reads a file without a list whose items can be told apart. False at the end of the file.
bool DumpObjects::Begin(DumpPart& part) {
  const Spot last{CountLines(text_) + (text_.ends_with('\n') ? 0 : 1)};
  if (!file_.trouble.ok()) {
    cut_off_ = absl::IsDataLoss(file_.trouble);
    part.problems.push_back({cut_off_ ? DumpProblem::Sort::kCutOff : DumpProblem::Sort::kUnreadable,
                             Where(last), std::string(file_.trouble.message())});
    if (!cut_off_) return false;
  }
  if (text_.find_first_not_of(kSpace) == text_.npos) {
    if (file_.place.has_value() && file_.trouble.ok()) {
      part.problems.push_back({DumpProblem::Sort::kCutOff, Where(last), "is empty"});
    }
    return false;
  }
  const size_t before = part.problems.size();
  list_ = FindList();
  if (!list_.has_value()) ReadAll(text_, 1, part);
  // Programs that write dumps end each file of YAML with a line end; JSON says itself where it
  // ends.
  const bool is_json = text_[text_.find_first_not_of(kSpace)] == '{';
  const bool ends = is_json || !file_.place.has_value() || text_.ends_with('\n');
  const bool whole = ends && (!list_.has_value() || list_->whole);
  if (!whole && file_.trouble.ok() && part.problems.size() == before) {
    cut_off_ = true;
    part.problems.push_back({DumpProblem::Sort::kCutOff, Where(last),
                             "ends in the middle: its last object is lost, or lacks something"});
  }
  return list_.has_value();
}

// A list has `items:` at the beginning of a line, and its items with their dashes below that.
std::optional<DumpObjects::List> DumpObjects::FindList() const {
  constexpr std::string_view kItems = "\nitems:\n- ";
  // Behind another marker there is another document.
  if (text_.find("\n---") != text_.npos) return std::nullopt;
  const size_t items = text_.starts_with(kItems.substr(1)) ? 0 : text_.find(kItems);
  if (items == text_.npos) return std::nullopt;
  List list;
  list.next = text_.find('-', items + 1 + 6);
  list.line = CountLines(text_.substr(0, list.next)) + 1;
  list.end = list.next;
  while (list.end < text_.size() &&
         (std::string_view("- #\n").find(text_[list.end]) != kSpace.npos)) {
    const size_t line = text_.find('\n', list.end);
    list.end = line == text_.npos ? text_.size() : line + 1;
  }
  const std::string rest =
      StrCat(text_.substr(0, items == 0 ? 0 : items + 1), text_.substr(list.end));
  list.whole = true;
  json::object header;
  if (rest.find_first_not_of(kSpace) != rest.npos) {
    absl::StatusOr<json::value> value = ParseYaml(rest, Limits());
    // Whatever it is, it is no list.
    if (!value.ok() || !value->is_object()) return std::nullopt;
    header = std::move(value->get_object());
  }
  const std::string_view kind = StringAt(header, "kind");
  list.version = StringAt(header, "apiVersion");
  if (header.contains("kind")) {
    if (!kind.ends_with("List")) return std::nullopt;
    list.kind = kind.substr(0, kind.size() - 4);
  } else {
    list.whole = !file_.place.has_value() && list.version.empty();
  }
  return list;
}

void DumpObjects::ReadItem(DumpPart& part) {
  List& list = *list_;
  size_t end = text_.find("\n- ", list.next);
  end = end == text_.npos || end + 1 > list.end ? list.end : end + 1;
  std::string item(text_.substr(list.next, end - list.next));
  item[0] = ' ';
  const Spot spot{list.line};
  list.line += CountLines(item);
  list.next = end;
  if (!item.ends_with('\n')) item += '\n';
  absl::StatusOr<json::value> value = ParseYaml(item, Limits());
  if (!value.ok()) {
    std::string why(value.status().message());
    const uint32_t line = spot.line + TakeLine(why) - 1;
    Refuse({line}, std::move(why), part);
    return;
  }
  if (!value->is_object()) return Refuse(spot, "is not an object", part);
  json::object& object = value->get_object();
  if (!list.kind.empty()) {
    if (StringAt(object, "kind").empty()) object["kind"] = list.kind;
    if (StringAt(object, "apiVersion").empty()) object["apiVersion"] = list.version;
  }
  // A list of lists.
  if (StringAt(object, "kind").ends_with("List") && object.contains("items")) {
    return ReadAll(item, spot.line, part);
  }
  Take(spot, std::move(object), part);
}

void DumpObjects::ReadAll(std::string_view text, uint32_t first, DumpPart& part) const {
  kube::Manifests manifests;
  kube::ParseManifests("", text, manifests);
  for (kube::ManifestProblem& problem : manifests.problems) {
    Spot spot = SpotOf(std::string_view(problem.where).substr(1));
    // The line of an error is that in the whole text.
    if (problem.what.starts_with("line ")) spot.line = TakeLine(problem.what);
    spot.line += first - 1;
    Refuse(spot, std::move(problem.what), part);
  }
  for (kube::ManifestObject& manifest : manifests.objects) {
    Spot spot = SpotOf(std::string_view(manifest.where).substr(1));
    spot.line += first - 1;
    Take(spot, std::move(manifest.object), part);
  }
}

void DumpObjects::Take(Spot spot, json::object object, DumpPart& part) const {
  DumpObject found;
  const std::string_view version = StringAt(object, "apiVersion");
  const size_t slash = version.find('/');
  if (slash != version.npos) found.gvk.group = version.substr(0, slash);
  found.gvk.version = version.substr(slash == version.npos ? 0 : slash + 1);
  found.gvk.kind = StringAt(object, "kind");
  if (found.gvk.version.empty() || found.gvk.kind.empty()) {
    return Refuse(spot, "has no apiVersion or no kind", part);
  }
  const json::object* metadata = ObjectAt(object, "metadata");
  if (metadata != nullptr) {
    found.name = {std::string(StringAt(*metadata, "namespace")),
                  std::string(StringAt(*metadata, "name"))};
  }
  const bool named = !found.name.name.empty() && found.name.name.size() <= kMaxName &&
                     found.name.ns.size() <= kMaxName && IsPrintable(found.name.name) &&
                     IsPrintable(found.name.ns) && found.gvk.kind.size() <= kMaxName &&
                     IsPrintable(found.gvk.kind) && found.gvk.group.size() <= kMaxName &&
                     IsPrintable(found.gvk.group) && IsPrintable(found.gvk.version);
  if (!named) return Refuse(spot, "has no metadata.name that an object may have", part);
  found.where = Where(spot);
  found.place = file_.place;
  found.object = std::move(object);
  part.objects.push_back(std::move(found));
}

}  // namespace steward::storage
