// The query form of label selectors.
#include <algorithm>
#include <set>
#include <utility>

#include "base/status/macros.h"
#include "base/text/str_cat.h"
#include "kube/meta/label_requirement.h"
#include "kube/meta/label_syntax.h"
#include "kube/meta/quote.h"
#include "kube/meta/selector.h"

namespace steward::kube {
namespace {

using Operator = LabelSelector::Operator;
using Requirement = LabelSelector::Requirement;

bool IsSpace(char c) { return c == ' ' || c == '\t' || c == '\r' || c == '\n'; }
bool IsSymbol(char c) { return std::string_view("=!(),><").find(c) != std::string_view::npos; }

enum class Token {
  kError,
  kEnd,
  kClose,
  kComma,
  kNot,
  kEqual,
  kNotEqual,
  kGreater,
  kLess,
  kWord,
  kIn,
  kNotIn,
  kOpen
};

// Splits the query form into tokens. `in` and `notin` are words wherever a key or value may stand.
class Lexer {
 public:
  explicit Lexer(std::string_view text) : text_(text) { Advance(); }

  Token token() const {
    return token_ == Token::kIn || token_ == Token::kNotIn ? Token::kWord : token_;
  }
  // The token, with `in` and `notin` distinguished from words.
  Token operator_token() const { return token_; }
  const std::string& literal() const { return literal_; }

  // Counts one more requirement or value.
  absl::Status Count() {
    if (++parts_ <= kMaxSelectorParts) return absl::OkStatus();
    return absl::InvalidArgumentError(StrCat("a label selector must not have more than ",
                                             kMaxSelectorParts, " requirements and values"));
  }
  bool too_many() const { return parts_ > kMaxSelectorParts; }

  void Advance() {
    while (pos_ < text_.size() && IsSpace(text_[pos_])) ++pos_;
    // A NUL ends the text, except right after a token.
    if (pos_ >= text_.size() || text_[pos_] == '\0') {
      Set(Token::kEnd, "");
    } else if (IsSymbol(text_[pos_])) {
      ScanSymbol();
    } else {
      ScanWord();
    }
  }

 private:
  void Set(Token token, std::string_view literal) {
    token_ = token;
    literal_ = literal;
  }

  // A NUL right after a token is swallowed, as it is in Kubernetes.
  void SkipNul() { pos_ += pos_ < text_.size() && text_[pos_] == '\0'; }

  void ScanSymbol() {
    static constexpr std::pair<std::string_view, Token> kSymbols[] = {
        {"==", Token::kEqual}, {"!=", Token::kNotEqual}, {"=", Token::kEqual},
        {"!", Token::kNot},    {"(", Token::kOpen},      {")", Token::kClose},
        {",", Token::kComma},  {">", Token::kGreater},   {"<", Token::kLess},
    };
    for (const auto& [symbol, token] : kSymbols) {
      if (!text_.substr(pos_).starts_with(symbol)) continue;
      pos_ += symbol.size();
      SkipNul();
      Set(token, symbol);
      return;
    }
  }

  void ScanWord() {
    const size_t start = pos_;
    while (pos_ < text_.size() && text_[pos_] != '\0' && !IsSpace(text_[pos_]) &&
           !IsSymbol(text_[pos_]))
      ++pos_;
    const std::string_view word = text_.substr(start, pos_ - start);
    SkipNul();
    Set(word == "in" ? Token::kIn : word == "notin" ? Token::kNotIn : Token::kWord, word);
  }

