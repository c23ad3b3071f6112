// Thread-safe log lines with keys and values, on standard error, in the format of Kubernetes'
// structured logs:
//   I1121 10:34:19.123456   42 "Listed" resource="namespaces" items="12"
//
// Never log a secret: no bearer token, no key, no object body.
#ifndef BASE_LOG_LOG_H_
#define BASE_LOG_LOG_H_

#include <initializer_list>
#include <string>
#include <string_view>

#include "absl/status/status.h"
#include "base/text/str_cat.h"

namespace steward::log {

struct Field {
  template <typename T>
  Field(std::string_view k, const T& v) : key(k), value(StrCat(v)) {}
  Field(std::string_view k, const absl::Status& v) : key(k), value(v.message()) {}
  std::string_view key;
  std::string value;
};
using Fields = std::initializer_list<Field>;

// Each line is written whole.
void Info(std::string_view message, Fields fields = {});
void Warning(std::string_view message, Fields fields = {});
void Error(std::string_view message, Fields fields = {});
// Shown at `--v=level` or above; level 2 = steps of normal work, 4 = single requests.
void Verbose(int level, std::string_view message, Fields fields = {});

// True when lines of this level are shown: for fields that cost something to gather.
bool IsVerbose(int level);
void SetVerbosity(int level);

}  // namespace steward::log

#endif  // BASE_LOG_LOG_H_
