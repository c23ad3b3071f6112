// Turns for the TLS handshakes of one thread. Lives on one executor.
#ifndef APISERVER_HTTP_TLS_HANDSHAKE_TURNS_H_
#define APISERVER_HTTP_TLS_HANDSHAKE_TURNS_H_

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/ip/address.hpp>
#include <boost/intrusive/list.hpp>
#include <map>
#include <utility>

#include "apiserver/http/connection/event.h"
#include "base/async/task.h"

namespace steward::http {

// A step of a handshake takes as much time as many requests. After each step, all other ready work
// of the thread gets a turn, so that hundreds of concurrent handshakes do not delay it. Source
// addresses take turns, too: a flood from one does not delay the handshakes of others.
class HandshakeTurns {
 public:
  explicit HandshakeTurns(const boost::asio::any_io_executor& executor)
      : executor_(executor), entered_(executor) {}
  HandshakeTurns(const HandshakeTurns&) = delete;
  HandshakeTurns& operator=(const HandshakeTurns&) = delete;

  // The turns of one connection. REQUIRES: the HandshakeTurns outlive it.
  class Turn : public boost::intrusive::list_base_hook<
                   boost::intrusive::link_mode<boost::intrusive::auto_unlink>> {
   public:
    Turn(HandshakeTurns& turns, boost::asio::ip::address source)
        : turns_(turns), source_(std::move(source)), come_(turns.executor_) {}

    // Returns when its turn has come, or Cancel was called.
    VoidTask Wait();
    void Cancel();

   private:
    friend class HandshakeTurns;
    HandshakeTurns& turns_;
    const boost::asio::ip::address source_;
    Event come_;
  };

  // Gives turns until it is cancelled.
  VoidTask Run();

 private:
  using Queue = boost::intrusive::list<Turn, boost::intrusive::constant_time_size<false>>;

  // Null when no connection waits.
  Turn* Next();

  const boost::asio::any_io_executor executor_;
  Event entered_;
  std::map<boost::asio::ip::address, Queue> waiting_;
  boost::asio::ip::address last_;  // the source that had the last turn
};

}  // namespace steward::http

#endif  // APISERVER_HTTP_TLS_HANDSHAKE_TURNS_H_
