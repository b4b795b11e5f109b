// Reports that are lines of the output, by the patterns of a manifest.
#include <re2/re2.h>

#include <algorithm>
#include <array>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "absl/strings/numbers.h"
#include "services/core/absl_view.h"
#include "services/core/lines.h"
#include "services/worker/re2_piece.h"
#include "services/worker/reports/report.h"
#include "services/worker/reports/report_builder.h"
#include "services/worker/reports/report_text.h"
#include "services/worker/text.h"

namespace yardmaster::worker {
namespace {

// A pattern with the numbers of the groups that it is asked for. Without a pattern it matches nothing.
template <size_t kGroups>
class GroupPattern {
 public:
  GroupPattern(const std::string& pattern, const std::array<const char*, kGroups>& names) {
    if (pattern.empty()) return;
    RE2::Options options;
    options.set_log_errors(false);
    regex_ = std::make_unique<RE2>(pattern, options);
    if (!regex_->ok()) return;
    groups_.resize(static_cast<size_t>(regex_->NumberOfCapturingGroups()) + 1);
    const std::map<std::string, int>& numbers = regex_->NamedCapturingGroups();
    for (size_t i = 0; i < kGroups; ++i) {
      const auto number = numbers.find(names[i]);
      numbers_[i] = number == numbers.end() ? 0 : static_cast<size_t>(number->second);
    }
  }

  bool set() const { return regex_ != nullptr; }
  bool ok() const { return regex_ == nullptr || regex_->ok(); }

  bool Matches(std::string_view line) {
    if (regex_ == nullptr || !regex_->ok()) return false;
    // Only lines that match at all pay for groups.
    if (!RE2::PartialMatch(Piece(line), *regex_)) return false;
    if constexpr (kGroups == 0) return true;
    return regex_->Match(Piece(line), 0, line.size(), RE2::UNANCHORED, groups_.data(),
                         static_cast<int>(groups_.size()));
  }
  // Of the last match; empty where the pattern has no such group.
  std::string_view Group(size_t i) const {
    if (numbers_[i] == 0) return {};
    const re2::StringPiece& group = groups_[numbers_[i]];
    return {group.data(), group.size()};
  }

 private:
  std::unique_ptr<RE2> regex_;
  std::vector<re2::StringPiece> groups_;
  std::array<size_t, kGroups> numbers_{};
};

Outcome OutcomeOfVerdict(std::string_view verdict) {
  const std::string word = LowerCase(TrimBlanks(verdict).substr(0, 16));
  if (word.starts_with("pass")) return Outcome::kPassed;
  if (word.starts_with("skip")) return Outcome::kSkipped;
  if (word.starts_with("timeout") || word.starts_with("timed out")) return Outcome::kTimedOut;
  return Outcome::kFailed;
}

// What a line of totals says; counts that it does not name are unknown.
struct Totals {
  std::optional<uint64_t> passed;
  std::optional<uint64_t> failed;
  std::optional<uint64_t> total;
};

bool Agrees(const Totals& said, uint64_t passed, uint64_t failed, uint64_t total) {
  return said.passed.value_or(passed) == passed && said.failed.value_or(failed) == failed &&
         said.total.value_or(total) == total;
}

std::optional<uint64_t> Sum(std::optional<uint64_t> a, std::optional<uint64_t> b) {
  if (!a.has_value() || !b.has_value()) return a.has_value() ? a : b;
  constexpr uint64_t kMost = uint64_t{1} << 40;
  return std::min(std::min(*a, kMost) + std::min(*b, kMost), kMost);
}

class MarkerLines : public MarkerReport {
 public:
  explicit MarkerLines(const rules::ReportModel& model)
      : pass_(model.pass, {}),
        fail_(model.fail, {}),
        line_(model.line, {"name", "verdict", "seconds", "message"}),
        summary_(model.summary, {"passed", "failed", "total"}),
        number_(model.number, {"name", "value", "unit"}) {}

  void Line(std::string_view line) override {
    line = PlainLine(line, buffer_);
    if (pass_.Matches(line)) ++marks_.passed;
    if (fail_.Matches(line)) ++marks_.failed;
    if (number_.Matches(line)) AddNumber();
    if (line_.Matches(line)) {
      AddTest();
    } else if (summary_.Matches(line)) {
      last_ = Totals{CountOf(summary_.Group(0)), CountOf(summary_.Group(1)), CountOf(summary_.Group(2))};
      sum_.passed = Sum(sum_.passed, last_->passed);
      sum_.failed = Sum(sum_.failed, last_->failed);
      sum_.total = Sum(sum_.total, last_->total);
    }
  }

  Report Take() override { return Report{builder_.tests(), Problem(), numbers_}; }
  Marks marks() const override { return marks_; }
  size_t done() const override { return lines_; }
  size_t failed() const override { return builder_.failed(); }

 private:
  void AddNumber() {
    // A name may be several members of a JSON line: its quotation marks say nothing.
    std::string name(TrimBlanks(number_.Group(0)));
    std::erase(name, '"');
    double value = 0;
    if (name.empty() || numbers_.size() >= kMaxReportNumbers) return;
    if (!absl::SimpleAtod(Abs(TrimBlanks(number_.Group(1))), &value)) return;
    numbers_.push_back({CutMessage(name), value, CutMessage(TrimBlanks(number_.Group(2)))});
  }

  void AddTest() {
    const std::string_view name = TrimBlanks(line_.Group(0));
    if (name.empty()) return;
    const Outcome outcome = OutcomeOfVerdict(line_.Group(1));
    ++lines_;
    if (outcome == Outcome::kPassed) ++passed_lines_;
    if (IsFailure(outcome)) ++failed_lines_;
    builder_.Add(ReportTest{CutMessage(name), outcome, SecondsOf(line_.Group(2)), CutMessage(line_.Group(3))});
  }

  std::string Problem() const {
    if (!pass_.ok() || !fail_.ok() || !line_.ok() || !summary_.ok() || !number_.ok()) {
      return "a pattern of the manifest is not a regular expression";
    }
    if (builder_.full()) return "there were more than " + std::to_string(kMaxReportTests) + " tests";
    if (!summary_.set()) return "";
    if (!last_.has_value()) return "the line with the totals is missing: the program did not come to its end";
    // Several programs print one each; one program may print its own twice.
    if (Agrees(*last_, passed_lines_, failed_lines_, lines_) || Agrees(sum_, passed_lines_, failed_lines_, lines_)) {
      return "";
    }
    const auto word = [](const std::optional<uint64_t>& count) {
      return count.has_value() ? std::to_string(*count) : std::string("?");
    };
    return "the totals say " + word(last_->passed) + " passed, " + word(last_->failed) + " failed of " +
           word(last_->total) + "; the lines above them " + std::to_string(passed_lines_) + " passed, " +
           std::to_string(failed_lines_) + " failed of " + std::to_string(lines_);
  }

  GroupPattern<0> pass_;
  GroupPattern<0> fail_;
  GroupPattern<4> line_;
  GroupPattern<3> summary_;
  GroupPattern<3> number_;
  std::vector<Measured> numbers_;
  ReportBuilder builder_;
  Marks marks_;
  uint64_t lines_ = 0;
  uint64_t passed_lines_ = 0;
  uint64_t failed_lines_ = 0;
  std::optional<Totals> last_;
  Totals sum_;
  std::string buffer_;
};

}  // namespace

std::unique_ptr<MarkerReport> MakeMarkerReport(const rules::ReportModel& model) {
  return std::make_unique<MarkerLines>(model);
}

}  // namespace yardmaster::worker
