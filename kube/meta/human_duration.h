// Ages in the form of kubectl's tables. Pure functions.
#ifndef KUBE_META_HUMAN_DURATION_H_
#define KUBE_META_HUMAN_DURATION_H_

#include <string>

#include "absl/time/time.h"

namespace steward::kube {

// About three significant digits in one or two units, rounded down: "119s", "5m", "9m59s", "2d3h",
// "6y12d" (k8s.io/apimachinery/pkg/util/duration.HumanDuration). A negative duration of less than
// two seconds counts as zero; others are "<invalid>".
std::string HumanDuration(absl::Duration duration);

}  // namespace steward::kube

#endif  // KUBE_META_HUMAN_DURATION_H_
