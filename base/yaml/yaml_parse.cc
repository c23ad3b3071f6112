#include <yaml-cpp/eventhandler.h>
#include <yaml-cpp/exceptions.h>
#include <yaml-cpp/mark.h>
#include <yaml-cpp/parser.h>

#include <algorithm>
#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <boost/json/string.hpp>
#include <charconv>
#include <sstream>
#include <unordered_map>
#include <utility>
#include <vector>

#include "base/json/json_text.h"
#include "base/json/utf8.h"
#include "base/text/str_cat.h"
#include "base/yaml/document.h"
#include "base/yaml/scalar.h"

namespace steward::yaml {
namespace {

namespace json = boost::json;

constexpr char kMergeTag[] = "tag:yaml.org,2002:merge";

// The library reports errors by exceptions. This code is called by the library, so it does the
// same; ParseDocument catches both.
[[noreturn]] void Fail(const YAML::Mark& mark, const std::string& reason) {
  throw YAML::ParserException(mark, reason);
}

// The approximate memory of a copy of the value.
size_t Cost(const json::value& value) {
  constexpr size_t kNode = 32;
  size_t cost = kNode;
  if (const json::string* string = value.if_string()) {
    cost += string->size();
  } else if (const json::array* array = value.if_array()) {
    for (const json::value& element : *array) cost += Cost(element);
  } else if (const json::object* object = value.if_object()) {
    for (const auto& member : *object) cost += kNode + member.key().size() + Cost(member.value());
  }
  return cost;
}

// Repairs `text`: the parser writes the escapes \N and \_ (U+0085 and U+00A0) as single bytes. The
// rest is UTF-8.
std::string WithWholeCharacters(const std::string& text) {
  std::string out;
  out.reserve(text.size());
  for (size_t i = 0; i < text.size();) {
    const size_t length = DecodeUtf8(text, i).length;
    if (length == 0) out += '\xC2';
    out.append(text, i, std::max<size_t>(length, 1));
    i += std::max<size_t>(length, 1);
  }
  return out;
}

// True when the scalar at `pos`, behind its anchors and tags, is quoted and its quote is never
// closed.
bool IsOpenQuote(std::string_view text, size_t pos) {
  constexpr std::string_view kBlanks = " \t\r\n";
  while (pos < text.size() && (text[pos] == '&' || text[pos] == '!')) {
    pos = text.find_first_not_of(kBlanks, text.find_first_of(kBlanks, pos));
  }
  if (pos >= text.size() || (text[pos] != '"' && text[pos] != '\'')) return false;
  const char quote = text[pos];
  for (++pos; pos < text.size(); ++pos) {
    if (quote == '"' && text[pos] == '\\') {
      ++pos;
    } else if (text[pos] == quote) {
      // Within single quotes, two single quotes stand for one.
      if (quote == '"' || pos + 1 == text.size() || text[pos + 1] != quote) return false;
      ++pos;
    }
  }
  return true;
}

// A resolved scalar as a mapping's key.
std::string KeyText(const json::value& key, const YAML::Mark& mark) {
  switch (key.kind()) {
    case json::kind::string:
      return std::string(key.get_string());
    case json::kind::bool_:
    case json::kind::int64:
    case json::kind::uint64:
      return Serialize(key);
    case json::kind::double_: {
      // Kubernetes prints such keys with the precision of a float.
      char buffer[32];
      const auto f = static_cast<float>(key.get_double());
      return {buffer,
              std::to_chars(buffer, buffer + sizeof(buffer), f, std::chars_format::general).ptr};
    }
    default:
      Fail(mark, "a mapping's key must be a scalar and not null (or a bracket is not closed)");
  }
}

// Builds one document's value from the parser's events.
class Builder : public YAML::EventHandler {
 public:
  // `text` is the text that the parser reads: marks are byte offsets in it.
  Builder(std::string_view text, const YamlLimits& limits) : text_(text), limits_(limits) {}

  json::value& root() { return root_; }

  void OnDocumentStart(const YAML::Mark&) override {}
  // The parser accepts the end of the text in place of a closing quote. Only the last scalar can
  // have such a quote.
  void OnDocumentEnd() override {
    if (!last_scalar_.is_null() && IsOpenQuote(text_, last_scalar_.pos)) {
      Fail(last_scalar_, "found unexpected end of stream in a quoted scalar");
    }
  }

  void OnNull(const YAML::Mark& mark, YAML::anchor_t anchor) override {
    RefuseMissing(mark);
    Add(mark, anchor, nullptr);
  }

  void OnAlias(const YAML::Mark& mark, YAML::anchor_t anchor) override {
    const auto found = anchors_.find(anchor);
    if (found == anchors_.end()) Fail(mark, "an alias inside the node that it stands for");
    Charge(mark, found->second.cost);
    Add(mark, YAML::NullAnchor, found->second.value);
  }

  void OnScalar(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                const std::string& text) override {
    last_scalar_ = mark;
    const bool plain = tag == "?" || tag.empty();
    if (ExpectsKey() && (tag == kMergeTag || (plain && text == "<<"))) {
      frames_.back().merging = frames_.back().has_key = true;
      return;
    }
    absl::StatusOr<json::value> value = tag == "!"
                                            ? json::value(json::string(WithWholeCharacters(text)))
                                        : plain ? ResolvePlain(text)
                                                : ResolveTagged(tag, WithWholeCharacters(text));
    if (!value.ok()) Fail(mark, std::string(value.status().message()));
    Add(mark, anchor, *std::move(value));
  }

  void OnSequenceStart(const YAML::Mark& mark, const std::string&, YAML::anchor_t anchor,
                       YAML::EmitterStyle::value style) override {
    Open(mark, anchor, json::array(), style);
  }
  void OnSequenceEnd() override { Close(); }

