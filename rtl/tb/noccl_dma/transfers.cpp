// SPDX-License-Identifier: Apache-2.0
// Random transfers of the DMA engine by the hundred thousand, through a network interface whose planes lead back to the tile.
//
// Usage: transfers BURSTS SEED. Registers describe and start transfers as a core would; up to 15 are in flight, each in a part of L1 of
// its own: own or remote sources and destinations, rows, any lanes, multicasts, contributions, places that nobody serves. Sources are
// filled with fresh bytes, so a stale, lost, doubled or displaced beat leaves wrong ones. When a transfer is over, its destination must
// hold its bytes and its surroundings theirs; now and then, and at the end, all of L1 is compared. Some lines fail for whoever comes
// over the network: the error bits tell exactly the transfers that have touched one, and its bytes are those that docs/errors.md
// says. Cores write, read and add words meanwhile.
// Prints what it did; status 1 names the first deviation.
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <deque>
#include <string>
#include <vector>

#include "../common/generator.h"
#include "Vnoccl_dma_tb.h"
#include "cores.h"
#include "verilated.h"

namespace {

// The tile, its neighbour to the north (its bytes lie here too), and no tile.
constexpr uint64_t kOwn = 0x20000000, kRemote = kOwn + 0x40000, kNowhere = 0x10000000, kRowBit = 0x40000;
constexpr uint64_t kUnicast = 0, kMulticast = 1, kJoin = 2;
constexpr int kStart = 8, kOpen = 9, kError = 10, kIds = 16;
constexpr size_t kLine = 64, kLines = 2048, kParts = 15, kPartBytes = 8192, kHalf = kPartBytes / 2;
constexpr uint64_t kPhaseCycles = 3000, kSilenceCycles = 20000, kTransfersPerSweep = 2000;
// What fails at a line, and transfers with such lines at a time: a target remembers four bursts.
constexpr int kWriteFails = 1, kOwnCopyFails = 2, kReadFails = 4, kMarkedPercent = 15;
constexpr size_t kMostMarked = 4;
constexpr int kKinds = 7;
const char* const kNames[kKinds] = {"copies", "pushes", "fetches", "transits", "multicasts", "contributions", "refusals"};

struct Transfer {
  // Offsets in L1, addresses as the registers get them.
  size_t from, to;
  uint64_t src, dst, bytes, rows, stride, kind, mask;
  int name;
  bool is_refused, has_error;
  // Over the network: source, destination; as an own copy of a multicast.
  bool is_fetched, is_sent, is_copied;

  size_t span() const { return (rows - 1) * stride + bytes; }
  std::string told() const {
    return std::string(kNames[name]) + ": " + std::to_string(rows) + " rows of " + std::to_string(bytes) +
           " bytes, stride " + std::to_string(stride) + ", " + std::to_string(from) + " to " + std::to_string(to);
  }
};

struct Bench {
  VerilatedContext& context;
  Vnoccl_dma_tb top{&context};
  Random random;
  std::vector<uint8_t> image = std::vector<uint8_t>(kLines * kLine);
  // Transfers by id and by part of L1, and what is being prepared: lines to fill, registers to write, then the start.
  bool is_busy[kParts] = {}, is_open[kIds] = {}, is_preparing = false;
  size_t part_of[kIds] = {}, part = 0;
  Transfer transfers[kParts];
  std::deque<size_t> lines;
  // Marks in flight, the lines of each part that carry one, and what each line carries.
  std::deque<std::pair<size_t, int>> marks;
  std::vector<size_t> marked[kParts];
  std::vector<int> fails = std::vector<int>(kLines);
  Random core_random;
  Cores cores{top, core_random};
  std::deque<std::pair<int, uint64_t>> registers;
  uint64_t cycles = 0, last_move = 0, done = 0, swept = 0, wanted = 0, counts[kKinds] = {}, most = 0, in_flight = 0, failed = 0, beats = 0;
  int calm = 0, busy = 100, eager = 0;

  explicit Bench(VerilatedContext& context) : context(context) {}

