#include "rules/engine/checks/compiler.h"

#include <algorithm>
#include <charconv>
#include <cmath>

#include "rules/engine/checks/glob.h"
#include "rules/engine/readable.h"

namespace yardmaster::rules {
namespace {

using nlohmann::json;

// More problems than this are not listed.
constexpr size_t kMaxProblems = 200;

re2::StringPiece Piece(std::string_view text) { return {text.data(), text.size()}; }

// ---- conditions

class Constant : public Clause {
 public:
  explicit Constant(bool value) : value_(value) {}
  bool Holds(Run&, Frame&) const override { return value_; }

 private:
  const bool value_;
};

class All : public Clause {
 public:
  explicit All(std::vector<std::unique_ptr<Clause>> parts) : parts_(std::move(parts)) {
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

class Any : public Clause {
 public:
  explicit Any(std::vector<std::unique_ptr<Clause>> parts) : parts_(std::move(parts)) {
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

class Not : public Clause {
 public:
  explicit Not(std::unique_ptr<Clause> inner) : inner_(std::move(inner)) { cost = inner_->cost; }
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

// ---- values

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

std::optional<double> AsNumber(const Value& value) {
  if (value.kind == Value::Kind::kNumber) return value.number;
  if (value.kind != Value::Kind::kText || value.text.empty()) return std::nullopt;
  const std::string text(value.text);
  char* end = nullptr;
  const double number = std::strtod(text.c_str(), &end);
  if (end != text.c_str() + text.size() || !std::isfinite(number)) return std::nullopt;
  return number;
}

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
    if (!pattern_->Match(Piece(value.text), 0, value.text.size(), RE2::UNANCHORED, found, groups + 1)) return {};
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

// ---- matchers

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

std::string Lower(std::string_view text) {
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
      return std::any_of(patterns_.begin(), patterns_.end(),
                         [&](const auto& pattern) { return RE2::PartialMatch(Piece(value.text), *pattern); });
    }
    re2::StringPiece found[2];
    if (!patterns_[0]->Match(Piece(value.text), 0, value.text.size(), RE2::UNANCHORED, found, 2)) return false;
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

// Names, one or a list.
std::vector<std::string> Names(const json& value) {
  if (value.is_string()) return {value.get<std::string>()};
  std::vector<std::string> out;
  if (!value.is_array()) return out;
  for (const json& one : value) {
    if (one.is_string()) out.push_back(one.get<std::string>());
  }
  return out;
}

std::vector<std::string_view> Split(std::string_view text, char separator) {
  std::vector<std::string_view> parts;
  for (;;) {
    const size_t at = text.find(separator);
    parts.push_back(text.substr(0, at));
    if (at == std::string_view::npos) return parts;
    text.remove_prefix(at + 1);
  }
}

std::string Suggestion(std::string_view name, const std::vector<std::string_view>& known) {
  const std::string_view nearest = NearestName(name, known);
  return nearest.empty() ? std::string() : "; did you mean " + Quoted(nearest) + "?";
}

std::string Listed(const std::vector<std::string_view>& names) {
  std::string out;
  for (const std::string_view name : names) {
    if (!out.empty()) out += ", ";
    out += name;
  }
  return out;
}

constexpr std::string_view kMatcherKeys[] = {"equals",   "same",    "in",          "re",      "capture", "like",
                                             "prefix",   "suffix",  "contains",    "fold",    "above",   "below",
                                             "at_least", "at_most", "multiple_of", "missing", "size",    "every",
                                             "some",     "is",      "where",       "not",     "any",     "all"};

constexpr std::pair<std::string_view, Query::Scope> kScopes[] = {
    {"file", Query::Scope::kFile},         {"inside", Query::Scope::kInside},
    {"body", Query::Scope::kBody},         {"around", Query::Scope::kAround},
    {"before", Query::Scope::kBefore},     {"after", Query::Scope::kAfter},
    {"children", Query::Scope::kChildren}, {"reachable", Query::Scope::kReachable},
    {"reaching", Query::Scope::kReaching}, {"files", Query::Scope::kFiles}};

}  // namespace

void CheckCompiler::Add(const std::string& pointer, std::string message) {
  if (problems_.size() >= kMaxProblems) return;
  problems_.push_back(document_->ProblemAt(pointer, std::move(message)));
}

std::optional<size_t> CheckCompiler::FindDefinition(std::string_view name) const {
  for (size_t i = 0; i < set_.definitions.size(); ++i) {
    if (set_.definitions[i].name == name) return i;
  }
  return std::nullopt;
}

std::unique_ptr<RE2> CheckCompiler::CompilePattern(const json& value, const std::string& pointer) {
  if (!value.is_string()) {
    Add(pointer, "expected a pattern");
    return nullptr;
  }
  RE2::Options options(RE2::Quiet);
  options.set_max_mem(4 << 20);
  auto pattern = std::make_unique<RE2>(value.get<std::string>(), options);
  if (pattern->ok()) return pattern;
  Add(pointer, "expected an RE2 pattern: " + Readable(pattern->error()));
  return nullptr;
}

std::vector<KindSelection> CheckCompiler::CompileKinds(const json& value, const std::string& pointer) {
  std::vector<KindSelection> out;
  if (!value.is_string() && !value.is_array()) {
    Add(pointer, "expected a kind, a definition, or a list of them");
    return out;
  }
  for (const std::string& name : Names(value)) {
    if (const KindInfo* kind = FindKind(name)) {
      out.push_back({*kind, {}});
    } else if (const auto definition = FindDefinition(name)) {
      // The kinds of the definition; membership is asked for as a whole.
      for (KindSelection selection : set_.definitions[*definition].kinds) {
        selection.definitions = {*definition};
        out.push_back(std::move(selection));
      }
    } else {
      std::vector<std::string_view> known = KindNames();
      for (const CompiledDefinition& one : set_.definitions) known.push_back(one.name);
      Add(pointer, "unknown kind or definition " + Quoted(name) + Suggestion(name, known));
      return {};
    }
  }
  for (const KindSelection& selection : out) {
    if (selection.kind.table == out.front().kind.table) continue;
    Add(pointer, "expected kinds with the same fields, got " + Quoted(out.front().kind.name) + " and " +
                     Quoted(selection.kind.name));
    return {};
  }
  if (out.empty()) Add(pointer, "expected at least one kind");
  return out;
}

std::vector<size_t> CheckCompiler::CompileDefinitions(const json& value, const std::string& pointer,
                                                      std::optional<FactTable> table) {
  std::vector<size_t> out;
  const std::vector<std::string> names = Names(value);
  if (names.empty()) Add(pointer, "expected the name of a definition, or a list of them");
  for (const std::string& name : names) {
    const auto definition = FindDefinition(name);
    if (!definition) {
      std::vector<std::string_view> known;
      for (const CompiledDefinition& one : set_.definitions) known.push_back(one.name);
      Add(pointer, "unknown definition " + Quoted(name) + Suggestion(name, known));
    } else if (table && set_.definitions[*definition].table != *table) {
      Add(pointer, "the definition " + Quoted(name) + " is about other rows");
    } else {
      out.push_back(*definition);
    }
  }
  return out;
}

bool CheckCompiler::AddStep(std::string_view text, const std::string& pointer, std::string_view whole, StaticType& type,
                            Path& path, std::vector<std::string_view>& rest) {
  if (!type.known || type.type != FieldType::kRow) {
    Add(pointer, "nothing can follow before " + Quoted(text) + " in " + Quoted(whole) + ": it is not a reference");
    return false;
  }
  const FactTable table = type.table;
  Path::Step step;
  // Steps with a selector.
  const auto selector = [&](Path::StepKind kind, FactTable target) {
    step.kind = kind;
    if (rest.empty()) {
      Add(pointer, "expected a position or a name behind " + Quoted(text) + " in " + Quoted(whole));
      return false;
    }
    for (const std::string_view one : Split(rest.front(), ',')) {
      Path::Selector part;
      int position = 0;
      const auto [end, error] = std::from_chars(one.data(), one.data() + one.size(), position);
      if (error == std::errc() && end == one.data() + one.size()) {
        part.position = position;
      } else {
        part.name = one;
      }
      step.selectors.push_back(std::move(part));
    }
    rest.erase(rest.begin());
    type = {true, FieldType::kRow, target};
    path.steps.push_back(std::move(step));
    return true;
  };
  if (table == FactTable::kExpr && text == "arg") return selector(Path::StepKind::kArgument, FactTable::kExpr);
  if (table == FactTable::kExpr && text == "item") return selector(Path::StepKind::kItem, FactTable::kExpr);
  if (table == FactTable::kFunction && text == "param") {
    return selector(Path::StepKind::kParameter, FactTable::kParameter);
  }
  if (table == FactTable::kEntry && text == "child") return selector(Path::StepKind::kChild, FactTable::kEntry);
  if ((table == FactTable::kFunction || table == FactTable::kClass) && text == "decorator") {
    return selector(Path::StepKind::kDecorator, FactTable::kExpr);
  }
  if (const FieldInfo* field = FindField(table, text)) {
    step.field = field;
    path.steps.push_back(std::move(step));
    type = {true, field->type, field->target};
    return true;
  }
  if ((table == FactTable::kFile || table == FactTable::kSet) && groups_.count(text) > 0) {
    step.kind = table == FactTable::kFile ? Path::StepKind::kGroup : Path::StepKind::kSetGroup;
    step.name = text;
    path.steps.push_back(std::move(step));
    type = {true, FieldType::kText, FactTable::kFile};
    return true;
  }
  Add(pointer, "unknown field " + Quoted(text) + " in " + Quoted(whole) + Suggestion(text, FieldNames(table)) +
                   "; known are " + Listed(FieldNames(table)));
  return false;
}

std::optional<Path> CheckCompiler::CompilePath(std::string_view text, const std::string& pointer, NameScope& scope,
                                               StaticType& type) {
  Path path;
  std::vector<std::string_view> parts = Split(text, '.');
  const std::string_view first = parts.front();
  const auto drop_first = [&] { parts.erase(parts.begin()); };
  type = {};

  // Outwards: a row of that name, a named value, an option; else a field of the innermost row.
  std::optional<size_t> slot;
  for (size_t i = 0; i < scope.rows.size(); ++i) {
    if (!scope.rows[i].name.empty() && scope.rows[i].name == first) slot = i;
  }
  const auto let =
      std::find_if(scope.lets.begin(), scope.lets.end(), [&](const NameScope::Let& one) { return one.name == first; });
  if (slot) {
    path.slot = *slot;
    type = {true, FieldType::kRow, scope.rows[*slot].table};
    drop_first();
  } else if (let != scope.lets.end()) {
    path.start = Path::Start::kLet;
    path.slot = static_cast<size_t>(let - scope.lets.begin());
    if (let->table) type = {true, FieldType::kRow, *let->table};
    drop_first();
  } else if (first == "set") {
    path.start = Path::Start::kSet;
    type = {true, FieldType::kRow, FactTable::kSet};
    drop_first();
  } else if (first == "option") {
    drop_first();
    if (parts.size() != 1) {
      Add(pointer, "expected \"option\" and a name, got " + Quoted(text));
      return std::nullopt;
    }
    path.start = Path::Start::kOption;
    path.name = parts.front();
    type = {true, FieldType::kText, FactTable::kFile};
    return path;
  } else {
    path.slot = scope.rows.size() - 1;
    type = {true, FieldType::kRow, scope.rows.back().table};
    // Captures of a query.
    if (type.table == FactTable::kMatch && scope.captures != nullptr) {
      const auto capture = std::find(scope.captures->begin(), scope.captures->end(), first);
      if (capture != scope.captures->end()) {
        Path::Step step;
        step.kind = Path::StepKind::kCapture;
        step.capture = static_cast<size_t>(capture - scope.captures->begin());
        path.steps.push_back(std::move(step));
        type = {true, FieldType::kText, FactTable::kFile};
        drop_first();
      }
    }
  }
  while (!parts.empty()) {
    const std::string_view step = parts.front();
    drop_first();
    if (!AddStep(step, pointer, text, type, path, parts)) return std::nullopt;
  }
  return path;
}

std::optional<Template> CheckCompiler::CompileTemplate(const std::string& text, const std::string& pointer,
                                                       NameScope& scope) {
  Template out;
  std::string literal;
  for (size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if ((c == '{' || c == '}') && i + 1 < text.size() && text[i + 1] == c) {
      literal += c;
      ++i;
      continue;
    }
    if (c == '}') {
      Add(pointer, "a \"}\" without \"{\"; write \"}}\" for a brace");
      return std::nullopt;
    }
    if (c != '{') {
      literal += c;
      continue;
    }
    const size_t close = text.find('}', i);
    if (close == std::string::npos) {
      Add(pointer, "a \"{\" without \"}\"; write \"{{\" for a brace");
      return std::nullopt;
    }
    const std::string inner = text.substr(i + 1, close - i - 1);
    std::vector<std::string_view> parts = Split(inner, '|');
    Template::Part part;
    part.text = std::move(literal);
    literal.clear();
    StaticType type;
    part.path = CompilePath(parts.front(), pointer, scope, type);
    if (!part.path) return std::nullopt;
    for (size_t p = 1; p < parts.size(); ++p) {
      const size_t colon = parts[p].find(':');
      const std::string_view name = parts[p].substr(0, colon);
      Template::Filter filter;
      if (colon != std::string_view::npos) filter.argument = parts[p].substr(colon + 1);
      if (name == "upper") {
        filter.kind = Template::Filter::Kind::kUpper;
      } else if (name == "lower") {
        filter.kind = Template::Filter::Kind::kLower;
      } else if (name == "or") {
        filter.kind = Template::Filter::Kind::kOr;
      } else if (name == "map") {
        filter.kind = Template::Filter::Kind::kMap;
        const auto map = set_.maps.find(filter.argument);
        if (map == set_.maps.end()) {
          Add(pointer, "unknown map " + Quoted(filter.argument));
          return std::nullopt;
        }
        filter.map = &map->second;
      } else if (name == "nearest") {
        filter.kind = Template::Filter::Kind::kNearest;
        const auto list = set_.lists.find(filter.argument);
        if (list == set_.lists.end()) {
          Add(pointer, "unknown list " + Quoted(filter.argument));
          return std::nullopt;
        }
        filter.list = &list->second;
      } else {
        Add(pointer, "unknown filter " + Quoted(name) + "; expected upper, lower, or, map or nearest");
        return std::nullopt;
      }
      part.filters.push_back(std::move(filter));
    }
    out.parts.push_back(std::move(part));
    i = close;
  }
  if (!literal.empty() || out.parts.empty()) out.parts.push_back({std::move(literal), std::nullopt, {}});
  return out;
}

std::unique_ptr<Operand> CheckCompiler::CompileOperand(const json& value, const std::string& pointer, NameScope& scope,
                                                       StaticType* type) {
  if (value.is_boolean()) return std::make_unique<ConstantOperand>(value.get<bool>());
  if (value.is_number()) return std::make_unique<ConstantOperand>(value.get<double>());
  if (value.is_string()) {
    auto text = CompileTemplate(value.get<std::string>(), pointer, scope);
    if (!text) return nullptr;
    if (text->constant()) {
      return std::make_unique<ConstantOperand>(text->parts.empty() ? std::string() : text->parts[0].text);
    }
    return std::make_unique<TemplateOperand>(std::move(*text));
  }
  if (value.is_array()) {
    std::vector<std::unique_ptr<Operand>> parts;
    for (size_t i = 0; i < value.size(); ++i) {
      auto part = CompileOperand(value[i], PointerJoin(pointer, i), scope);
      if (part == nullptr) return nullptr;
      parts.push_back(std::move(part));
    }
    return std::make_unique<ArrayOperand>(std::move(parts));
  }
  const auto has = [&](const char* key) { return value.is_object() && value.contains(key); };
  const auto field_of = [&](NameScope& inner) -> std::optional<Path> {
    StaticType ignored;
    if (!has("field") || !value["field"].is_string()) {
      Add(pointer, "missing key \"field\"; expected the path of what is taken of each row");
      return std::nullopt;
    }
    return CompilePath(value["field"].get<std::string>(), PointerJoin(pointer, "field"), inner, ignored);
  };
  // A query, and a scope in which its rows stand.
  const auto query_of = [&](const char* key, NameScope& inner) {
    auto query = CompileQuery(value[key], PointerJoin(pointer, key), scope);
    if (query != nullptr) {
      inner = scope;
      const FactTable table = query->list != nullptr ? FactTable::kValue : query->kinds.front().kind.table;
      inner.rows.push_back({"", table});
    }
    return query;
  };
  for (const char* key : {"list", "max", "min", "sum"}) {
    if (!has(key)) continue;
    NameScope inner;
    auto query = query_of(key, inner);
    if (query == nullptr) return nullptr;
    auto field = field_of(inner);
    if (!field) return nullptr;
    const std::string_view name = key;
    if (name == "list") return std::make_unique<ListOperand>(std::move(query), std::move(*field));
    const auto what = name == "max"   ? FoldOperand::What::kMax
                      : name == "min" ? FoldOperand::What::kMin
                                      : FoldOperand::What::kSum;
    return std::make_unique<FoldOperand>(what, std::move(query), std::move(*field));
  }
  if (has("count")) {
    NameScope inner;
    auto query = query_of("count", inner);
    if (query == nullptr) return nullptr;
    std::optional<Path> distinct;
    if (has("distinct")) {
      StaticType ignored;
      if (!value["distinct"].is_string()) {
        Add(PointerJoin(pointer, "distinct"), "expected a path");
        return nullptr;
      }
      distinct = CompilePath(value["distinct"].get<std::string>(), PointerJoin(pointer, "distinct"), inner, ignored);
      if (!distinct) return nullptr;
    }
    return std::make_unique<CountOperand>(std::move(query), std::move(distinct));
  }
  if (has("field")) {
    if (!value["field"].is_string()) {
      Add(PointerJoin(pointer, "field"), "expected a path");
      return nullptr;
    }
    StaticType found;
    auto path = CompilePath(value["field"].get<std::string>(), PointerJoin(pointer, "field"), scope, found);
    if (!path) return nullptr;
    if (type != nullptr) *type = found;
    return std::make_unique<PathOperand>(std::move(*path));
  }
  for (const char* key : {"times", "plus", "minus"}) {
    if (!has(key)) continue;
    const json& parts = value[key];
    if (!parts.is_array() || parts.size() != 2) {
      Add(PointerJoin(pointer, key), "expected a list of two values");
      return nullptr;
    }
    auto left = CompileOperand(parts[0], PointerJoin(PointerJoin(pointer, key), size_t{0}), scope);
    auto right = CompileOperand(parts[1], PointerJoin(PointerJoin(pointer, key), size_t{1}), scope);
    if (left == nullptr || right == nullptr) return nullptr;
    const char op = key[0] == 't' ? '*' : key[0] == 'p' ? '+' : '-';
    return std::make_unique<ArithmeticOperand>(op, std::move(left), std::move(right));
  }
  if (has("re") && has("in")) {
    auto pattern = CompilePattern(value["re"], PointerJoin(pointer, "re"));
    auto in = CompileOperand(value["in"], PointerJoin(pointer, "in"), scope);
    if (pattern == nullptr || in == nullptr) return nullptr;
    return std::make_unique<ExtractOperand>(std::move(pattern), std::move(in));
  }
  if (has("map") && has("key")) {
    const auto map = value["map"].is_string() ? set_.maps.find(value["map"].get<std::string>()) : set_.maps.end();
    if (map == set_.maps.end()) {
      Add(PointerJoin(pointer, "map"), "expected the name of a map");
      return nullptr;
    }
    auto key = CompileOperand(value["key"], PointerJoin(pointer, "key"), scope);
    return key == nullptr ? nullptr : std::make_unique<MapOperand>(map->second, std::move(key));
  }
  Add(pointer,
      "expected a value: a text, number or boolean, or an object with \"field\", \"count\", \"list\", \"max\", "
      "\"min\", "
      "\"sum\", \"times\", \"plus\", \"minus\", \"re\" and \"in\", or \"map\" and \"key\"");
  return nullptr;
}

std::unique_ptr<Operand> CheckCompiler::CompileList(const json& value, const std::string& pointer, NameScope& scope) {
  if (!value.is_string()) return CompileOperand(value, pointer, scope);
  const auto list = set_.lists.find(value.get<std::string>());
  if (list != set_.lists.end()) return std::make_unique<NamedListOperand>(list->second);
  Add(pointer, "unknown list " + Quoted(value.get<std::string>()));
  return nullptr;
}

std::unique_ptr<Query> CheckCompiler::CompileQuery(const json& value, const std::string& pointer, NameScope& scope,
                                                   std::vector<std::string_view> extra) {
  auto query = std::make_unique<Query>();
  query->anchor = scope.rows.size() - 1;
  query->slot = scope.rows.size();
  if (scope.rows.size() >= kMaxSlots) {
    Add(pointer, "expected at most " + std::to_string(kMaxSlots) + " queries inside each other");
    return nullptr;
  }
  if (value.is_string()) {
    query->kinds = CompileKinds(value, pointer);
    return query->kinds.empty() ? nullptr : std::move(query);
  }
  if (!value.is_object() || !value.contains("each")) {
    Add(pointer, "expected a query: the name of a definition, or an object with \"each\"");
    return nullptr;
  }
  const size_t before = problems_.size();
  NameScope::Row row;
  bool scoped = false;
  for (const auto& [key, part] : value.items()) {
    const std::string at = PointerJoin(pointer, key);
    if (key == "each") {
      if (part == "value") {
        row.table = FactTable::kValue;
        if (!value.contains("in")) Add(pointer, "missing key \"in\"; expected the list to go over");
      } else {
        query->kinds = CompileKinds(part, at);
        if (!query->kinds.empty()) row.table = query->kinds.front().kind.table;
      }
    } else if (key == "in") {
      query->list = CompileList(part, at, scope);
    } else if (key == "as") {
      row.name = part.is_string() ? part.get<std::string>() : std::string();
      const bool taken = std::any_of(scope.rows.begin(), scope.rows.end(),
                                     [&](const NameScope::Row& one) { return one.name == row.name; });
      if (row.name.empty() || row.name == "option" || taken) Add(at, "expected a name that is not taken");
    } else if (key == "scope") {
      const std::string name = part.is_string() ? part.get<std::string>() : std::string();
      const auto* found =
          std::find_if(std::begin(kScopes), std::end(kScopes), [&](const auto& one) { return one.first == name; });
      if (found == std::end(kScopes)) {
        std::vector<std::string_view> known;
        for (const auto& one : kScopes) known.push_back(one.first);
        Add(at, "unknown scope " + Quoted(name) + "; expected one of " + Listed(known) + Suggestion(name, known));
      } else {
        query->scope = found->second;
        scoped = true;
      }
    } else if (key == "of") {
      StaticType type;
      if (!part.is_string()) {
        Add(at, "expected a path");
      } else {
        query->of = CompilePath(part.get<std::string>(), at, scope, type);
        if (query->of && (!type.known || type.type != FieldType::kRow)) Add(at, "expected the path of a reference");
      }
    } else if (key == "files") {
      query->filter_files = true;
      if (part.is_string() || (part.is_array() && !part.empty() && part[0].is_string())) {
        query->roles = Names(part);
        for (const std::string& role : query->roles) {
          const bool known = std::any_of(set_.roles.begin(), set_.roles.end(),
                                         [&](const CompiledRole& one) { return one.info.role == role; });
          if (!known) Add(at, "unknown role " + Quoted(role));
        }
      } else {
        NameScope inner = scope;
        inner.rows.push_back({"", FactTable::kFile});
        query->files = CompileClause(part, at, inner);
      }
    } else if (key == "side") {
      if (part != "base" && part != "head") Add(at, "expected \"base\" or \"head\"");
      query->base = part == "base";
    } else if (key == "where" || std::find(extra.begin(), extra.end(), key) != extra.end()) {
      // Below, when the kind is known.
    } else {
      std::vector<std::string_view> known = {"each", "as", "scope", "of", "files", "side", "where", "in"};
      known.insert(known.end(), extra.begin(), extra.end());
      Add(at, "unknown key " + Quoted(key) + "; expected one of " + Listed(known) + Suggestion(key, known));
    }
  }
  if (query->filter_files && !scoped) query->scope = Query::Scope::kFiles;
  const FactTable around = scope.rows.back().table;
  if ((around == FactTable::kSet || around == FactTable::kValue) && !query->of && !scoped)
    query->scope = Query::Scope::kFiles;
  across_ |= query->scope == Query::Scope::kFiles;
  // Places of this version say nothing about places of the other.
  if (query->base && query->scope != Query::Scope::kFile && query->scope != Query::Scope::kFiles) {
    Add(pointer, "side \"base\" goes with the scopes file and files only");
  }
  if (query->kinds.empty() && query->list == nullptr) return nullptr;
  if (const auto where = value.find("where"); where != value.end()) {
    NameScope inner = scope;
    inner.rows.push_back(row);
    query->where = CompileClause(*where, PointerJoin(pointer, "where"), inner);
  }
  return problems_.size() == before ? std::move(query) : nullptr;
}

std::unique_ptr<ValueMatcher> CheckCompiler::CompileMatcher(const json& value, const std::string& pointer,
                                                            NameScope& scope, const StaticType& type) {
  if (value.is_string() || value.is_number() || value.is_boolean()) {
    auto operand = CompileOperand(value, pointer, scope);
    return operand == nullptr ? nullptr : std::make_unique<EqualsMatcher>(std::move(operand), false);
  }
  if (value.is_array()) {
    // Plain texts are looked up at once.
    const bool plain = std::all_of(value.begin(), value.end(), [](const json& one) {
      return one.is_string() && one.get_ref<const std::string&>().find_first_of("{}") == std::string::npos;
    });
    if (plain) return std::make_unique<TextSetMatcher>(Names(value));
    std::vector<std::unique_ptr<ValueMatcher>> parts;
    for (size_t i = 0; i < value.size(); ++i) {
      auto part = CompileMatcher(value[i], PointerJoin(pointer, i), scope, type);
      if (part == nullptr) return nullptr;
      parts.push_back(std::move(part));
    }
    return std::make_unique<AnyMatcher>(std::move(parts));
  }
  if (!value.is_object() || value.empty()) {
    Add(pointer, "expected a matcher: a text, number or boolean, a list of them, or an object");
    return nullptr;
  }
  std::vector<std::unique_ptr<ValueMatcher>> parts;
  for (const auto& [key, part] : value.items()) {
    if (key == "fold" || key == "capture") continue;  // with the keys that they belong to
    auto matcher = CompileMatcherKey(key, part, value, PointerJoin(pointer, key), scope, type);
    if (matcher == nullptr) return nullptr;
    parts.push_back(std::move(matcher));
  }
  if (parts.empty()) {
    Add(pointer, "expected a key that says what the value must be");
    return nullptr;
  }
  if (parts.size() == 1) return std::move(parts.front());
  return std::make_unique<AllMatcher>(std::move(parts));
}

std::unique_ptr<ValueMatcher> CheckCompiler::CompileMatcherKey(const std::string& key, const json& value,
                                                               const json& around, const std::string& pointer,
                                                               NameScope& scope, const StaticType& type) {
  const bool fold = around.value("fold", json(false)) == true;
  if (key == "equals" || key == "same") {
    std::unique_ptr<Operand> operand;
    if (key == "same") {
      if (!value.is_string()) {
        Add(pointer, "expected a path");
        return nullptr;
      }
      StaticType other;
      auto path = CompilePath(value.get<std::string>(), pointer, scope, other);
      if (!path) return nullptr;
      operand = std::make_unique<PathOperand>(std::move(*path));
    } else {
      operand = CompileOperand(value, pointer, scope);
    }
    return operand == nullptr ? nullptr : std::make_unique<SameMatcher>(std::move(operand), fold);
  }
  if (key == "in") {
    if (value.is_string()) {
      const auto list = set_.list_sets.find(value.get<std::string>());
      if (list != set_.list_sets.end()) return std::make_unique<TextSetMatcher>(list->second);
      std::vector<std::string_view> known;
      for (const auto& [name, one] : set_.lists) known.push_back(name);
      Add(pointer,
          "unknown list " + Quoted(value.get<std::string>()) + Suggestion(value.get_ref<const std::string&>(), known));
      return nullptr;
    }
    if (value.is_array()) return CompileMatcher(value, pointer, scope, type);
    auto list = CompileOperand(value, pointer, scope);
    return list == nullptr ? nullptr : std::make_unique<InMatcher>(std::move(list));
  }
  if (key == "re") {
    std::vector<std::unique_ptr<RE2>> patterns;
    if (value.is_array()) {
      for (size_t i = 0; i < value.size(); ++i) {
        patterns.push_back(CompilePattern(value[i], PointerJoin(pointer, i)));
      }
    } else {
      patterns.push_back(CompilePattern(value, pointer));
    }
    if (patterns.empty() || std::count(patterns.begin(), patterns.end(), nullptr) > 0) return nullptr;
    std::unique_ptr<ValueMatcher> capture;
    if (const auto inner = around.find("capture"); inner != around.end()) {
      if (patterns.size() != 1 || patterns[0]->NumberOfCapturingGroups() < 1) {
        Add(pointer, "\"capture\" needs one pattern with a group");
        return nullptr;
      }
      const std::string at = pointer.substr(0, pointer.rfind('/')) + "/capture";
      capture = CompileMatcher(*inner, at, scope, {});
      if (capture == nullptr) return nullptr;
    }
    return std::make_unique<PatternMatcher>(std::move(patterns), std::move(capture));
  }
  if (key == "prefix" || key == "suffix" || key == "contains" || key == "like") {
    std::vector<std::unique_ptr<Operand>> texts;
    const json parts = value.is_array() ? value : json::array({value});
    for (size_t i = 0; i < parts.size(); ++i) {
      auto text = CompileOperand(parts[i], value.is_array() ? PointerJoin(pointer, i) : pointer, scope);
      if (text == nullptr) return nullptr;
      texts.push_back(std::move(text));
    }
    const auto what = key == "prefix"     ? PartMatcher::What::kPrefix
                      : key == "suffix"   ? PartMatcher::What::kSuffix
                      : key == "contains" ? PartMatcher::What::kContains
                                          : PartMatcher::What::kLike;
    return std::make_unique<PartMatcher>(what, std::move(texts), fold);
  }
  static constexpr std::pair<std::string_view, NumberMatcher::What> kNumbers[] = {
      {"above", NumberMatcher::What::kAbove},
      {"below", NumberMatcher::What::kBelow},
      {"at_least", NumberMatcher::What::kAtLeast},
      {"at_most", NumberMatcher::What::kAtMost},
      {"multiple_of", NumberMatcher::What::kMultipleOf}};
  for (const auto& [name, what] : kNumbers) {
    if (key != name) continue;
    auto operand = CompileOperand(value, pointer, scope);
    return operand == nullptr ? nullptr : std::make_unique<NumberMatcher>(what, std::move(operand));
  }
  if (key == "missing") {
    if (!value.is_boolean()) {
      Add(pointer, "expected true or false");
      return nullptr;
    }
    return std::make_unique<MissingMatcher>(value.get<bool>());
  }
  if (key == "size" || key == "every" || key == "some" || key == "not") {
    auto inner = CompileMatcher(value, pointer, scope, key == "not" ? type : StaticType());
    if (inner == nullptr) return nullptr;
    if (key == "size") return std::make_unique<SizeMatcher>(std::move(inner));
    if (key == "not") return std::make_unique<NotMatcher>(std::move(inner));
    return std::make_unique<ElementsMatcher>(key == "every", std::move(inner));
  }
  if (key == "any" || key == "all") {
    if (!value.is_array() || value.empty()) {
      Add(pointer, "expected a list of matchers");
      return nullptr;
    }
    std::vector<std::unique_ptr<ValueMatcher>> parts;
    for (size_t i = 0; i < value.size(); ++i) {
      auto part = CompileMatcher(value[i], PointerJoin(pointer, i), scope, type);
      if (part == nullptr) return nullptr;
      parts.push_back(std::move(part));
    }
    if (key == "any") return std::make_unique<AnyMatcher>(std::move(parts));
    return std::make_unique<AllMatcher>(std::move(parts));
  }
  if (key == "is" || key == "where") {
    if (!type.known || type.type != FieldType::kRow) {
      Add(pointer, "expected a reference in front of " + Quoted(key));
      return nullptr;
    }
    if (key == "is") {
      auto definitions = CompileDefinitions(value, pointer, type.table);
      return definitions.empty() ? nullptr : std::make_unique<RowIsMatcher>(std::move(definitions));
    }
    if (scope.rows.size() >= kMaxSlots) {
      Add(pointer, "expected at most " + std::to_string(kMaxSlots) + " rows inside each other");
      return nullptr;
    }
    NameScope inner = scope;
    inner.rows.push_back({"", type.table});
    auto clause = CompileClause(value, pointer, inner);
    return clause == nullptr ? nullptr : std::make_unique<RowWhereMatcher>(inner.rows.size() - 1, std::move(clause));
  }
  const std::vector<std::string_view> known(std::begin(kMatcherKeys), std::end(kMatcherKeys));
  Add(pointer,
      "unknown key " + Quoted(key) + " of a matcher; expected one of " + Listed(known) + Suggestion(key, known));
  return nullptr;
}

std::unique_ptr<Clause> CheckCompiler::CompileKey(const std::string& key, const json& value, const std::string& pointer,
                                                  NameScope& scope) {
  // A single condition needs no list.
  if (key == "all" && value.is_object()) return CompileClause(value, pointer, scope);
  if (key == "all" || key == "any") {
    if (!value.is_array() || value.empty()) {
      Add(pointer, "expected a list of conditions");
      return nullptr;
    }
    std::vector<std::unique_ptr<Clause>> parts;
    for (size_t i = 0; i < value.size(); ++i) {
      auto part = CompileClause(value[i], PointerJoin(pointer, i), scope);
      if (part != nullptr) parts.push_back(std::move(part));
    }
    if (parts.size() != value.size()) return nullptr;
    if (key == "all") return std::make_unique<All>(std::move(parts));
    return std::make_unique<Any>(std::move(parts));
  }
  if (key == "not") {
    auto inner = CompileClause(value, pointer, scope);
    return inner == nullptr ? nullptr : std::make_unique<Not>(std::move(inner));
  }
  if (key == "is") {
    auto definitions = CompileDefinitions(value, pointer, scope.rows.back().table);
    if (definitions.empty()) return nullptr;
    return std::make_unique<IsClause>(scope.rows.size() - 1, std::move(definitions));
  }
  if (key == "exists" || key == "absent") {
    auto query = CompileQuery(value, pointer, scope);
    return query == nullptr ? nullptr : std::make_unique<ExistsClause>(std::move(query), key == "exists");
  }
  if (key == "count") {
    static constexpr std::string_view kBounds[] = {"at_least", "at_most", "equals", "above", "below"};
    auto query = CompileQuery(value, pointer, scope, {"at_least", "at_most", "equals", "above", "below", "distinct"});
    if (query == nullptr) return nullptr;
    std::vector<std::unique_ptr<ValueMatcher>> bounds;
    for (const std::string_view name : kBounds) {
      const auto bound = value.find(name);
      if (bound == value.end()) continue;
      auto matcher = CompileMatcherKey(std::string(name), *bound, value, PointerJoin(pointer, name), scope, {});
      if (matcher == nullptr) return nullptr;
      bounds.push_back(std::move(matcher));
    }
    if (bounds.empty()) {
      Add(pointer, "expected a bound: at_least, at_most, equals, above or below");
      return nullptr;
    }
    std::optional<Path> distinct;
    if (const auto path = value.find("distinct"); path != value.end()) {
      NameScope inner = scope;
      inner.rows.push_back({"", query->list != nullptr ? FactTable::kValue : query->kinds.front().kind.table});
      StaticType type;
      const std::string at = PointerJoin(pointer, "distinct");
      if (!path->is_string()) {
        Add(at, "expected a path");
        return nullptr;
      }
      distinct = CompilePath(path->get<std::string>(), at, inner, type);
      if (!distinct) return nullptr;
    }
    return std::make_unique<CountClause>(std::make_unique<CountOperand>(std::move(query), std::move(distinct)),
                                         std::move(bounds));
  }
  if (key == "test") {
    if (!value.is_object() || !value.contains("value") || !value.contains("match") || value.size() != 2) {
      Add(pointer, "expected an object with \"value\" and \"match\"");
      return nullptr;
    }
    StaticType type;
    auto operand = CompileOperand(value["value"], PointerJoin(pointer, "value"), scope, &type);
    auto matcher = CompileMatcher(value["match"], PointerJoin(pointer, "match"), scope, type);
    if (operand == nullptr || matcher == nullptr) return nullptr;
    return std::make_unique<TestClause>(std::move(operand), std::move(matcher));
  }
  if (key == "profile" || key == "moment") {
    const std::vector<std::string> names = Names(value);
    if (names.empty()) Add(pointer, "expected a name or a list of names");
    for (const std::string& name : names) {
      const bool known = key == "profile" ? std::any_of(set_.profiles.begin(), set_.profiles.end(),
                                                        [&](const auto& one) { return one.id == name; })
                                          : std::any_of(set_.moments.begin(), set_.moments.end(),
                                                        [&](const CompiledMoment& one) { return one.info.id == name; });
      if (!known) Add(pointer, "unknown " + key + " " + Quoted(name));
    }
    return std::make_unique<ProfileClause>(
        key == "profile" ? ProfileClause::What::kProfile : ProfileClause::What::kMoment, names);
  }
  if (key == "stage") {
    std::vector<int> stages;
    const json parts = value.is_array() ? value : json::array({value});
    for (const json& part : parts) {
      if (part.is_number_integer()) stages.push_back(part.get<int>());
    }
    if (stages.size() != parts.size() || stages.empty()) Add(pointer, "expected a number or a list of numbers");
    return std::make_unique<StageClause>(std::move(stages));
  }
  if (key == "option") {
    if (!value.is_object() || value.empty()) {
      Add(pointer, "expected an object: name of the option and what it must be");
      return nullptr;
    }
    std::vector<std::unique_ptr<Clause>> parts;
    for (const auto& [name, part] : value.items()) {
      Path path;
      path.start = Path::Start::kOption;
      path.name = name;
      auto matcher = CompileMatcher(part, PointerJoin(pointer, name), scope, {true, FieldType::kText, {}});
      if (matcher == nullptr) return nullptr;
      parts.push_back(std::make_unique<FieldClause>(std::move(path), std::move(matcher)));
    }
    return std::make_unique<All>(std::move(parts));
  }
  StaticType type;
  auto path = CompilePath(key, pointer, scope, type);
  if (!path) return nullptr;
  auto matcher = CompileMatcher(value, pointer, scope, type);
  if (matcher == nullptr) return nullptr;
  const bool plain = value.is_string() || value.is_array() || value.is_boolean() || value.is_number();
  auto clause = std::make_unique<FieldClause>(std::move(*path), std::move(matcher));
  // Literals before patterns and references.
  clause->cost = plain ? 0 : 1;
  return clause;
}

std::unique_ptr<Clause> CheckCompiler::CompileClause(const json& value, const std::string& pointer, NameScope& scope) {
  if (value.is_boolean()) return std::make_unique<Constant>(value.get<bool>());
  std::vector<std::unique_ptr<Clause>> parts;
  const size_t before = problems_.size();
  if (value.is_array()) {
    for (size_t i = 0; i < value.size(); ++i) {
      auto part = CompileClause(value[i], PointerJoin(pointer, i), scope);
      if (part != nullptr) parts.push_back(std::move(part));
    }
  } else if (value.is_object()) {
    for (const auto& [key, part] : value.items()) {
      auto clause = CompileKey(key, part, PointerJoin(pointer, key), scope);
      if (clause != nullptr) parts.push_back(std::move(clause));
    }
  } else {
    Add(pointer, "expected a condition: true, false, a list of conditions, or an object");
  }
  if (problems_.size() != before) return nullptr;
  if (parts.size() == 1) return std::move(parts.front());
  return std::make_unique<All>(std::move(parts));
}

}  // namespace yardmaster::rules