  void OnMapStart(const YAML::Mark& mark, const std::string&, YAML::anchor_t anchor,
                  YAML::EmitterStyle::value style) override {
    Open(mark, anchor, json::object(), style);
  }
  void OnMapEnd() override {
    Merge(frames_.back());
    Close();
  }

 private:
  struct Frame {
    YAML::Mark mark;
    YAML::anchor_t anchor;
    json::value container;
    bool flow;  // {} or []
    int key_pos = -1;
    bool has_key = false;  // the next node is the value of `key`, or is to be merged (`<<`)
    bool merging = false;
    std::string key;
    std::vector<json::value> merged;  // mappings, in order of precedence
  };
  struct Anchored {
    json::value value;
    size_t cost;
  };

  bool ExpectsKey() const {
    return !frames_.empty() && frames_.back().container.is_object() && !frames_.back().has_key;
  }

  void Charge(const YAML::Mark& mark, size_t cost) {
    expansion_ += cost;
    if (expansion_ > limits_.max_expansion)
      Fail(mark, "anchors and aliases make the document too large");
  }

  // Refuses a key without a colon, and an empty place between commas. The parser wrongly reads both
  // as null.
  void RefuseMissing(const YAML::Mark& mark) const {
    if (frames_.empty()) return;
    const Frame& frame = frames_.back();
    if (!frame.flow && frame.has_key && mark.pos == frame.key_pos)
      Fail(mark, "could not find expected ':'");
    const auto pos = static_cast<size_t>(mark.pos);
    if (frame.flow && frame.container.is_array() && pos < text_.size() && text_[pos] == ',') {
      Fail(mark, "did not find expected node content");
    }
  }

  void Open(const YAML::Mark& mark, YAML::anchor_t anchor, json::value container,
            YAML::EmitterStyle::value style) {
    if (ExpectsKey())
      Fail(mark, "a mapping's key must be a scalar and not null (or a bracket is not closed)");
    if (frames_.size() >= limits_.max_depth) Fail(mark, "nested too deeply");
    frames_.push_back({mark, anchor, std::move(container), style == YAML::EmitterStyle::Flow});
  }

  void Close() {
    Frame frame = std::move(frames_.back());
    frames_.pop_back();
    Add(frame.mark, frame.anchor, std::move(frame.container));
  }

  void Add(const YAML::Mark& mark, YAML::anchor_t anchor, json::value value) {
    if (anchor != YAML::NullAnchor) {
      const size_t cost = Cost(value);
      Charge(mark, cost);
      anchors_.insert_or_assign(anchor, Anchored{value, cost});
    }
    if (frames_.empty()) {
      root_ = std::move(value);
      return;
    }
    Frame& frame = frames_.back();
    if (json::array* array = frame.container.if_array()) {
      array->push_back(std::move(value));
    } else if (!frame.has_key) {
      AddKey(mark, value, frame);
    } else {
      frame.has_key = false;
      if (std::exchange(frame.merging, false)) {
        AddMerged(mark, std::move(value), frame);
      } else {
        frame.container.get_object()[frame.key] = std::move(value);
      }
    }
  }

  void AddKey(const YAML::Mark& mark, const json::value& value, Frame& frame) const {
    frame.key = KeyText(value, mark);
    frame.key_pos = mark.pos;
    frame.has_key = true;
    const bool is_new = frame.container.get_object().emplace(frame.key, nullptr).second;
    if (!is_new && !limits_.last_of_equal_keys) {
      Fail(mark, StrCat("key \"", frame.key, "\" already set in map"));
    }
  }

  static void AddMerged(const YAML::Mark& mark, json::value value, Frame& frame) {
    if (json::array* list = value.if_array()) {
      for (json::value& element : *list) {
        if (!element.is_object())
          Fail(mark, "map merge requires map or sequence of maps as the value");
        frame.merged.push_back(std::move(element));
      }
    } else if (value.is_object()) {
      frame.merged.push_back(std::move(value));
    } else {
      Fail(mark, "map merge requires map or sequence of maps as the value");
    }
  }

  static void Merge(Frame& frame) {
    json::object& object = frame.container.get_object();
    for (json::value& merged : frame.merged) {
      for (auto& member : merged.get_object())
        object.emplace(member.key(), std::move(member.value()));
    }
  }

  const std::string_view text_;
  const YamlLimits& limits_;
  std::vector<Frame> frames_;
  std::unordered_map<YAML::anchor_t, Anchored> anchors_;
  size_t expansion_ = 0;
  YAML::Mark last_scalar_ = YAML::Mark::null_mark();
  json::value root_;
};

absl::Status ErrorAt(size_t line, std::string_view reason) {
  return absl::InvalidArgumentError(StrCat("line ", line, ": ", reason));
}

}  // namespace

absl::StatusOr<json::value> ParseDocument(std::string_view text, size_t first_line,
                                          const YamlLimits& limits) {
  try {
    std::istringstream stream{std::string(text)};
    YAML::Parser parser(stream);
    Builder builder(text, limits);
    if (!parser.HandleNextDocument(builder))
      return ErrorAt(first_line, "no document after the directives");
    Builder rest(text, limits);
    if (parser.HandleNextDocument(rest)) {
      return ErrorAt(first_line, "more content after the end of the document that starts here");
    }
    return std::move(builder.root());
  } catch (const YAML::Exception& error) {
    const size_t line = error.mark.is_null() ? first_line : first_line + error.mark.line;
    return ErrorAt(line, error.msg);
  } catch (const std::exception& error) {
    return ErrorAt(first_line, error.what());
  }
}

}  // namespace steward::yaml
