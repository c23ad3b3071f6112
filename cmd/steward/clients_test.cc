#include "cmd/steward/clients.h"

#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <fstream>
#include <string>
#include <utility>
#include <vector>

#include "base/async/run.h"
#include "base/async/task_group.h"
#include "base/status/matchers.h"

namespace steward {
namespace {

namespace asio = boost::asio;
using asio::ip::tcp;

const kube::GroupVersionResource kPods = {"", "v1", "pods"};

// A kube-apiserver that accepts connections and never answers.
class ClientsTest : public ::testing::Test {
 protected:
  ~ClientsTest() override { RunOn(io_, calls_.Stop()); }

  std::string Kubeconfig() {
    const std::string path = ::testing::TempDir() + "/kubeconfig";
    std::ofstream(path) << R"({"current-context": "c",
        "contexts": [{"name": "c", "context": {"cluster": "k", "user": "u"}}],
        "users": [{"name": "u", "user": {"token": "t"}}],
        "clusters": [{"name": "k", "cluster": {"server": "http://127.0.0.1:)"
                        << server_.local_endpoint().port() << R"("}}]})";
    return path;
  }
  // The number of connections made so far.
  int Connections() {
    io_.restart();
    io_.poll();
    server_.non_blocking(true);
    for (;;) {
      boost::system::error_code none_left;
      tcp::socket socket = server_.accept(none_left);
      if (none_left) return static_cast<int>(accepted_.size());
      accepted_.push_back(std::move(socket));
    }
  }
  static VoidTask Call(kube::Client& client) {
    const kube::ListOptions options;
    (void)co_await client.List(kPods, options);
  }
  asio::io_context io_{1};
  tcp::acceptor server_{io_, tcp::endpoint(asio::ip::address_v4::loopback(), 0)};
  std::vector<tcp::socket> accepted_;
  prometheus::Registry registry_;
  Clients clients_;
  TaskGroup calls_{io_.get_executor()};
};

TEST_F(ClientsTest, OneKubeconfigMakesThreePools) {
  server::Options options;
  options.kubeconfig = Kubeconfig();
  ASSERT_OK_AND_ASSIGN(clients_, MakeClients(options, io_.get_executor(), registry_));
  ASSERT_TRUE(clients_.cluster && clients_.token_reviews && clients_.access_reviews);
  // These are more calls than one pool may have connections.
  for (int i = 0; i < 200; ++i) calls_.Spawn("call", Call(*clients_.access_reviews));
  const int bound = Connections();
  EXPECT_GT(bound, 0);
  EXPECT_LT(bound, 200);
  calls_.Spawn("call", Call(*clients_.token_reviews));
  EXPECT_EQ(Connections(), bound + 1);
  calls_.Spawn("call", Call(*clients_.cluster));
  EXPECT_EQ(Connections(), bound + 2);
}

TEST_F(ClientsTest, ATokenFileReplacesOtherCredentials) {
  const std::string file = ::testing::TempDir() + "/token";
  std::ofstream(file) << "other";
  ASSERT_OK_AND_ASSIGN(clients_.cluster,
                       MakeClientWithToken(Kubeconfig(), file, io_.get_executor(), registry_));
  calls_.Spawn("call", Call(*clients_.cluster));
  ASSERT_EQ(Connections(), 1);
  accepted_[0].non_blocking(true);
  std::string request;
  while (request.find("\r\n\r\n") == std::string::npos) {
    io_.restart();
    io_.poll();
    char bytes[4096];
    boost::system::error_code nothing_yet;
    request.append(bytes, accepted_[0].read_some(asio::buffer(bytes), nothing_yet));
  }
  EXPECT_NE(request.find("Bearer other\r\n"), std::string::npos) << request;
}

TEST_F(ClientsTest, AKubeconfigThatCannotBeReadIsAnError) {
  const std::string good = Kubeconfig();
  const std::string bad = ::testing::TempDir() + "/missing";
  for (std::string server::Options::*file :
       {&server::Options::kubeconfig, &server::Options::authentication_kubeconfig,
        &server::Options::authorization_kubeconfig}) {
    server::Options options;
    options.kubeconfig = good;
    EXPECT_OK(MakeClients(options, io_.get_executor(), registry_));
    options.*file = bad;
    EXPECT_FALSE(MakeClients(options, io_.get_executor(), registry_).ok());
  }
}

}  // namespace
}  // namespace steward
