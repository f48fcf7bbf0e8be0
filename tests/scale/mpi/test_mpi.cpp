// Ranks that are processes of MPI: exchanges, calls on shards, and failures. Run by mpiexec with two ranks or more.
#include <farpoint/fps.hpp>
#include <farpoint/knn.hpp>
#include <farpoint/scale/fps_shard.hpp>
#include <farpoint/scale/knn_shard.hpp>
#include <farpoint/scale/mpi_communicator.hpp>

#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <random>
#include <string>

using farpoint::index_t;
using farpoint::status;

namespace {

/// Messages go in pieces of 96 bytes.
using communicator_in_pieces = farpoint::basic_mpi_communicator<96>;

int failures = 0;
int own_rank = 0;

void check(bool is_right, char const* what) {
  if (is_right) return;
  ++failures;
  std::fprintf(stderr, "rank %d: wrong: %s\n", own_rank, what);
}

template <class Communicator>
Communicator communicator_of(std::chrono::milliseconds timeout = std::chrono::seconds{30}) {
  Communicator made;
  check(static_cast<bool>(Communicator::create(MPI_COMM_WORLD, made, timeout)), "create()");
  return made;
}

/// Byte i of the message from one rank to another.
unsigned char byte_of(std::size_t from, std::size_t to, std::size_t i, std::size_t seed) {
  return static_cast<unsigned char>(from * 31 + to * 17 + i * 7 + seed);
}

void check_exchanges(std::size_t seed) {
  auto communicator = communicator_of<communicator_in_pieces>();
  auto const ranks = static_cast<std::size_t>(communicator.ranks());
  auto const me = static_cast<std::size_t>(communicator.rank());
  std::mt19937 random{static_cast<unsigned>(seed)};  // the same on all ranks
  for (std::size_t round = 0; round < 12; ++round) {
    // Messages around multiples of a piece, and empty ones.
    std::vector<std::size_t> sizes;
    for (std::size_t pair = 0; pair < ranks * ranks; ++pair) sizes.push_back(random() % 4 == 0 ? 0 : random() % 300);
    std::size_t const each = round % 3 == 0 ? 96 * (random() % 3) : random() % 200;
    std::vector<farpoint::message> out, in;
    std::vector<unsigned char> send, receive, expected;
    for (std::size_t r = 0; r < ranks; ++r) {
      out.push_back({send.size(), sizes[me * ranks + r]});
      in.push_back({expected.size(), sizes[r * ranks + me]});
      for (std::size_t i = 0; i < out[r].size; ++i) send.push_back(byte_of(me, r, i, round));
      for (std::size_t i = 0; i < in[r].size; ++i) expected.push_back(byte_of(r, me, i, round));
    }
    receive.assign(expected.size(), 0);
    check(static_cast<bool>(communicator.all_to_all({send.data(), out, receive.data(), in})), "all_to_all()");
    check(receive == expected, "what all_to_all() has received");

    std::vector<unsigned char> mine, all(each * ranks), wanted;
    for (std::size_t i = 0; i < each; ++i) mine.push_back(byte_of(me, 0, i, round));
    for (std::size_t r = 0; r < ranks; ++r) {
      for (std::size_t i = 0; i < each; ++i) wanted.push_back(byte_of(r, 0, i, round));
    }
    check(static_cast<bool>(communicator.all_gather(mine.data(), all.data(), each)), "all_gather()");
    check(all == wanted, "what all_gather() has received");
  }
}

/// The samples and the neighbors of one call for the whole cloud.
void check_shards(std::size_t seed) {
  auto communicator = communicator_of<communicator_in_pieces>();
  int const ranks = communicator.ranks();
  std::mt19937 random{static_cast<unsigned>(seed)};
  std::uniform_real_distribution<float> coordinate{-1, 1};
  constexpr index_t n = 1200, k = 5, samples = 60;
  std::vector<float> cloud(3 * n);
  for (float& value : cloud) value = coordinate(random);
  index_t const begin = n * communicator.rank() / ranks;
  index_t const end = n * (communicator.rank() + 1) / ranks;
  using view = farpoint::point_view<float>;
  farpoint::shard<view> const part{view{cloud.data() + 3 * begin, end - begin}, begin};
  farpoint::host_exec const exec{1};
  farpoint::batch<view> const whole{view{cloud.data(), n}};

  farpoint::fps_params params;
  params.samples = samples;
  std::vector<index_t> picked(samples), expected(samples);
  farpoint::fps_shard_output<float> found;
  found.indices = picked;
  farpoint::host_scratch const room{fps_shard_workspace_bytes(exec, ranks, part, params, found)};
  check(static_cast<bool>(fps_shard(exec, communicator, part, params, found, room)), "fps_shard()");
  farpoint::host_scratch const fps_room{fps_workspace_bytes(exec, whole, params)};
  check(static_cast<bool>(fps(exec, whole, params, {expected}, fps_room)), "fps()");
  check(picked == expected, "samples of fps_shard()");

  std::vector<index_t> rows(static_cast<std::size_t>((end - begin) * k)), all(n * k);
  std::vector<float> distances(rows.size()), all_distances(all.size());
  farpoint::knn_shard_output<float> lists;
  lists.indices = rows;
  lists.distances = distances;
  lists.exchanged_capacity = n * ranks;
  farpoint::knn_params const nearest{k};
  farpoint::host_scratch const knn_room{knn_shard_workspace_bytes(exec, ranks, part, part.points, nearest, lists)};
  check(static_cast<bool>(knn_shard(exec, communicator, part, part.points, nearest, lists, knn_room)), "knn_shard()");
  farpoint::host_scratch const all_room{knn_workspace_bytes(exec, whole, whole, nearest)};
  check(static_cast<bool>(knn(exec, whole, whole, nearest, {all, all_distances}, all_room)), "knn()");
  auto const first = begin * k;
  check(std::equal(rows.begin(), rows.end(), all.begin() + first), "neighbors of knn_shard()");
  check(std::equal(distances.begin(), distances.end(), all_distances.begin() + first), "distances of knn_shard()");
}

/// Rank 1 aborts where the others exchange, at exchange `after`.
void check_abort(int after) {
  auto communicator = communicator_of<farpoint::mpi_communicator>();
  for (int i = 0; i < after; ++i) {
    check(static_cast<bool>(communicator.all_gather(nullptr, nullptr, 0)), "an exchange before abort()");
  }
  if (communicator.rank() == 1) communicator.abort();
  for (int i = 0; i < 2; ++i) {
    check(communicator.all_gather(nullptr, nullptr, 0).code == status::communication_failure,
          "an exchange after abort()");
  }
  // Other communicators are not concerned.
  check(MPI_Barrier(MPI_COMM_WORLD) == MPI_SUCCESS, "MPI_Barrier()");
}

void check_mismatch() {
  auto communicator = communicator_of<farpoint::mpi_communicator>();
  auto const ranks = static_cast<std::size_t>(communicator.ranks());
  std::vector<unsigned char> const mine(8);
  std::vector<unsigned char> all(8 * ranks);
  // Rank 1 has a shorter message than the others expect, and expects shorter ones.
  auto const outcome = communicator.all_gather(mine.data(), all.data(), communicator.rank() == 1 ? 7 : 8);
  check(outcome.code == status::communication_failure, "messages of different sizes");
  check(MPI_Barrier(MPI_COMM_WORLD) == MPI_SUCCESS, "MPI_Barrier()");
}

void check_timeout() {
  auto communicator = communicator_of<farpoint::mpi_communicator>(std::chrono::milliseconds{200});
  if (communicator.rank() != 1) {
    check(communicator.all_gather(nullptr, nullptr, 0).code == status::communication_failure, "a rank that is missing");
  }
  check(MPI_Barrier(MPI_COMM_WORLD) == MPI_SUCCESS, "MPI_Barrier()");
  check(communicator.all_gather(nullptr, nullptr, 0).code == status::communication_failure, "a rank that comes late");
}

/// Rank 1 kills itself before an exchange. Each other rank prints how that exchange has ended and after how many
/// milliseconds, and leaves without a word to MPI: killed.py reads the lines.
void die() {
  auto communicator = communicator_of<farpoint::mpi_communicator>(std::chrono::seconds{5});
  check(static_cast<bool>(communicator.all_gather(nullptr, nullptr, 0)), "all_gather()");
  if (communicator.rank() == 1) std::raise(SIGKILL);
  auto const start = std::chrono::steady_clock::now();
  auto const outcome = communicator.all_gather(nullptr, nullptr, 0);
  auto const time = std::chrono::duration_cast<std::chrono::milliseconds>(std::chrono::steady_clock::now() - start);
  check(outcome.code == status::communication_failure, "a rank that has died");
  check(communicator.all_gather(nullptr, nullptr, 0).code == status::communication_failure, "after a failure");
  std::printf("survivor %d: %s after %lld ms\n", own_rank, outcome.reason, static_cast<long long>(time.count()));
  std::fflush(stdout);
  std::_Exit(failures == 0 ? 0 : 1);
}

}  // namespace

int main(int count, char** arguments) {
  MPI_Init(&count, &arguments);
  MPI_Comm_rank(MPI_COMM_WORLD, &own_rank);
  if (count > 1 && std::string{arguments[1]} == "--die") die();
  for (std::size_t seed = 1; seed <= 2; ++seed) {
    check_exchanges(seed);
    check_shards(seed);
  }
  for (int const after : {0, 1, 5}) check_abort(after);
  check_mismatch();
  check_timeout();
  if (own_rank == 0 && failures == 0) std::puts("ranks of MPI: all right");
  MPI_Finalize();
  return failures == 0 ? 0 : 1;
}
