#include "apiserver/http/tls/handshake_turns.h"

#include "base/async/yield.h"

namespace steward::http {

VoidTask HandshakeTurns::Turn::Wait() {
  turns_.waiting_[source_].push_back(*this);
  turns_.entered_.Notify();
  while (is_linked()) co_await come_.Wait();
}

void HandshakeTurns::Turn::Cancel() {
  unlink();
  come_.Notify();
}

HandshakeTurns::Turn* HandshakeTurns::Next() {
  while (!waiting_.empty()) {
    auto source = waiting_.upper_bound(last_);
    if (source == waiting_.end()) source = waiting_.begin();
    last_ = source->first;
    Queue& queue = source->second;
    Turn* const turn = queue.empty() ? nullptr : &queue.front();
    if (turn != nullptr) turn->unlink();
    if (queue.empty()) waiting_.erase(source);
    if (turn != nullptr) return turn;
  }
  return nullptr;
}

VoidTask HandshakeTurns::Run() {
  for (;;) {
    Turn* const turn = Next();
    if (turn == nullptr) {
      co_await entered_.Wait();
      continue;
    }
    turn->come_.Notify();
    // The notified coroutines run first, and all other work that is ready.
    co_await Yield();
  }
}

}  // namespace steward::http
