// The state of the copies, which the reconciler that makes them shows to others in its process.
// Lives on one executor.
#ifndef CONTROLLERS_COPIES_COPY_STATE_H_
#define CONTROLLERS_COPIES_COPY_STATE_H_

#include <string>
#include <vector>

#include "base/async/broadcast.h"
#include "olm/copy/comparison.h"
#include "olm/copy/slot.h"

namespace steward::controllers {

// The answers of a source may lag behind the cluster.
class CopiesSource {
 public:
  virtual ~CopiesSource() = default;

  // True when all originals and all copies are known. Until then the other functions' results mean
  // nothing.
  virtual bool Knows() const = 0;
  // The cluster-admin's choice as followed.
  virtual const olm::CopyPolicy& Policy() const = 0;
  // The names of the originals, and of copies without an original.
  virtual std::vector<std::string> Names() const = 0;
  // Counts the slots of one name, by Policy(). Takes time in proportion to the namespaces.
  virtual olm::CopyCounts Count(const std::string& name) const = 0;
};

class CopyState {
 public:
  // Null while the reconciler that makes copies does not run. Valid until other code runs on the
  // executor.
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

#endif  // CONTROLLERS_COPIES_COPY_STATE_H_
