// Which connections go first when places run out.
#ifndef APISERVER_HTTP_CONNECTION_STANDING_H_
#define APISERVER_HTTP_CONNECTION_STANDING_H_

#include <boost/intrusive/list.hpp>
#include <functional>

namespace steward::http {

class IdleStrangers;

// Of one connection, from when it was accepted: an idle stranger's at first. On one executor.
class ConnectionStanding : public boost::intrusive::list_base_hook<
                               boost::intrusive::link_mode<boost::intrusive::auto_unlink>> {
 public:
  // `close` ends the connection, whatever it is at.
  ConnectionStanding(IdleStrangers& strangers, std::function<void()> close);

  // A request runs.
  void Busy() { unlink(); }
  // None runs any more. `known`: one of this connection's requests was authenticated.
  void Idle(bool known);

 private:
  friend class IdleStrangers;
  IdleStrangers& strangers_;
  const std::function<void()> close_;
};

// Connections on which no request runs and none was ever authenticated, the longest idle one first.
// On the same executor. REQUIRES: outlives its members.
class IdleStrangers {
 public:
  // Closes the first. False: there is none.
  bool CloseFirst();

 private:
  friend class ConnectionStanding;
  boost::intrusive::list<ConnectionStanding, boost::intrusive::constant_time_size<false>> list_;
};

}  // namespace steward::http

#endif  // APISERVER_HTTP_CONNECTION_STANDING_H_
