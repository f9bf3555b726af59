// Sums elements at another stride, with fewer conflicts: must be wrong.
// at: --stride 2 --n 16
#include "backends/host/queue.hpp"
#include "experiments/bank_conflict.hpp"

namespace crosswarp::host {
namespace {

void access(const Queue&, const BankConflict::Args& args) {
  const unsigned threads = args.warps * args.lanes;
  for (unsigned i = 0; i < args.blocks * threads; ++i) {
    const unsigned thread = i % threads, column = thread / args.lanes;
    const unsigned word = tile_columns::first_word(column, thread % args.lanes, args.lanes, 1, 1);
    if (i < threads) args.positions[thread] = word;
    args.out[i] = i;
    for (unsigned access = 0; access < args.n; ++access) {
      const unsigned slab = access % tile_columns::slabs(args.lanes) * tile_columns::slab_words(args.lanes);
      args.out[i] = tile_columns::fold(args.out[i], args.in[word + slab]);
    }
  }
}

const Register<BankConflict> variant{{.idea = "broken: another stride", .launch = access}};

}  // namespace
}  // namespace crosswarp::host
