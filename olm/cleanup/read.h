// The result of reading an object that a decision depends on. A value.
#ifndef OLM_CLEANUP_READ_H_
#define OLM_CLEANUP_READ_H_

#include <optional>
#include <string>
#include <utility>

namespace steward::olm {

// Ok: a value. Absent: it is known that there is no value. Unreadable: nothing is known, because of
// an error, a timeout or a refusal, or because nobody tried to read (the default).
template <typename T>
class Read {
 public:
  Read() : why_("not read") {}
  static Read Ok(T value) {
    Read read;
    read.state_ = State::kOk;
    read.value_ = std::move(value);
    read.why_.clear();
    return read;
  }
  static Read Absent() {
    Read read;
    read.state_ = State::kAbsent;
    read.why_.clear();
    return read;
  }
  static Read Unreadable(std::string why) {
    Read read;
    read.why_ = std::move(why);
    return read;
  }

  bool ok() const { return state_ == State::kOk; }
  bool absent() const { return state_ == State::kAbsent; }
  bool unreadable() const { return state_ == State::kUnreadable; }
  // REQUIRES: ok()
  const T& operator*() const { return *value_; }
  const T* operator->() const { return &*value_; }
  T& operator*() { return *value_; }
  T* operator->() { return &*value_; }
  // The reason when it is unreadable.
  const std::string& why() const { return why_; }

  bool operator==(const Read&) const = default;

 private:
  enum class State { kOk, kAbsent, kUnreadable };
  State state_ = State::kUnreadable;
  std::optional<T> value_;
  std::string why_;
};

}  // namespace steward::olm

#endif  // OLM_CLEANUP_READ_H_
