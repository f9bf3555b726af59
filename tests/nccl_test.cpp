// Which calls to NCCL a rank makes, with ranks in one process and as processes of their own, by a stub of the library.
// A process is one or the other for good: CROSSWARP_NCCL_RANK makes this one a rank among processes.
#include "backends/cuda/nccl_calls.hpp"

#include <dlfcn.h>
#include <gtest/gtest.h>
#include <stdlib.h>

#include <cstring>
#include <string>

#include "core/processes.hpp"
#include "tests/process.hpp"
#include "tests/stubs/nccl.hpp"

namespace crosswarp {
namespace {

using gpu::ends_nccl_calls, gpu::begins_nccl_calls, gpu::in_nccl_group, gpu::in_nccl_pairs, gpu::make_nccl_communicator,
    gpu::nccl, gpu::nccl_communicator;

constexpr std::size_t ranks = 3;

/// Of three processes; the first one's bytes are an id.
class OneOfThree final : public Processes {
 public:
  explicit OneOfThree(std::size_t rank) : rank_(rank) {}
  std::size_t rank() const override { return rank_; }
  std::size_t size() const override { return ranks; }
  std::size_t local_rank() const override { return rank_; }
  std::size_t hosts() const override { return 1; }
  std::string name(std::size_t) const override { return {}; }
  std::map<std::string, std::string> facts() const override { return {}; }
  std::string remark(std::size_t) const override { return {}; }
  void send(std::size_t, std::span<const std::byte>) override {}
  std::vector<std::byte> receive(std::size_t) override { return {}; }
  void form_group(std::size_t) override {}
  void meet(std::size_t) override {}
  void broadcast(std::size_t, std::span<std::byte> bytes) override {
    if (rank_ > 0) std::memcpy(bytes.data(), "the first one's", sizeof "the first one's");
  }
  std::string ended() const override { return {}; }
  std::string laggards() const override { return {}; }
  void finish() override {}

 private:
  std::size_t rank_;
};

/// The calls since the last time.
NcclCalls calls() {
  static auto* const stub = static_cast<NcclCalls*>(dlsym(dlopen("libnccl.so.2", RTLD_NOW | RTLD_NOLOAD), "stub"));
  return std::exchange(*stub, {});
}

const auto send_and_receive = [](ncclComm_t communicator) {
  in_nccl_pairs([&] {
    nccl().send(nullptr, 0, ncclFloat32, 0, communicator, nullptr);
    nccl().recv(nullptr, 0, ncclFloat32, 0, communicator, nullptr);
  });
};

TEST(NcclRanks, OfOneProcessAreOneGroup) {
  if (getenv("CROSSWARP_NCCL_RANK")) GTEST_SKIP() << "a rank among processes";
  for (std::size_t rank = 0; rank < ranks; ++rank) make_nccl_communicator(rank, ranks);
  for (std::size_t rank = 0; rank < ranks; ++rank) make_nccl_communicator(rank, ranks);
  EXPECT_EQ(calls(), (NcclCalls{"id", "group start", "rank 0 of 3 by the id made here",
                                "rank 1 of 3 by the id made here", "rank 2 of 3 by the id made here", "group end"}));
  for (std::size_t rank = 0; rank < ranks; ++rank) in_nccl_group(rank, ranks, send_and_receive);
  EXPECT_EQ(calls(), (NcclCalls{"group start", "send", "receive", "send", "receive", "send", "receive", "group end"}));
  EXPECT_TRUE(begins_nccl_calls(0));
  EXPECT_FALSE(begins_nccl_calls(1));
  EXPECT_FALSE(ends_nccl_calls(1, ranks));
  EXPECT_TRUE(ends_nccl_calls(2, ranks));
}

class NcclRankAmongProcesses : public testing::Test {
 protected:
  void SetUp() override {
    if (!getenv("CROSSWARP_NCCL_RANK")) GTEST_SKIP() << "run by the tests NcclRanks";
    rank = static_cast<std::size_t>(std::atoi(getenv("CROSSWARP_NCCL_RANK")));
    setenv("OMPI_COMM_WORLD_SIZE", "3", 1);
    register_processes([]() -> Processes* {
      static OneOfThree own(static_cast<std::size_t>(std::atoi(getenv("CROSSWARP_NCCL_RANK"))));
      return &own;
    });
  }
  std::size_t rank = 0;
};

TEST_F(NcclRankAmongProcesses, MakesItsOwnCallsAlone) {
  for (int again = 0; again < 2; ++again) make_nccl_communicator(rank, ranks);
  EXPECT_EQ(calls(), rank == 0 ? (NcclCalls{"id", "rank 0 of 3 by the id made here"})
                               : (NcclCalls{"rank " + std::to_string(rank) + " of 3 by the id the first one's"}));
  EXPECT_EQ(nccl_communicator(rank, ranks), reinterpret_cast<ncclComm_t>(300 + rank));
  in_nccl_group(rank, ranks, [](ncclComm_t communicator) {
    nccl().all_gather(nullptr, nullptr, 0, ncclFloat32, communicator, nullptr);
  });
  EXPECT_EQ(calls(), NcclCalls{"all-gather"}) << "a group that another rank would have to end";
  in_nccl_group(rank, ranks, send_and_receive);
  EXPECT_EQ(calls(), (NcclCalls{"group start", "send", "receive", "group end"}));
  EXPECT_TRUE(begins_nccl_calls(rank));
  EXPECT_TRUE(ends_nccl_calls(rank, ranks));
}

TEST(NcclRanks, AmongProcessesMakeTheirOwnCallsAlone) {
  if (getenv("CROSSWARP_NCCL_RANK")) GTEST_SKIP() << "a rank among processes";
  for (const char* rank : {"0", "1", "2"}) {
    const Finished own =
        run_process(std::string("env -u GTEST_TOTAL_SHARDS -u GTEST_SHARD_INDEX CROSSWARP_NCCL_RANK=") + rank + " " +
                    sibling("nccl_test") + " --gtest_filter='NcclRankAmongProcesses.*'");
    EXPECT_EQ(own.exit_code, 0) << own.output;
    EXPECT_NE(own.output.find("[  PASSED  ] 1 test"), std::string::npos) << own.output;
  }
}

}  // namespace
}  // namespace crosswarp
