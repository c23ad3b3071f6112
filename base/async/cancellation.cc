#include "base/async/cancellation.h"

#include <boost/asio/error.hpp>
#include <boost/system/system_error.hpp>

namespace steward {

bool IsCancellation(const std::exception_ptr& exception) {
  try {
    std::rethrow_exception(exception);
  } catch (const boost::system::system_error& e) {
    return e.code() == boost::asio::error::operation_aborted;
  } catch (...) {
    return false;
  }
}

}  // namespace steward
