#include "base/json/json_path/go_text.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <limits>
#include <string_view>
#include <vector>

#include "base/json/json_access.h"
#include "base/json/json_text.h"
#include "base/text/str_cat.h"

namespace steward::json_path {
namespace {

namespace json = boost::json;

// The shortest text, in the given form, that reads back as the same number.
std::string ShortestOf(double number, std::chars_format form) {
  std::array<char, 400> buffer;
  const auto end = std::to_chars(buffer.begin(), buffer.end(), number, form).ptr;
  return {buffer.begin(), end};
}

// The decimal exponent of a number that is not zero.
int ExponentOf(double number) {
  const std::string text = ShortestOf(number, std::chars_format::scientific);
  int exponent = 0;
  const size_t sign = text.find('e') + 1;
  const size_t digits = sign + (text[sign] == '+' ? 1 : 0);
  std::from_chars(text.data() + digits, text.data() + text.size(), exponent);
  return exponent;
}

bool IsFloat(const json::value& value) {
  return value.is_double() ||
         (value.is_uint64() && value.get_uint64() > std::numeric_limits<int64_t>::max());
}

std::string FloatText(double number, int lowest, int beyond) {
  if (number == 0) return std::signbit(number) ? "-0" : "0";
  const int exponent = ExponentOf(number);
  const bool plain = exponent >= lowest && exponent < beyond;
  return ShortestOf(number, plain ? std::chars_format::fixed : std::chars_format::scientific);
}

std::string JsonFloat(double number) {
  constexpr int kLowest = -6;
  constexpr int kBeyond = 21;
  std::string text = FloatText(number, kLowest, kBeyond);
  // encoding/json writes exponents without that zero: 1e-7.
  const size_t zero = text.find("e-0");
  if (zero != std::string::npos) text.erase(zero + 2, 1);
  return text;
}

std::string PlainFloat(double number) {
  constexpr int kLowest = -4;
  constexpr int kBeyond = 6;
  return FloatText(number, kLowest, kBeyond);
}

class Writer {
 public:
  Writer(size_t indent, size_t depth, std::string& out)
      : indent_(indent), depth_(depth), out_(out) {}

  void Write(const json::value& value) {
    if (const json::object* object = value.if_object()) {
      WriteObject(*object);
    } else if (const json::array* array = value.if_array()) {
      Begin('[');
      for (const json::value& item : *array) {
        Next();
        Write(item);
      }
      End(']');
    } else if (const json::string* string = value.if_string()) {
      AppendHtmlSafeJsonString(View(*string), out_);
    } else if (IsFloat(value)) {
      out_ += JsonFloat(value.to_number<double>());
    } else {
      AppendJson(value, out_);
    }
  }

 private:
  void WriteObject(const json::object& object) {
    std::vector<std::string_view> keys;
    for (const auto& member : object) keys.push_back(View(member.key()));
    std::sort(keys.begin(), keys.end());
    Begin('{');
    for (const std::string_view key : keys) {
      Next();
      AppendHtmlSafeJsonString(key, out_);
      out_ += indent_ > 0 ? ": " : ":";
      Write(*object.if_contains(key));
    }
    End('}');
  }
  void Begin(char bracket) {
    out_ += bracket;
    ++depth_;
    empty_ = true;
  }
  void Next() {
    if (!empty_) out_ += ',';
    empty_ = false;
    BreakLine();
  }
  void End(char bracket) {
    --depth_;
    if (!empty_) BreakLine();
    empty_ = false;
    out_ += bracket;
  }
  void BreakLine() {
    if (indent_ > 0) StrAppend(&out_, "\n", std::string(depth_ * indent_, ' '));
  }

  const size_t indent_;
  size_t depth_;
  bool empty_ = true;  // nothing was written since the last bracket opened
  std::string& out_;
};

}  // namespace

void AppendText(const json::value& value, std::string& out) {
  if (const json::string* string = value.if_string()) {
    out += View(*string);
  } else if (IsFloat(value)) {
    out += PlainFloat(value.to_number<double>());
  } else {
    AppendGoJson(value, 0, out);
  }
}

void AppendGoJson(const json::value& value, size_t indent, std::string& out, size_t depth) {
  Writer(indent, depth, out).Write(value);
}

}  // namespace steward::json_path
