// GoogleTest's report as it stands in the output: what is left when the program was killed or aborted, and live
// progress.
#include <algorithm>
#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "services/core/lines.h"
#include "services/worker/reports/report.h"
#include "services/worker/reports/report_builder.h"
#include "services/worker/reports/report_text.h"

namespace yardmaster::worker {
namespace {

constexpr size_t kMarkBytes = 13;  // "[ RUN      ] "
// Tests that have begun and whose ends are waited for.
constexpr size_t kMaxRunning = 64;

// "A.B/1, where GetParam() = 3 (12 ms)" → id and time. The time is absent in the list of failures at the end.
struct Named {
  std::string_view id;
  double seconds = 0;
};
Named ReadNamed(std::string_view text) {
  Named out;
  constexpr std::string_view kMs = " ms)";
  text = TrimBlanks(text);
  if (text.size() > kMs.size() && text.substr(text.size() - kMs.size()) == kMs) {
    const size_t open = text.rfind(" (");
    if (open != std::string_view::npos) {
      out.seconds = SecondsOf(text.substr(open + 2, text.size() - kMs.size() - open - 2)) / 1000;
      text = text.substr(0, open);
    }
  }
  // Neither suites nor tests have commas or blanks in their names.
  out.id = TrimBlanks(text.substr(0, text.find_first_of(", ")));
  return out;
}

class GoogleTestText : public LineReport {
 public:
  void Line(std::string_view line) override {
    line = PlainLine(line, buffer_);
    const size_t bracket = line.find('[');
    if (bracket != std::string_view::npos && line.size() - bracket >= kMarkBytes && ReadMarked(line)) return;
    if (!running_.empty()) said_.Add(line);
  }

  Report Take() override {
    ReportBuilder all = builder_;
    Report report;
    for (const std::string& id : running_) all.Add(ReportTest{id, Outcome::kUnfinished, 0, said_.Message()});
    if (!running_.empty()) {
      report.problem = "the program ended in " + running_.back();
    } else if (all.full()) {
      report.problem = "there were more than " + std::to_string(kMaxReportTests) + " tests";
    } else if (begun_ > ended_) {
      report.problem = "its output ends before GoogleTest's summary";
      if (expected_ > done_) {
        report.problem += ": " + std::to_string(done_) + " of " + std::to_string(expected_) + " tests were run";
      }
    }
    report.tests = all.Release();
    return report;
  }

  size_t done() const override { return done_; }
  size_t failed() const override { return builder_.failed(); }
  size_t expected() const override { return expected_; }

 private:
  // True if the line has one of GoogleTest's marks.
  bool ReadMarked(std::string_view line) {
    struct Mark {
      std::string_view text;
      std::optional<Outcome> outcome;
    };
    static constexpr std::array<Mark, 4> kEnds = {{{"[       OK ] ", Outcome::kPassed},
                                                   {"[  FAILED  ] ", Outcome::kFailed},
                                                   {"[  SKIPPED ] ", Outcome::kSkipped},
                                                   {"[ RUN      ] ", std::nullopt}}};
    // A mark can stand behind what the program printed without ending the line.
    for (const Mark& mark : kEnds) {
      const size_t at = line.find(mark.text);
      if (at == std::string_view::npos) continue;
      const std::string_view rest = line.substr(at + kMarkBytes);
      if (!mark.outcome.has_value()) {
        Begin(rest);
        return true;
      }
      // What the test printed without ending the line belongs to it.
      if (at > 0 && !running_.empty()) said_.Add(line.substr(0, at));
      return End(rest, *mark.outcome);
    }
    constexpr std::string_view kFrame = "[==========] ";
    if (const size_t at = line.find(kFrame); at != std::string_view::npos)
      return ReadFrame(line.substr(at + kMarkBytes));
    return false;
  }

  void Begin(std::string_view rest) {
    const Named named = ReadNamed(rest);
    if (named.id.empty()) return;
    // One program runs one test at a time, but several programs may share the output.
    if (running_.size() >= kMaxRunning) Finish(0, Outcome::kUnfinished, 0);
    running_.emplace_back(named.id);
    said_.Clear();
  }

  bool End(std::string_view rest, Outcome outcome) {
    const Named named = ReadNamed(rest);
    // The one that began last ends first.
    for (size_t i = running_.size(); i > 0; --i) {
      if (running_[i - 1] != named.id) continue;
      Finish(i - 1, outcome, named.seconds);
      return true;
    }
    // At the end stand the numbers, the list of all that failed, and suites whose set-up or tear-down did.
    constexpr std::string_view kSuite = ": SetUpTestSuite or TearDownTestSuite";
    const std::string_view whole = TrimBlanks(rest);
    if (outcome == Outcome::kFailed && whole.size() > kSuite.size() &&
        whole.substr(whole.size() - kSuite.size()) == kSuite) {
      builder_.Add(
          ReportTest{std::string(whole), Outcome::kFailed, 0,
                     "the set-up or the tear-down of the suite failed; its tests did not run or do not count"});
      return true;
    }
    const bool is_name = named.id.find('.') != std::string_view::npos;
    if (outcome == Outcome::kFailed && is_name && !builder_.Has(named.id)) {
      builder_.Add(ReportTest{std::string(named.id), Outcome::kFailed, named.seconds, ""});
    }
    return is_name;
  }

  void Finish(size_t place, Outcome outcome, double seconds) {
    ReportTest test{std::move(running_[place]), outcome, seconds, ""};
    running_.erase(running_.begin() + static_cast<ptrdiff_t>(place));
    if (outcome != Outcome::kPassed) test.message = said_.Message();
    said_.Clear();
    ++done_;
    builder_.Add(std::move(test));
  }

  // "Running 10 tests from 6 test suites." and "10 tests from 6 test suites ran. (0 ms total)"
  bool ReadFrame(std::string_view rest) {
    constexpr std::string_view kRunning = "Running ";
    if (rest.substr(0, kRunning.size()) == kRunning) {
      rest.remove_prefix(kRunning.size());
      const uint64_t tests = CountOf(rest.substr(0, rest.find(' '))).value_or(0);
      expected_ += static_cast<size_t>(std::min<uint64_t>(tests, kMaxReportTests));
      ++begun_;
      return true;
    }
    if (rest.find(" ran. (") == std::string_view::npos) return false;
    ++ended_;
    return true;
  }

  ReportBuilder builder_;
  std::vector<std::string> running_;  // begun, and their ends have not come
  MessageCollector said_;
  std::string buffer_;
  size_t done_ = 0;
  size_t expected_ = 0;
  size_t begun_ = 0;
  size_t ended_ = 0;
};

}  // namespace

std::unique_ptr<LineReport> MakeGoogleTestText() { return std::make_unique<GoogleTestText>(); }

}  // namespace yardmaster::worker
