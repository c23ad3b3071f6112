// The faults, or probable mistakes, in the files of a bundle. Not thread-safe.
#ifndef PLUGIN_BUNDLE_FINDINGS_H_
#define PLUGIN_BUNDLE_FINDINGS_H_

#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace steward::plugin {

struct Finding {
  enum class Severity {
    kRefused,  // an API server or OLM refuses it, so nobody can install the bundle
    kError,    // OLM can install it, but not as its author means it
    kHint,
  };
  std::string where;  // "file:line"
  Severity severity = Severity::kError;
  std::string what;
};

class Findings {
 public:
  // The content of a file that findings are about.
  void KnowText(const std::string& file, std::string text) { texts_[file] = std::move(text); }

  // A `what` of the form "spec.versions[0].name: why" is placed at the line of that field, any
  // other at the file's first line.
  void Add(const std::string& file, Finding::Severity severity, std::string what);
  void Refuse(const std::string& file, std::string what) {
    Add(file, Finding::Severity::kRefused, std::move(what));
  }
  void Error(const std::string& file, std::string what) {
    Add(file, Finding::Severity::kError, std::move(what));
  }
  void Hint(const std::string& file, std::string what) {
    Add(file, Finding::Severity::kHint, std::move(what));
  }
  // Adds a finding at the given place.
  void AddAt(std::string where, Finding::Severity severity, std::string what) {
    all_.push_back({std::move(where), severity, std::move(what)});
  }

  bool refuses() const;
  const std::vector<Finding>& all() const { return all_; }

 private:
  std::map<std::string, std::string> texts_;
  std::vector<Finding> all_;
};

// The elements of a field's path: "spec.versions[0].name" has four. Empty if `path` is not such a
// path.
std::vector<std::string> FieldOf(std::string_view path);

}  // namespace steward::plugin

#endif  // PLUGIN_BUNDLE_FINDINGS_H_
