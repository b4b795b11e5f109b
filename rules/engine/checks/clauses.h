// What conditions are compiled to: classes of Clause. compile_clause.cc makes them.
#ifndef YARDMASTER_RULES_ENGINE_CHECKS_CLAUSES_H_
#define YARDMASTER_RULES_ENGINE_CHECKS_CLAUSES_H_

#include <algorithm>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "rules/engine/checks/expression.h"
#include "rules/engine/checks/run.h"

namespace yardmaster::rules {

class ConstantClause : public Clause {
 public:
  explicit ConstantClause(bool value) : value_(value) {}
  bool Holds(Run&, Frame&) const override { return value_; }

 private:
  const bool value_;
};

class AllClause : public Clause {
 public:
  explicit AllClause(std::vector<std::unique_ptr<Clause>> parts) : parts_(std::move(parts)) {
    std::stable_sort(parts_.begin(), parts_.end(), [](const auto& a, const auto& b) { return a->cost < b->cost; });
    for (const auto& part : parts_) cost = std::max(cost, part->cost);
  }
  bool Holds(Run& run, Frame& frame) const override {
    for (const auto& part : parts_) {
      if (!part->Holds(run, frame)) return false;
    }
    return true;
  }

 private:
  std::vector<std::unique_ptr<Clause>> parts_;
};

class AnyClause : public Clause {
 public:
  explicit AnyClause(std::vector<std::unique_ptr<Clause>> parts) : parts_(std::move(parts)) {
    for (const auto& part : parts_) cost = std::max(cost, part->cost);
  }
  bool Holds(Run& run, Frame& frame) const override {
    for (const auto& part : parts_) {
      if (part->Holds(run, frame)) return true;
    }
    return false;
  }

 private:
  std::vector<std::unique_ptr<Clause>> parts_;
};

class NotClause : public Clause {
 public:
  explicit NotClause(std::unique_ptr<Clause> inner) : inner_(std::move(inner)) { cost = inner_->cost; }
  // Once the time is over nothing holds, so that no finding comes of it.
  bool Holds(Run& run, Frame& frame) const override { return !inner_->Holds(run, frame) && !run.expired(); }

 private:
  std::unique_ptr<Clause> inner_;
};

class FieldClause : public Clause {
 public:
  FieldClause(Path path, std::unique_ptr<ValueMatcher> matcher)
      : path_(std::move(path)), matcher_(std::move(matcher)) {}
  bool Holds(Run& run, Frame& frame) const override { return matcher_->Matches(run, frame, path_.Get(run, frame)); }

 private:
  Path path_;
  std::unique_ptr<ValueMatcher> matcher_;
};

class TestClause : public Clause {
 public:
  TestClause(std::unique_ptr<Operand> value, std::unique_ptr<ValueMatcher> matcher)
      : value_(std::move(value)), matcher_(std::move(matcher)) {
    cost = 3;
  }
  bool Holds(Run& run, Frame& frame) const override { return matcher_->Matches(run, frame, value_->Get(run, frame)); }

 private:
  std::unique_ptr<Operand> value_;
  std::unique_ptr<ValueMatcher> matcher_;
};

class IsClause : public Clause {
 public:
  IsClause(size_t slot, std::vector<size_t> definitions) : slot_(slot), definitions_(std::move(definitions)) {
    cost = 2;
  }
  bool Holds(Run& run, Frame& frame) const override {
    const RowRef row = frame.rows[slot_];
    return std::all_of(definitions_.begin(), definitions_.end(), [&](size_t one) { return run.Is(one, row); });
  }

 private:
  const size_t slot_;
  const std::vector<size_t> definitions_;
};

class ExistsClause : public Clause {
 public:
  ExistsClause(std::unique_ptr<Query> query, bool exists) : query_(std::move(query)), exists_(exists) { cost = 5; }
  bool Holds(Run& run, Frame& frame) const override {
    bool found = false;
    query_->ForEach(run, frame, [&](RowRef) {
      found = true;
      return false;
    });
    return found == exists_ && !run.expired();
  }

 private:
  std::unique_ptr<Query> query_;
  const bool exists_;
};

class CountClause : public Clause {
 public:
  CountClause(std::unique_ptr<Operand> count, std::vector<std::unique_ptr<ValueMatcher>> bounds)
      : count_(std::move(count)), bounds_(std::move(bounds)) {
    cost = 6;
  }
  bool Holds(Run& run, Frame& frame) const override {
    const Value count = count_->Get(run, frame);
    if (run.expired()) return false;
    return std::all_of(bounds_.begin(), bounds_.end(),
                       [&](const auto& bound) { return bound->Matches(run, frame, count); });
  }

 private:
  std::unique_ptr<Operand> count_;
  std::vector<std::unique_ptr<ValueMatcher>> bounds_;
};

class ProfileClause : public Clause {
 public:
  enum class What : uint8_t { kProfile, kMoment };
  ProfileClause(What what, std::vector<std::string> names) : what_(what), names_(std::move(names)) { cost = -1; }
  bool Holds(Run& run, Frame&) const override {
    const std::string& now = what_ == What::kProfile ? run.profile_name : run.moment;
    return std::find(names_.begin(), names_.end(), now) != names_.end();
  }

 private:
  const What what_;
  const std::vector<std::string> names_;
};

class StageClause : public Clause {
 public:
  explicit StageClause(std::vector<int> stages) : stages_(std::move(stages)) { cost = -1; }
  bool Holds(Run& run, Frame&) const override {
    return run.stage && std::find(stages_.begin(), stages_.end(), *run.stage) != stages_.end();
  }

 private:
  const std::vector<int> stages_;
};

}  // namespace yardmaster::rules

#endif  // YARDMASTER_RULES_ENGINE_CHECKS_CLAUSES_H_
