// Progress of test programs from their output: pytest in its three ways to print, and ctest.
#include <re2/re2.h>

#include <algorithm>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "absl/algorithm/container.h"
#include "services/core/lines.h"
#include "services/worker/re2_piece.h"
#include "services/worker/reports/ctest_text.h"
#include "services/worker/reports/report.h"
#include "services/worker/reports/report_builder.h"
#include "services/worker/reports/report_text.h"
#include "services/worker/text.h"

namespace yardmaster::worker {
namespace {

// What pytest says of one test.
constexpr std::string_view kPytestStatus = "(PASSED|FAILED|SKIPPED|XFAIL|XPASS|ERROR)";

Outcome OutcomeOfStatus(std::string_view status) {
  if (status == "FAILED" || status == "ERROR") return Outcome::kFailed;
  return status == "SKIPPED" || status == "XFAIL" ? Outcome::kSkipped : Outcome::kPassed;
}

std::string_view View(re2::StringPiece piece) { return {piece.data(), piece.size()}; }

// Takes "[ 12%]" or "[ 3/25]" from the end of `line`; true if it was there.
bool TakePercent(std::string_view& line) {
  static const RE2 kPercent(R"(^(?:(.*) )?\[[\d %/]*[%/][\d %/]*\]$)");
  line = TrimBlanks(line);
  re2::StringPiece before;
  if (!line.ends_with(']') || !RE2::PartialMatch(Piece(line), kPercent, &before)) return false;
  line = TrimBlanks(View(before));
  return true;
}

// pytest. Tests are known by name where it runs with -v; else only their number.
class PytestProgress : public LineReport {
 public:
  void Line(std::string_view line) override {
    line = PlainLine(line, buffer_);
    if (line.empty()) return;
    if (line[0] == '=' && ReadSection(line)) return;
    if (line[0] >= '0' && line[0] <= '9' && IsTotals(line)) {
      // Below -q they stand without a frame.
      open_.clear();
      running_ = true;
      return;
    }
    if (!running_) return;
    if (line[0] == 'c' && ReadCollected(line)) return;
    if (line[0] == '[' && ReadXdist(line)) return;
    if (line[0] == 'g' && ReadWorkers(line)) return;
    if (Contains(line, ".py::") && ReadNamed(line)) return;
    if (!open_.empty() && ReadLoneStatus(line)) return;
    ReadDots(line);
  }

  Report Take() override {
    ReportBuilder all = builder_;
    Report report;
    if (!open_.empty()) {
      all.Add(ReportTest{open_, Outcome::kUnfinished, 0, ""});
      report.problem = "the program ended in " + open_;
    }
    report.tests = all.Release();
    return report;
  }

  size_t done() const override { return builder_.size() + dots_; }
  size_t failed() const override { return builder_.failed() + failed_dots_; }
  size_t expected() const override { return expected_; }

 private:
  // "==== FAILURES ====", "==== 3 passed in 0.1s ====": no test runs any more, though their names come again. Tests may
  // print frames, too: only pytest's own titles count.
  bool ReadSection(std::string_view line) {
    static const RE2 kTitle(R"(^==+\s*([^=].*?)\s*=+$)");
    static const RE2 kResults("^(?:FAILURES|ERRORS|PASSES|warnings summary|short test summary|slowest|no tests ran)");
    re2::StringPiece title;
    if (!RE2::PartialMatch(Piece(line), kTitle, &title)) return false;
    const bool begins = title == "test session starts";
    if (begins) running_ = true;
    if (IsTotals(View(title)) || RE2::PartialMatch(title, kResults)) running_ = false;
    if (begins || !running_) open_.clear();
    return begins || !running_;
  }

  // "1 failed, 89 passed in 0.06s", "90 passed in 70.12s (0:01:10)"
  static bool IsTotals(std::string_view line) {
    static const RE2 kTotals(
        R"(^\d+ (?:.* )?(?:passed|failed|skipped|errors?|deselected|warnings?|xfailed|xpassed|rerun) in )");
    return RE2::PartialMatch(Piece(line), kTotals);
  }

  // "collected 90 items / 2 deselected / 88 selected", perhaps behind "collecting ... ".
  bool ReadCollected(std::string_view line) {
    static const RE2 kCollected(R"(^.{0,20}?\bcollected (\d+) items?\b(?:.* (\d+) selected)?)");
    std::string items;
    std::string selected;
    if (!RE2::PartialMatch(Piece(line), kCollected, &items, &selected)) return false;
    expected_ += Bounded(selected.empty() ? items : selected);
    return true;
  }

  // "gw0 [14] / gw1 [14]": what each worker of pytest-xdist has collected.
  bool ReadWorkers(std::string_view line) {
    static const RE2 kWorkers(R"(^gw0 \[(\d+)\])");
    std::string items;
    if (!RE2::PartialMatch(Piece(line), kWorkers, &items)) return false;
    expected_ = Bounded(items);
    xdist_ = true;
    return true;
  }

  static size_t Bounded(std::string_view count) {
    return static_cast<size_t>(std::min<uint64_t>(CountOf(count).value_or(0), kMaxReportTests));
  }

