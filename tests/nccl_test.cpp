// Which calls to NCCL a rank makes, with ranks in one process and as processes of their own, by a stub of the library.
// A process is one or the other for good: CROSSWARP_NCCL_RANK makes this one a rank among processes.
#include "backends/cuda/nccl_calls.hpp"

#include <cuda_runtime_api.h>
#include <dlfcn.h>
#include <gtest/gtest.h>
#include <stdlib.h>

#include <cstdint>
#include <cstring>
#include <string>
#include <vector>

#include "backends/cuda/nccl_windows.hpp"
#include "core/error.hpp"
#include "core/processes.hpp"
#include "experiments/rank_arrays.hpp"
#include "tests/process.hpp"
#include "tests/stubs/nccl.hpp"

// The runtime's answers without a GPU.
extern "C" cudaError_t cudaPointerGetAttributes(cudaPointerAttributes* attributes, const void* pointer) {
  const bool is_on_device = reinterpret_cast<std::uintptr_t>(pointer) >= crosswarp::device_addresses;
  *attributes = {};
  attributes->type = is_on_device ? cudaMemoryTypeDevice : cudaMemoryTypeUnregistered;
  return cudaSuccess;
}
extern "C" cudaError_t cudaGetLastError() { return cudaSuccess; }
extern "C" cudaError_t cudaMemGetInfo(std::size_t* free, std::size_t* total) {
  *free = *total = std::size_t{64} << 20;
  return cudaSuccess;
}

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

template <class T>
T& of_stub(const char* name) {
  return *static_cast<T*>(dlsym(dlopen("libnccl.so.2", RTLD_NOW | RTLD_NOLOAD), name));
}

/// The calls since the last time.
NcclCalls calls() { return std::exchange(of_stub<NcclCalls>("stub"), {}); }

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

/// Arrays of all ranks in NCCL's memory, and a communicator for windows.
class NcclWindows : public testing::Test {
 protected:
  static constexpr std::size_t bytes = 64, n = 4;

  void SetUp() override {
    if (getenv("CROSSWARP_NCCL_RANK")) GTEST_SKIP() << "a rank among processes";
    ASSERT_EQ(gpu::why_no_nccl_windows(), "");
    for (std::size_t rank = 0; rank < ranks; ++rank) make_nccl_communicator(rank, ranks, gpu::NcclArrays::windows);
    answers() = {};
    for (std::size_t rank = 0; rank < ranks; ++rank) {
      arrays.in[rank] = {allocate(bytes) + 1, n};
      arrays.out[rank] = {allocate(bytes) + 1, n};
    }
    calls();
  }
  void TearDown() override {
    for (void* const memory : held) gpu::nccl_memory.release(memory);
  }

  static NcclAnswers& answers() { return of_stub<NcclAnswers>("answers"); }

  float* allocate(std::size_t count) {
    void* memory = nullptr;
    EXPECT_EQ(gpu::nccl_memory.allocate(&memory, count), cudaSuccess);
    held.push_back(memory);
    return static_cast<float*>(memory);
  }
  /// As a variant's .prepare and .launch are called: for each rank.
  void prepare() {
    for (arrays.rank = 0; arrays.rank < ranks; ++arrays.rank) gpu::prepare_nccl_windows(RankArgs{arrays});
  }
  void launch() {
    for (arrays.rank = 0; arrays.rank < ranks; ++arrays.rank)
      gpu::in_nccl_windows(arrays, [&](ncclComm_t communicator) {
        EXPECT_EQ(communicator, nccl_communicator(arrays.rank, ranks, gpu::NcclArrays::windows));
        nccl().all_reduce(nullptr, nullptr, 0, ncclFloat32, ncclSum, communicator, nullptr);
      });
  }
  template <class Work>
  static std::string error_of(Work work) {
    try {
      work();
    } catch (const Error& error) {
      return error.what();
    }
    return "none";
  }

  const NcclCalls registered{"group start", "register symmetric 64", "register symmetric 64", "register symmetric 64",
                             "group end"};
  const NcclCalls launched{"group start", "all-reduce", "all-reduce", "all-reduce", "group end"};
  RankSpans<float> arrays{.in = {}, .out = {}, .rank = 0, .ranks = ranks, .n = n};
  std::vector<void*> held;
};

