// What values are compiled to: classes of Operand. compile_operand.cc makes them.
#ifndef YARDMASTER_RULES_ENGINE_CHECKS_OPERANDS_H_
#define YARDMASTER_RULES_ENGINE_CHECKS_OPERANDS_H_

#include <re2/re2.h>

#include <algorithm>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "rules/engine/checks/expression.h"
#include "rules/engine/checks/run.h"
#include "rules/engine/checks/value.h"

namespace yardmaster::rules {

class ConstantOperand : public Operand {
 public:
  explicit ConstantOperand(double number) : value_(Value::Number(number)) {}
  explicit ConstantOperand(bool value) : value_(Value::Bool(value)) {}
  explicit ConstantOperand(std::string text) : text_(std::move(text)), value_(Value::Text(text_)) {}
  Value Get(Run&, Frame&) const override { return value_; }

 private:
  const std::string text_;
  const Value value_;
};

class TemplateOperand : public Operand {
 public:
  explicit TemplateOperand(Template text) : template_(std::move(text)) {}
  Value Get(Run& run, Frame& frame) const override {
    bool missing = false;
    std::string text = template_.Expand(run, frame, missing);
    return missing ? Value() : Value::Text(run.Keep(std::move(text)));
  }

 private:
  const Template template_;
};

class PathOperand : public Operand {
 public:
  explicit PathOperand(Path path) : path_(std::move(path)) {}
  Value Get(Run& run, Frame& frame) const override { return path_.Get(run, frame); }

 private:
  const Path path_;
};

class ListOperand : public Operand {
 public:
  ListOperand(std::unique_ptr<Query> query, Path field) : query_(std::move(query)), field_(std::move(field)) {}
  Value Get(Run& run, Frame& frame) const override {
    std::vector<Value> values;
    query_->ForEach(run, frame, [&](RowRef) {
      values.push_back(field_.Get(run, frame));
      return true;
    });
    return Value::List(run.Keep(std::move(values)));
  }

 private:
  std::unique_ptr<Query> query_;
  const Path field_;
};

// Elements of a named list.
class NamedListOperand : public Operand {
 public:
  explicit NamedListOperand(const std::vector<std::string>& list) {
    for (const std::string& text : list) values_.push_back(Value::Text(text));
  }
  Value Get(Run&, Frame&) const override { return Value::List(&values_); }

 private:
  std::vector<Value> values_;
};

// Written elements.
class ArrayOperand : public Operand {
 public:
  explicit ArrayOperand(std::vector<std::unique_ptr<Operand>> parts) : parts_(std::move(parts)) {}
  Value Get(Run& run, Frame& frame) const override {
    std::vector<Value> values;
    values.reserve(parts_.size());
    for (const auto& part : parts_) values.push_back(part->Get(run, frame));
    return Value::List(run.Keep(std::move(values)));
  }

 private:
  std::vector<std::unique_ptr<Operand>> parts_;
};

class FoldOperand : public Operand {
 public:
  enum class What : uint8_t { kMax, kMin, kSum };
  FoldOperand(What what, std::unique_ptr<Query> query, Path field)
      : what_(what), query_(std::move(query)), field_(std::move(field)) {}
  Value Get(Run& run, Frame& frame) const override {
    std::optional<double> result;
    query_->ForEach(run, frame, [&](RowRef) {
      const auto number = AsNumber(field_.Get(run, frame));
      if (!number) return true;
      if (!result) {
        result = number;
      } else if (what_ == What::kSum) {
        *result += *number;
      } else {
        *result = what_ == What::kMax ? std::max(*result, *number) : std::min(*result, *number);
      }
      return true;
    });
    return result ? Value::Number(*result) : Value();
  }

 private:
  const What what_;
  std::unique_ptr<Query> query_;
  const Path field_;
};

class ArithmeticOperand : public Operand {
 public:
  ArithmeticOperand(char op, std::unique_ptr<Operand> left, std::unique_ptr<Operand> right)
      : op_(op), left_(std::move(left)), right_(std::move(right)) {}
  Value Get(Run& run, Frame& frame) const override {
    const auto left = AsNumber(left_->Get(run, frame));
    const auto right = AsNumber(right_->Get(run, frame));
    if (!left || !right) return {};
    return Value::Number(op_ == '*' ? *left * *right : op_ == '+' ? *left + *right : *left - *right);
  }

 private:
  const char op_;
  std::unique_ptr<Operand> left_;
  std::unique_ptr<Operand> right_;
};

class ExtractOperand : public Operand {
 public:
  ExtractOperand(std::unique_ptr<RE2> pattern, std::unique_ptr<Operand> in)
      : pattern_(std::move(pattern)), in_(std::move(in)) {}
  Value Get(Run& run, Frame& frame) const override {
    const Value value = in_->Get(run, frame);
    if (value.kind != Value::Kind::kText) return {};
    run.Read(value.text);
    re2::StringPiece found[2];
    const int groups = std::min(1, pattern_->NumberOfCapturingGroups());
    if (!pattern_->Match({value.text.data(), value.text.size()}, 0, value.text.size(), RE2::UNANCHORED, found,
                         groups + 1))
      return {};
    const re2::StringPiece piece = found[groups];
    if (piece.data() == nullptr) return {};
    return Value::Text({piece.data(), piece.size()});
  }

 private:
  std::unique_ptr<RE2> pattern_;
  std::unique_ptr<Operand> in_;
};

class MapOperand : public Operand {
 public:
  MapOperand(const std::map<std::string, std::string>& map, std::unique_ptr<Operand> key)
      : map_(map), key_(std::move(key)) {}
  Value Get(Run& run, Frame& frame) const override {
    const Value key = key_->Get(run, frame);
    if (key.kind != Value::Kind::kText) return {};
    const auto found = map_.find(std::string(key.text));
    return found == map_.end() ? Value() : Value::Text(found->second);
  }

 private:
  const std::map<std::string, std::string>& map_;
  std::unique_ptr<Operand> key_;
};

// How many rows a query has, or how many different values.
class CountOperand : public Operand {
 public:
  CountOperand(std::unique_ptr<Query> query, std::optional<Path> distinct)
      : query_(std::move(query)), distinct_(std::move(distinct)) {}
  Value Get(Run& run, Frame& frame) const override {
    size_t count = 0;
    std::set<std::string, std::less<>> seen;
    query_->ForEach(run, frame, [&](RowRef) {
      if (!distinct_) {
        ++count;
        return true;
      }
      const Value value = distinct_->Get(run, frame);
      if (value.kind == Value::Kind::kText && seen.emplace(value.text).second) ++count;
      if (value.kind == Value::Kind::kNumber && seen.emplace(std::to_string(value.number)).second) ++count;
      return true;
    });
    return Value::Number(static_cast<double>(count));
  }

 private:
  std::unique_ptr<Query> query_;
  std::optional<Path> distinct_;
};

}  // namespace yardmaster::rules

#endif  // YARDMASTER_RULES_ENGINE_CHECKS_OPERANDS_H_
