#include "apiserver/http/connection_standing.h"

#include <utility>

namespace steward::http {

ConnectionStanding::ConnectionStanding(IdleStrangers& strangers, std::function<void()> close)
    : strangers_(strangers), close_(std::move(close)) {
  strangers_.list_.push_back(*this);
}

void ConnectionStanding::Idle(bool known) {
  unlink();
  if (!known) strangers_.list_.push_back(*this);
}

bool IdleStrangers::CloseFirst() {
  if (list_.empty()) return false;
  ConnectionStanding& first = list_.front();
  first.unlink();
  first.close_();
  return true;
}

}  // namespace steward::http