  std::string_view text_;
  size_t pos_ = 0;
  size_t parts_ = 0;
  Token token_ = Token::kError;
  std::string literal_;
};

absl::Status Unexpected(const Lexer& lexer, std::string_view expected) {
  return absl::InvalidArgumentError(StrCat("found '", lexer.literal(), "', expected: ", expected));
}

absl::StatusOr<Operator> ParseOperator(Lexer& lexer) {
  Operator op;
  switch (lexer.operator_token()) {
    case Token::kIn:
    case Token::kEqual:
      op = Operator::kIn;
      break;
    case Token::kNotIn:
    case Token::kNotEqual:
      op = Operator::kNotIn;
      break;
    case Token::kGreater:
      op = Operator::kGreaterThan;
      break;
    case Token::kLess:
      op = Operator::kLessThan;
      break;
    default:
      return Unexpected(lexer, "in, notin, =, ==, !=, gt, lt");
  }
  lexer.Advance();
  return op;
}

// `(a,b,)`: an empty place between commas or parentheses is the empty value.
absl::StatusOr<std::vector<std::string>> ParseValueSet(Lexer& lexer) {
  if (lexer.token() != Token::kOpen) {
    return absl::InvalidArgumentError(StrCat("found '", lexer.literal(), "' expected: '('"));
  }
  lexer.Advance();
  const Token first = lexer.token();
  if (first != Token::kWord && first != Token::kComma && first != Token::kClose) {
    return Unexpected(lexer, "',', ')' or identifier");
  }
  std::set<std::string> values;
  bool after_comma = true;
  while (lexer.token() != Token::kClose) {
    if (lexer.token() == Token::kWord && after_comma) {
      RETURN_IF_ERROR(lexer.Count());
      values.insert(lexer.literal());
      after_comma = false;
    } else if (lexer.token() == Token::kComma) {
      if (after_comma) {
        RETURN_IF_ERROR(lexer.Count());
        values.insert("");
      }
      after_comma = true;
    } else {
      return Unexpected(lexer, after_comma ? "',', or identifier" : "',' or ')'");
    }
    lexer.Advance();
  }
  lexer.Advance();
  if (after_comma) {
    RETURN_IF_ERROR(lexer.Count());
    values.insert("");
  }
  return std::vector<std::string>(values.begin(), values.end());
}

absl::StatusOr<std::vector<std::string>> ParseSingleValue(Lexer& lexer) {
  RETURN_IF_ERROR(lexer.Count());
  if (lexer.token() == Token::kEnd || lexer.token() == Token::kComma)
    return std::vector<std::string>{""};
  if (lexer.token() != Token::kWord) return Unexpected(lexer, "identifier");
  std::vector<std::string> values = {lexer.literal()};
  lexer.Advance();
  return values;
}

absl::StatusOr<Requirement> ParseRequirement(Lexer& lexer) {
  const bool negated = lexer.token() == Token::kNot;
  if (negated) lexer.Advance();
  if (lexer.token() != Token::kWord) return Unexpected(lexer, "identifier");
  std::string key = lexer.literal();
  // Kubernetes has no field path to name here, and prints <nil>.
  if (const std::string what = LabelKeyProblem(key); !what.empty()) {
    return absl::InvalidArgumentError(StrCat("<nil>: Invalid value: ", Quote(key), ": ", what));
  }
  lexer.Advance();
  if (negated) return MakeLabelRequirement(std::move(key), Operator::kDoesNotExist, {});
  if (lexer.token() == Token::kEnd || lexer.token() == Token::kComma) {
    return MakeLabelRequirement(std::move(key), Operator::kExists, {});
  }
  const bool set = lexer.operator_token() == Token::kIn || lexer.operator_token() == Token::kNotIn;
  ASSIGN_OR_RETURN(const Operator op, ParseOperator(lexer));
  ASSIGN_OR_RETURN(std::vector<std::string> values,
                   set ? ParseValueSet(lexer) : ParseSingleValue(lexer));
  return MakeLabelRequirement(std::move(key), op, std::move(values));
}

absl::StatusOr<std::vector<Requirement>> ParseRequirements(Lexer lexer) {
  std::vector<Requirement> requirements;
  if (lexer.token() == Token::kEnd) return requirements;
  if (lexer.token() != Token::kWord && lexer.token() != Token::kNot) {
    return Unexpected(lexer, "!, identifier, or 'end of string'");
  }
  while (true) {
    RETURN_IF_ERROR(lexer.Count());
    absl::StatusOr<Requirement> requirement = ParseRequirement(lexer);
    if (lexer.too_many()) return std::move(requirement).status();
    if (!requirement.ok()) {
      return absl::InvalidArgumentError(
          absl::StrCat("unable to parse requirement: ", requirement.status().message()));
    }
    requirements.push_back(*std::move(requirement));
    if (lexer.token() == Token::kEnd) return requirements;
    if (lexer.token() != Token::kComma) return Unexpected(lexer, "',' or 'end of string'");
    lexer.Advance();
    if (lexer.token() != Token::kWord && lexer.token() != Token::kNot) {
      return Unexpected(lexer, "identifier after ','");
    }
  }
}

}  // namespace

absl::StatusOr<LabelSelector> LabelSelector::Parse(std::string_view text) {
  if (text.size() > kMaxSelectorBytes) {
    return absl::InvalidArgumentError(
        StrCat("a label selector must not be longer than ", kMaxSelectorBytes, " bytes"));
  }
  ASSIGN_OR_RETURN(std::vector<Requirement> requirements, ParseRequirements(Lexer(text)));
  LabelSelector selector(std::move(requirements));
  std::vector<Requirement>& sorted = selector.requirements_;
  sorted.erase(std::unique(sorted.begin(), sorted.end()), sorted.end());
  return selector;
}

}  // namespace steward::kube
