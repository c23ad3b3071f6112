#include "storage/embedded/dump/dump_objects.h"

#include <algorithm>
#include <boost/json/array.hpp>
#include <boost/json/value.hpp>
#include <charconv>
#include <utility>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "base/json/json_access.h"
#include "base/json/json_text.h"
#include "base/text/str_cat.h"
#include "base/yaml/yaml.h"

namespace steward::storage {
namespace json = boost::json;
namespace {

constexpr size_t kTogether = 512 << 10;
// The longest text of an object with its indentation.
constexpr size_t kMaxText = 16 << 20;
constexpr std::string_view kSpace = " \t\r\n";
// The limit of names, because they are printed and are parts of paths.
constexpr size_t kMaxName = 512;

uint32_t CountLines(std::string_view text) {
  return static_cast<uint32_t>(std::count(text.begin(), text.end(), '\n'));
}

// Removes "line 12: " from the beginning of `message`, and returns the number; 1 if there is none.
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
  limits.max_expansion = DumpObjects::kMaxObject;
  return limits;
}

bool IsPrintable(std::string_view text) {
  return std::all_of(text.begin(), text.end(), [](char c) {
    return static_cast<unsigned char>(c) >= 0x20 && c != 0x7F && c != '/';
  });
}

bool IsTooLarge(std::string_view text) {
  if (text.size() <= DumpObjects::kMaxObject) return false;
  if (text.size() > kMaxText) return true;
  size_t size = 0;
  while (!text.empty()) {
    text.remove_prefix(std::min(text.find_first_not_of(kSpace), text.size()));
    const size_t line = std::min(text.find('\n'), text.size());
    size += line;
    text.remove_prefix(line);
  }
  return size > DumpObjects::kMaxObject;
}

// The position behind the JSON string that begins at `pos`; npos if the string does not end.
size_t EndOfString(std::string_view text, size_t pos) {
  for (++pos; pos < text.size(); ++pos) {
    if (text[pos] == '"') return pos + 1;
    if (text[pos] == '\\') ++pos;
  }
  return text.npos;
}

// The position behind the JSON value that begins at `pos`; npos if the value does not end. Does not
// check that the value is valid.
size_t EndOfValue(std::string_view text, size_t pos) {
  if (text[pos] == '"') return EndOfString(text, pos);
  if (text[pos] != '{' && text[pos] != '[') {
    return std::min(text.find_first_of(" \t\r\n,:[]{}\"", pos + 1), text.size());
  }
  for (size_t depth = 0; pos < text.size();) {
    const char c = text[pos];
    if (c == '"') {
      pos = EndOfString(text, pos);
      continue;
    }
    ++pos;
    if (c == '{' || c == '[') ++depth;
    if ((c == '}' || c == ']') && --depth == 0) return pos;
  }
  return text.npos;
}

struct Range {
  size_t begin;
  size_t end;
};

// The array in the member "items" of a JSON object; nullopt if there is none, or several.
std::optional<Range> ItemsIn(std::string_view text) {
  std::optional<Range> found;
  if (text.empty() || text[0] != '{') return found;
  for (size_t pos = 1;;) {
    pos = text.find_first_not_of(" \t\r\n,", pos);
    if (pos == text.npos || text[pos] != '"') return found;
    const size_t name = pos;
    pos = EndOfString(text, pos);
    if (pos == text.npos) return std::nullopt;
    const bool is_items = text.substr(name, pos - name) == "\"items\"";
    pos = text.find_first_not_of(kSpace, pos);
    if (pos == text.npos || text[pos] != ':') return std::nullopt;
    pos = text.find_first_not_of(kSpace, pos + 1);
    if (pos == text.npos) return std::nullopt;
    const size_t end = EndOfValue(text, pos);
    if (end == text.npos || (is_items && found.has_value())) return std::nullopt;
    if (is_items && text[pos] == '[') found = Range{pos, end};
    pos = end;
  }
}

// True for a list: its items may be null, or left out.
bool IsList(const json::object& object) {
  if (!StringAt(object, "kind").ends_with("List")) return false;
  if (const json::value* items = object.if_contains("items")) {
    return items->is_array() || items->is_null();
  }
  const json::object* metadata = ObjectAt(object, "metadata");
  return metadata != nullptr && !metadata->contains("name") &&
         object.size() - object.contains("apiVersion") == 2;
}

// Sets kind and apiVersion of an item that lacks them, as items of a list of one kind may.
void SetKind(std::string_view kind, std::string_view version, json::object& item) {
  if (kind.empty()) return;
  if (StringAt(item, "kind").empty()) item["kind"] = kind;
  if (StringAt(item, "apiVersion").empty()) item["apiVersion"] = version;
}

// The kind of a list's items.
std::string_view ItemKind(std::string_view kind) { return kind.substr(0, kind.size() - 4); }

}  // namespace

