// The state of the copies, shown by the reconciler that makes them to others in its process. Lives
// on one executor.
#ifndef CONTROLLERS_COPIES_COPIES_BOARD_H_
#define CONTROLLERS_COPIES_COPIES_BOARD_H_

#include <cstddef>
#include <string>
#include <vector>

#include "base/async/broadcast.h"
#include "olm/copy/slot.h"

namespace steward::controllers {

// The slots of operators for all namespaces that are not as they shall be.
struct CopyCensus {
  size_t missing = 0;     // empty, and shall hold a copy
  size_t unexpected = 0;  // hold a copy, and shall be empty
  // Hold a copy of which nobody knows whether its operator is one for all namespaces: the original
  // is gone, or it stays (StaysTurnedOff) since it has not exactly one valid OperatorGroup.
  size_t unexplained = 0;

  CopyCensus& operator+=(const CopyCensus& other) {
    missing += other.missing;
    unexpected += other.unexpected;
    unexplained += other.unexplained;
    return *this;
  }
};

// Its answers may lag behind the cluster.
class CopiesSource {
 public:
  virtual ~CopiesSource() = default;

  // True when all originals and all copies are known; else the others' answers mean nothing.
  virtual bool Knows() const = 0;
  // The cluster-admin's choice as followed.
  virtual const olm::CopyPolicy& Policy() const = 0;
  // The names of the originals, and of copies that lie about without one.
  virtual std::vector<std::string> Names() const = 0;
  // Counts the slots of one name, by that choice. Takes time in proportion to the namespaces.
  virtual CopyCensus Count(const std::string& name) const = 0;
};

class CopiesBoard {
 public:
  // Null while no such reconciler runs. Valid until other code runs on the executor.
  const CopiesSource* source() const { return source_; }
  // Notified whenever the source's answers may have changed.
  const Broadcast& changed() const { return changed_; }

  void Show(const CopiesSource* source) {
    source_ = source;
    changed_.Notify();
  }
  void NoteChange() { changed_.Notify(); }

 private:
  const CopiesSource* source_ = nullptr;
  Broadcast changed_;
};

}  // namespace steward::controllers

#endif  // CONTROLLERS_COPIES_COPIES_BOARD_H_
