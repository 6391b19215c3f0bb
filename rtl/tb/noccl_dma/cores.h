// SPDX-License-Identifier: Apache-2.0
// Cores beside the DMA engine: random writes, reads and atomics at the narrow port, in flight together.
//
// A word is either written by one transaction at a time or read, so every response is known. Atomics meet at a few words: each finds
// what some order of them leaves there, and all of them add up. The highest words fail, some addresses nobody serves.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "../common/generator.h"
#include "Vnoccl_dma_tb.h"

class Cores {
 public:
  uint64_t writes = 0, reads = 0, atomics = 0, failures = 0;
  // Of all, without a response.
  uint64_t num_open = 0;
  // When something was last completed.
  uint64_t last_move = 0;

  Cores(Vnoccl_dma_tb& top, Random& random) : top_(top), random_(random) {}

  // Inputs of the cycle: how often the cores stand still and how often one begins something, in percent.
  void drive(int calm, int eager) {
    if (eager != 0 && random_.chance(eager) && address_.size() < 4 && read_.size() < 4) begin();
    offers_aw_ = !address_.empty() && (offers_aw_ || !random_.chance(calm));
    offers_w_ = !data_.empty() && (offers_w_ || !random_.chance(calm));
    offers_ar_ = !read_.empty() && (offers_ar_ || !random_.chance(calm));
    top_.core_aw_valid_i = offers_aw_;
    top_.core_w_valid_i = offers_w_;
    top_.core_ar_valid_i = offers_ar_;
    if (offers_aw_) {
      top_.core_aw_id_i = address_.front().id;
      top_.core_aw_addr_i = address_.front().address;
      top_.core_aw_is_atomic_i = address_.front().id >= kPlainIds;
    }
    if (offers_w_) {
      top_.core_w_data_i = data_.front().first;
      top_.core_w_strb_i = data_.front().second;
    }
    if (offers_ar_) {
      top_.core_ar_id_i = read_.front().id;
      top_.core_ar_addr_i = read_.front().address;
    }
    top_.core_b_ready_i = !random_.chance(calm);
    top_.core_r_ready_i = !random_.chance(calm);
  }

  // Handshakes of the cycle.
  void observe(uint64_t cycle) {
    if (top_.core_aw_valid_i && top_.core_aw_ready_o) address_.pop_front(), offers_aw_ = false;
    if (top_.core_w_valid_i && top_.core_w_ready_o) data_.pop_front(), offers_w_ = false;
    if (top_.core_ar_valid_i && top_.core_ar_ready_o) read_.pop_front(), offers_ar_ = false;
    if (top_.core_b_valid_o && top_.core_b_ready_i) respond(top_.core_b_id_o, top_.core_b_resp_o), last_move = cycle;
    if (top_.core_r_valid_o && top_.core_r_ready_i) {
      find(top_.core_r_id_o, top_.core_r_data_o, top_.core_r_resp_o);
      last_move = cycle;
    }
    if (num_open == 0) last_move = cycle;
  }

 private:
  static constexpr uint64_t kOwn = 0x20000000, kNowhere = 0x10000000;
  static constexpr int kOkay = 0, kSlaveError = 2, kDecodeError = 3;
  // Ids of plain reads and writes, and of atomics, whose R come under the same ids.
  static constexpr size_t kPlainIds = 6, kIds = 8, kOpenPerId = 3;
  // Words that are written and read, that atomics add to, that fail.
  static constexpr size_t kPlain = 256, kCounters = 4, kFirstFailing = 960, kFailing = 64, kBetweenChecks = 40;

  struct Address {
    size_t id;
    uint64_t address;
  };
  // What a response has to be; of a word that is served its number.
  struct Due {
    int resp;
    bool is_served;
    size_t word;
    uint64_t value;
  };
  struct Word {
    uint64_t value = 0;
    size_t writes = 0, reads = 0;
    // Atomics that have no response yet, those since the value was known, and what each has found and added.
    size_t pending = 0, since = 0;
    std::multimap<uint64_t, uint64_t> added;
  };

