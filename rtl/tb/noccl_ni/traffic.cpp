// SPDX-License-Identifier: Apache-2.0
// Millions of random transactions through the network interface, each followed from its port to the memory and back.
//
// Usage: traffic TRANSACTIONS SEED. The planes lead back to the tile (noccl_ni_tb). A place belongs to one id, so every beat at a
// memory port tells whose it is, and what it must be: the next one of that id. Data are never written twice alike. Lost: nothing moves though
// something is open. Doubled, reordered: a beat or a response is not the one that is due. Responses: the worst that memories gave.
// Prints what it did; status 1 names the first deviation.
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <deque>
#include <string>
#include <vector>

#include "../common/generator.h"
#include "Vnoccl_ni_tb.h"
#include "verilated.h"

namespace {

constexpr uint64_t kCluster = 0x20000000, kNowhere = 0x10000000, kRowBit = 0x40000;
constexpr int kOkay = 0, kSlaveError = 2, kDecodeError = 3;
constexpr int kUnicast = 0, kMulticast = 1, kJoin = 2;
constexpr uint64_t kPhaseCycles = 3000, kSilenceCycles = 5000;
// Lines of L1 that a writing and a reading id own; words of the registers.
constexpr int kWideIds = 8, kReadIds = 32, kNarrowIds = 8;
constexpr uint64_t kWriteLines = 64, kReadLines = 32, kWords = 64;
constexpr uint64_t kFirstReadLine = kWideIds * kWriteLines;
constexpr uint64_t kFirstReadWord = kNarrowIds * kWords;
constexpr size_t kOpenPerId = 3;

// A write in flight: what each of two ports has still to see, and the worst response so far.
struct Write {
  uint64_t place;
  std::vector<uint64_t> beats;
  size_t due[2];
  size_t open;
  int worst;
  const char* kind;
};

struct Read {
  uint64_t place;
  size_t beats;
  size_t asked;
  int fixed;
};

struct ReadBeat {
  uint64_t data;
  int resp;
};

// Writes of one port of the interface, by id, and of the two memory ports that they reach.
struct Writer {
  const char* name;
  int ids;
  uint64_t unit, span;
  std::vector<std::deque<Write>> open;

  Writer(const char* name, int ids, uint64_t unit, uint64_t span)
      : name(name), ids(ids), unit(unit), span(span), open(ids) {}

  // A beat at memory port `port`: is it due? Returns its write.
  Write& deliver(int port, uint64_t offset, uint64_t data) {
    const size_t id = offset / unit / span;
    if (id >= open.size()) fail(std::string(name) + ": a beat for a place that nobody writes");
    for (Write& write : open[id]) {
      if (write.due[port] == write.beats.size()) continue;
      const size_t beat = write.due[port]++;
      if (offset != write.place + beat * unit || data != write.beats[beat]) {
        fail(std::string(name) + ": a beat at the memory is not the one that is due");
      }
      return write;
    }
    fail(std::string(name) + ": a beat at the memory that was never sent, or twice");
  }

  void respond(size_t id, int resp) {
    if (open[id].empty()) fail(std::string(name) + ": a response that nobody waits for");
    const Write& write = open[id].front();
    if (write.open != 0) fail(std::string(name) + ": response before it was delivered");
    if (write.worst != resp) {
      fail(std::string(name) + ": response " + std::to_string(resp) + " instead of " +
           std::to_string(write.worst) + " to a " + write.kind);
    }
    open[id].pop_front();
  }
};

struct Reader {
  const char* name;
  uint64_t unit, span, first;
  std::vector<std::deque<Read>> open;
  std::vector<std::deque<ReadBeat>> beats;

  Reader(const char* name, int ids, uint64_t unit, uint64_t span, uint64_t first)
      : name(name), unit(unit), span(span), first(first), open(ids), beats(ids) {}

  // A burst that the memory is asked for; returns the id.
  size_t ask(uint64_t offset, size_t num_beats) {
    const uint64_t place = offset / unit - first;
    const size_t id = place / span;
    if (offset / unit < first || id >= open.size()) fail(std::string(name) + ": read of a foreign place");
    for (Read& read : open[id]) {
      if (read.asked || read.fixed) continue;
      if (read.place != offset || read.beats != num_beats) fail(std::string(name) + ": not the read that is due");
      read.asked = 1;
      return id;
    }
    fail(std::string(name) + ": a read that was never asked for, or twice");
  }

