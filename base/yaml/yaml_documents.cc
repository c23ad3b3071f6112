#include <algorithm>

#include "base/json/json_text.h"
#include "base/json/utf8.h"
#include "base/text/str_cat.h"
#include "base/yaml/document.h"
#include "base/yaml/yaml.h"

namespace steward {
namespace {

namespace json = boost::json;

using Chunk = YamlTexts::Part;

// A line that starts with `---` always ends the document before it, because YAML allows it in no
// scalar.
bool IsMarker(std::string_view line) {
  return line.starts_with("---") &&
         (line.size() == 3 || line[3] == ' ' || line[3] == '\t' || line[3] == '\r');
}

bool HasContent(std::string_view line) {
  if (IsMarker(line)) line.remove_prefix(3);
  const size_t start = line.find_first_not_of(" \t\r");
  if (start == std::string_view::npos || line[start] == '#') return false;
  return line.substr(0, line.find_last_not_of(" \t\r") + 1) != "...";
}

bool IsAllowed(uint32_t code) {
  return code == '\t' || code == '\n' || code == '\r' || (code >= 0x20 && code <= 0x7E) ||
         code == 0x85 || (code >= 0xA0 && code != 0xFEFF && code != 0xFFFE && code != 0xFFFF);
}

// OK, or the error for the first character that YAML does not allow.
absl::Status CheckCharacters(const Chunk& chunk) {
  for (size_t i = 0; i < chunk.text.size();) {
    // Most characters are of ASCII.
    if ((chunk.text[i] >= 0x20 && chunk.text[i] < 0x7F) || chunk.text[i] == '\n') {
      ++i;
      continue;
    }
    const Utf8Char c = DecodeUtf8(chunk.text, i);
    if (c.length == 0 || !IsAllowed(c.code)) {
      const size_t line = chunk.line + std::count(chunk.text.begin(), chunk.text.begin() + i, '\n');
      return absl::InvalidArgumentError(
          StrCat("line ", line, ": ",
                 c.length == 0 ? "invalid UTF-8" : "control characters are not allowed"));
    }
    i += c.length;
  }
  return absl::OkStatus();
}

absl::StatusOr<json::value> ParseChunk(const Chunk& chunk, const YamlLimits& limits) {
  const size_t start = chunk.text.find_first_not_of(" \t\r\n");
  if (start != std::string_view::npos && (chunk.text[start] == '{' || chunk.text[start] == '[')) {
    // The text is most likely JSON, which is faster to parse. If it is not JSON, or has a fault,
    // the YAML parser gets it.
    JsonLimits json_limits;
    json_limits.max_size = limits.max_size;
    json_limits.max_depth = limits.max_depth;
    json_limits.refuse_duplicate_keys = !limits.last_of_equal_keys;
    if (absl::StatusOr<json::value> value = ParseJson(chunk.text, json_limits); value.ok())
      return value;
  }
  if (absl::Status status = CheckCharacters(chunk); !status.ok()) return status;
  return yaml::ParseDocument(chunk.text, chunk.line, limits);
}

absl::Status CheckSize(std::string_view text, const YamlLimits& limits) {
  if (text.size() <= limits.max_size) return absl::OkStatus();
  return absl::ResourceExhaustedError(
      StrCat("YAML text of ", text.size(), " bytes is larger than the limit of ", limits.max_size));
}

std::string_view WithoutByteOrderMark(std::string_view text) {
  constexpr std::string_view kMark = "\xEF\xBB\xBF";
  return text.starts_with(kMark) ? text.substr(kMark.size()) : text;
}

}  // namespace

YamlTexts::YamlTexts(std::string_view text) : text_(WithoutByteOrderMark(text)) {}

// Drops directives, which are lines before a marker.
std::optional<YamlTexts::Part> YamlTexts::Next() {
  bool content = false, directives = false;
  while (pos_ < text_.size()) {
    const size_t newline = text_.find('\n', pos_);
    const std::string_view line =
        text_.substr(pos_, newline == std::string_view::npos ? newline : newline - pos_);
    if (IsMarker(line) && pos_ != start_) {
      const Part before{start_line_, text_.substr(start_, pos_ - start_)};
      start_ = pos_;
      start_line_ = line_number_;
      // The next call looks at this line again, as the first of the next document.
      if (content) return before;
      directives = false;
    }
    if (!content && line.starts_with('%')) {
      directives = true;
    } else {
      content |= HasContent(line);
    }
    pos_ = newline == std::string_view::npos ? text_.size() : newline + 1;
    ++line_number_;
  }
  // Returns directives without a marker after them, so that the parser refuses them.
  if (!content && !directives) return std::nullopt;
  const Part last{start_line_, text_.substr(start_)};
  start_ = text_.size();
  return last;
}

absl::StatusOr<json::value> ParseYaml(std::string_view text, const YamlLimits& limits) {
  if (absl::Status status = CheckSize(text, limits); !status.ok()) return status;
  YamlTexts chunks(text);
  const std::optional<Chunk> chunk = chunks.Next();
  if (!chunk.has_value()) return json::value(nullptr);
  if (const std::optional<Chunk> second = chunks.Next(); second.has_value()) {
    return absl::InvalidArgumentError(
        StrCat("line ", second->line, ": a second document where one is expected"));
  }
  return ParseChunk(*chunk, limits);
}

std::vector<YamlDocument> ParseYamlDocuments(std::string_view text, const YamlLimits& limits) {
  std::vector<YamlDocument> documents;
  if (absl::Status status = CheckSize(text, limits); !status.ok()) {
    documents.push_back({1, status});
    return documents;
  }
  YamlTexts chunks(text);
  while (const std::optional<Chunk> chunk = chunks.Next()) {
    documents.push_back({chunk->line, ParseChunk(*chunk, limits)});
  }
  return documents;
}

}  // namespace steward
