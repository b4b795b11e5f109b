// What a value must be, compiled: classes of ValueMatcher. compile_matcher.cc makes them.
#ifndef YARDMASTER_RULES_ENGINE_CHECKS_MATCHERS_H_
#define YARDMASTER_RULES_ENGINE_CHECKS_MATCHERS_H_

#include <re2/re2.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_set>
#include <utility>
#include <vector>

#include "rules/engine/checks/expression.h"
#include "rules/engine/checks/run.h"
#include "rules/engine/checks/value.h"
#include "services/core/glob.h"
#include "services/core/readable.h"

namespace yardmaster::rules {

// One that asks about single values; of a list, some element must fit.
class ElementMatcher : public ValueMatcher {
 public:
  bool Matches(Run& run, Frame& frame, const Value& value) const final {
    if (value.kind != Value::Kind::kList) return MatchesOne(run, frame, value);
    return std::any_of(value.list->begin(), value.list->end(),
                       [&](const Value& one) { return MatchesOne(run, frame, one); });
  }
  virtual bool MatchesOne(Run& run, Frame& frame, const Value& value) const = 0;
};

// ASCII only.
inline std::string Lower(std::string_view text) {
  std::string out(text);
  for (char& c : out) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  }
  return out;
}

class EqualsMatcher : public ElementMatcher {
 public:
  EqualsMatcher(std::unique_ptr<Operand> operand, bool fold) : operand_(std::move(operand)), fold_(fold) {}
  bool MatchesOne(Run& run, Frame& frame, const Value& value) const override {
    const Value other = operand_->Get(run, frame);
    if (fold_ && value.kind == Value::Kind::kText && other.kind == Value::Kind::kText) {
      return Lower(value.text) == Lower(other.text);
    }
    return SameValue(value, other);
  }

 private:
  std::unique_ptr<Operand> operand_;
  const bool fold_;
};

// The whole value, lists too.
class SameMatcher : public ValueMatcher {
 public:
  SameMatcher(std::unique_ptr<Operand> operand, bool fold) : operand_(std::move(operand)), fold_(fold) {}
  bool Matches(Run& run, Frame& frame, const Value& value) const override {
    const Value other = operand_->Get(run, frame);
    if (fold_ && value.kind == Value::Kind::kText && other.kind == Value::Kind::kText) {
      return Lower(value.text) == Lower(other.text);
    }
    if (value.kind == Value::Kind::kList && other.kind != Value::Kind::kList) {
      return std::any_of(value.list->begin(), value.list->end(),
                         [&](const Value& one) { return SameValue(one, other); });
    }
    return SameValue(value, other);
  }

 private:
  std::unique_ptr<Operand> operand_;
  const bool fold_;
};

// One of some texts that are known beforehand.
class TextSetMatcher : public ElementMatcher {
 public:
  explicit TextSetMatcher(const std::unordered_set<std::string_view>& texts) : texts_(&texts) {}
  explicit TextSetMatcher(std::vector<std::string> texts) : kept_(std::move(texts)) {
    for (const std::string& text : kept_) own_.insert(text);
    texts_ = &own_;
  }
  bool MatchesOne(Run&, Frame&, const Value& value) const override {
    return value.kind == Value::Kind::kText && texts_->count(value.text) > 0;
  }

 private:
  std::vector<std::string> kept_;
  std::unordered_set<std::string_view> own_;
  const std::unordered_set<std::string_view>* texts_ = nullptr;
};

class AnyMatcher : public ValueMatcher {
 public:
  explicit AnyMatcher(std::vector<std::unique_ptr<ValueMatcher>> parts) : parts_(std::move(parts)) {}
  bool Matches(Run& run, Frame& frame, const Value& value) const override {
    return std::any_of(parts_.begin(), parts_.end(),
                       [&](const auto& part) { return part->Matches(run, frame, value); });
  }

