// What one review has while it runs: files, options, texts and lists made on the way, and the bounds of its work.
#ifndef YARDMASTER_RULES_ENGINE_CHECKS_RUN_H_
#define YARDMASTER_RULES_ENGINE_CHECKS_RUN_H_

#include <chrono>
#include <cstddef>
#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "rules/engine/checks/check_set.h"
#include "rules/engine/checks/counterparts.h"
#include "rules/engine/checks/fields.h"
#include "rules/engine/checks/import_graph.h"
#include "rules/engine/checks/tree_files.h"
#include "rules/engine/checks/unit.h"
#include "rules/engine/checks/value.h"
#include "services/core/thread_clock.h"

namespace yardmaster::rules {

class Run {
 public:
  explicit Run(const CheckSet::Impl& checks)
      : tree(checks, units), imports(tree), counterparts(units), checks_(checks) {}

  std::string_view Keep(std::string text) {
    Count(text.size() + sizeof(std::string));
    return texts_.emplace_back(std::move(text));
  }
  const std::vector<Value>* Keep(std::vector<Value> list) {
    Count(list.size() * sizeof(Value) + sizeof(std::vector<Value>));
    return &lists_.emplace_back(std::move(list));
  }
  // Forgets texts and lists; nothing may hold them.
  void Forget() {
    if (texts_.size() <= 64 && lists_.size() <= 64) return;
    texts_.clear();
    lists_.clear();
    kept_bytes_ = 0;
  }

  // Counts a piece of work. False once the time of the processor is over: conditions then are false and queries end.
  bool Step(size_t work = 1) {
    if (expired_) return false;
    steps_ += work;
    if (steps_ >= next_look_) {
      next_look_ = steps_ + 1024;
      if (ThreadClock::now() > deadline_) expired_ = true;
    }
    return !expired_;
  }
  // A text that is gone through is work as well.
  void Read(std::string_view text) {
    if (text.size() >= 1024) Step(text.size() / 1024);
  }
  void Start(std::chrono::milliseconds limit) {
    deadline_ = ThreadClock::now() + limit;
    expired_ = false;
  }
  bool expired() const { return expired_; }

  // Whether a row belongs to a definition.
  bool Is(size_t definition, RowRef row);

  // Rows of a table whose field is a text, in order; good until the run ends. Null: not known, for that would take too
  // much memory.
  const std::vector<RowIndex>* RowsWith(const Unit& unit, FactTable table, const FieldInfo& field,
                                        std::string_view text);

  const CheckSet::Impl& checks() const { return checks_; }

  std::vector<std::unique_ptr<Unit>> units;  // never null
  TreeFiles tree;
  ImportGraph imports;
  Counterparts counterparts;
  size_t profile = 0;  // position in the list of profiles
  std::string profile_name;
  std::optional<int> stage;
  std::string moment;
  std::map<std::string, std::string, std::less<>> options;
  std::string set_path;
  std::map<std::string, std::string, std::less<>> set_groups;
  // Elements of the lists that queries go over, by the index of their row.
  std::vector<std::pair<Value, size_t>> values;
  int depth = 0;  // of definitions inside each other

 private:
  // What one row may make; beyond it the checks end as if the time were over.
  static constexpr size_t kMaxKeptBytes = 64 * 1024 * 1024;

  void Count(size_t bytes) {
    kept_bytes_ += bytes;
    if (kept_bytes_ > kMaxKeptBytes) expired_ = true;
  }

  const CheckSet::Impl& checks_;
  std::deque<std::string> texts_;
  std::deque<std::vector<Value>> lists_;
  std::vector<std::vector<uint8_t>> set_memo_;
  // Names and the like; longer texts are compared row by row.
  static constexpr size_t kMaxLookupText = 64;
  static constexpr size_t kMaxLookupBytes = 64 * 1024 * 1024;
  using RowsByText = absl::flat_hash_map<std::string, std::vector<RowIndex>>;
  std::map<std::pair<const Unit*, const FieldInfo*>, RowsByText> rows_by_text_;
  size_t lookup_bytes_ = 0;
  ThreadClock::time_point deadline_;
  size_t steps_ = 0;
  size_t next_look_ = 1024;
  size_t kept_bytes_ = 0;
  bool expired_ = false;
};

}  // namespace yardmaster::rules

#endif  // YARDMASTER_RULES_ENGINE_CHECKS_RUN_H_