  Transfer describe(size_t which) {
    Transfer t{};
    t.rows = random.chance(60) ? 1 : 2 + random.below(7);
    const uint64_t longest = (kHalf - 2 * kLine) / t.rows;
    static const uint64_t kSizes[] = {1, 7, 64, 65, 128, 200, 1000, 3968};
    t.bytes = std::min(random.chance(30) ? 1 + random.below(longest) : kSizes[random.below(8)], longest);
    t.stride = std::min(t.bytes + kSizes[random.below(4)] - 1, longest);
    t.from = which * kPartBytes + random.below(kLine);
    t.to = which * kPartBytes + kHalf + random.below(kLine);
    const bool is_fetched = random.chance(50), goes_away = random.chance(50);
    t.name = 2 * is_fetched + goes_away;
    const uint64_t choice = random.below(20);
    if (choice == 0) {
      // Only the destination: bytes that nobody gives would be read as zeros.
      t.name = 6, t.is_refused = true;
    } else if (choice < 5) {
      t.name = 4, t.kind = kMulticast, t.mask = random.chance(75) ? kRowBit : 0;
    } else if (choice < 8) {
      // A group of one: whole lines, a tag for each burst.
      t.name = 5, t.kind = kJoin | (4 * which) << 32, t.rows = 1;
      t.from &= ~(kLine - 1), t.to &= ~(kLine - 1), t.bytes = kLine * (1 + random.below(kHalf / kLine - 2));
    }
    t.src = (is_fetched ? kRemote : kOwn) + t.from;
    const bool is_alone = t.name < 4 && goes_away;
    t.dst = (t.is_refused ? kNowhere : is_alone ? kRemote : kOwn) + t.to;
    t.is_fetched = is_fetched;
    t.is_copied = t.kind == kMulticast;
    t.is_sent = is_alone || (t.is_copied ? t.mask != 0 : t.name == 5);
    return t;
  }

  void prepare() {
    const size_t first = random.below(kParts);
    for (size_t i = 0; i < kParts && !is_preparing; i++) {
      part = (first + i) % kParts;
      is_preparing = !is_busy[part];
    }
    if (!is_preparing) return;
    Transfer& t = transfers[part] = describe(part);
    is_busy[part] = true;
    mark(t);
    for (size_t line = t.from / kLine; line <= (t.from + t.span() - 1) / kLine; line++) {
      for (size_t byte = 0; byte < kLine; byte++) image[line * kLine + byte] = random.engine() >> 13;
      lines.push_back(line);
    }
    const uint64_t values[] = {t.src, t.dst, t.bytes, t.rows, t.stride, t.stride, t.kind, t.mask};
    for (int i = 0; i < 8; i++) registers.emplace_back(i, values[i]);
  }

  // Lines that fail: some of the transfer's, some beside them.
  void mark(const Transfer& t) {
    for (size_t line : marked[part]) marks.emplace_back(line, fails[line] = 0);
    marked[part].clear();
    size_t others = 0;
    for (size_t other = 0; other < kParts; other++) others += is_busy[other] && !marked[other].empty();
    if (others >= kMostMarked || !random.chance(kMarkedPercent)) return;
    for (uint64_t left = 1 + random.below(3); left > 0; left--) {
      const size_t first = random.chance(50) ? t.from : t.to, begin = part * kPartBytes / kLine;
      const size_t line = first / kLine + random.below(t.span() / kLine + 3);
      marked[part].push_back(std::clamp(line, begin + 1, begin + kPartBytes / kLine) - 1);
      marks.emplace_back(marked[part].back(), fails[marked[part].back()] = 1 + random.below(7));
    }
  }