  bool respond(size_t id, uint64_t data, int resp, bool last) {
    if (open[id].empty()) fail(std::string(name) + ": data that nobody waits for");
    Read& read = open[id].front();
    if (read.fixed) {
      if (data != 0 || resp != read.fixed) fail(std::string(name) + ": the wrong refusal");
    } else {
      if (beats[id].empty()) fail(std::string(name) + ": data that the memory has not given");
      const ReadBeat due = beats[id].front();
      beats[id].pop_front();
      if (due.data != data || due.resp != resp) fail(std::string(name) + ": not the data that are due");
    }
    if (last != (--read.beats == 0)) fail(std::string(name) + ": the last beat is not the last");
    if (last) open[id].pop_front();
    return last;
  }
};

// A memory behind a port: takes addresses and data, responds in order.
struct Memory {
  std::deque<uint64_t> addresses, datas;
  std::deque<int> responses;
};

struct Served {
  size_t id;
  size_t left;
};

struct Address {
  uint64_t addr, user;
  size_t id, beats;
};

struct Bench {
  VerilatedContext& context;
  Vnoccl_ni_tb top{&context};
  Random random;
  Writer wide{"wide write", kWideIds, 64, kWriteLines}, narrow{"narrow write", kNarrowIds, 8, kWords};
  Reader wide_read{"wide read", kReadIds, 64, kReadLines, kFirstReadLine};
  Reader narrow_read{"narrow read", kNarrowIds, 8, kWords, kFirstReadWord};
  // What the managers have still to put on AW, W (data and last) and AR.
  std::deque<Address> wide_aw, narrow_aw, wide_ar, narrow_ar;
  std::deque<std::pair<uint64_t, bool>> wide_w, narrow_w;
  Memory mem, own, reg, own_reg;
  std::deque<Served> mem_reads, reg_reads;
  ReadBeat mem_beat{}, reg_beat{};
  bool has_mem_beat = false, has_reg_beat = false;
  // Offered and not taken: stays.
  bool offers[10] = {};
  uint64_t serial = 0, cycles = 0, last_move = 0, started = 0, done = 0, wanted = 0;
  uint64_t counts[10] = {}, refused = 0, failed = 0;
  int busy = 0, calm = 0;

  explicit Bench(VerilatedContext& context) : context(context) {}

  uint64_t fresh() { return (++serial) * 0x9e3779b97f4a7c15u; }

  size_t burst(size_t limit) {
    const uint64_t kind = random.below(20);
    const size_t beats = kind < 12 ? 1 : kind < 18 ? 2 + random.below(4) : 1 + random.below(limit);
    return std::min(beats, limit);
  }

  static uint64_t user(uint64_t opcode, uint64_t mask, uint64_t tag) {
    return ((opcode << 48 | mask) << 6 | tag) << 7;
  }

  void start_write(Writer& writer, std::deque<Address>& aw, std::deque<std::pair<uint64_t, bool>>& w,
                   int first_count, size_t limit, uint64_t first_tag) {
    const size_t id = random.below(writer.ids);
    if (writer.open[id].size() >= kOpenPerId || w.size() > 40) return;
    const size_t beats = burst(limit);
    const uint64_t place = (id * writer.span + random.below(writer.span - beats + 1)) * writer.unit;
    Write write{place, {}, {0, 0}, beats, kOkay, "unicast"};
    for (size_t beat = 0; beat < beats; beat++) {
      write.beats.push_back(fresh());
      w.emplace_back(write.beats.back(), beat + 1 == beats);
    }
    uint64_t address = kCluster + place, bits = user(kUnicast, 0, 0);
    const uint64_t kind = random.below(20);
    int count = first_count;
    if (kind == 0) {
      address = kNowhere + place;
      write.due[0] = write.due[1] = beats;
      write.open = 0;
      write.worst = kDecodeError;
      write.kind = "unmapped";
      refused++;
    } else if (kind < 5) {
      const bool is_alone = random.chance(25);
      bits = user(kMulticast, is_alone ? 0 : kRowBit, 0);
      // The other member's copy comes back to this tile; alone, there is none.
      if (is_alone) write.due[0] = beats;
      else write.open += beats;
      count++;
      write.kind = is_alone ? "multicast to itself" : "multicast";
    } else {
      write.due[1] = beats;
      if (kind < 8) {
        bits = user(kJoin, 0, first_tag + id);
        count += 2;
        write.kind = "contribution";
      }
    }
    writer.open[id].push_back(write);
    aw.push_back({address, bits, id, beats});
    counts[count]++;
    started++;
  }

