#include <algorithm>
#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <boost/json/string.hpp>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/strings/str_format.h"
#include "base/json/json_text.h"
#include "base/json/utf8.h"
#include "base/status/macros.h"
#include "base/yaml/scalar.h"
#include "base/yaml/yaml.h"

namespace steward {
namespace {

namespace json = boost::json;

// YAML parsers look for a key's end within 1024 characters; longer keys need the explicit form.
constexpr size_t kMaxSimpleKey = 800;

// Characters that YAML lets stand for themselves and that no reader takes for a line break.
bool IsPrintable(uint32_t code) {
  return (code >= 0x20 && code <= 0x7E) ||
         (code >= 0xA0 && code <= 0xD7FF && code != 0x2028 && code != 0x2029) ||
         (code >= 0xE000 && code <= 0xFFFD && code != 0xFEFF) || code >= 0x10000;
}

struct Traits {
  bool one_line = true;   // has printable characters only
  bool printable = true;  // has printable characters and newlines only
  bool quotes = false;    // has " or backslash
};

Traits Inspect(std::string_view text) {
  Traits traits;
  for (size_t i = 0; i < text.size();) {
    const Utf8Char c = DecodeUtf8(text, i);
    if (c.length == 0 || !IsPrintable(c.code)) {
      traits.one_line = false;
      traits.printable = traits.printable && c.code == '\n' && c.length == 1;
    }
    traits.quotes |= c.code == '"' || c.code == '\\';
    i += c.length == 0 ? 1 : c.length;
  }
  return traits;
}

// REQUIRES: one line of printable characters.
bool CanBePlain(std::string_view text) {
  if (text.empty() || text.front() == ' ' || text.back() == ' ' || text.back() == ':') return false;
  constexpr std::string_view kIndicators = "?:,[]{}#&*!|>'\"%@`";
  if (kIndicators.find(text.front()) != std::string_view::npos) return false;
  if (text.front() == '-' && (text.size() == 1 || text[1] == ' ')) return false;
  if (text.starts_with("---") || text.starts_with("...")) return false;
  for (size_t i = 0; i + 1 < text.size(); ++i) {
    if (text[i] == ':' && text[i + 1] == ' ') return false;
    if (text[i] == ' ' && text[i + 1] == '#') return false;
  }
  return !yaml::CouldBeOtherThanString(text);
}

// REQUIRES: printable characters and newlines.
bool CanBeLiteral(std::string_view text) {
  // A first line that is empty or starts with a space would need an indentation indicator.
  if (text.front() == ' ' || text.front() == '\n' || text.back() == ' ') return false;
  return text.find('\n') != std::string_view::npos && text.find(" \n") == std::string_view::npos;
}

void AppendDoubleQuoted(std::string_view text, std::string& out) {
  out += '"';
  for (size_t i = 0; i < text.size();) {
    const Utf8Char c = DecodeUtf8(text, i);
    if (c.length == 0) {
      out += "\\uFFFD";
    } else if (c.code == '"' || c.code == '\\') {
      out += '\\';
      out += text[i];
    } else if (c.code == '\n') {
      out += "\\n";
    } else if (c.code == '\t') {
      out += "\\t";
    } else if (c.code == '\r') {
      out += "\\r";
    } else if (IsPrintable(c.code)) {
      out.append(text, i, c.length);
    } else {
      out += absl::StrFormat("\\u%04X", c.code);
    }
    i += c.length == 0 ? 1 : c.length;
  }
  out += '"';
}

void AppendSingleQuoted(std::string_view text, std::string& out) {
  out += '\'';
  for (char c : text) {
    if (c == '\'') out += '\'';
    out += c;
  }
  out += '\'';
}

// A string on one line.
void AppendFlowString(std::string_view text, const Traits& traits, std::string& out) {
  if (!traits.one_line) {
    AppendDoubleQuoted(text, out);
  } else if (CanBePlain(text)) {
    out += text;
  } else if (traits.quotes) {
    AppendSingleQuoted(text, out);
  } else {
    AppendDoubleQuoted(text, out);
  }
}

class Writer {
 public:
  explicit Writer(std::string& out) : out_(out) {}