  // What a transfer leaves in L1, and whether it has touched what fails.
  void apply(Transfer& t) {
    t.has_error = t.is_refused;
    for (size_t i = 0; i < t.rows * t.bytes; i++) {
      const size_t offset = i / t.bytes * t.stride + i % t.bytes, from = t.from + offset, to = t.to + offset;
      const bool has_no_source = t.is_fetched && fails[from / kLine] & kReadFails;
      const bool is_sent_well = t.is_sent && !(fails[to / kLine] & kWriteFails);
      const bool is_copied_well = t.is_copied && !(fails[to / kLine] & kOwnCopyFails);
      const bool is_own = !t.is_sent && !t.is_copied;
      t.has_error |= has_no_source || t.is_sent != is_sent_well || t.is_copied != is_copied_well;
      if (!t.is_refused && (is_own || is_sent_well || is_copied_well)) image[to] = has_no_source ? 0 : image[from];
    }
    failed += t.has_error && !t.is_refused;
    for (size_t row = 0; row < t.rows && !t.is_refused; row++) {
      const size_t first = (t.to + row * t.stride) / kLine, last = (t.to + row * t.stride + t.bytes - 1) / kLine;
      beats += (t.is_sent + t.is_copied) * (last - first + 1);
    }
  }

  uint64_t read(int number) {
    top.access_i = 1;
    top.is_write_i = 0;
    top.register_i = number;
    top.eval();
    return top.read_o;
  }

  void started(int id) {
    Transfer& t = transfers[part];
    if (is_open[id]) fail("an id is given twice");
    is_open[id] = true;
    part_of[id] = part;
    is_preparing = false;
    counts[t.name]++;
    most = std::max(most, ++in_flight);
    apply(t);
  }

  // One access per cycle: a register of the transfer at hand, its start, or a look at those that are over.
  void access() {
    top.access_i = 0;
    top.is_write_i = 0;
    if (!registers.empty()) {
      top.access_i = 1;
      top.is_write_i = 1;
      top.register_i = registers.front().first;
      top.write_i = registers.front().second;
      registers.pop_front();
      top.eval();
    } else if (is_preparing && lines.empty() && marks.empty() && cycles % 2) {
      // An id that is over by now may be given again.
      look();
      const uint64_t id = read(kStart);
      if (id < kIds) started(static_cast<int>(id));
    } else {
      look();
    }
  }

  void look() {
    const uint64_t open = read(kOpen), errors = read(kError);
    for (int id = 0; id < kIds; id++) {
      if (!is_open[id] || open >> id & 1) continue;
      const Transfer& t = transfers[part_of[id]];
      if ((errors >> id & 1) != t.has_error) fail("the error bit is wrong, " + t.told());
      const size_t before = t.to / kLine - 1, behind = (t.to + t.span() - 1) / kLine;
      compare(before, std::min(behind + 1, (part_of[id] + 1) * kPartBytes / kLine - 1), t.told());
      is_open[id] = is_busy[part_of[id]] = false;
      in_flight--;
      last_move = cycles;
      done++;
    }
  }

  // Nothing is in flight: all of L1, and every beat has come once.
  void compare_all(const std::string& told) {
    if (static_cast<uint32_t>(beats) != top.num_taken_o) {
      fail(std::to_string(top.num_taken_o) + " beats have come, not " + std::to_string(beats) + ", " + told);
    }
    compare(0, kLines - 1, told);
  }

  // Lines of L1, both included, as they must be.
  void compare(size_t first, size_t last, const std::string& told) {
    const auto was_line = top.host_line_i;
    const auto was_write = top.host_write_i;
    top.host_write_i = 0;
    for (size_t line = first; line <= last; line++) {
      top.host_line_i = line;
      top.eval();
      for (size_t byte = 0; byte < kLine; byte++) {
        const uint8_t found = top.host_data_o[byte / 4] >> 8 * (byte % 4);
        if (found != image[line * kLine + byte]) {
          fail("byte " + std::to_string(line * kLine + byte) + " of L1 is wrong, " + told);
        }
      }
    }
    top.host_line_i = was_line;
    top.host_write_i = was_write;
    top.eval();
  }

  void fill(size_t line) {
    top.host_write_i = 1;
    top.host_line_i = line;
    for (size_t word = 0; word < kLine / 4; word++) {
      uint32_t value = 0;
      for (size_t byte = 0; byte < 4; byte++) value |= image[line * kLine + 4 * word + byte] << 8 * byte;
      top.host_data_i[word] = value;
    }
  }