 private:
  std::vector<std::unique_ptr<ValueMatcher>> parts_;
};

class AllMatcher : public ValueMatcher {
 public:
  explicit AllMatcher(std::vector<std::unique_ptr<ValueMatcher>> parts) : parts_(std::move(parts)) {}
  bool Matches(Run& run, Frame& frame, const Value& value) const override {
    return std::all_of(parts_.begin(), parts_.end(),
                       [&](const auto& part) { return part->Matches(run, frame, value); });
  }

 private:
  std::vector<std::unique_ptr<ValueMatcher>> parts_;
};

class NotMatcher : public ValueMatcher {
 public:
  explicit NotMatcher(std::unique_ptr<ValueMatcher> inner) : inner_(std::move(inner)) {}
  bool Matches(Run& run, Frame& frame, const Value& value) const override {
    return !inner_->Matches(run, frame, value) && !run.expired();
  }

 private:
  std::unique_ptr<ValueMatcher> inner_;
};

// An element of a list that is worked out.
class InMatcher : public ElementMatcher {
 public:
  explicit InMatcher(std::unique_ptr<Operand> list) : list_(std::move(list)) {}
  bool MatchesOne(Run& run, Frame& frame, const Value& value) const override {
    const Value list = list_->Get(run, frame);
    if (list.kind != Value::Kind::kList) return SameValue(value, list);
    return std::any_of(list.list->begin(), list.list->end(), [&](const Value& one) { return SameValue(value, one); });
  }

 private:
  std::unique_ptr<Operand> list_;
};

class PatternMatcher : public ElementMatcher {
 public:
  PatternMatcher(std::vector<std::unique_ptr<RE2>> patterns, std::unique_ptr<ValueMatcher> capture)
      : patterns_(std::move(patterns)), capture_(std::move(capture)) {}
  bool MatchesOne(Run& run, Frame& frame, const Value& value) const override {
    if (value.kind != Value::Kind::kText) return false;
    run.Read(value.text);
    if (capture_ == nullptr) {
      return std::any_of(patterns_.begin(), patterns_.end(), [&](const auto& pattern) {
        return RE2::PartialMatch(re2::StringPiece(value.text.data(), value.text.size()), *pattern);
      });
    }
    re2::StringPiece found[2];
    if (!patterns_[0]->Match({value.text.data(), value.text.size()}, 0, value.text.size(), RE2::UNANCHORED, found, 2))
      return false;
    const Value group = found[1].data() == nullptr ? Value() : Value::Text({found[1].data(), found[1].size()});
    return capture_->Matches(run, frame, group);
  }

 private:
  std::vector<std::unique_ptr<RE2>> patterns_;
  std::unique_ptr<ValueMatcher> capture_;
};

class PartMatcher : public ElementMatcher {
 public:
  enum class What : uint8_t { kPrefix, kSuffix, kContains, kLike };
  PartMatcher(What what, std::vector<std::unique_ptr<Operand>> texts, bool fold)
      : what_(what), texts_(std::move(texts)), fold_(fold) {}
  bool MatchesOne(Run& run, Frame& frame, const Value& value) const override {
    if (value.kind != Value::Kind::kText) return false;
    run.Read(value.text);
    const std::string folded = fold_ ? Lower(value.text) : std::string();
    const std::string_view text = fold_ ? folded : value.text;
    return std::any_of(texts_.begin(), texts_.end(), [&](const auto& operand) {
      const Value part = operand->Get(run, frame);
      if (part.kind != Value::Kind::kText) return false;
      const std::string folded_part = fold_ ? Lower(part.text) : std::string();
      const std::string_view wanted = fold_ ? folded_part : part.text;
      switch (what_) {
        case What::kPrefix:
          return text.starts_with(wanted);
        case What::kSuffix:
          return text.ends_with(wanted);
        case What::kContains:
          return text.find(wanted) != std::string_view::npos;
        case What::kLike:
          return MatchesLike(wanted, text);
      }
      return false;
    });
  }

