#include "kube/client/warnings.h"

#include <optional>
#include <utility>

#include "absl/strings/ascii.h"

namespace steward::kube {
namespace {

constexpr std::string_view kMiscellaneousPersistent = "299";
constexpr size_t kCodeDigits = 3;

bool IsBlank(char c) { return c == ' ' || c == '\t'; }

void SkipBlanks(std::string_view& rest) {
  while (!rest.empty() && IsBlank(rest.front())) rest.remove_prefix(1);
}

// Drops the comma between two elements and the empty elements that RFC 7230 allows.
void SkipSeparators(std::string_view& rest) {
  while (!rest.empty() && (IsBlank(rest.front()) || rest.front() == ',')) rest.remove_prefix(1);
}

// Takes a token and the space behind it.
std::optional<std::string_view> TakeWord(std::string_view& rest) {
  const size_t end = rest.find(' ');
  if (end == 0 || end == std::string_view::npos) return std::nullopt;
  const std::string_view word = rest.substr(0, end);
  if (word.find_first_of("\",") != std::string_view::npos) return std::nullopt;
  rest.remove_prefix(end + 1);
  return word;
}

// Takes a quoted-string to its end. The returned text ends at the limit.
std::optional<std::string> TakeQuoted(std::string_view& rest) {
  if (!rest.starts_with('"')) return std::nullopt;
  std::string text;
  for (size_t i = 1; i < rest.size(); ++i) {
    if (rest[i] == '"') {
      rest.remove_prefix(i + 1);
      return text;
    }
    if (rest[i] == '\\' && ++i == rest.size()) return std::nullopt;
    if (absl::ascii_iscntrl(static_cast<unsigned char>(rest[i]))) return std::nullopt;
    // Keep one byte more than the limit: it shows whether the limit lies within a character.
    if (text.size() <= kMaxWarningBytes) text.push_back(rest[i]);
  }
  return std::nullopt;
}

bool IsContinuation(char c) { return (static_cast<unsigned char>(c) & 0xC0) == 0x80; }

void Cut(std::string& text) {
  if (text.size() <= kMaxWarningBytes) return;
  size_t end = kMaxWarningBytes;
  constexpr size_t kLongestCharacter = 4;
  for (size_t back = 0; back < kLongestCharacter && IsContinuation(text[end]); ++back) --end;
  text.resize(end);
}

}  // namespace

void AppendWarnings(std::string_view header, std::vector<std::string>& warnings) {
  std::string_view rest = header;
  SkipSeparators(rest);
  while (!rest.empty() && warnings.size() < kMaxWarnings) {
    const std::optional<std::string_view> code = TakeWord(rest);
    if (!code || code->size() != kCodeDigits ||
        code->find_first_not_of("0123456789") != std::string_view::npos) {
      return;
    }
    if (!TakeWord(rest)) return;  // the agent
    std::optional<std::string> text = TakeQuoted(rest);
    if (!text) return;
    SkipBlanks(rest);
    if (rest.starts_with('"') && !TakeQuoted(rest)) return;  // the date
    SkipBlanks(rest);
    if (!rest.empty() && rest.front() != ',') return;
    SkipSeparators(rest);
    if (*code != kMiscellaneousPersistent || text->empty()) continue;
    Cut(*text);
    warnings.push_back(*std::move(text));
  }
}

}  // namespace steward::kube