  void clock() {
    top.eval();
    cores.observe(cycles);
    top.clk_i = 1;
    top.eval();
    top.clk_i = 0;
    top.eval();
    context.timeInc(1);
    cycles++;
  }

  void step() {
    if (cycles % kPhaseCycles == 0) {
      // How often planes and L1 stand still, in percent, and how eager the program is.
      static const int kCalm[] = {0, 0, 10, 50, 80};
      calm = kCalm[random.below(5)];
      busy = random.chance(70) ? 100 : 5;
      static const int kEager[] = {0, 3, 10, 50};
      eager = kEager[random.below(4)];
    }
    const bool sweeps = done - swept >= kTransfersPerSweep;
    if (!is_preparing && !sweeps && top.num_bursts_o < wanted && random.chance(busy)) prepare();
    top.hold_i = random.chance(calm) + random.chance(calm) * 2 + random.chance(calm) * 4 + random.chance(calm) * 8 +
                 random.chance(calm) * 16;
    top.mark_valid_i = !marks.empty();
    if (!marks.empty()) {
      top.mark_line_i = marks.front().first;
      top.mark_i = marks.front().second;
      marks.pop_front();
    }
    cores.drive(calm, top.num_bursts_o < wanted ? eager : 0);
    top.host_write_i = 0;
    if (!lines.empty()) fill(lines.front()), lines.pop_front();
    access();
    if (sweeps && in_flight == 0 && !is_preparing) {
      compare_all("after all were over");
      swept = done;
    }
    clock();
    if (cycles - last_move > kSilenceCycles) fail(std::to_string(in_flight) + " transfers are open and nothing ends: lost");
    if (cycles - cores.last_move > kSilenceCycles) fail("cores wait and nothing comes: lost");
  }

  void run(uint64_t bursts, uint64_t seed) {
    wanted = bursts;
    random.engine.seed(seed);
    core_random.engine.seed(~seed);
    top.clk_i = top.rst_ni = top.mark_valid_i = 0;
    cores.drive(0, 0);
    for (int i = 0; i < 4; i++) clock();
    top.rst_ni = 1;
    for (size_t line = 0; line < kLines; line++) {
      for (size_t byte = 0; byte < kLine; byte++) image[line * kLine + byte] = random.engine() >> 13;
      fill(line);
      clock();
    }
    last_move = cycles;
    while (top.num_bursts_o < wanted || is_preparing || in_flight != 0 || cores.num_open != 0) step();
    // What comes late or twice would come within this time.
    top.access_i = top.host_write_i = top.hold_i = 0;
    for (int i = 0; i < 500; i++) clock();
    compare_all("at the end");
    top.final();
  }
};

}  // namespace

int main(int count, char** arguments) {
  if (count < 3) return std::fputs("usage: transfers BURSTS SEED [+fault=N]\n", stderr), 2;
  VerilatedContext context;
  context.commandArgs(count, arguments);
  // With a fault, what is told is what the scoreboard of this file sees.
  context.assertOn(count == 3);
  Bench bench{context};
  bench.run(std::strtoull(arguments[1], nullptr, 10), std::strtoull(arguments[2], nullptr, 10));
  std::printf("seed %s: %u transactions in %llu cycles, of %llu transfers, %llu at a time\n", arguments[2],
              bench.top.num_bursts_o, static_cast<unsigned long long>(bench.cycles),
              static_cast<unsigned long long>(bench.done), static_cast<unsigned long long>(bench.most));
  for (int i = 0; i < kKinds; i++) {
    std::printf("%s %llu, ", kNames[i], static_cast<unsigned long long>(bench.counts[i]));
  }
  const Cores& cores = bench.cores;
  std::printf("failures %llu, writes of cores %llu, their reads %llu, their atomics %llu, their failures %llu\n",
              static_cast<unsigned long long>(bench.failed), static_cast<unsigned long long>(cores.writes),
              static_cast<unsigned long long>(cores.reads), static_cast<unsigned long long>(cores.atomics),
              static_cast<unsigned long long>(cores.failures));
  return 0;
}
