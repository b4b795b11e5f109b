#include "clients/cli/progress.h"

#include <cmath>
#include <utility>

#include "services/worker/results/text.h"

namespace yardmaster::cli {

std::ostream* ProgressStream(const Session& session) {
  return session.env.err_is_terminal && !session.output.quiet() ? session.env.err : nullptr;
}

std::string TimeLeft(double seconds) {
  const auto whole = static_cast<size_t>(std::ceil(seconds));
  if (whole < 60) return std::to_string(whole) + " s left";
  if (whole < 3600) return std::to_string(whole / 60) + " min " + std::to_string(whole % 60) + " s left";
  return std::to_string(whole / 3600) + " h " + std::to_string(whole % 3600 / 60) + " min left";
}

Progress::Progress(std::ostream* err, const Clock& clock, std::string what, size_t total)
    : err_(err), clock_(clock), what_(std::move(what)), total_(total), started_(clock.Monotonic()), shown_(started_) {}

Progress::~Progress() {
  if (visible_) *err_ << "\r\x1b[K" << std::flush;
}

void Progress::Done(size_t count) {
  count_ += count;
  if (err_ == nullptr) return;
  const auto now = clock_.Monotonic();
  if (now - started_ < std::chrono::seconds(1) || now - shown_ < std::chrono::milliseconds(100)) return;
  shown_ = now;
  visible_ = true;
  *err_ << '\r' << Line() << "\x1b[K" << std::flush;
}

double Progress::seconds() const { return std::chrono::duration<double>(clock_.Monotonic() - started_).count(); }

std::string Progress::Line() const {
  const double elapsed = seconds();
  const double rate = elapsed > 0 ? static_cast<double>(count_) / elapsed : 0;
  std::string line = worker::CountText(count_);
  if (total_ > 0) line += " of " + worker::CountText(total_);
  line += " " + what_;
  if (total_ > 0) line += " · " + std::to_string(count_ * 100 / total_) + " %";
  line += " · " + worker::CountText(static_cast<size_t>(rate)) + "/s";
  if (total_ > count_ && rate > 0) line += " · " + TimeLeft(static_cast<double>(total_ - count_) / rate);
  return line;
}

}  // namespace yardmaster::cli