  void start_read(Reader& reader, std::deque<Address>& ar, int count, size_t limit) {
    const size_t id = random.below(reader.open.size());
    if (reader.open[id].size() >= kOpenPerId || ar.size() > 8) return;
    const size_t beats = burst(limit);
    const uint64_t place = (reader.first + id * reader.span + random.below(reader.span - beats + 1)) * reader.unit;
    const bool is_refused = random.chance(5);
    reader.open[id].push_back({place, beats, 0, is_refused ? kDecodeError : 0});
    ar.push_back({(is_refused ? kNowhere : kCluster) + place, 0, id, beats});
    refused += is_refused;
    counts[count]++;
    started++;
  }

  // Once chosen, an offer stays until it is taken.
  bool offer(int which, bool has_any) {
    offers[which] = has_any && (offers[which] || !random.chance(calm));
    return offers[which];
  }

  template <size_t N>
  static void put(VlWide<N>& port, uint64_t value) {
    for (size_t i = 0; i < N; i++) port[i] = i == 0 ? value : i == 1 ? value >> 32 : value ^ i;
  }

  template <size_t N>
  static uint64_t get(const VlWide<N>& port, const char* where) {
    const uint64_t value = static_cast<uint64_t>(port[1]) << 32 | port[0];
    for (size_t i = 2; i < N; i++) {
      if (port[i] != static_cast<uint32_t>(value ? value ^ i : 0)) fail(std::string(where) + ": a beat is torn");
    }
    return value;
  }

  int response() {
    if (!random.chance(2)) return kOkay;
    failed++;
    return kSlaveError;
  }

#define DRIVE_ADDRESS(which, prefix, queue, size_log2)                      \
  top.prefix##valid = offer(which, !(queue).empty());                       \
  if (!(queue).empty()) {                                                   \
    top.prefix##id = (queue).front().id;                                    \
    top.prefix##addr = (queue).front().addr;                                \
    top.prefix##len = (queue).front().beats - 1;                            \
    top.prefix##size = size_log2;                                           \
    top.prefix##burst = 1;                                                  \
  }

  void drive() {
    if (cycles % kPhaseCycles == 0) {
      // How often neighbours hesitate, in percent, and how full the managers keep their queues.
      static const int kCalm[] = {0, 0, 10, 50, 80};
      calm = kCalm[random.below(5)];
      busy = random.chance(70) ? 100 : 20;
    }
    if (started < wanted && random.chance(busy)) start_write(wide, wide_aw, wide_w, 0, 32, 0);
    if (started < wanted && random.chance(busy)) start_write(narrow, narrow_aw, narrow_w, 3, 1, 16);
    if (started < wanted && random.chance(busy)) start_read(wide_read, wide_ar, 6, 32);
    if (started < wanted && random.chance(busy)) start_read(narrow_read, narrow_ar, 7, 1);
    DRIVE_ADDRESS(0, s_wide_aw, wide_aw, 6)
    DRIVE_ADDRESS(1, s_narrow_aw, narrow_aw, 3)
    DRIVE_ADDRESS(2, s_wide_ar, wide_ar, 6)
    DRIVE_ADDRESS(3, s_narrow_ar, narrow_ar, 3)
    if (!wide_aw.empty()) top.s_wide_awuser = wide_aw.front().user;
    if (!narrow_aw.empty()) top.s_narrow_awuser = narrow_aw.front().user;
    top.s_narrow_awatop = 0;
    top.s_wide_wvalid = offer(4, !wide_w.empty());
    if (!wide_w.empty()) {
      put(top.s_wide_wdata, wide_w.front().first);
      top.s_wide_wstrb = ~0ull;
      top.s_wide_wlast = wide_w.front().second;
    }
    top.s_narrow_wvalid = offer(5, !narrow_w.empty());
    if (!narrow_w.empty()) {
      top.s_narrow_wdata = narrow_w.front().first;
      top.s_narrow_wstrb = 0xff;
      top.s_narrow_wlast = 1;
    }
    for (CData* ready : {&top.s_wide_bready, &top.s_narrow_bready, &top.s_wide_rready, &top.s_narrow_rready,
                         &top.m_mem_awready, &top.m_mem_wready, &top.m_own_awready, &top.m_own_wready,
                         &top.m_reg_awready, &top.m_reg_wready, &top.m_ownreg_awready, &top.m_ownreg_wready,
                         &top.m_mem_arready, &top.m_reg_arready}) {
      *ready = !random.chance(calm);
    }
    top.hold_i = random.chance(calm) * 1 + random.chance(calm) * 2 + random.chance(calm) * 4;
    top.m_mem_bvalid = offer(6, !mem.responses.empty());
    if (!mem.responses.empty()) top.m_mem_bresp = mem.responses.front();
    top.m_own_bvalid = offer(7, !own.responses.empty());
    if (!own.responses.empty()) top.m_own_bresp = own.responses.front();
    top.m_reg_bvalid = offer(8, !reg.responses.empty());
    if (!reg.responses.empty()) top.m_reg_bresp = reg.responses.front();
    top.m_ownreg_bvalid = offer(9, !own_reg.responses.empty());
    if (!own_reg.responses.empty()) top.m_ownreg_bresp = own_reg.responses.front();
    give(mem_reads, wide_read, mem_beat, has_mem_beat);
    top.m_mem_rvalid = has_mem_beat;
    if (has_mem_beat) {
      put(top.m_mem_rdata, mem_beat.data);
      top.m_mem_rresp = mem_beat.resp;
      top.m_mem_rlast = mem_reads.front().left == 1;
    }
    give(reg_reads, narrow_read, reg_beat, has_reg_beat);
    top.m_reg_rvalid = has_reg_beat;
    if (has_reg_beat) {
      top.m_reg_rdata = reg_beat.data;
      top.m_reg_rresp = reg_beat.resp;
      top.m_reg_rlast = 1;
    }
  }

