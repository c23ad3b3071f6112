// A document with one long array in it, written element by element.
#ifndef APISERVER_REST_ARRAY_DOCUMENT_H_
#define APISERVER_REST_ARRAY_DOCUMENT_H_

#include <string>
#include <string_view>
#include <utility>

#include "absl/status/status.h"
#include "apiserver/rest/negotiation.h"

namespace steward::rest {

// Lays out `{<members of head>, "<array_key>": [elements]}` as compact JSON (with a newline at the
// end), as indented JSON (without) or as YAML with sorted keys: the very bytes that Kubernetes'
// encoders give for the whole. Memory: one element.
class ArrayDocument {
 public:
  // `head`: a JSON object, compact and not empty.
  ArrayDocument(const OutputFormat& format, std::string head, std::string array_key);

  absl::Status Begin(std::string& out);
  // `append(std::string&)` appends the element's compact JSON to its argument.
  template <typename Append>
  absl::Status Element(std::string& out, Append append) {
    if (layout_ == Layout::kCompact) {
      if (!std::exchange(first_, false)) out += ',';
      append(out);
      return absl::OkStatus();
    }
    scratch_.clear();
    append(scratch_);
    return Relayout(out);
  }
  void End(std::string& out);

 private:
  enum class Layout { kCompact, kIndented, kYaml };

  // Adds scratch_, an element's compact JSON, in the layout of `layout_`.
  absl::Status Relayout(std::string& out);

  const Layout layout_;
  const std::string head_;
  const std::string array_key_;
  bool first_ = true;
  std::string scratch_;
  std::string tail_;  // YAML: what follows the array
};

// Appends a whole document, given as compact JSON, in the same layouts.
absl::Status AppendDocument(const OutputFormat& format, std::string_view json, std::string& out);

}  // namespace steward::rest

#endif  // APISERVER_REST_ARRAY_DOCUMENT_H_
