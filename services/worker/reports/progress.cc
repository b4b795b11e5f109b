// Progress of test programs from their output: pytest in its three ways to print, and ctest.
#include <algorithm>
#include <array>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "services/core/lines.h"
#include "services/worker/reports/ctest_text.h"
#include "services/worker/reports/report.h"
#include "services/worker/reports/report_builder.h"
#include "services/worker/reports/report_text.h"

namespace yardmaster::worker {
namespace {

struct StatusWord {
  std::string_view word;
  Outcome outcome;
};
constexpr std::array<StatusWord, 6> kPytestWords = {{{"PASSED", Outcome::kPassed},
                                                     {"FAILED", Outcome::kFailed},
                                                     {"SKIPPED", Outcome::kSkipped},
                                                     {"XFAIL", Outcome::kSkipped},
                                                     {"XPASS", Outcome::kPassed},
                                                     {"ERROR", Outcome::kFailed}}};

bool BeginsWith(std::string_view text, std::string_view with) { return text.substr(0, with.size()) == with; }

// Takes "[ 12%]" or "[ 3/25]" from the end of `line`; true if it was there.
bool TakePercent(std::string_view& line) {
  line = TrimBlanks(line);
  if (line.empty() || line.back() != ']') return false;
  const size_t open = line.rfind('[');
  if (open == std::string_view::npos || (open > 0 && line[open - 1] != ' ')) return false;
  const std::string_view inner = line.substr(open + 1, line.size() - open - 2);
  if (inner.empty() || inner.find_first_not_of("0123456789 %/") != std::string_view::npos) return false;
  if (inner.find_first_of("%/") == std::string_view::npos) return false;
  line = TrimBlanks(line.substr(0, open));
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
    if (line.find("::") != std::string_view::npos && ReadNamed(line)) return;
    if (!open_.empty() && ReadLoneWord(line)) return;
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
    if (!BeginsWith(line, "==") || line.back() != '=') return false;
    const size_t begin = line.find_first_not_of('=');
    if (begin == std::string_view::npos) return false;
    const std::string_view title = TrimBlanks(line.substr(begin, line.find_last_not_of('=') - begin + 1));
    if (title == "test session starts") {
      running_ = true;
      open_.clear();
      return true;
    }
    for (const std::string_view end :
         {"FAILURES", "ERRORS", "PASSES", "warnings summary", "short test summary", "slowest"}) {
      if (BeginsWith(title, end)) running_ = false;
    }
    if (IsTotals(title) || BeginsWith(title, "no tests ran")) running_ = false;
    if (!running_) open_.clear();
    return !running_;
  }

  // "1 failed, 89 passed in 0.06s", "90 passed in 70.12s (0:01:10)"
  static bool IsTotals(std::string_view line) {
    const size_t in = line.find(" in ");
    if (in == std::string_view::npos || CountOf(line.substr(0, line.find(' '))) == std::nullopt) return false;
    const std::string_view words = line.substr(0, in);
    const size_t last = words.rfind(' ');
    for (const std::string_view word : {"passed", "failed", "skipped", "error", "errors", "deselected", "warning",
                                        "warnings", "xfailed", "xpassed", "rerun"}) {
      if (words.substr(last + 1) == word) return true;
    }
    return false;
  }

  // "collected 90 items / 2 deselected / 88 selected", perhaps behind "collecting ... ".
  bool ReadCollected(std::string_view line) {
    constexpr std::string_view kCollected = "collected ";
    constexpr size_t kMostBefore = 20;
    const size_t at = line.find(kCollected);
    // Also where it is not there: npos is beyond all.
    if (at > kMostBefore) return false;
    const std::string_view rest = line.substr(at + kCollected.size());
    const std::optional<uint64_t> items = CountOf(rest.substr(0, rest.find(' ')));
    if (!items.has_value() || rest.find(" item") == std::string_view::npos) return false;
    uint64_t count = *items;
    if (const size_t selected = rest.rfind(" selected"); selected != std::string_view::npos) {
      const size_t begin = rest.substr(0, selected).rfind(' ');
      count = CountOf(rest.substr(begin + 1, selected - begin - 1)).value_or(count);
    }
    expected_ += static_cast<size_t>(std::min<uint64_t>(count, kMaxReportTests));
    return true;
  }

