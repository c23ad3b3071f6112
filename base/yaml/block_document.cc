#include "base/yaml/block_document.h"

#include <algorithm>
#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <boost/json/string.hpp>
#include <string>
#include <utility>

#include "absl/status/statusor.h"
#include "base/yaml/scalar.h"

namespace steward::yaml {
namespace {

namespace json = boost::json;

// YAML's limit of a key without a `?` before it is 1,024 characters.
constexpr size_t kLongestKey = 1000;

std::string_view WithoutSpacesBehind(std::string_view text) {
  return text.substr(0, text.find_last_not_of(' ') + 1);
}

// The character of a `\u` escape that is no half of a pair, as UTF-8; false for any other.
bool AppendEscaped(std::string_view digits, std::string& out) {
  uint32_t code = 0;
  for (const char c : digits) {
    const bool digit = c >= '0' && c <= '9';
    const bool letter = (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F');
    if (!digit && !letter) return false;
    code = code * 16 + static_cast<uint32_t>(digit ? c - '0' : (c | 0x20) - 'a' + 10);
  }
  if (digits.size() != 4 || code == 0 || (code >= 0xD800 && code < 0xE000)) return false;
  if (code < 0x80) {
    out += static_cast<char>(code);
  } else if (code < 0x800) {
    out += static_cast<char>(0xC0 | code >> 6);
    out += static_cast<char>(0x80 | (code & 0x3F));
  } else {
    out += static_cast<char>(0xE0 | code >> 12);
    out += static_cast<char>(0x80 | (code >> 6 & 0x3F));
    out += static_cast<char>(0x80 | (code & 0x3F));
  }
  return true;
}

// Stands at the first character of a node: behind the spaces of a line, or behind a dash. Every
// method that reads a node returns false, or nullopt, for what this parser does not know, and
// otherwise stands at the next line with content.
class Reader {
 public:
  Reader(std::string_view text, const YamlLimits& limits) : text_(text), limits_(limits) {}

  std::optional<json::value> Read() {
    // Every line has an end, and no other character is one.
    if (!text_.ends_with('\n') || text_.find('\r') != text_.npos) return std::nullopt;
    for (const std::string_view other : {"\u0085", "\u2028", "\u2029", "\uFEFF"}) {
      if (text_.find(other) != text_.npos) return std::nullopt;
    }
    size_t begin = 0;
    if (text_.starts_with("---")) {
      begin = text_.find_first_not_of(' ', 3);
      if (text_[begin] != '\n') return std::nullopt;
    }
    json::value root;
    if (!Advance(begin) || end_) return std::nullopt;
    if (!ReadCollection(root) || !end_) return std::nullopt;
    return root;
  }

 private:
  struct Key {
    std::string text;
    size_t behind = 0;  // its colon
  };

  bool IsDash(size_t i) const {
    return text_[i] == '-' && (text_[i + 1] == ' ' || text_[i + 1] == '\n');
  }
  bool IsColon(size_t i) const {
    return text_[i] == ':' && (text_[i + 1] == ' ' || text_[i + 1] == '\n');
  }
  size_t EndOfLine(size_t i) const { return text_.find('\n', i); }
  size_t BehindSpaces(size_t i) const { return text_.find_first_not_of(' ', i); }

  // Goes to the first line with content from the beginning of a line on.
  bool Advance(size_t line) {
    while (line < text_.size()) {
      at_ = BehindSpaces(line);
      indent_ = at_ - line;
      if (text_[at_] != '\n' && text_[at_] != '#') {
        // A tab is not indentation, and the end of a document is for others.
        return text_[at_] != '\t' && (indent_ > 0 || !text_.substr(at_).starts_with("..."));
      }
      line = EndOfLine(at_) + 1;
    }
    at_ = text_.size();
    end_ = true;
    return true;
  }

  bool ReadCollection(json::value& value) {
    if (depth_ >= limits_.max_depth) return false;
    ++depth_;
    const bool known = IsDash(at_) ? ReadSequence(value.emplace_array(), indent_)
                                   : ReadMapping(value.emplace_object(), indent_);
    --depth_;
    // A line that is indented more than the last node belongs to nothing.
    return known;
  }

  bool ReadMapping(json::object& object, size_t column) {
    while (!end_ && indent_ == column) {
      Key key;
      if (IsDash(at_) || !ReadKey(at_, key)) return false;
      const auto [member, is_new] = object.emplace(key.text, nullptr);
      if (!is_new || !ReadValue(key.behind, column, member->value())) return false;
    }
    return end_ || indent_ < column;
  }

  bool ReadValue(size_t i, size_t column, json::value& value) {
    i = BehindSpaces(i);
    if (text_[i] != '\n') return ReadScalar(i, column, value);
    if (!Advance(i + 1)) return false;
    // The dashes of a sequence may stand below the key itself.
    const bool is_list = !end_ && indent_ == column && IsDash(at_);
    if (end_ || (indent_ <= column && !is_list)) return true;
    return ReadCollection(value);
  }

  bool ReadSequence(json::array& array, size_t column) {
    while (!end_ && indent_ == column && IsDash(at_)) {
      const size_t i = BehindSpaces(at_ + 1);
      if (text_[i] == '\n') return false;
      json::value& value = array.emplace_back(nullptr);
      Key key;
      if (IsDash(i) || ReadKey(i, key)) {
        indent_ += i - at_;
        at_ = i;
        if (!ReadCollection(value)) return false;
      } else if (!ReadScalar(i, column, value)) {
        return false;
      }
    }
    return end_ || indent_ <= column;
  }

  // The key at `i`, if there is one.
  bool ReadKey(size_t i, Key& key) {
    const size_t end = EndOfLine(i);
    const char quote = text_[i];
    if (quote == '"' || quote == '\'') {
      const size_t close = text_.find(quote, i + 1);
      if (close >= end || !IsColon(close + 1)) return false;
      key.text = text_.substr(i + 1, close - i - 1);
      if (key.text.find('\\') != key.text.npos) return false;
      key.behind = close + 2;
    } else {
      if (!StartsPlain(i)) return false;
      size_t colon = i;
      while (colon < end && !IsColon(colon)) ++colon;
      if (colon == end) return false;
      key.text = text_.substr(i, colon - i);
      key.behind = colon + 1;
      if (key.text == "<<" || !IsPlain(key.text) || key.text.ends_with(' ')) return false;
      const absl::StatusOr<json::value> resolved = ResolvePlain(key.text);
      if (!resolved.ok() || !resolved->is_string()) return false;
    }
    return key.text.size() <= kLongestKey;
  }

  bool StartsPlain(size_t i) const {
    constexpr std::string_view kIndicators = "?:,[]{}#&*!|>'\"%@`\t\n ";
    return kIndicators.find(text_[i]) == kIndicators.npos && !IsDash(i);
  }
  // True for a line of a plain scalar that is nothing else.
  static bool IsPlain(std::string_view line) {
    return line.find('\t') == line.npos && line.find(" #") == line.npos;
  }

  bool ReadScalar(size_t i, size_t column, json::value& value) {
    switch (text_[i]) {
      case '|':
        return ReadLiteral(i + 1, column, value.emplace_string());
      case '"':
      case '\'':
        return ReadQuoted(i, column, value.emplace_string());
      case '{':
      case '[':
        return ReadEmpty(i, value);
      default:
        return StartsPlain(i) && ReadPlain(i, column, value);
    }
  }

  bool ReadEmpty(size_t i, json::value& value) {
    if (text_[i + 1] != (text_[i] == '{' ? '}' : ']')) return false;
    const size_t end = BehindSpaces(i + 2);
    if (text_[end] != '\n') return false;
    if (text_[i] == '{') {
      value.emplace_object();
    } else {
      value.emplace_array();
    }
    return Advance(end + 1);
  }

  bool ReadPlain(size_t i, size_t column, json::value& value) {
    std::string text;
    size_t end = EndOfLine(i);
    while (true) {
      const std::string_view line = WithoutSpacesBehind(text_.substr(i, end - i));
      const bool has_key = line.find(": ") != line.npos || line.ends_with(':');
      if (has_key || !IsPlain(line)) return false;
      text += line;
      // A line that is indented more goes on with it.
      const size_t next = BehindSpaces(end + 1);
      if (next == text_.npos || text_[next] == '\n') break;
      if (next - end - 1 <= column) break;
      if (text_[next] == '#' || text_[next] == '\t' || IsDash(next)) return false;
      text += ' ';
      i = next;
      end = EndOfLine(i);
    }
    absl::StatusOr<json::value> resolved = ResolvePlain(text);
    if (!resolved.ok() || !Advance(end + 1)) return false;
    value = *std::move(resolved);
    // Behind an empty line it could still go on.
    return end_ || indent_ <= column;
  }

  // Reads the line end at `i` and what belongs to it in a quoted scalar; returns the place of the
  // next character, or 0.
  size_t ReadFold(size_t i, size_t column, std::string& out) const {
    size_t line_ends = 1;
    size_t next = BehindSpaces(i + 1);
    size_t line = i + 1;
    while (next != text_.npos && text_[next] == '\n') {
      ++line_ends;
      line = next + 1;
      next = BehindSpaces(line);
    }
    if (next == text_.npos || text_[next] == '\t' || next - line <= column) return 0;
    out.append(line_ends == 1 ? 1 : line_ends - 1, line_ends == 1 ? ' ' : '\n');
    return next;
  }

  bool ReadQuoted(size_t i, size_t column, json::string& value) {
    const char quote = text_[i];
    std::string out;
    size_t kept = 0;  // spaces up to here are no part of a line end
    for (++i; i < text_.size();) {
      const char c = text_[i];
      if (c == quote) {
        if (quote == '"' || text_[i + 1] != quote) break;
        out += quote;
        i += 2;
      } else if (c == '\n') {
        while (out.size() > kept && out.back() == ' ') out.pop_back();
        i = ReadFold(i, column, out);
        if (i == 0) return false;
        kept = out.size();
      } else if (c == '\\' && quote == '"') {
        i = ReadEscape(i + 1, column, out);
        if (i == 0) return false;
        kept = out.size();
      } else if (c == '\t') {
        return false;
      } else {
        out += c;
        ++i;
      }
    }
    if (i >= text_.size()) return false;
    const size_t end = BehindSpaces(i + 1);
    if (text_[end] != '\n') return false;
    value.assign(out.data(), out.size());
    return Advance(end + 1);
  }

  // The place behind the escape whose backslash is before `i`, or 0.
  size_t ReadEscape(size_t i, size_t column, std::string& out) const {
    constexpr std::string_view kNames = "nt\"\\/rbf ";
    constexpr std::string_view kMeant = "\n\t\"\\/\r\b\f ";
    if (text_[i] == 'u') return AppendEscaped(text_.substr(i + 1, 4), out) ? i + 5 : 0;
    if (text_[i] == '\n') {
      const size_t next = BehindSpaces(i + 1);
      if (next == text_.npos || text_[next] == '\n' || text_[next] == '\t') return 0;
      return next - i - 1 > column ? next : 0;
    }
    const size_t which = kNames.find(text_[i]);
    if (which == kNames.npos) return 0;
    out += kMeant[which];
    return i + 1;
  }

  // A literal block, of which `i` is behind its `|`.
  bool ReadLiteral(size_t i, size_t column, json::string& value) {
    const char chomping = text_[i];
    if (chomping == '-' || chomping == '+') ++i;
    i = BehindSpaces(i);
    if (text_[i] != '\n') return false;
    size_t line = i + 1;
    size_t content = 0;  // the indentation of the first line that is not empty
    size_t most = 0;     // that of empty lines before it
    std::string out;
    size_t empty = 0;  // lines, since the last one that is not
    for (; line < text_.size(); ++empty) {
      const size_t next = BehindSpaces(line);
      const size_t indent = next - line;
      if (text_[next] == '\n') {
        if (content > 0 ? indent > content : indent > column + 1) return false;
        most = std::max(most, indent);
        line = next + 1;
        continue;
      }
      if (indent <= column) break;
      if (content == 0) content = indent;
      if (indent < content || (out.empty() && most > content) ||
          (out.empty() && text_[next] == '\t')) {
        return false;
      }
      out.append(empty, '\n');
      const size_t end = EndOfLine(next);
      out += text_.substr(line + content, end - line - content + 1);
      line = end + 1;
      empty = static_cast<size_t>(-1);
    }
    if (content == 0 || (line < text_.size() && text_[BehindSpaces(line)] == '\t')) return false;
    if (chomping == '-') out.pop_back();
    if (chomping == '+') out.append(empty, '\n');
    value.assign(out.data(), out.size());
    return Advance(line);
  }

  const std::string_view text_;
  const YamlLimits& limits_;
  size_t at_ = 0;
  size_t indent_ = 0;  // the column of `at_`
  size_t depth_ = 0;
  bool end_ = false;
};

}  // namespace

std::optional<json::value> ParseBlockDocument(std::string_view text, const YamlLimits& limits) {
  return Reader(text, limits).Read();
}

}  // namespace steward::yaml
