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
    kRefused,  // nobody can install the bundle: it is refused
    kError,    // it can be installed, as OLM does, but not as its author means it
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

  // "spec.versions[0].name: why" is found at the line of that field, everything else at the file's
  // first one.
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
  // At a place that is known.
  void AddAt(std::string where, Finding::Severity severity, std::string what) {
    all_.push_back({std::move(where), severity, std::move(what)});
  }

  bool refuses() const;
  const std::vector<Finding>& all() const { return all_; }

 private:
  std::map<std::string, std::string> texts_;
  std::vector<Finding> all_;
};

// The elements of a field's path: "spec.versions[0].name" has four. Empty where the text is none.
std::vector<std::string> FieldOf(std::string_view path);

}  // namespace steward::plugin

#endif  // PLUGIN_BUNDLE_FINDINGS_H_