void DumpPart::Add(DumpProblem problem) {
  if (++counts[problem.sort] <= kKept) problems.push_back(std::move(problem));
}

size_t DumpPart::ProblemCount() const {
  size_t count = 0;
  for (const auto& [sort, of_sort] : counts) count += of_sort;
  return count;
}

std::string DumpObjects::Where(const Spot& spot) const {
  std::string where = StrCat(file_.path, ":", spot.line);
  if (spot.item > 0) StrAppend(&where, ", item ", spot.item);
  return where;
}

DumpObjects::Spot DumpObjects::End() const {
  return {CountLines(text_) + (text_.ends_with('\n') ? 0 : 1)};
}

void DumpObjects::Refuse(Spot spot, std::string what, DumpPart& part) const {
  const bool last = last_ && (!list_.has_value() || list_->next >= list_->end);
  // The cut that damaged the last object has been reported already.
  if (cut_off_ && last) return;
  const bool cut = last && !is_json_ && file_.place.has_value() && !text_.ends_with('\n');
  part.Add({cut ? DumpProblem::Sort::kCutOff : DumpProblem::Sort::kUnreadable, Where(spot),
            std::move(what)});
}

bool DumpObjects::Next(DumpPart& part) {
  if (!begun_) {
    begun_ = true;
    over_ = !Begin(part);
  }
  for (size_t read = 0; !over_;) {
    if (read >= kTogether) return true;
    if (list_.has_value()) {
      const size_t start = list_->next;
      is_json_ ? ReadJsonItem(part) : ReadItem(part);
      read += list_->next - start;
      if (list_->next >= list_->end) list_.reset();
      continue;
    }
    const std::optional<Document> document = NextDocument();
    if (!document.has_value()) break;
    ReadDocument(*document, part);
    if (!list_.has_value()) read += document->end - document->begin;
  }
  over_ = true;
  return false;
}

// False for a file without documents.
bool DumpObjects::Begin(DumpPart& part) {
  if (!file_.trouble.ok()) {
    cut_off_ = absl::IsDataLoss(file_.trouble);
    part.Add({cut_off_ ? DumpProblem::Sort::kCutOff : DumpProblem::Sort::kUnreadable, Where(End()),
              std::string(file_.trouble.message())});
    if (!cut_off_) return false;
  }
  if (text_.find_first_not_of(kSpace) == text_.npos) {
    if (file_.place.has_value() && file_.trouble.ok()) {
      part.Add({DumpProblem::Sort::kCutOff, Where(End()), "is empty"});
    }
    return false;
  }
  is_json_ = IsJson();
  return true;
}

// True if the text consists of JSON objects and arrays that all end. Any other text is read as
// YAML, whose parser reports errors better.
bool DumpObjects::IsJson() const {
  for (size_t pos = 0;;) {
    pos = text_.find_first_not_of(kSpace, pos);
    if (pos == text_.npos) return true;
    if (text_[pos] != '{' && text_[pos] != '[') return false;
    pos = EndOfValue(text_, pos);
    if (pos == text_.npos) return false;
  }
}