  // The next beat of the oldest read that a memory serves.
  void give(std::deque<Served>& reads, Reader& reader, ReadBeat& beat, bool& has_beat) {
    if (has_beat || reads.empty() || random.chance(calm)) return;
    beat = {fresh(), response()};
    has_beat = true;
    reader.beats[reads.front().id].push_back(beat);
  }

  void pair(Memory& memory, Writer& writer, int port) {
    while (!memory.addresses.empty() && !memory.datas.empty()) {
      Write& write = writer.deliver(port, memory.addresses.front(), memory.datas.front());
      memory.addresses.pop_front();
      memory.datas.pop_front();
      const int resp = response();
      write.worst = std::max(write.worst, resp);
      write.open--;
      memory.responses.push_back(resp);
    }
  }

  // Handshakes of the cycle.
  void observe() {
    if (top.s_wide_awvalid && top.s_wide_awready) wide_aw.pop_front(), offers[0] = false;
    if (top.s_narrow_awvalid && top.s_narrow_awready) narrow_aw.pop_front(), offers[1] = false;
    if (top.s_wide_arvalid && top.s_wide_arready) wide_ar.pop_front(), offers[2] = false;
    if (top.s_narrow_arvalid && top.s_narrow_arready) narrow_ar.pop_front(), offers[3] = false;
    if (top.s_wide_wvalid && top.s_wide_wready) wide_w.pop_front(), offers[4] = false;
    if (top.s_narrow_wvalid && top.s_narrow_wready) narrow_w.pop_front(), offers[5] = false;
    if (top.m_mem_bvalid && top.m_mem_bready) mem.responses.pop_front(), offers[6] = false;
    if (top.m_own_bvalid && top.m_own_bready) own.responses.pop_front(), offers[7] = false;
    if (top.m_reg_bvalid && top.m_reg_bready) reg.responses.pop_front(), offers[8] = false;
    if (top.m_ownreg_bvalid && top.m_ownreg_bready) own_reg.responses.pop_front(), offers[9] = false;
    if (top.m_mem_awvalid && top.m_mem_awready) mem.addresses.push_back(top.m_mem_awaddr);
    if (top.m_own_awvalid && top.m_own_awready) own.addresses.push_back(top.m_own_awaddr);
    if (top.m_reg_awvalid && top.m_reg_awready) reg.addresses.push_back(top.m_reg_awaddr);
    if (top.m_ownreg_awvalid && top.m_ownreg_awready) own_reg.addresses.push_back(top.m_ownreg_awaddr);
    if (top.m_mem_wvalid && top.m_mem_wready) mem.datas.push_back(get(top.m_mem_wdata, "memory"));
    if (top.m_own_wvalid && top.m_own_wready) own.datas.push_back(get(top.m_own_wdata, "own copy"));
    if (top.m_reg_wvalid && top.m_reg_wready) reg.datas.push_back(top.m_reg_wdata);
    if (top.m_ownreg_wvalid && top.m_ownreg_wready) own_reg.datas.push_back(top.m_ownreg_wdata);
    pair(mem, wide, 0);
    pair(own, wide, 1);
    pair(reg, narrow, 0);
    pair(own_reg, narrow, 1);
    if (top.m_mem_rvalid && top.m_mem_rready) taken(mem_reads, has_mem_beat);
    if (top.m_reg_rvalid && top.m_reg_rready) taken(reg_reads, has_reg_beat);
    if (top.m_mem_arvalid && top.m_mem_arready) {
      const size_t beats = top.m_mem_arlen + 1u;
      mem_reads.push_back({wide_read.ask(top.m_mem_araddr, beats), beats});
    }
    if (top.m_reg_arvalid && top.m_reg_arready) reg_reads.push_back({narrow_read.ask(top.m_reg_araddr, 1), 1});
    if (top.s_wide_bvalid && top.s_wide_bready) wide.respond(top.s_wide_bid, top.s_wide_bresp), moved(true);
    if (top.s_narrow_bvalid && top.s_narrow_bready) narrow.respond(top.s_narrow_bid, top.s_narrow_bresp), moved(true);
    if (top.s_wide_rvalid && top.s_wide_rready) {
      const uint64_t data = get(top.s_wide_rdata, "read data");
      moved(wide_read.respond(top.s_wide_rid, data, top.s_wide_rresp, top.s_wide_rlast));
    }
    if (top.s_narrow_rvalid && top.s_narrow_rready) {
      moved(narrow_read.respond(top.s_narrow_rid, top.s_narrow_rdata, top.s_narrow_rresp, top.s_narrow_rlast));
    }
    if (cycles - last_move > kSilenceCycles) {
      fail(std::to_string(started - done) + " transactions are open and nothing moves: lost");
    }
  }

