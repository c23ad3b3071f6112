#include <algorithm>
#include <tuple>
#include <utility>

#include "base/json/utf8.h"
#include "base/status/macros.h"
#include "base/text/str_cat.h"
#include "kube/meta/label_syntax.h"
#include "kube/meta/selector.h"

namespace steward::kube {
namespace {

constexpr size_t kMaxTerms = kMaxSelectorParts / 2;

// Splits at commas that no backslash escapes; leaves out empty parts and keeps escapes. Returns at
// most kMaxTerms + 1 parts.
std::vector<std::string_view> SplitTerms(std::string_view text) {
  std::vector<std::string_view> terms;
  size_t start = 0;
  const auto add = [&](size_t end) {
    if (end > start) terms.push_back(text.substr(start, end - start));
    start = end + 1;
  };
  bool escaped = false;
  for (size_t i = 0; i < text.size() && terms.size() <= kMaxTerms; ++i) {
    if (escaped) {
      escaped = false;
    } else if (text[i] == '\\') {
      escaped = true;
    } else if (text[i] == ',') {
      add(i);
    }
  }
  if (terms.size() <= kMaxTerms) add(text.size());
  return terms;
}

// The whole character at `pos`, for messages.
std::string_view CharacterAt(std::string_view text, size_t pos) {
  const size_t length = DecodeUtf8(text, pos).length;
  return length == 0 ? "\xEF\xBF\xBD" : text.substr(pos, length);
}

absl::StatusOr<std::string> Unescape(std::string_view text) {
  constexpr char kBadEscape[] = "invalid field selector: invalid escape sequence: \\";
  std::string out;
  out.reserve(text.size());
  for (size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (c == ',' || c == '=') {
      return absl::InvalidArgumentError(
          StrCat("invalid field selector: unescaped character in value: ", static_cast<int>(c)));
    }
    if (c != '\\') {
      out += c;
      continue;
    }
    ++i;
    if (i == text.size()) return absl::InvalidArgumentError(kBadEscape);
    if (text[i] != '\\' && text[i] != ',' && text[i] != '=') {
      return absl::InvalidArgumentError(StrCat(kBadEscape, CharacterAt(text, i)));
    }
    out += text[i];
  }
  return out;
}

void AppendEscaped(std::string_view value, std::string& out) {
  for (char c : value) {
    if (c == '\\' || c == ',' || c == '=') out += '\\';
    out += c;
  }
}

}  // namespace

absl::StatusOr<FieldSelector> FieldSelector::Parse(std::string_view text) {
  if (text.size() > kMaxSelectorBytes) {
    return absl::InvalidArgumentError(
        StrCat("a field selector must not be longer than ", kMaxSelectorBytes, " bytes"));
  }
  FieldSelector selector;
  std::vector<std::string_view> parts = SplitTerms(text);
  if (parts.size() > kMaxTerms) {
    return absl::InvalidArgumentError(StrCat("a field selector must not have more than ",
                                             kMaxSelectorParts, " paths and values"));
  }
  std::sort(parts.begin(), parts.end());
  for (std::string_view part : parts) {
    // The first operator separates path and value: `=`, `==` or `!=`.
    size_t at = part.find('=');
    if (at == std::string_view::npos) {
      return absl::InvalidArgumentError(
          StrCat("invalid selector: '", text, "'; can't understand '", part, "'"));
    }
    const bool negated = at > 0 && part[at - 1] == '!';
    size_t value_start = at + 1;
    if (negated) {
      --at;
    } else if (value_start < part.size() && part[value_start] == '=') {
      ++value_start;
    }
    ASSIGN_OR_RETURN(std::string value, Unescape(part.substr(value_start)));
    const std::string_view path = part.substr(0, at);
    if (path.empty() && value.empty()) continue;  // Kubernetes ignores a bare operator
    selector.terms_.push_back({std::string(path), negated, std::move(value)});
  }
  std::sort(selector.terms_.begin(), selector.terms_.end(), [](const Term& a, const Term& b) {
    return std::tie(a.path, a.negated, a.value) < std::tie(b.path, b.negated, b.value);
  });
  selector.terms_.erase(std::unique(selector.terms_.begin(), selector.terms_.end()),
                        selector.terms_.end());
  return selector;
}

const std::string* FieldSelector::RequiredValue(std::string_view path) const {
  for (const Term& term : terms_) {
    if (!term.negated && term.path == path) return &term.value;
  }
  return nullptr;
}

std::string FieldSelector::ToString() const {
  std::string out;
  for (const Term& term : terms_) {
    if (!out.empty()) out += ',';
    out += term.path;
    out += term.negated ? "!=" : "=";
    AppendEscaped(term.value, out);
  }
  return out;
}

}  // namespace steward::kube
