#include "base/json/json_path/template.h"

#include <algorithm>
#include <array>
#include <string>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/ascii.h"
#include "absl/strings/numbers.h"
#include "base/json/json_path/quoted.h"
#include "base/json/utf8.h"
#include "base/status/macros.h"
#include "base/text/str_cat.h"

namespace steward::json_path {
namespace {

using Kind = Node::Kind;

constexpr size_t kMaxTemplate = 64 << 10;
constexpr size_t kMaxShown = 200;  // bytes in messages
// A limit, because parts of unions and filters are templates themselves.
constexpr int kMaxDepth = 16;
constexpr std::string_view kOperators = "!<>=";

absl::Status Wrong(std::string_view message) { return absl::InvalidArgumentError(ToAbsl(message)); }

bool IsLineEnd(char c) { return c == '\r' || c == '\n'; }
bool IsDigit(char c) { return absl::ascii_isdigit(static_cast<unsigned char>(c)); }

// kubectl does not distinguish letters outside of ASCII from other characters.
bool IsWordBegin(char c) {
  const auto byte = static_cast<unsigned char>(c);
  return c == '_' || absl::ascii_isalnum(byte) || byte >= 0x80;
}

// The characters that end a field or a word.
bool Ends(char c) {
  return c == ' ' || c == '\t' || IsLineEnd(c) ||
         std::string_view(".,[]$@{}").find(c) != std::string_view::npos;
}

Node Named(Kind kind, std::string text) {
  Node node;
  node.kind = kind;
  node.text = std::move(text);
  return node;
}

Node Valued(Kind kind, boost::json::value value) {
  Node node;
  node.kind = kind;
  node.value = std::move(value);
  return node;
}

class Parser {
 public:
  Parser(std::string_view text, int depth) : text_(text), depth_(depth) {}

  absl::StatusOr<std::vector<Node>> Parse() {
    if (depth_ > kMaxDepth) return Wrong("the template is nested too deeply");
    std::vector<Node> nodes;
    while (!AtEnd()) {
      const size_t brace = std::min(text_.find('{', at_), text_.size());
      if (brace > at_) nodes.push_back(Valued(Kind::kText, String(text_.substr(at_, brace - at_))));
      at_ = brace;
      if (AtEnd()) break;
      ++at_;
      Node action = Named(Kind::kAction, "");
      RETURN_IF_ERROR(ParseAction(action.lists.emplace_back()));
      nodes.push_back(std::move(action));
    }
    return nodes;
  }

 private:
  bool AtEnd() const { return at_ >= text_.size(); }
  std::string_view Rest() const { return text_.substr(at_); }
  static boost::json::value String(std::string_view text) {
    return boost::json::string(boost::json::string_view(text.data(), text.size()));
  }

  // Parses up to and including the closing brace.
  absl::Status ParseAction(std::vector<Node>& chain) {
    while (true) {
      if (AtEnd() || IsLineEnd(text_[at_])) return Wrong("unclosed action");
      const char c = text_[at_];
      if (c == '}') {
        ++at_;
        return absl::OkStatus();
      }
      if (c == ' ' || c == '@' || c == '$') {
        ++at_;
      } else if (Rest().starts_with("[?(")) {
        RETURN_IF_ERROR(ParseFilter(chain));
      } else if (c == '[') {
        RETURN_IF_ERROR(ParseBrackets(chain));
      } else if (Rest().starts_with("..")) {
        RETURN_IF_ERROR(ParseRecursive(chain));
      } else if (c == '.') {
        ++at_;
        ParseField(chain);
      } else if (c == '"' || c == '\'') {
        RETURN_IF_ERROR(ParseQuoted(chain));
      } else if (c == '+' || c == '-' || IsDigit(c)) {
        RETURN_IF_ERROR(ParseNumber(chain));
      } else if (IsWordBegin(c)) {
        ParseWord(chain);
      } else {
        return Wrong(StrCat("unrecognized character in action: ", std::string(1, c)));
      }
    }
  }

