#include "rules/engine/pipeline/console_log.h"

#include <algorithm>
#include <deque>
#include <tuple>
#include <utility>

#include "absl/algorithm/container.h"
#include "absl/strings/numbers.h"
#include "services/core/lines.h"
#include "services/core/readable.h"

namespace yardmaster::rules {
namespace {

constexpr size_t kMaxFieldBytes = 1000;
constexpr size_t kExcerptBefore = 3;
constexpr size_t kExcerptLines = 12;

// Colours and other sequences for terminals.
const Pattern& EscapeSequences() {
  static const Pattern* const pattern = [] {
    std::string error;
    return new Pattern("\x1b\\[[0-9;?]*[A-Za-z]", error);
  }();
  return *pattern;
}

class LogReader {
 public:
  explicit LogReader(const LogRules& rules) : rules_(rules) {}

  LogReport Read(std::string_view text) {
    if (text.size() > kMaxConsoleBytes) {
      text.remove_prefix(text.size() - kMaxConsoleBytes);
      // The line that was cut is no line.
      text.remove_prefix(std::min(text.size(), text.find('\n') + 1));
      report_.complete = false;
    }
    const std::vector<std::string_view> lines = LinesOf(text);
    for (const std::string_view line : lines) {
      ++line_;
      ReadLine(Clean(line));
    }
    CloseStage("");
    if (first_ > 0) AddExcerpt(lines);
    report_.markers.assign(markers_.begin(), markers_.end());
    return std::move(report_);
  }

 private:
  std::string Clean(std::string_view line) {
    if (line.size() > kMaxConsoleLineBytes) {
      line = line.substr(0, kMaxConsoleLineBytes);
      report_.complete = false;
    }
    std::string out(line);
    if (line.find('\x1b') != std::string_view::npos) EscapeSequences().Erase(out);
    for (const Pattern& pattern : rules_.strip) pattern.Erase(out);
    return Readable(TrimBlanks(out), kMaxConsoleLineBytes);
  }

  void ReadLine(const std::string& line) {
    if (line.empty()) return;
    for (const Pattern& pattern : rules_.places) {
      const auto groups = pattern.Find(line);
      if (!groups.has_value()) continue;
      place_ = {Readable(TrimBlanks(GroupOf(*groups, "file")), kMaxFieldBytes), 0};
      if (!absl::SimpleAtoi(GroupOf(*groups, "line"), &place_.second)) place_.second = 0;
    }
    bool telling = AddFailure(line);
    for (const InfrastructureRule& rule : rules_.infrastructure) {
      if (!rule.pattern.Matches(line)) continue;
      telling = true;
      if (!absl::c_linear_search(report_.infrastructure, rule.id)) report_.infrastructure.push_back(rule.id);
    }
    const bool marked = absl::c_any_of(rules_.markers, [&](const Pattern& pattern) { return pattern.Matches(line); });
    if (telling || marked) {
      if (markers_.size() == kMaxExcerptLines) markers_.pop_front();
      markers_.push_back(line);
      last_marker_ = line;
    }
    for (const Pattern& pattern : rules_.stages) {
      const auto groups = pattern.Find(line);
      if (!groups.has_value()) continue;
      CloseStage(GroupOf(*groups, "stage"));
      return;
    }
  }

  bool AddFailure(const std::string& line) {
    for (const LogRule& rule : rules_.failures) {
      const auto groups = rule.pattern.Find(line);
      if (!groups.has_value()) continue;
      if (report_.failures.size() == kMaxLogFailures) {
        report_.complete = false;
        return true;
      }
      const auto field = [&](std::string_view name) {
        return Readable(TrimBlanks(GroupOf(*groups, name)), kMaxFieldBytes);
      };
      LogFailure failure;
      failure.pattern = rule.id;
      failure.stage = field("stage");
      if (failure.stage.empty()) failure.stage = rule.stage;
      failure.rule = field("rule");
      if (failure.rule.empty()) failure.rule = rule.rule;
      failure.file = field("file");
      // What is no number stays unknown.
      if (!absl::SimpleAtoi(field("line"), &failure.line)) failure.line = 0;
      if (rule.placed && failure.file.empty()) std::tie(failure.file, failure.line) = place_;
      failure.function = field("function");
      failure.test = field("test");
      failure.message = field("message");
      failure.log_line = line_;
      if (absl::c_any_of(report_.failures, [&](const LogFailure& one) { return Same(one, failure); })) return true;
      report_.failures.push_back(std::move(failure));
      return true;
    }
    return false;
  }

  // A summary at the end tells again what was told before.
  static bool Same(const LogFailure& a, const LogFailure& b) {
    return a.pattern == b.pattern && a.rule == b.rule && a.file == b.file && a.line == b.line &&
           a.function == b.function && a.test == b.test && (a.test.empty() ? a.message == b.message : true);
  }

  // The log tells at the end of a stage that it failed: what was found since the last such end is of this stage. Empty:
  // the log ends.
  void CloseStage(const std::string& stage) {
    bool any = false;
    for (LogFailure& failure : report_.failures) {
      if (failure.stage.empty() && failure.log_line > closed_at_) failure.stage = stage;
      any = any || failure.stage == stage;
    }
    closed_at_ = line_;
    place_ = {};
    if (stage.empty()) {
      for (const LogFailure& failure : report_.failures) AddStage(failure.stage);
      // Failures are told in the order in which they came.
      absl::c_stable_sort(report_.failures,
                          [](const LogFailure& a, const LogFailure& b) { return a.log_line < b.log_line; });
      if (!report_.failures.empty()) first_ = report_.failures.front().log_line;
      return;
    }
    AddStage(stage);
    if (any || report_.failures.size() == kMaxLogFailures) return;
    LogFailure failure;
    failure.stage = Readable(stage, kMaxFieldBytes);
    failure.message = last_marker_;
    failure.log_line = line_;
    report_.failures.push_back(std::move(failure));
  }

  void AddStage(const std::string& stage) {
    if (!stage.empty() && !absl::c_linear_search(report_.stages, stage)) report_.stages.push_back(stage);
  }

  void AddExcerpt(const std::vector<std::string_view>& lines) {
    const size_t at = first_ - 1;
    const size_t from = at > kExcerptBefore ? at - kExcerptBefore : 0;
    for (size_t i = from; i < lines.size() && i < from + kExcerptLines; ++i) {
      std::string line = Clean(lines[i]);
      if (!line.empty()) report_.excerpt.push_back(std::move(line));
    }
  }

  const LogRules& rules_;
  LogReport report_;
  std::deque<std::string> markers_;
  std::string last_marker_;
  std::pair<std::string, uint32_t> place_;
  uint32_t line_ = 0;
  uint32_t closed_at_ = 0;
  uint32_t first_ = 0;
};

}  // namespace

LogReport ReadConsoleLog(const LogRules& rules, std::string_view text) { return LogReader(rules).Read(text); }

}  // namespace yardmaster::rules