  // "[gw0] [ 28%] FAILED a/b.py::test_x"
  bool ReadXdist(std::string_view line) {
    static const RE2 kTest(Concat(R"(^\[gw.*?\] )", kPytestStatus, " (.*)$"));
    re2::StringPiece status;
    re2::StringPiece id;
    if (!RE2::PartialMatch(Piece(line), kTest, &status, &id)) return false;
    xdist_ = true;
    Add(TrimBlanks(View(id)), View(status));
    return true;
  }

  // "a/b.py::test_x PASSED  [ 7%]", "a/b.py::test_x SKIPPED (why) [ 7%]", or only its begin, up to the blank behind the
  // name; blanks inside of "[…]" belong to it.
  bool ReadNamed(std::string_view line) {
    static const RE2 kName(R"(^[^ ]*\.py::)");
    static const RE2 kEnded(Concat("^(.*?) ", kPytestStatus, R"((?: \(.*)?$)"));
    static const RE2 kBegun(R"(^((?:[^ \[]|\[[^\]]*\])*))");
    if (!RE2::PartialMatch(Piece(line), kName)) return false;
    TakePercent(line);
    re2::StringPiece id;
    re2::StringPiece status;
    if (RE2::PartialMatch(Piece(line), kEnded, &id, &status)) {
      open_.clear();
      Add(TrimBlanks(View(id)), View(status));
    } else if (!xdist_ && RE2::PartialMatch(Piece(line), kBegun, &id)) {
      // Under xdist many have begun at a time, and a worker that dies is reported.
      open_ = CutMessage(View(id));
    }
    return true;
  }

  // Where the test itself prints (-s), its word comes on a line of its own.
  bool ReadLoneStatus(std::string_view line) {
    static const RE2 kStatus(Concat("^(.*)", kPytestStatus, "$"));
    const bool percent = TakePercent(line);
    re2::StringPiece before;
    re2::StringPiece status;
    if (!RE2::PartialMatch(Piece(line), kStatus, &before, &status) || (!percent && !before.empty())) return false;
    Add(open_, View(status));
    open_.clear();
    return true;
  }

  // "a/b.py ..F.s  [ 12%]", "..F.s  [ 12%]"
  void ReadDots(std::string_view line) {
    constexpr std::string_view kDots = ".FEsxX";
    const bool percent = TakePercent(line);
    const size_t blank = line.rfind(' ');
    const std::string_view dots = line.substr(blank + 1);
    if (dots.empty() || dots.find_first_not_of(kDots) != std::string_view::npos) return;
    // Without percentage it takes the name of a file to tell it from what a program prints.
    const bool alone = blank == std::string_view::npos;
    if (alone ? !percent : blank < 4 || !line.substr(0, blank).ends_with(".py")) return;
    // An error in the clean-up of a test that was counted comes on top; a progress bar may be one ahead.
    dots_ += dots.size();
    failed_dots_ += static_cast<size_t>(absl::c_count_if(dots, [](char c) { return c == 'F' || c == 'E'; }));
  }

  void Add(std::string_view id, std::string_view status) {
    if (!id.empty()) builder_.Add(ReportTest{CutMessage(id), OutcomeOfStatus(status), 0, ""});
  }

  ReportBuilder builder_;
  std::string open_;     // begun, and no word about it yet
  bool running_ = true;  // no section of results is being printed
  bool xdist_ = false;
  size_t dots_ = 0;
  size_t failed_dots_ = 0;
  size_t expected_ = 0;
  std::string buffer_;
};

class CtestProgress : public LineReport {
 public:
  void Line(std::string_view line) override {
    std::optional<CtestLine> test = ParseCtestLine(PlainLine(line, buffer_));
    if (!test.has_value()) return;
    expected_ = static_cast<size_t>(std::min<uint64_t>(test->total, kMaxReportTests));
    builder_.Add(std::move(test->test));
  }
  Report Take() override { return Report{builder_.tests(), ""}; }
  size_t done() const override { return builder_.size(); }
  size_t failed() const override { return builder_.failed(); }
  size_t expected() const override { return expected_; }

 private:
  ReportBuilder builder_;
  size_t expected_ = 0;
  std::string buffer_;
};

// Marker lines are known only by the manifest's patterns: MakeMarkerReport().
class NoProgress : public LineReport {
 public:
  void Line(std::string_view /*line*/) override {}
  Report Take() override { return Report{}; }
  size_t done() const override { return 0; }
  size_t failed() const override { return 0; }
};

}  // namespace

std::unique_ptr<LineReport> MakeProgressReport(rules::ReportFormat format) {
  switch (format) {
    case rules::ReportFormat::kJunit:
      return std::make_unique<PytestProgress>();
    case rules::ReportFormat::kGoogleTest:
      return MakeGoogleTestText();
    case rules::ReportFormat::kCtest:
      return std::make_unique<CtestProgress>();
    case rules::ReportFormat::kMarkers:
      return std::make_unique<NoProgress>();
  }
  return std::make_unique<NoProgress>();
}

}  // namespace yardmaster::worker
