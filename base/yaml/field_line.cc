#include "base/yaml/field_line.h"

#include <yaml-cpp/eventhandler.h>
#include <yaml-cpp/exceptions.h>
#include <yaml-cpp/mark.h>
#include <yaml-cpp/parser.h>

#include <sstream>

namespace steward {
namespace {

constexpr size_t kMaxDepth = 256;

// Follows the parser, and notes the line of the deepest part of the field's path that was found.
class Finder : public YAML::EventHandler {
 public:
  explicit Finder(const std::vector<std::string>& field) : field_(field) {}

  size_t line() const { return line_; }

  void OnDocumentStart(const YAML::Mark&) override {}
  void OnDocumentEnd() override {}
  void OnNull(const YAML::Mark& mark, YAML::anchor_t) override { Node(mark, ""); }
  void OnAlias(const YAML::Mark& mark, YAML::anchor_t) override { Node(mark, ""); }
  void OnScalar(const YAML::Mark& mark, const std::string&, YAML::anchor_t,
                const std::string& text) override {
    Node(mark, text);
  }
  void OnSequenceStart(const YAML::Mark& mark, const std::string&, YAML::anchor_t,
                       YAML::EmitterStyle::value) override {
    Open(mark, /*list=*/true);
  }
  void OnSequenceEnd() override { frames_.pop_back(); }
  void OnMapStart(const YAML::Mark& mark, const std::string&, YAML::anchor_t,
                  YAML::EmitterStyle::value) override {
    Open(mark, /*list=*/false);
  }
  void OnMapEnd() override { frames_.pop_back(); }

 private:
  struct Frame {
    bool list;
    bool on_field;            // this collection is a parent of the field, or the field itself
    bool current_on = false;  // the current element, too, is a parent of the field, or the field
    bool expects_key = true;  // of a mapping: the next node is a key
    size_t next = 0;          // of a list: the index of the next element
  };

  // Called when a node begins: a key, the value of a key, or an element of a list.
  void Node(const YAML::Mark& mark, const std::string& text) {
    if (frames_.empty()) return;
    Frame& frame = frames_.back();
    const size_t depth = frames_.size() - 1;
    if (!frame.list && !frame.expects_key) {
      frame.expects_key = true;
      return;
    }
    const std::string element = frame.list ? std::to_string(frame.next++) : text;
    frame.expects_key = false;
    frame.current_on = frame.on_field && depth < field_.size() && field_[depth] == element;
    if (frame.current_on && depth + 1 > found_) {
      found_ = depth + 1;
      line_ = static_cast<size_t>(mark.line) + 1;
    }
  }

  void Open(const YAML::Mark& mark, bool list) {
    Node(mark, "");
    if (frames_.size() >= kMaxDepth) throw YAML::ParserException(mark, "nested too deeply");
    frames_.push_back({list, frames_.empty() || frames_.back().current_on});
  }

  const std::vector<std::string>& field_;
  std::vector<Frame> frames_;
  size_t found_ = 0;
  size_t line_ = 1;
};

}  // namespace

size_t LineOfField(std::string_view text, const std::vector<std::string>& field) {
  Finder finder(field);
  try {
    std::istringstream stream{std::string(text)};
    YAML::Parser parser(stream);
    parser.HandleNextDocument(finder);
  } catch (const std::exception&) {
    // If the text has an error, the line found before it counts.
  }
  return finder.line();
}

}  // namespace steward
