#include <boost/json/array.hpp>
#include <boost/json/basic_parser_impl.hpp>
#include <boost/json/object.hpp>
#include <boost/json/string.hpp>
#include <charconv>
#include <limits>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/json/json_text.h"
#include "base/text/str_cat.h"

namespace steward {
namespace {

namespace json = boost::json;

// Builds the value from the parser's events. The library's own builder neither notices duplicate
// keys nor rounds doubles exactly.
class Builder {
 public:
  static constexpr size_t max_object_size = size_t(-1);
  static constexpr size_t max_array_size = size_t(-1);
  static constexpr size_t max_key_size = size_t(-1);
  static constexpr size_t max_string_size = size_t(-1);

  explicit Builder(bool refuse_duplicate_keys) : refuse_duplicate_keys_(refuse_duplicate_keys) {}

  json::value& root() { return root_; }
  const std::optional<std::string>& duplicate_key() const { return duplicate_key_; }

  bool on_document_begin(json::error_code&) { return true; }
  bool on_document_end(json::error_code&) { return true; }
  bool on_object_begin(json::error_code&) {
    frames_.push_back({json::object(), std::exchange(key_, {})});
    return true;
  }
  bool on_object_end(size_t, json::error_code&) { return Close(); }
  bool on_array_begin(json::error_code&) {
    frames_.push_back({json::array(), std::exchange(key_, {})});
    return true;
  }
  bool on_array_end(size_t, json::error_code&) { return Close(); }
  bool on_key_part(json::string_view part, size_t, json::error_code&) {
    key_.append(part.data(), part.size());
    return true;
  }
  bool on_key(json::string_view part, size_t, json::error_code& ec) {
    key_.append(part.data(), part.size());
    if (!refuse_duplicate_keys_ || !frames_.back().container.get_object().contains(key_))
      return true;
    duplicate_key_ = key_;
    ec = json::error::syntax;
    return false;
  }
  bool on_string_part(json::string_view part, size_t, json::error_code&) {
    string_.append(part.data(), part.size());
    return true;
  }
  bool on_string(json::string_view part, size_t, json::error_code&) {
    if (string_.empty()) return Add(json::value(part));
    string_.append(part.data(), part.size());
    const bool added = Add(json::value(json::string_view(string_)));
    string_.clear();
    return added;
  }
  // The whole text lies in one buffer, so numbers come in one piece.
  bool on_number_part(json::string_view, json::error_code&) { return true; }
  bool on_int64(int64_t n, json::string_view, json::error_code&) { return Add(n); }
  bool on_uint64(uint64_t n, json::string_view, json::error_code&) { return Add(n); }
  bool on_double(double fast, json::string_view text, json::error_code& ec) {
    double exact = fast;
    std::from_chars(text.data(), text.data() + text.size(), exact);
    if (exact > std::numeric_limits<double>::max() ||
        exact < std::numeric_limits<double>::lowest()) {
      ec = json::error::exponent_overflow;
      return false;
    }
    return Add(exact);
  }
  bool on_bool(bool b, json::error_code&) { return Add(b); }
  bool on_null(json::error_code&) { return Add(nullptr); }
  bool on_comment_part(json::string_view, json::error_code&) { return true; }
  bool on_comment(json::string_view, json::error_code&) { return true; }

 private:
  struct Frame {
    json::value container;
    std::string key;  // the key under which it goes into the frame below
  };

  bool Close() {
    Frame frame = std::move(frames_.back());
    frames_.pop_back();
    key_ = std::move(frame.key);
    return Add(std::move(frame.container));
  }

  bool Add(json::value value) {
    if (frames_.empty()) {
      root_ = std::move(value);
      return true;
    }
    json::value& container = frames_.back().container;
    if (json::array* array = container.if_array()) {
      array->push_back(std::move(value));
      return true;
    }
    container.get_object()[key_] = std::move(value);
    key_.clear();
    return true;
  }

  const bool refuse_duplicate_keys_;
  std::vector<Frame> frames_;
  std::string key_;
  std::string string_;
  std::optional<std::string> duplicate_key_;
  json::value root_;
};

absl::Status ErrorAt(std::string_view text, size_t offset, std::string_view what) {
  const std::string_view before = text.substr(0, offset);
  size_t line = 1;
  for (char c : before) line += c == '\n';
  const size_t last_newline = before.rfind('\n');
  const size_t column = last_newline == std::string_view::npos ? offset + 1 : offset - last_newline;
  return absl::InvalidArgumentError(StrCat("line ", line, ", column ", column, ": ", what));
}

}  // namespace

absl::StatusOr<json::value> ParseJson(std::string_view text, const JsonLimits& limits) {
  if (text.size() > limits.max_size) {
    return absl::ResourceExhaustedError(StrCat(
        "JSON text of ", text.size(), " bytes is larger than the limit of ", limits.max_size));
  }
  json::parse_options options;
  options.max_depth = limits.max_depth;
  json::basic_parser<Builder> parser(options, limits.refuse_duplicate_keys);
  json::error_code ec;
  const size_t used = parser.write_some(false, text.data(), text.size(), ec);
  if (!ec && used < text.size()) ec = json::error::extra_data;
  if (const std::optional<std::string>& key = parser.handler().duplicate_key()) {
    return ErrorAt(text, used, StrCat("duplicate key \"", *key, "\""));
  }
  if (ec) return ErrorAt(text, used, ec.message());
  return std::move(parser.handler().root());
}

}  // namespace steward
