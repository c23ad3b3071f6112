// The objects in the files of a dump, a few at a time. Thread-compatible.
#ifndef STORAGE_EMBEDDED_DUMP_DUMP_OBJECTS_H_
#define STORAGE_EMBEDDED_DUMP_DUMP_OBJECTS_H_

#include <boost/json/object.hpp>
#include <boost/json/value.hpp>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/yaml/yaml.h"
#include "kube/meta/names.h"
#include "storage/embedded/dump/dump_files.h"
#include "storage/embedded/dump/dump_layout.h"

namespace steward::storage {

struct DumpObject {
  std::string where;  // "namespaces/a/core/pods.yaml:12"
  kube::GroupVersionKind gvk;
  kube::NamespacedName name;  // as its metadata says
  std::optional<DumpPlace> place;
  boost::json::object object;
};

struct DumpProblem {
  enum class Sort { kCutOff, kUnreadable, kDuplicate, kUnknown, kMissing, kAssumed };
  Sort sort;
  std::string where;  // as of an object
  std::string what;
};

// The objects and problems of one file, or of a part of it.
struct DumpPart {
  // The problems of a sort that are kept: a file may have millions.
  static constexpr size_t kKept = 1000;

  std::vector<DumpObject> objects;
  std::vector<DumpProblem> problems;           // the first of each sort
  std::map<DumpProblem::Sort, size_t> counts;  // of all problems

  void Add(DumpProblem problem);
  size_t ProblemCount() const;
};

// Goes through the objects of one file: documents of YAML, or of JSON one after the other, each an
// object or a list. Documents and the items of lists are read one by one, so that long ones take
// little memory, and a list of YAML that is cut off yields the items before that. Bad parts become
// problems and don't hide the rest.
class DumpObjects {
 public:
  // The bytes of the largest object that a cluster may hold, as text without indentation.
  // Larger ones are refused before they are parsed, which may take thirty times as much memory.
  static constexpr size_t kMaxObject = 3 << 20;

  // `file` outlives it.
  explicit DumpObjects(const DumpFile& file)
      : file_(file), text_(file.text), yaml_documents_(text_) {}

  // Appends the next objects to `part`, of about half a mebibyte of text. False when there are no
  // more.
  bool Next(DumpPart& part);

 private:
  // A line, and the number in the list that begins there of an item without a line of its own.
  struct Spot {
    uint32_t line = 1;
    uint32_t item = 0;
  };
  struct Document {
    size_t begin;
    size_t end;
    uint32_t line;  // the first
  };
  // The places of a list's items, and the list's own fields.
  struct List {
    size_t next = 0;    // the item to read next
    size_t end = 0;     // of the items
    uint32_t line = 1;  // of the item to read next
    Spot read;          // of the last item of JSON
    size_t indent = 0;  // of the dashes of YAML
    std::string kind;   // of items that do not say it
    std::string version;
    bool whole = true;  // the list says its own kind, which follows its items
  };

  bool Begin(DumpPart& part);
  bool IsJson() const;
  std::optional<Document> NextDocument();
  void ReadDocument(const Document& document, DumpPart& part);
  std::optional<List> FindList(const Document& document) const;
  std::optional<List> FindJsonList(const Document& document) const;
  void ReadItem(DumpPart& part);
  void ReadJsonItem(DumpPart& part);
  // Parses the text of an object, whose first line is that of `spot`, and takes it.
  void Read(Spot spot, uint32_t first, std::string_view text, DumpPart& part) const;
  std::string Where(const Spot& spot) const;
  Spot End() const;
  // Takes an object, or the items of a list.
  void TakeAll(Spot spot, boost::json::value value, DumpPart& part) const;
  void Take(Spot spot, boost::json::object object, DumpPart& part) const;
  void Refuse(Spot spot, std::string what, DumpPart& part) const;

  const DumpFile& file_;
  const std::string_view text_;
  YamlTexts yaml_documents_;
  size_t json_next_ = 0;  // where the next document of JSON begins, or white space before it
  uint32_t json_line_ = 1;
  bool begun_ = false;
  bool over_ = false;
  bool is_json_ = false;
  bool last_ = false;     // the document is the last one
  bool cut_off_ = false;  // and that is told
  std::optional<List> list_;
};

}  // namespace steward::storage

#endif  // STORAGE_EMBEDDED_DUMP_DUMP_OBJECTS_H_