std::optional<DumpObjects::Document> DumpObjects::NextDocument() {
  if (!is_json_) {
    const std::optional<YamlTexts::Part> next = yaml_documents_.Next();
    if (!next.has_value()) return std::nullopt;
    const size_t begin = static_cast<size_t>(next->text.data() - text_.data());
    return Document{begin, begin + next->text.size(), static_cast<uint32_t>(next->line)};
  }
  const size_t begin = text_.find_first_not_of(kSpace, json_next_);
  if (begin == text_.npos) return std::nullopt;
  json_line_ += CountLines(text_.substr(json_next_, begin - json_next_));
  Document document{begin, EndOfValue(text_, begin), json_line_};
  json_line_ += CountLines(text_.substr(begin, document.end - begin));
  json_next_ = document.end;
  return document;
}

void DumpObjects::ReadDocument(const Document& document, DumpPart& part) {
  last_ = text_.find_first_not_of(kSpace, document.end) == text_.npos;
  list_ = is_json_ ? FindJsonList(document) : FindList(document);
  const size_t before = part.ProblemCount();
  if (!list_.has_value()) {
    Read({document.line}, document.line,
         text_.substr(document.begin, document.end - document.begin), part);
  }
  // Programs that write dumps end each YAML file with a newline, so a file without one is cut off.
  // JSON shows by itself where it ends.
  const bool ends = is_json_ || !file_.place.has_value() || text_.ends_with('\n');
  const bool whole = ends && (!list_.has_value() || list_->whole);
  if (!last_ || whole || !file_.trouble.ok() || part.ProblemCount() > before) return;
  cut_off_ = true;
  part.Add({DumpProblem::Sort::kCutOff, Where(End()),
            "ends in the middle: its last object is lost, or lacks something"});
}

// A YAML list has `items:` at the beginning of a line, and its items with their dashes below.
std::optional<DumpObjects::List> DumpObjects::FindList(const Document& document) const {
  constexpr std::string_view kItems = "\nitems:\n";
  const std::string_view text = text_.substr(document.begin, document.end - document.begin);
  const bool at_begin = text.starts_with(kItems.substr(1));
  const size_t items = at_begin ? 0 : text.find(kItems) + 1;
  if (!at_begin && items == 0) return std::nullopt;
  const size_t first = items + kItems.size() - 1;
  const size_t dash = text.find_first_not_of(' ', first);
  if (dash == text.npos || !text.substr(dash).starts_with("- ")) return std::nullopt;
  List list;
  list.indent = dash - first;
  size_t end = first;
  while (end < text.size()) {
    const size_t line = std::min(text.find('\n', end), text.size() - 1) + 1;
    const size_t start = std::min(text.find_first_not_of(' ', end), line);
    const bool is_blank = start == line || text[start] == '\n' || text[start] == '#';
    const size_t indent = start - end;
    if (!is_blank && indent <= list.indent && !(indent == list.indent && text[start] == '-')) break;
    end = line;
  }
  list.next = document.begin + first;
  list.end = document.begin + end;
  list.line = document.line + CountLines(text.substr(0, first));
  const std::string rest = StrCat(text.substr(0, items), text.substr(end));
  json::object header;
  if (rest.find_first_not_of(kSpace) != rest.npos) {
    if (IsTooLarge(rest)) return std::nullopt;
    absl::StatusOr<json::value> value = ParseYaml(rest, Limits());
    // The text without the items is not the header of a list.
    if (!value.ok() || !(value->is_object() || value->is_null())) return std::nullopt;
    if (value->is_object()) header = std::move(value->get_object());
  }
  const std::string_view kind = StringAt(header, "kind");
  list.version = StringAt(header, "apiVersion");
  if (header.contains("kind")) {
    if (!kind.ends_with("List")) return std::nullopt;
    list.kind = ItemKind(kind);
  } else {
    list.whole = !file_.place.has_value() && list.version.empty();
  }
  return list;
}