  absl::Status ParseRecursive(std::vector<Node>& chain) {
    if (!chain.empty() && chain.back().kind == Kind::kRecursive) {
      return Wrong("invalid multiple recursive descent");
    }
    at_ += 2;
    chain.push_back(Named(Kind::kRecursive, ""));
    if (!AtEnd() && IsWordBegin(text_[at_])) ParseField(chain);
    return absl::OkStatus();
  }

  void ParseField(std::vector<Node>& chain) {
    std::string name;
    bool escaped = false;
    const size_t begin = at_;
    for (; !AtEnd() && (escaped || !Ends(text_[at_])); ++at_) {
      const char c = text_[at_];
      if (c != '\\') name += c;
      escaped = !escaped && c == '\\';
    }
    const bool all = text_.substr(begin, at_ - begin) == "*";
    chain.push_back(all ? Named(Kind::kWildcard, "") : Named(Kind::kField, std::move(name)));
  }

  void ParseWord(std::vector<Node>& chain) {
    const size_t begin = at_;
    while (!AtEnd() && !Ends(text_[at_])) ++at_;
    const std::string_view word = text_.substr(begin, at_ - begin);
    if (word == "true" || word == "false") {
      chain.push_back(Valued(Kind::kLiteral, word == "true"));
    } else {
      chain.push_back(Named(Kind::kIdentifier, std::string(word)));
    }
  }

  absl::Status ParseNumber(std::vector<Node>& chain) {
    const size_t begin = at_;
    if (text_[at_] == '+' || text_[at_] == '-') ++at_;
    while (!AtEnd() && (text_[at_] == '.' || IsDigit(text_[at_]))) ++at_;
    const std::string_view number = text_.substr(begin, at_ - begin);
    int64_t whole = 0;
    double fraction = 0;
    if (absl::SimpleAtoi(ToAbsl(number), &whole)) {
      chain.push_back(Valued(Kind::kLiteral, whole));
    } else if (absl::SimpleAtod(ToAbsl(number), &fraction)) {
      chain.push_back(Valued(Kind::kLiteral, fraction));
    } else {
      return Wrong(StrCat("cannot parse number ", Shown(number)));
    }
    return absl::OkStatus();
  }

  absl::Status ParseQuoted(std::vector<Node>& chain) {
    const char quote = text_[at_];
    const size_t begin = ++at_;
    for (; !AtEnd() && text_[at_] != '\n'; ++at_) {
      if (text_[at_] != quote || text_[at_ - 1] == '\\') continue;
      const std::string_view quoted = text_.substr(begin, at_ - begin);
      ++at_;
      const std::optional<std::string> plain = Unquote(quoted, quote);
      if (!plain) return Wrong(StrCat("invalid escapes in the quoted string ", Shown(quoted)));
      chain.push_back(Valued(Kind::kText, String(*plain)));
      return absl::OkStatus();
    }
    return Wrong("unterminated quoted string");
  }

  // Appends the chain of an action whose text is `inside`.
  absl::Status ParsePart(std::string_view inside, std::vector<Node>& chain) const {
    const std::string text = StrCat("{", inside, "}");
    ASSIGN_OR_RETURN(std::vector<Node> nodes, Parser(text, depth_ + 1).Parse());
    for (Node& node : nodes.front().lists.front()) chain.push_back(std::move(node));
    return absl::OkStatus();
  }

  absl::Status ParseBrackets(std::vector<Node>& chain) {
    const size_t end = std::min(Rest().find(']'), Rest().find('\n'));
    if (end == std::string_view::npos || Rest()[end] != ']') return Wrong("unterminated array");
    const std::string_view inside = Rest().substr(1, end - 1);
    at_ += end + 1;
    if (inside.find(',') != std::string_view::npos) return ParseUnion(inside, chain);
    if (inside.size() >= 2 && inside.front() == '\'' && inside.find('\'', 1) == inside.size() - 1) {
      return ParsePart(StrCat(".", inside.substr(1, inside.size() - 2)), chain);
    }
    return ParseSlice(inside == "*" ? ":" : inside, chain);
  }

  absl::Status ParseUnion(std::string_view inside, std::vector<Node>& chain) const {
    Node node = Named(Kind::kUnion, "");
    for (std::string_view part : Split(inside, ',')) {
      while (part.starts_with(' ')) part.remove_prefix(1);
      while (part.ends_with(' ')) part.remove_suffix(1);
      RETURN_IF_ERROR(ParsePart(StrCat("[", part, "]"), node.lists.emplace_back()));
    }
    chain.push_back(std::move(node));
    return absl::OkStatus();
  }

