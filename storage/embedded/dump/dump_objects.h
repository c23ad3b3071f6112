// The objects in the files of a dump, a few at a time. Thread-compatible.
#ifndef STORAGE_EMBEDDED_DUMP_DUMP_OBJECTS_H_
#define STORAGE_EMBEDDED_DUMP_DUMP_OBJECTS_H_

#include <boost/json/object.hpp>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

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

// What was found in one file, or in a part of it.
struct DumpPart {
  std::vector<DumpObject> objects;
  std::vector<DumpProblem> problems;
};

// Goes through the objects of one file. The items of a list of YAML are read one by one, so that a
// long list takes little memory, and one that is cut off yields those before that.
class DumpObjects {
 public:
  // `file` outlives it.
  explicit DumpObjects(const DumpFile& file) : file_(file), text_(file.text) {}

  // Appends the next objects to `part`, of about a mebibyte of text. False when there are no more.
  bool Next(DumpPart& part);

 private:
  // A line, and the number in the list that begins there of an item without a line of its own.
  struct Spot {
    uint32_t line = 1;
    uint32_t item = 0;
  };
  // The lines of a list's items, and what its other lines say.
  struct List {
    size_t end;        // of the items
    size_t next;       // the item to read next
    uint32_t line;     // of that one
    std::string kind;  // of items that do not say it
    std::string version;
    bool whole;  // the list says its own kind, which follows its items
  };

  static Spot SpotOf(std::string_view place);
  bool Begin(DumpPart& part);
  std::optional<List> FindList() const;
  void ReadItem(DumpPart& part);
  // Reads documents of any form, the first line of which is that of the file with this number.
  void ReadAll(std::string_view text, uint32_t first, DumpPart& part) const;
  std::string Where(const Spot& spot) const;
  void Take(Spot spot, boost::json::object object, DumpPart& part) const;
  void Refuse(Spot spot, std::string what, DumpPart& part) const;

  const DumpFile& file_;
  const std::string_view text_;
  bool begun_ = false;
  bool cut_off_ = false;  // and that is told
  std::optional<List> list_;
};

}  // namespace steward::storage

#endif  // STORAGE_EMBEDDED_DUMP_DUMP_OBJECTS_H_
