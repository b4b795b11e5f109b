// GoogleTest's report as it stands in the output: what is left when the program was killed or aborted, and live
// progress.
#include <re2/re2.h>

#include <algorithm>
#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "services/core/lines.h"
#include "services/worker/re2_piece.h"
#include "services/worker/reports/report.h"
#include "services/worker/reports/report_builder.h"
#include "services/worker/reports/report_text.h"
#include "services/worker/text.h"

namespace yardmaster::worker {
namespace {

constexpr size_t kMarkBytes = 13;  // "[ RUN      ] "
// Tests that have begun and whose ends are waited for.
constexpr size_t kMaxRunning = 64;

// "A.B/1, where GetParam() = 3 (12 ms)" → id and time. The time is absent in the list of failures at the end.
// Neither suites nor tests have commas or blanks in their names.
struct NamedTest {
  std::string id;
  double seconds = 0;
};
NamedTest ReadNamedTest(std::string_view text) {
  static const RE2 kNamed(R"(\s*([^, ]*).*?(?: \(([^()]*) ms\))?\s*)", RE2::Latin1);
  NamedTest out;
  std::string milliseconds;
  RE2::FullMatch(Piece(text), kNamed, &out.id, &milliseconds);
  out.seconds = SecondsOf(milliseconds) / 1000;
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
    const NamedTest named = ReadNamedTest(rest);
    if (named.id.empty()) return;
    // One program runs one test at a time, but several programs may share the output.
    if (running_.size() >= kMaxRunning) Finish(0, Outcome::kUnfinished, 0);
    running_.push_back(named.id);
    said_.Clear();
  }

  bool End(std::string_view rest, Outcome outcome) {
    const NamedTest named = ReadNamedTest(rest);
    // The one that began last ends first.
    for (size_t i = running_.size(); i > 0; --i) {
      if (running_[i - 1] != named.id) continue;
      Finish(i - 1, outcome, named.seconds);
      return true;
    }
    // At the end stand the numbers, the list of all that failed, and suites whose set-up or tear-down did.
    constexpr std::string_view kSuite = ": SetUpTestSuite or TearDownTestSuite";
    const std::string_view whole = TrimBlanks(rest);
    if (outcome == Outcome::kFailed && whole.ends_with(kSuite)) {
      builder_.Add(
          ReportTest{std::string(whole), Outcome::kFailed, 0,
                     "the set-up or the tear-down of the suite failed; its tests did not run or do not count"});
      return true;
    }
    const bool is_name = Contains(named.id, ".");
    if (outcome == Outcome::kFailed && is_name && !builder_.Has(named.id)) {
      builder_.Add(ReportTest{named.id, Outcome::kFailed, named.seconds, ""});
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
    static const RE2 kRunning(R"(^Running (\d+) )");
    std::string tests;
    if (RE2::PartialMatch(re2::StringPiece(rest.data(), rest.size()), kRunning, &tests)) {
      expected_ += static_cast<size_t>(std::min<uint64_t>(CountOf(tests).value_or(0), kMaxReportTests));
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
