// A disk below SQLite, for tests, that fails on command or whose power is cut. Thread-safe.
#ifndef STORAGE_EMBEDDED_TESTING_FAULTY_DISK_H_
#define STORAGE_EMBEDDED_TESTING_FAULTY_DISK_H_

#include <memory>
#include <string>

namespace steward::storage {

// The file system of all databases that are opened while this object lives. Nothing is synced to
// the real disk.
class FaultyDisk {
 public:
  // The operations of SQLite on a database or its log. A truncation is a write.
  enum class Operation { kRead, kWrite, kSync };

  // Defined in the source file alone.
  struct Impl;

  FaultyDisk();
  // REQUIRES: databases opened before are closed.
  ~FaultyDisk();
  FaultyDisk(const FaultyDisk&) = delete;
  FaultyDisk& operator=(const FaultyDisk&) = delete;

  // Makes the `nth` operation of this kind from now on fail (1 = the next one), and if `lasting`,
  // also all operations of this kind after it. A failing operation changes nothing.
  void Fail(Operation operation, int nth, bool lasting);
  // Makes the `nth` write or sync from now on fail, and all operations after it. They change
  // nothing.
  void CutPower(int nth);
  // Ends all faults.
  void Mend();
  // The number of operations that have failed since the last Fail or CutPower.
  int failures() const;

  // Copies the database of one directory to another as a power cut leaves it: each file is as it is
  // now, or as it was when it was last synced.
  void CopyAfterPowerCut(const std::string& from, const std::string& to, bool database_synced_only,
                         bool log_synced_only) const;

 private:
  const std::unique_ptr<Impl> impl_;
};

}  // namespace steward::storage

#endif  // STORAGE_EMBEDDED_TESTING_FAULTY_DISK_H_