  void taken(std::deque<Served>& reads, bool& has_beat) {
    has_beat = false;
    if (--reads.front().left == 0) reads.pop_front();
  }

  void moved(bool ends) {
    last_move = cycles;
    done += ends;
  }

  void run(uint64_t transactions, uint64_t seed) {
    wanted = transactions;
    random.engine.seed(seed);
    top.clk_i = 0;
    top.rst_ni = 0;
    top.eval();
    for (int i = 0; i < 4; i++) {
      top.clk_i = !top.clk_i;
      top.eval();
    }
    top.rst_ni = 1;
    // What comes late or twice would come within this time.
    for (uint64_t tail = 0; tail < kSilenceCycles / 10; cycles++) {
      context.timeInc(1);
      drive();
      top.eval();
      observe();
      top.clk_i = 1;
      top.eval();
      top.clk_i = 0;
      top.eval();
      if (done == wanted) tail++, last_move = cycles;
    }
    top.final();
    if (!mem.addresses.empty() || !mem.datas.empty()) fail("half a beat is left");
  }
};

}  // namespace

int main(int count, char** arguments) {
  if (count < 3) return std::fputs("usage: traffic TRANSACTIONS SEED [+fault=N]\n", stderr), 2;
  VerilatedContext context;
  context.commandArgs(count, arguments);
  // With a fault, what is told is what the scoreboard of this file sees.
  context.assertOn(count == 3);
  Bench bench{context};
  bench.run(std::strtoull(arguments[1], nullptr, 10), std::strtoull(arguments[2], nullptr, 10));
  std::printf("seed %s: %llu transactions in %llu cycles, one response each, in order\n", arguments[2],
              static_cast<unsigned long long>(bench.done), static_cast<unsigned long long>(bench.cycles));
  static const char* kNames[] = {"wide writes", "wide multicasts", "contributions", "narrow writes",
                                 "narrow multicasts", "barriers", "wide reads", "narrow reads"};
  for (int kind = 0; kind < 8; kind++) {
    std::printf("%s %llu, ", kNames[kind], static_cast<unsigned long long>(bench.counts[kind]));
  }
  std::printf("refused %llu, failed beats %llu\n", static_cast<unsigned long long>(bench.refused),
              static_cast<unsigned long long>(bench.failed));
  return 0;
}