  void begin() {
    const uint64_t choice = random_.below(3);
    const size_t id = choice == 2 ? kPlainIds + random_.below(kIds - kPlainIds) : random_.below(kPlainIds);
    const uint64_t draw = random_.below(20);
    Due due{draw == 0 ? kDecodeError : draw == 1 ? kSlaveError : kOkay, draw > 1, 0, 0};
    due.word = draw == 1 ? kFirstFailing + random_.below(kFailing)
               : choice == 2 ? kPlain + random_.below(kCounters)
                             : random_.below(kPlain + (choice == 1 ? kCounters : 0));
    const uint64_t address = (draw == 0 ? kNowhere : kOwn) + 8 * due.word;
    Word& word = words_[due.word];
    if (choice == 1) {
      if (due_r_[id].size() >= kOpenPerId || (due.is_served && (word.writes || word.since))) return;
      due.value = due.is_served ? word.value : 0;
      word.reads += due.is_served;
      due_r_[id].push_back(due);
      read_.push_back({id, address});
      reads++;
    } else {
      if (due_b_[id].size() >= kOpenPerId || (due.is_served && (word.reads || word.writes))) return;
      if (choice == 2 && due.is_served && word.since >= kBetweenChecks) return;
      send(choice == 2, id, address, due, word);
    }
    num_open++;
    failures += !due.is_served;
  }

  void send(bool is_atomic, size_t id, uint64_t address, Due& due, Word& word) {
    const uint64_t value = random_.engine();
    const uint8_t strobe = is_atomic || random_.chance(50) ? 0xff : random_.below(256);
    if (is_atomic) {
      due.value = value;
      word.pending += due.is_served;
      word.since += due.is_served;
      due_r_[id].push_back(due);
      num_open++;
      atomics++;
    } else {
      word.writes += due.is_served;
      for (int byte = 0; byte < 8 && due.is_served; byte++) {
        const uint64_t mask = (strobe >> byte & 1) ? 0xffull << 8 * byte : 0;
        word.value = (word.value & ~mask) | (value & mask);
      }
      writes++;
    }
    due_b_[id].push_back(due);
    address_.push_back({id, address});
    data_.emplace_back(value, strobe);
  }

  void respond(size_t id, int resp) {
    const Due due = next(due_b_[id], "a response to a core");
    if (resp != due.resp) fail("a core's write gets response " + std::to_string(resp) + ", not " + std::to_string(due.resp));
    if (id < kPlainIds && due.is_served) words_[due.word].writes--;
  }

  void find(size_t id, uint64_t value, int resp) {
    const Due due = next(due_r_[id], "data for a core");
    if (resp != due.resp) fail("a core's read gets response " + std::to_string(resp) + ", not " + std::to_string(due.resp));
    if (!due.is_served) {
      if (value != 0) fail("a core finds something where nobody serves it");
      return;
    }
    Word& word = words_[due.word];
    if (id < kPlainIds) {
      if (value != due.value) fail("a core reads what is not there");
      word.reads--;
      return;
    }
    word.added.emplace(value, due.value);
    if (--word.pending == 0) add_up(word);
  }

  // Each atomic has found what the one before it has left, in some order.
  void add_up(Word& word) {
    for (; !word.added.empty(); word.since--) {
      const auto found = word.added.find(word.value);
      if (found == word.added.end()) fail("atomics of cores do not add up");
      word.value += found->second;
      word.added.erase(found);
    }
  }

  Due next(std::deque<Due>& due, const std::string& what) {
    if (due.empty()) fail(what + " that nobody waits for");
    const Due first = due.front();
    due.pop_front();
    num_open--;
    return first;
  }

  Vnoccl_dma_tb& top_;
  Random& random_;
  std::vector<Word> words_ = std::vector<Word>(kFirstFailing + kFailing);
  // What has still to enter AW, W and AR; responses by id.
  std::deque<Address> address_, read_;
  std::deque<std::pair<uint64_t, uint8_t>> data_;
  std::deque<Due> due_b_[kIds], due_r_[kIds];
  bool offers_aw_ = false, offers_w_ = false, offers_ar_ = false;
};
