#include "kube/meta/time.h"

#include <algorithm>
#include <optional>

#include "absl/time/civil_time.h"
#include "base/text/str_cat.h"
#include "kube/meta/quote.h"

namespace steward::kube {
namespace {

bool IsDigit(char c) { return c >= '0' && c <= '9'; }

// Parses RFC 3339 from the front of a text.
class Reader {
 public:
  explicit Reader(std::string_view text) : rest_(text) {}

  // A number of exactly `digits` digits that is at most `max`.
  int Number(size_t digits, int max) {
    if (rest_.size() < digits || !std::all_of(rest_.begin(), rest_.begin() + digits, IsDigit))
      return Fail();
    int n = 0;
    for (char c : rest_.substr(0, digits)) n = 10 * n + (c - '0');
    rest_.remove_prefix(digits);
    return n <= max ? n : Fail();
  }
  void Literal(char c) {
    if (!rest_.starts_with(c)) {
      Fail();
      return;
    }
    rest_.remove_prefix(1);
  }
  absl::Duration Fraction() {
    if (!rest_.starts_with('.') && !rest_.starts_with(',')) return absl::ZeroDuration();
    rest_.remove_prefix(1);
    if (rest_.empty() || !IsDigit(rest_.front())) Fail();
    int64_t nanoseconds = 0;
    for (int64_t unit = 100'000'000; !rest_.empty() && IsDigit(rest_.front()); unit /= 10) {
      nanoseconds += unit * (rest_.front() - '0');
      rest_.remove_prefix(1);
    }
    return absl::Nanoseconds(nanoseconds);
  }
  absl::Duration Offset() {
    if (rest_ == "Z") {
      rest_ = {};
      return absl::ZeroDuration();
    }
    const bool west = rest_.starts_with('-');
    Literal(west ? '-' : '+');
    const int hours = Number(2, 24);
    Literal(':');
    const absl::Duration offset = absl::Hours(hours) + absl::Minutes(Number(2, 60));
    return west ? -offset : offset;
  }
  bool ok() const { return ok_ && rest_.empty(); }

 private:
  int Fail() {
    ok_ = false;
    rest_ = {};
    return 0;
  }

  std::string_view rest_;
  bool ok_ = true;
};

std::optional<absl::Time> Parse(std::string_view text) {
  Reader reader(text);
  const int year = reader.Number(4, 9999);
  reader.Literal('-');
  const int month = reader.Number(2, 12);
  reader.Literal('-');
  const int day = reader.Number(2, 31);
  reader.Literal('T');
  const int hour = reader.Number(2, 23);
  reader.Literal(':');
  const int minute = reader.Number(2, 59);
  reader.Literal(':');
  const int second = reader.Number(2, 59);
  const absl::Duration fraction = reader.Fraction();
  const absl::Duration offset = reader.Offset();
  if (!reader.ok()) return std::nullopt;
  const absl::CivilSecond civil(year, month, day, hour, minute, second);
  // For a day that does not exist, civil time computes another day.
  if (civil.month() != month || civil.day() != day) return std::nullopt;
  return absl::FromCivil(civil, absl::UTCTimeZone()) + fraction - offset;
}

}  // namespace

std::string FormatRfc3339(absl::Time time) {
  return absl::FormatTime("%E4Y-%m-%dT%H:%M:%SZ", time, absl::UTCTimeZone());
}

std::string FormatRfc3339Micro(absl::Time time) {
  return absl::FormatTime("%E4Y-%m-%dT%H:%M:%E6SZ", time, absl::UTCTimeZone());
}

absl::StatusOr<absl::Time> ParseRfc3339(std::string_view text) {
  const std::optional<absl::Time> time = Parse(text);
  if (!time) return absl::InvalidArgumentError(StrCat("not an RFC 3339 time: ", Quote(text)));
  return *time;
}

}  // namespace steward::kube
