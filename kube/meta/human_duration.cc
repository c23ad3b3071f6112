#include "kube/meta/human_duration.h"

#include <cstdint>
#include <iterator>

#include "base/text/str_cat.h"

namespace steward::kube {
namespace {

constexpr int64_t kMinute = 60;
constexpr int64_t kHour = 60 * kMinute;
constexpr int64_t kDay = 24 * kHour;
constexpr int64_t kYear = 365 * kDay;

// The form of durations below a bound.
struct Form {
  int64_t below;  // seconds
  int64_t unit;
  const char* name;
  // The second unit, left out when its count is zero; 0 = never a second one.
  int64_t small_unit;
  const char* small_name;
};

constexpr Form kForms[] = {
    {2 * kMinute, 1, "s", 0, ""},     {10 * kMinute, kMinute, "m", 1, "s"},
    {3 * kHour, kMinute, "m", 0, ""}, {8 * kHour, kHour, "h", kMinute, "m"},
    {2 * kDay, kHour, "h", 0, ""},    {8 * kDay, kDay, "d", kHour, "h"},
    {2 * kYear, kDay, "d", 0, ""},    {8 * kYear, kYear, "y", kDay, "d"},
    {INT64_MAX, kYear, "y", 0, ""},
};

}  // namespace

std::string HumanDuration(absl::Duration duration) {
  const int64_t seconds = absl::ToInt64Seconds(duration);
  if (seconds < -1) return "<invalid>";
  if (seconds < 0) return "0s";
  const Form* form = std::begin(kForms);
  while (seconds >= form->below && form + 1 != std::end(kForms)) ++form;
  std::string text = StrCat(seconds / form->unit, form->name);
  const int64_t rest = form->small_unit == 0 ? 0 : seconds % form->unit / form->small_unit;
  if (rest != 0) StrAppend(&text, rest, form->small_name);
  return text;
}

}  // namespace steward::kube