  static std::vector<std::string_view> Split(std::string_view text, char at) {
    std::vector<std::string_view> parts;
    for (size_t comma = text.find(at); comma != std::string_view::npos; comma = text.find(at)) {
      parts.push_back(text.substr(0, comma));
      text.remove_prefix(comma + 1);
    }
    parts.push_back(text);
    return parts;
  }

  static absl::Status ParseSlice(std::string_view inside, std::vector<Node>& chain) {
    Node node = Named(Kind::kSlice, "");
    const std::array<std::optional<int64_t>*, 3> members = {&node.begin, &node.end, &node.step};
    const std::vector<std::string_view> parts = Split(inside, ':');
    const absl::Status wrong = Wrong(StrCat("invalid array index ", Shown(inside)));
    if (parts.size() > members.size()) return wrong;
    node.single = parts.size() == 1;
    for (size_t i = 0; i < parts.size(); ++i) {
      if (parts[i].empty()) continue;
      int64_t number = 0;
      const std::string_view digits = parts[i].substr(parts[i].starts_with('-') ? 1 : 0);
      if (!std::all_of(digits.begin(), digits.end(), IsDigit) ||
          !absl::SimpleAtoi(ToAbsl(parts[i]), &number)) {
        return wrong;
      }
      // No list is that long, so cutting a number to this bound changes nothing.
      constexpr int64_t kFar = int64_t{1} << 48;
      *members[i] = std::clamp(number, -kFar, kFar);
    }
    chain.push_back(std::move(node));
    return absl::OkStatus();
  }

  // The end of a filter's inside: the first closing parenthesis outside of quotes. A filter has at
  // most one pair of quotes.
  absl::StatusOr<size_t> FilterEnd() const {
    char quote = '\0';
    bool closed = false;
    for (size_t i = at_; i < text_.size() && text_[i] != '\n'; ++i) {
      const char c = text_[i];
      if (c == '"' || c == '\'') {
        if (quote == '\0') {
          quote = c;
        } else if (c == quote && text_[i - 1] != '\\') {
          closed = true;
        }
      } else if (c == ')' && (quote != '\0') == closed) {
        return i;
      }
    }
    return Wrong("unterminated filter");
  }

  absl::Status ParseFilter(std::vector<Node>& chain) {
    at_ += 3;
    ASSIGN_OR_RETURN(const size_t end, FilterEnd());
    if (end + 1 >= text_.size() || text_[end + 1] != ']') {
      return Wrong("unclosed array expect ]");
    }
    const std::string_view inside = text_.substr(at_, end - at_);
    at_ = end + 2;
    Node node = Named(Kind::kFilter, "");
    node.lists.resize(2);
    // The operator leaves at least one character on each side.
    const size_t begin = inside.find_first_of(kOperators);
    size_t after = std::min(inside.find_first_not_of(kOperators, std::min(begin, inside.size())),
                            inside.size());
    if (after == inside.size() && after > begin + 1) --after;
    if (begin == std::string_view::npos || begin == 0 || after == inside.size()) {
      RETURN_IF_ERROR(ParsePart(inside, node.lists[0]));
    } else {
      node.text = inside.substr(begin, after - begin);
      RETURN_IF_ERROR(ParsePart(inside.substr(0, begin), node.lists[0]));
      RETURN_IF_ERROR(ParsePart(inside.substr(after), node.lists[1]));
    }
    chain.push_back(std::move(node));
    return absl::OkStatus();
  }

  const std::string_view text_;
  const int depth_;
  size_t at_ = 0;
};

}  // namespace

absl::StatusOr<std::vector<Node>> ParseTemplate(std::string_view text) {
  if (text.size() > kMaxTemplate) return Wrong("the template is too long");
  return Parser(text, 0).Parse();
}

std::string Shown(std::string_view text) {
  const std::string_view shown = CutUtf8(text, kMaxShown);
  return StrCat(shown, shown.size() < text.size() ? "..." : "");
}

}  // namespace steward::json_path