  // "gw0 [14] / gw1 [14]": what each worker of pytest-xdist has collected.
  bool ReadWorkers(std::string_view line) {
    if (!BeginsWith(line, "gw0 [")) return false;
    const std::string_view rest = line.substr(5);
    const std::optional<uint64_t> items = CountOf(rest.substr(0, rest.find(']')));
    if (!items.has_value()) return false;
    expected_ = static_cast<size_t>(std::min<uint64_t>(*items, kMaxReportTests));
    xdist_ = true;
    return true;
  }

  // "[gw0] [ 28%] FAILED a/b.py::test_x"
  bool ReadXdist(std::string_view line) {
    if (!BeginsWith(line, "[gw")) return false;
    for (const StatusWord& status : kPytestWords) {
      const std::string between = "] " + std::string(status.word) + " ";
      const size_t at = line.find(between);
      if (at == std::string_view::npos) continue;
      xdist_ = true;
      Add(TrimBlanks(line.substr(at + between.size())), status.outcome);
      return true;
    }
    return false;
  }

  // "a/b.py::test_x PASSED  [ 7%]", "a/b.py::test_x SKIPPED (why) [ 7%]", or only its begin.
  bool ReadNamed(std::string_view line) {
    const size_t colons = line.find("::");
    const size_t blank = line.find(' ');
    if (colons < 4 || colons > blank || line.substr(colons - 3, 3) != ".py") return false;
    std::string_view text = line;
    TakePercent(text);
    for (const StatusWord& status : kPytestWords) {
      const std::string with_blank = " " + std::string(status.word);
      const size_t at = text.rfind(with_blank);
      if (at == std::string_view::npos) continue;
      const std::string_view rest = text.substr(at + with_blank.size());
      if (!rest.empty() && !BeginsWith(rest, " (")) continue;
      open_.clear();
      Add(TrimBlanks(text.substr(0, at)), status.outcome);
      return true;
    }
    // Under xdist many have begun at a time, and a worker that dies is reported.
    if (!xdist_) open_ = OpenId(text);
    return true;
  }

  // Up to the blank behind the name; blanks inside of "[…]" belong to it.
  static std::string OpenId(std::string_view text) {
    size_t depth = 0;
    for (size_t i = 0; i < text.size(); ++i) {
      if (text[i] == '[') ++depth;
      if (text[i] == ']' && depth > 0) --depth;
      if (text[i] == ' ' && depth == 0) return CutMessage(text.substr(0, i));
    }
    return CutMessage(text);
  }

  // Where the test itself prints (-s), its word comes on a line of its own.
  bool ReadLoneWord(std::string_view line) {
    const bool percent = TakePercent(line);
    for (const StatusWord& status : kPytestWords) {
      const bool at_end =
          line.size() >= status.word.size() && line.substr(line.size() - status.word.size()) == status.word;
      if (!at_end || (!percent && line.size() != status.word.size())) continue;
      Add(open_, status.outcome);
      open_.clear();
      return true;
    }
    return false;
  }

  // "a/b.py ..F.s  [ 12%]", "..F.s  [ 12%]"
  void ReadDots(std::string_view line) {
    const bool percent = TakePercent(line);
    const size_t blank = line.rfind(' ');
    const std::string_view dots = blank == std::string_view::npos ? line : line.substr(blank + 1);
    if (dots.empty() || dots.find_first_not_of(".FEsxX") != std::string_view::npos) return;
    // Without percentage it takes the name of a file to tell it from what a program prints.
    const bool named = blank != std::string_view::npos && blank > 3 && line.substr(blank - 3, 3) == ".py";
    if (blank == std::string_view::npos ? !percent : !named) return;
    for (const char c : dots) {
      // An error in the clean-up of a test that was counted comes on top; a progress bar may be one ahead.
      ++dots_;
      if (c == 'F' || c == 'E') ++failed_dots_;
    }
  }

  void Add(std::string_view id, Outcome outcome) {
    if (!id.empty()) builder_.Add(ReportTest{CutMessage(id), outcome, 0, ""});
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