 private:
  const What what_;
  std::vector<std::unique_ptr<Operand>> texts_;
  const bool fold_;
};

class NumberMatcher : public ElementMatcher {
 public:
  enum class What : uint8_t { kAbove, kBelow, kAtLeast, kAtMost, kMultipleOf };
  NumberMatcher(What what, std::unique_ptr<Operand> operand) : what_(what), operand_(std::move(operand)) {}
  bool MatchesOne(Run& run, Frame& frame, const Value& value) const override {
    const auto number = AsNumber(value);
    const auto other = AsNumber(operand_->Get(run, frame));
    if (!number || !other) return false;
    switch (what_) {
      case What::kAbove:
        return *number > *other;
      case What::kBelow:
        return *number < *other;
      case What::kAtLeast:
        return *number >= *other;
      case What::kAtMost:
        return *number <= *other;
      case What::kMultipleOf:
        return *other != 0 && std::fmod(*number, *other) == 0;
    }
    return false;
  }

 private:
  const What what_;
  std::unique_ptr<Operand> operand_;
};

class MissingMatcher : public ValueMatcher {
 public:
  explicit MissingMatcher(bool missing) : missing_(missing) {}
  bool Matches(Run&, Frame&, const Value& value) const override {
    return (value.kind == Value::Kind::kMissing) == missing_;
  }

 private:
  const bool missing_;
};

class SizeMatcher : public ValueMatcher {
 public:
  explicit SizeMatcher(std::unique_ptr<ValueMatcher> inner) : inner_(std::move(inner)) {}
  bool Matches(Run& run, Frame& frame, const Value& value) const override {
    size_t size = 0;
    if (value.kind == Value::Kind::kList) {
      size = value.list->size();
    } else if (value.kind == Value::Kind::kText) {
      size = CodePoints(value.text);
    } else {
      return false;
    }
    return inner_->Matches(run, frame, Value::Number(static_cast<double>(size)));
  }

 private:
  std::unique_ptr<ValueMatcher> inner_;
};

class ElementsMatcher : public ValueMatcher {
 public:
  ElementsMatcher(bool every, std::unique_ptr<ValueMatcher> inner) : every_(every), inner_(std::move(inner)) {}
  bool Matches(Run& run, Frame& frame, const Value& value) const override {
    if (value.kind != Value::Kind::kList) return false;
    const auto fits = [&](const Value& one) { return inner_->Matches(run, frame, one); };
    return every_ ? std::all_of(value.list->begin(), value.list->end(), fits)
                  : std::any_of(value.list->begin(), value.list->end(), fits);
  }

 private:
  const bool every_;
  std::unique_ptr<ValueMatcher> inner_;
};

class RowIsMatcher : public ValueMatcher {
 public:
  explicit RowIsMatcher(std::vector<size_t> definitions) : definitions_(std::move(definitions)) {}
  bool Matches(Run& run, Frame&, const Value& value) const override {
    return value.kind == Value::Kind::kRow &&
           std::all_of(definitions_.begin(), definitions_.end(), [&](size_t one) { return run.Is(one, value.row); });
  }

 private:
  const std::vector<size_t> definitions_;
};

class RowWhereMatcher : public ValueMatcher {
 public:
  RowWhereMatcher(size_t slot, std::unique_ptr<Clause> clause) : slot_(slot), clause_(std::move(clause)) {}
  bool Matches(Run& run, Frame& frame, const Value& value) const override {
    if (value.kind != Value::Kind::kRow) return false;
    frame.rows[slot_] = value.row;
    return clause_->Holds(run, frame);
  }

 private:
  const size_t slot_;
  std::unique_ptr<Clause> clause_;
};

}  // namespace yardmaster::rules

#endif  // YARDMASTER_RULES_ENGINE_CHECKS_MATCHERS_H_
