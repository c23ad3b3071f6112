// A document that contains one long array and is written element by element. Not thread-safe.
#ifndef APISERVER_REST_ENCODING_ARRAY_DOCUMENT_H_
#define APISERVER_REST_ENCODING_ARRAY_DOCUMENT_H_

#include <string>
#include <string_view>
#include <utility>

#include "absl/status/status.h"
#include "apiserver/rest/negotiation/negotiation.h"
#include "base/splice/rope.h"

namespace steward::rest {

// Formats `{<members of head>, "<array_key>": [elements]}` as compact JSON (with a newline at the
// end), as indented JSON (without) or as YAML with sorted keys, in the exact bytes of Kubernetes'
// encoders. Holds one element in memory.
class ArrayDocument {
 public:
  // `head` is a compact JSON object that is not empty.
  ArrayDocument(const OutputFormat& format, std::string head, std::string array_key);

  absl::Status Begin(std::string& out);
  // `append(Rope&)` appends the element's compact JSON to its argument.
  template <typename Append>
  absl::Status Element(Rope& out, Append append) {
    if (layout_ == Layout::kCompact) {
      if (!std::exchange(first_, false)) out.text() += ',';
      append(out);
      return absl::OkStatus();
    }
    Rope element;
    append(element);
    return Relayout(element.Flatten(), out.text());
  }
  void End(std::string& out);

 private:
  enum class Layout { kCompact, kIndented, kYaml };

  // Appends an element, given as compact JSON, in the layout of `layout_`.
  absl::Status Relayout(std::string_view element, std::string& out);

  const Layout layout_;
  const std::string head_;
  const std::string array_key_;
  bool first_ = true;
  std::string tail_;  // YAML: the text behind the array
};

// True when documents are written unchanged: compact JSON, and a newline at the end.
bool IsCompact(const OutputFormat& format);
// Appends a whole document, given as compact JSON, in the same layouts.
absl::Status AppendDocument(const OutputFormat& format, std::string_view json, std::string& out);

}  // namespace steward::rest

#endif  // APISERVER_REST_ENCODING_ARRAY_DOCUMENT_H_