TEST_F(NcclWindows, AreOfWholeAllocationsAndRegisteredBeforeALaunch) {
  EXPECT_NE(error_of([&] { launch(); }).find("not registered"), std::string::npos);
  EXPECT_EQ(calls(), NcclCalls{}) << "a group was begun";
  prepare();
  NcclCalls both = registered;
  both.insert(both.end(), registered.begin(), registered.end());
  EXPECT_EQ(calls(), both) << "inputs and outputs";
  launch();
  EXPECT_EQ(calls(), launched);
  prepare();
  EXPECT_EQ(calls(), NcclCalls{}) << "twice";
}

TEST_F(NcclWindows, AreOneInPlace) {
  for (std::size_t rank = 0; rank < ranks; ++rank) arrays.in[rank] = arrays.out[rank].subspan(rank);
  prepare();
  EXPECT_EQ(calls(), registered);
  launch();
}

/// The plain calls stay without windows, also on the same arrays.
TEST_F(NcclWindows, HaveACommunicatorOfTheirOwn) {
  for (std::size_t rank = 0; rank < ranks; ++rank) make_nccl_communicator(rank, ranks);
  for (std::size_t rank = 0; rank < ranks; ++rank)
    EXPECT_NE(nccl_communicator(rank, ranks), nccl_communicator(rank, ranks, gpu::NcclArrays::windows));
}

TEST_F(NcclWindows, AreDeregisteredOnAllRanksBeforeOneRanksMemoryIsFreed) {
  prepare();
  calls();
  gpu::nccl_memory.release(held.back());
  held.pop_back();
  EXPECT_EQ(calls(), (NcclCalls{"deregister", "deregister", "deregister", "free"}));
  EXPECT_NE(error_of([&] { launch(); }).find("not registered"), std::string::npos);
  gpu::nccl_memory.release(held.back());  // the last rank's input
  held.pop_back();
  EXPECT_EQ(calls(), (NcclCalls{"deregister", "deregister", "deregister", "free"}));
  gpu::nccl_memory.release(held.back());  // the output of the rank before
  held.pop_back();
  EXPECT_EQ(calls(), NcclCalls{"free"});
}

TEST_F(NcclWindows, FailWhereNcclFallsBackInSilence) {
  for (const auto& [window, deregistered] : {std::pair(NcclAnswers::ordinary, 3), std::pair(NcclAnswers::none, 0)}) {
    answers().window = window;
    EXPECT_NE(error_of([&] { prepare(); }).find("NCCL made no symmetric window"), std::string::npos);
    NcclCalls expected = registered;
    expected.insert(expected.end(), static_cast<std::size_t>(deregistered), "deregister");
    EXPECT_EQ(calls(), expected);
    EXPECT_NE(error_of([&] { launch(); }).find("not registered"), std::string::npos);
  }
}

TEST_F(NcclWindows, EndTheirGroupWhereOneFails) {
  answers().window = NcclAnswers::error;
  EXPECT_EQ(error_of([&] { prepare(); }), "ncclCommWindowRegister: an error");
  EXPECT_EQ(calls(), (NcclCalls{"group start", "register symmetric 64", "group end"}));
}

TEST_F(NcclWindows, NeedNcclsMemoryOfEqualSize) {
  std::vector<float> elsewhere(n);
  const std::span<float> before = std::exchange(arrays.out[1], elsewhere);
  EXPECT_NE(error_of([&] { prepare(); }).find("not ncclMemAlloc's"), std::string::npos);
  arrays.out[1] = {allocate(2 * bytes), n};
  EXPECT_NE(error_of([&] { prepare(); }).find("differ in size"), std::string::npos);
  arrays.out[1] = before;
  prepare();
  arrays.in[1] = arrays.in[0];
  EXPECT_NE(error_of([&] { prepare(); }).find("with that of other ranks"), std::string::npos);
}

TEST_F(NcclWindows, MemoryThatIsShortIsToldFromOtherErrors) {
  void* memory = nullptr;
  answers().memory = 0;
  EXPECT_EQ(gpu::nccl_memory.allocate(&memory, std::size_t{65} << 20), cudaErrorMemoryAllocation);
  EXPECT_NE(error_of([&] { gpu::nccl_memory.allocate(&memory, bytes); }).find("NCCL_DEBUG"), std::string::npos);
}

}  // namespace
}  // namespace crosswarp
