// A notification for coroutines of one executor that wait for a condition.
#ifndef APISERVER_HTTP_CONNECTION_EVENT_H_
#define APISERVER_HTTP_CONNECTION_EVENT_H_

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/redirect_error.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/use_awaitable.hpp>

#include "base/async/task.h"

namespace steward::http {

//   while (!condition) co_await event.Wait();
//
// All calls on one executor. Notify wakes the coroutines that wait at that moment and is not
// remembered.
class Event {
 public:
  explicit Event(const boost::asio::any_io_executor& executor)
      : timer_(executor, boost::asio::steady_timer::time_point::max()) {}

  void Notify() {
    if (waiting_ > 0) timer_.cancel();
  }

  VoidTask Wait() {
    struct Count {
      explicit Count(int& n) : count(n) { ++count; }
      ~Count() { --count; }
      int& count;
    } count(waiting_);
    boost::system::error_code ignored;
    co_await timer_.async_wait(boost::asio::redirect_error(boost::asio::use_awaitable, ignored));
  }

 private:
  boost::asio::steady_timer timer_;
  int waiting_ = 0;
};

}  // namespace steward::http

#endif  // APISERVER_HTTP_CONNECTION_EVENT_H_