std::optional<DumpObjects::List> DumpObjects::FindJsonList(const Document& document) const {
  const std::string_view text = text_.substr(document.begin, document.end - document.begin);
  const std::optional<Range> items = ItemsIn(text);
  if (!items.has_value()) return std::nullopt;
  const std::string rest = StrCat(text.substr(0, items->begin), "[]", text.substr(items->end));
  if (IsTooLarge(rest)) return std::nullopt;
  JsonLimits limits;
  limits.max_size = kMaxText;
  const absl::StatusOr<json::value> header = ParseJson(rest, limits);
  if (!header.ok() || !header->is_object() || !IsList(header->get_object())) return std::nullopt;
  List list;
  // Between the brackets.
  list.next = document.begin + items->begin + 1;
  list.end = document.begin + items->end - 1;
  list.line = document.line + CountLines(text.substr(0, items->begin));
  list.read.line = document.line;
  list.kind = ItemKind(StringAt(header->get_object(), "kind"));
  list.version = StringAt(header->get_object(), "apiVersion");
  return list;
}

void DumpObjects::ReadItem(DumpPart& part) {
  List& list = *list_;
  const std::string dash = StrCat("\n", std::string(list.indent, ' '), "- ");
  size_t end = text_.substr(0, list.end).find(dash, list.next);
  end = end == text_.npos ? list.end : end + 1;
  const std::string_view text = text_.substr(list.next, end - list.next);
  const Spot spot{list.line};
  list.line += CountLines(text);
  list.next = end;
  if (IsTooLarge(text)) return Read(spot, spot.line, text, part);
  std::string item(text);
  // Removes the dash, unless a comment precedes it.
  if (item.size() > list.indent && item[list.indent] == '-') item[list.indent] = ' ';
  if (!item.ends_with('\n')) item += '\n';
  Read(spot, spot.line, item, part);
}

void DumpObjects::ReadJsonItem(DumpPart& part) {
  List& list = *list_;
  const size_t begin = std::min(text_.find_first_not_of(" \t\r\n,", list.next), list.end);
  list.line += CountLines(text_.substr(list.next, begin - list.next));
  list.next = begin;
  if (begin == list.end) return;
  const size_t end = std::min(EndOfValue(text_, begin), list.end);
  const std::string_view text = text_.substr(begin, end - begin);
  const uint32_t line = list.line;
  list.line += CountLines(text);
  list.next = end;
  ++list.read.item;
  Read(list.read, line, text, part);
}

void DumpObjects::Read(Spot spot, uint32_t first, std::string_view text, DumpPart& part) const {
  if (IsTooLarge(text)) {
    return Refuse(spot, StrCat("is larger than ", kMaxObject, " bytes, which no object is"), part);
  }
  absl::StatusOr<json::value> value = absl::InvalidArgumentError("");
  if (is_json_) {
    JsonLimits limits;
    limits.max_size = kMaxText;
    value = ParseJson(text, limits);
  }
  // The YAML parser accepts most of JSON, too, and reports the place of an error better.
  if (!value.ok()) value = ParseYaml(text, Limits());
  if (!value.ok()) {
    std::string why(value.status().message());
    spot.line = first + TakeLine(why) - 1;
    return Refuse(spot, std::move(why), part);
  }
  if (list_.has_value() && value->is_object()) {
    SetKind(list_->kind, list_->version, value->get_object());
  }
  TakeAll(spot, *std::move(value), part);
}

void DumpObjects::TakeAll(Spot spot, json::value value, DumpPart& part) const {
  json::object* object = value.if_object();
  if (object == nullptr) return Refuse(spot, "is not an object", part);
  if (!IsList(*object)) return Take(spot, std::move(*object), part);
  const std::string kind(ItemKind(StringAt(*object, "kind")));
  const std::string version(StringAt(*object, "apiVersion"));
  if (!object->contains("items") || !object->at("items").is_array()) return;
  spot.item = 0;
  for (json::value& item : object->at("items").get_array()) {
    ++spot.item;
    if (item.is_object()) SetKind(kind, version, item.get_object());
    TakeAll(spot, std::move(item), part);
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
