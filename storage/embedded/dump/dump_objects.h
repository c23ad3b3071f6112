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
  std::string where;  // as DumpObject::where
  std::string what;
};

// The objects and problems of one file, or of a part of it.
struct DumpPart {
  // The number of problems of one sort that are kept, because a file may have millions.
  static constexpr size_t kKept = 1000;

  std::vector<DumpObject> objects;
  std::vector<DumpProblem> problems;           // the first of each sort
  std::map<DumpProblem::Sort, size_t> counts;  // of all problems

  void Add(DumpProblem problem);
  size_t ProblemCount() const;
};

// Goes through the objects of one file: YAML documents, or JSON documents one after the other. Each
// document is an object or a list. Reads documents and list items one by one, so that long ones
// take little memory, and a YAML list that is cut off yields the items before the cut. A bad part
// becomes a problem, and does not hide the rest.
class DumpObjects {
 public:
  // The bytes of the largest object that a cluster may hold, as text without indentation.
  // Larger ones are refused before they are parsed, which may take thirty times as much memory.
  static constexpr size_t kMaxObject = 3 << 20;

  // `file` outlives it.
  explicit DumpObjects(const DumpFile& file)
      : file_(file), text_(file.text), yaml_documents_(text_) {}

  // Appends the next objects to `part`: those of about half a mebibyte of text. False if there are
  // no more.
  bool Next(DumpPart& part);

 private:
  // A place in the file: a line. If `item` is not 0, it is the number of an item in the list that
  // begins there.
  struct Spot {
    uint32_t line = 1;
    uint32_t item = 0;
  };
  struct Document {
    size_t begin;
    size_t end;
    uint32_t line;  // the document's first line
  };
  // Where a list's items are, and the list's own fields.
  struct List {
    size_t next = 0;    // where the item to read next begins
    size_t end = 0;     // where the items end
    uint32_t line = 1;  // of the item to read next
    Spot read;          // of the last JSON item
    size_t indent = 0;  // of the dashes before YAML items
    std::string kind;   // of items that do not say their own
    std::string version;
    bool whole = true;  // false: the list's kind, which follows its items, is missing
  };

  bool Begin(DumpPart& part);
  bool IsJson() const;
  std::optional<Document> NextDocument();
  void ReadDocument(const Document& document, DumpPart& part);
  std::optional<List> FindList(const Document& document) const;
  std::optional<List> FindJsonList(const Document& document) const;
  void ReadItem(DumpPart& part);
  void ReadJsonItem(DumpPart& part);
  // Parses the text of an object at `spot`, and takes the object. `first` is the text's first line.
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
  bool last_ = false;     // the current document is the file's last
  bool cut_off_ = false;  // the file is cut off, and that has been reported
  std::optional<List> list_;
};

}  // namespace steward::storage

#endif  // STORAGE_EMBEDDED_DUMP_DUMP_OBJECTS_H_
