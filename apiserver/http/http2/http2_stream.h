// One request of an HTTP/2 connection and its response. Lives on one executor.
#ifndef APISERVER_HTTP_HTTP2_HTTP2_STREAM_H_
#define APISERVER_HTTP_HTTP2_HTTP2_STREAM_H_

#include <boost/asio/any_io_executor.hpp>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "apiserver/http/connection/connection.h"
#include "apiserver/http/connection/event.h"
#include "apiserver/http/connection/http_error.h"
#include "apiserver/http/http2/http2_session.h"
#include "apiserver/http/limits/deadline.h"
#include "apiserver/http/limits/drain_deadline.h"
#include "apiserver/http/limits/memory_budget.h"
#include "apiserver/http/message/message.h"
#include "base/async/task.h"

namespace steward::http {

// The parts of its connection that a stream uses.
class Http2StreamHost {
 public:
  virtual ~Http2StreamHost() = default;
  virtual void SendHead(int32_t id, const ResponseHead& head, bool has_body) = 0;
  virtual void SendBody(int32_t id) = 0;
  virtual void SendReset(int32_t id, Http2Error error) = 0;
  // Called when the client waits for "100 Continue" before it sends the body.
  virtual void SendContinue(int32_t id) = 0;
  // Lets the client send this much more of the body.
  virtual void LetIn(int32_t id, size_t bytes) = 0;
  // Called when the handler asks for the connection's end.
  virtual void CloseGracefully() = 0;
};

// The connection calls the first half of the methods, the handler the second.
class Http2Stream final : public ResponseWriter, public RequestBody {
 public:
  Http2Stream(int32_t id, const boost::asio::any_io_executor& executor, Http2StreamHost& host,
              const ConnectionEnv& env, std::shared_ptr<MemoryBudget::Share> memory);

  int32_t id() const { return id_; }
  Request& request() { return request_; }

  // Adds a field of the request; white space around values is dropped, but counts. An error is the
  // reason to refuse the request.
  HttpError AddField(std::string_view name, std::string_view value);
  HttpError EndHead(bool end_of_request, const PeerInfo& peer);
  // False when the bytes are not wanted.
  bool AddBody(std::string_view bytes);
  // Drops the body, or the rest of it. Returns the number of received bytes that the client does
  // not yet know to be consumed.
  size_t DropBody();
  void EndRequest();
  // Call it when the response has ended before the request. Gives the client a moment to end the
  // request, then resets the stream without an error (RFC 9113 section 8.1), because an immediate
  // reset makes some clients lose the response.
  void Linger();
  // True while the client still sends.
  bool receiving() const { return receiving_; }
  // The error that answers the request, whose remaining bytes are then dropped; code 0 = none.
  HttpError refusal;
  // The task that runs the handler.
  TaskGroup::Ref task;

  Http2Session::Delegate::Available BodyAvailable(size_t max) const;
  void TakeBody(size_t bytes, OutputBatch& batch);
  // Marks the stream as gone: the handler's next call fails. Close follows.
  void Disconnect() { closed_ = true; }
  // The same, wakes the handler, and frees what is queued.
  void Close();
  // True when the stream is gone or about to be reset.
  bool closed() const { return closed_ || given_up_; }

  Task<std::string> Read(size_t max_bytes) override;
  StatusTask WriteHead(ResponseHead head) override;
  StatusTask Write(std::vector<Segment> segments) override;
  StatusTask Finish() override;
  void Settled() override;
  int status() const override { return status_; }
  uint64_t bytes_written() const override { return written_; }
  // True when the handler has written the whole response.
  bool answered() const { return state_ == State::kDone; }
  // True when, in addition, all of it has left the queue.
  bool complete() const { return state_ == State::kDone && queued_ == 0 && !cut_off_; }

 private:
  enum class State { kHead, kBody, kDone };
  enum class BodyState { kUnasked, kWanted, kDropped };

  // Leases memory for the header bytes received so far. False: there is no memory for them.
  bool LeaseHeader();
  bool expects_continue() const;
  void GiveUp();
  absl::Status Misused(std::string_view what);
  void Enqueue(std::vector<Segment> segments);
  void ForgetQueue();
  // Leases memory for the queued bytes that the stream does not share with others. False: there is
  // no memory for them.
  bool CountQueue();
  // Gives back the lease for bytes that have left the queue. Used for watches only: other streams
  // end soon.
  void UncountQueue();
  // Ends a watch for which CountQueue returned false.
  void ResetWatch();

  const int32_t id_;
  Http2StreamHost& host_;
  const Limits& limits_;
  const Timeouts& timeouts_;

  Request request_;
  std::string authority_;
  size_t header_bytes_ = 0;
  size_t fields_ = 0;
  size_t unleased_ = 0;  // bytes of the header
  bool receiving_ = true;
  BodyState body_state_ = BodyState::kUnasked;
  size_t max_body_ = 0;                                // valid with kWanted
  size_t not_let_in_ = 0;                              // bytes of the body received before they
                                                       // were wanted
  HttpError body_error_;                               // the reason why its rest was dropped
  const std::shared_ptr<MemoryBudget::Share> memory_;  // a handler may outlive the connection
  MemoryBudget::Lease lease_;
  MemoryBudget::Lease watch_lease_;
  MemoryBudget& budget_;
  Deadline body_deadline_;

  State state_ = State::kHead;
  bool closed_ = false;
  bool given_up_ = false;  // the client does not take the response
  bool cut_off_ = false;   // closed while bytes were queued
  bool has_body_ = false;
  bool has_length_ = false;
  uint64_t remaining_ = 0;  // valid with has_length_
  int status_ = 0;
  uint64_t written_ = 0;
  std::vector<Segment> queue_;  // segments lose the bytes that TakeBody has taken
  size_t taken_segments_ = 0;   // the first segments of queue_ that are taken whole
  size_t queued_ = 0;           // bytes in queue_
  size_t own_ = 0;              // bytes of queued_ that are not shared with others
  size_t counted_ = 0;          // bytes of own_ that are leased, in watch_lease_ or lease_
  bool settled_ = false;        // a watch
  Event changed_;               // notified when the queue or the request's body changes
  DrainDeadline drain_;
};

}  // namespace steward::http

#endif  // APISERVER_HTTP_HTTP2_HTTP2_STREAM_H_
