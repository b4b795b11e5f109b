#include "clients/cli/test_progress.h"

#include "clients/cli/progress.h"
#include "clients/cli/style.h"
#include "clients/cli/terminal.h"
#include "clients/cli/test_text.h"
#include "services/worker/results/text.h"

namespace yardmaster::cli {
namespace {

constexpr int kDefaultColumns = 80;
constexpr std::chrono::milliseconds kLeastPause{100};
constexpr std::chrono::seconds kTick{1};

std::string Tests(size_t done, size_t expected) {
  if (expected > 0) return worker::CountText(done) + " of " + worker::CountText(expected) + " tests";
  return worker::CountText(done) + (done == 1 ? " test" : " tests");
}

}  // namespace

TestProgress::TestProgress(std::ostream& err, const Clock& clock, const TestProgressOptions& options)
    : err_(err), clock_(clock), options_(options), step_began_(clock.Monotonic()), shown_(step_began_) {
  if (options_.quiet || !options_.terminal) return;
  ticker_ = std::thread([this] {
    std::unique_lock<std::mutex> lock(mutex_);
    while (!ending_.wait_for(lock, kTick, [this] { return over_; })) Show(false);
  });
}

TestProgress::~TestProgress() {
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    over_ = true;
    Hide();
  }
  ending_.notify_all();
  if (ticker_.joinable()) ticker_.join();
}

void TestProgress::LayerBegins(std::string_view layer, size_t number, size_t layers) {
  const std::lock_guard<std::mutex> lock(mutex_);
  layer_ = Printable(layer);
  number_ = number;
  layers_ = layers;
  step_.clear();
  done_ = failed_ = expected_ = 0;
  step_began_ = clock_.Monotonic();
  if (!options_.terminal) Print("[" + std::to_string(number) + "/" + std::to_string(layers) + "] " + layer_);
  Show(true);
}

void TestProgress::StepBegins(std::string_view layer, std::string_view step) {
  const std::lock_guard<std::mutex> lock(mutex_);
  layer_ = Printable(layer);
  step_ = Printable(step);
  done_ = failed_ = expected_ = 0;
  step_began_ = clock_.Monotonic();
  Show(false);
}

void TestProgress::Progress(std::string_view /*step*/, size_t done, size_t failed, size_t expected) {
  const std::lock_guard<std::mutex> lock(mutex_);
  done_ = done;
  failed_ = failed;
  expected_ = expected;
  Show(false);
}

void TestProgress::Output(std::string_view /*step*/, const worker::LogLine& line) {
  if (!options_.follow || options_.quiet) return;
  const std::lock_guard<std::mutex> lock(mutex_);
  const std::string rank = line.rank == worker::kNoRank ? "" : "rank " + std::to_string(line.rank) + " ";
  Print(Paint("  " + rank + "| ", Style::kFaint, options_.color) + Printable(line.text));
}

void TestProgress::TestsEnd(const std::vector<worker::TestResult>& tests) {
  constexpr size_t kShown = 10;
  const std::lock_guard<std::mutex> lock(mutex_);
  size_t failed = 0;
  for (const worker::TestResult& test : tests) {
    if (!worker::HasFailed(test) || ++failed > kShown) continue;
    const std::string message = test.message.substr(0, test.message.find('\n'));
    Print("    " + ColoredVerdict(test.verdict, options_.color) + "  " + Printable(test.id) +
          (message.empty() ? "" : "  " + Printable(message)));
  }
  if (failed > kShown) Print("    … " + std::to_string(failed - kShown) + " more");
}

void TestProgress::StepEnds(const worker::StepResult& step) {
  const std::lock_guard<std::mutex> lock(mutex_);
  const bool good = step.verdict == worker::Verdict::kPassed;
  const double seconds = static_cast<double>(step.end_micros - step.begin_micros) / 1e6;
  // What passed is only worth a line where lines stay anyway.
  if (!good || !options_.terminal) {
    std::string line = "  " + ColoredVerdict(step.verdict, options_.color) + "  " + Printable(step.name);
    if (done_ > 0) line += "  " + Tests(done_, 0);
    if (failed_ > 0) line += ", " + worker::CountText(failed_) + " failed";
    line += "  " + worker::DurationText(seconds);
    if (!good && !step.reason.empty()) line += "  " + Printable(step.reason);
    Print(line);
  }
  step_.clear();
  done_ = failed_ = expected_ = 0;
  Show(false);
}

void TestProgress::LayerEnds(const worker::LayerResult& layer) {
  const std::lock_guard<std::mutex> lock(mutex_);
  if (!options_.terminal && layer.verdict != worker::Verdict::kNotRun) return;
  std::string line =
      ColoredVerdict(layer.verdict, options_.color) + "  " + Printable(layer.title.empty() ? layer.id : layer.title);
  if (layer.tests > 0) line += "  " + Tests(layer.tests, 0);
  if (layer.failed > 0) line += ", " + worker::CountText(layer.failed) + " failed";
  if (layer.skipped > 0) line += ", " + worker::CountText(layer.skipped) + " skipped";
  if (layer.seconds > 0) line += "  " + worker::DurationText(layer.seconds);
  if (!layer.reason.empty()) line += "  " + Printable(layer.reason);
  Print(line);
  Show(false);
}

void TestProgress::Note(std::string_view text) {
  const std::lock_guard<std::mutex> lock(mutex_);
  Print(Printable(text));
}

std::string TestProgress::Line() const {
  const std::lock_guard<std::mutex> lock(mutex_);
  return Text();
}

std::string TestProgress::Text() const {
  std::string line = layers_ == 0 ? "" : "[" + std::to_string(number_) + "/" + std::to_string(layers_) + "] ";
  line += layer_;
  if (!step_.empty()) line += " · " + step_;
  const double elapsed = std::chrono::duration<double>(clock_.Monotonic() - step_began_).count();
  if (done_ > 0 || expected_ > 0) {
    line += " · " + Tests(done_, expected_);
    if (failed_ > 0) line += " · " + worker::CountText(failed_) + " failed";
    const double rate = elapsed > 0 ? static_cast<double>(done_) / elapsed : 0;
    if (rate >= 1) line += " · " + worker::CountText(static_cast<size_t>(rate)) + "/s";
    if (expected_ > done_ && rate > 0) line += " · " + TimeLeft(static_cast<double>(expected_ - done_) / rate);
  }
  if (elapsed >= 1) line += " · " + worker::DurationText(elapsed);
  return line;
}

void TestProgress::Print(const std::string& line) {
  if (options_.quiet) return;
  Hide();
  err_ << options_.prefix << line << '\n' << std::flush;
}

void TestProgress::Show(bool at_once) {
  if (options_.quiet || !options_.terminal || over_) return;
  const Time now = clock_.Monotonic();
  if (!at_once && visible_ && now - shown_ < kLeastPause) return;
  shown_ = now;
  visible_ = true;
  // One column less: a full line would wrap on some terminals.
  const int columns = (options_.columns > 0 ? options_.columns : kDefaultColumns) - 1;
  err_ << '\r' << CutToWidth(Text(), columns) << "\x1b[K" << std::flush;
}

void TestProgress::Hide() {
  if (!visible_) return;
  visible_ = false;
  err_ << "\r\x1b[K" << std::flush;
}

}  // namespace yardmaster::cli