  // The value of a whole document, or of a sequence's element whose "- " is written already.
  // `indent` is the column of its first character.
  void Node(const json::value& value, size_t indent) {
    if (const json::object* object = value.if_object(); object != nullptr && !object->empty()) {
      Mapping(*object, indent);
    } else if (const json::array* array = value.if_array(); array != nullptr && !array->empty()) {
      Sequence(*array, indent);
    } else {
      Scalar(value, indent);
    }
  }

 private:
  // Writes scalars and empty collections, and the end of the line. Literal blocks go to column
  // `indent`, at least 2.
  void Scalar(const json::value& value, size_t indent) {
    if (const json::string* string = value.if_string()) {
      const std::string_view text(string->data(), string->size());
      const Traits traits = Inspect(text);
      if (!traits.one_line && traits.printable && CanBeLiteral(text)) {
        Literal(text, std::max<size_t>(indent, 2));
        return;
      }
      AppendFlowString(text, traits, out_);
    } else {
      AppendJson(value, out_);
    }
    out_ += '\n';
  }

  void Literal(std::string_view text, size_t indent) {
    out_ += '|';
    if (text.back() != '\n') out_ += '-';
    if (text.ends_with("\n\n")) out_ += '+';
    out_ += '\n';
    while (!text.empty()) {
      const size_t end = text.find('\n');
      const std::string_view line = text.substr(0, end);
      if (!line.empty()) out_.append(indent, ' ');
      out_ += line;
      out_ += '\n';
      if (end == std::string_view::npos) break;
      text.remove_prefix(end + 1);
    }
  }

  void Mapping(const json::object& object, size_t indent) {
    std::vector<const json::key_value_pair*> members;
    members.reserve(object.size());
    for (const json::key_value_pair& member : object) members.push_back(&member);
    std::sort(members.begin(), members.end(),
              [](const auto* a, const auto* b) { return a->key() < b->key(); });
    bool first = true;
    for (const json::key_value_pair* member : members) {
      if (!std::exchange(first, false)) out_.append(indent, ' ');
      const bool simple = Key(member->key(), indent);
      Value(member->value(), indent, simple);
    }
  }

  // Writes the key and its colon; false if it took the explicit form.
  bool Key(std::string_view key, size_t indent) {
    const size_t start = out_.size();
    AppendFlowString(key, Inspect(key), out_);
    const bool simple = out_.size() - start <= kMaxSimpleKey;
    if (!simple) {
      out_.insert(start, "? ");
      out_ += '\n';
      out_.append(indent, ' ');
    }
    out_ += ':';
    return simple;
  }

  // Writes the value behind a key's colon.
  void Value(const json::value& value, size_t indent, bool after_simple_key) {
    const json::object* object = value.if_object();
    const json::array* array = value.if_array();
    if (object != nullptr && !object->empty()) {
      out_ += '\n';
      out_.append(indent + 2, ' ');
      Mapping(*object, indent + 2);
    } else if (array != nullptr && !array->empty()) {
      const size_t column = after_simple_key ? indent : indent + 2;
      out_ += '\n';
      out_.append(column, ' ');
      Sequence(*array, column);
    } else {
      out_ += ' ';
      Scalar(value, indent + 2);
    }
  }

  void Sequence(const json::array& array, size_t indent) {
    bool first = true;
    for (const json::value& element : array) {
      if (!std::exchange(first, false)) out_.append(indent, ' ');
      out_ += "- ";
      Node(element, indent + 2);
    }
  }

  std::string& out_;
};

}  // namespace

void WriteYaml(const json::value& value, std::string& out) { Writer(out).Node(value, 0); }

absl::Status WriteJsonAsYaml(std::string_view text, std::string& out) {
  JsonLimits limits;
  limits.max_size = text.size();
  ASSIGN_OR_RETURN(const json::value value, ParseJson(text, limits));
  WriteYaml(value, out);
  return absl::OkStatus();
}

}  // namespace steward
