#include "olm/plan/manifest_file.h"

#include <algorithm>
#include <boost/json/parse_options.hpp>
#include <boost/json/storage_ptr.hpp>
#include <boost/json/stream_parser.hpp>
#include <boost/json/value.hpp>
#include <charconv>
#include <utility>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "base/json/json_access.h"
#include "base/json/json_text.h"
#include "base/yaml/yaml.h"

namespace steward::olm {
namespace json = boost::json;
namespace {

constexpr std::string_view kSpace = " \t\r\n";
constexpr char kFirstOnly[] =
    "only what stands before it is installed: OLM reads the first object of a file";

size_t LineAt(std::string_view text, size_t position) {
  return 1 + static_cast<size_t>(std::count(text.begin(), text.begin() + position, '\n'));
}

// Takes the first object of JSON; anything may follow it. False if the text does not begin with
// JSON.
bool TakeJson(std::string_view text, size_t max_size, ManifestFile& file) {
  const size_t begin = text.find_first_not_of(kSpace);
  if (begin == std::string_view::npos || text[begin] != '{' || text.size() > max_size) return false;
  JsonLimits limits;
  limits.max_size = max_size;
  json::parse_options options;
  options.max_depth = limits.max_depth;
  json::stream_parser boundary(json::storage_ptr(), options);
  json::error_code error;
  const size_t length = boundary.write_some(text.data() + begin, text.size() - begin, error);
  if (error || !boundary.done()) return false;
  absl::StatusOr<json::value> value = ParseJson(text.substr(begin, length), limits);
  if (!value.ok() || !value->is_object()) return false;
  file.object = std::move(value->get_object());
  limits.refuse_duplicate_keys = true;
  const absl::Status strict = ParseJson(text.substr(begin, length), limits).status();
  if (!strict.ok()) {
    file.remarks.push_back(RemarkOf(LineAt(text, begin), strict));
  }
  const size_t next = text.find_first_not_of(kSpace, begin + length);
  if (next != std::string_view::npos) file.remarks.push_back({LineAt(text, next), kFirstOnly});
  return true;
}

void TakeYaml(std::string_view text, size_t max_size, ManifestFile& file) {
  YamlLimits limits;
  limits.max_size = max_size;
  std::vector<YamlDocument> documents = ParseYamlDocuments(text, limits);
  if (documents.empty()) {
    file.left_out.push_back({1, "there is nothing in it"});
    return;
  }
  YamlDocument& first = documents.front();
  if (first.line > 1) {
    file.left_out.push_back(
        {1, "its first document is empty, and OLM reads no other one of a file"});
    return;
  }
  if (!first.value.ok()) {
    limits.last_of_equal_keys = true;
    std::vector<YamlDocument> lenient = ParseYamlDocuments(text, limits);
    file.remarks.push_back(RemarkOf(first.line, first.value.status()));
    first.value = std::move(lenient.front().value);
    if (!first.value.ok()) {
      file.left_out.push_back(RemarkOf(first.line, first.value.status()));
      file.remarks.clear();
      return;
    }
    file.remarks.back().what += ": the last one counts";
  }
  if (documents.size() > 1) file.remarks.push_back({documents[1].line, kFirstOnly});
  if (first.value->is_object()) file.object = std::move(first.value->get_object());
}

}  // namespace

ManifestFile::Remark RemarkOf(size_t line, const absl::Status& error) {
  std::string_view what(error.message().data(), error.message().size());
  constexpr std::string_view kLine = "line ";
  if (what.starts_with(kLine)) {
    const std::string_view rest = what.substr(kLine.size());
    size_t number = 0;
    const auto [end, failed] = std::from_chars(rest.data(), rest.data() + rest.size(), number);
    const auto digits = static_cast<size_t>(end - rest.data());
    if (failed == std::errc() && rest.substr(digits).starts_with(": ")) {
      return {number, std::string(rest.substr(digits + 2))};
    }
  }
  return {line, std::string(what)};
}

ManifestFile ReadManifestFile(std::string_view text, size_t max_size) {
  ManifestFile file;
  if (!TakeJson(text, max_size, file)) TakeYaml(text, max_size, file);
  if (!file.left_out.empty()) return file;
  if (StringAt(file.object, "kind").empty()) {
    file.left_out.push_back({1, file.object.empty() ? "it is no object" : "kind is missing"});
    file.object.clear();
    file.remarks.clear();
  }
  return file;
}

}  // namespace steward::olm
