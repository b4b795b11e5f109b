#include "services/worker/run/step_follower.h"

#include <algorithm>
#include <utility>

namespace yardmaster::worker {
namespace {

// Progress is told no more often than this.
constexpr std::chrono::milliseconds kProgressInterval{100};

std::unique_ptr<LineReport> FromOutput(const rules::ReportModel& model) {
  if (model.format == rules::ReportFormat::kGoogleTest) return MakeGoogleTestText();
  if (model.format == rules::ReportFormat::kMarkers) return MakeMarkerReport(model);
  return nullptr;
}

}  // namespace

StepFollower::StepFollower(const rules::SuiteStep& step, std::string name, size_t ranks, RunObserver& observer,
                           const Signatures* signatures)
    : step_(step),
      name_(std::move(name)),
      ranked_(ranks > 0),
      observer_(observer),
      signatures_(signatures),
      last_line_(std::chrono::steady_clock::now().time_since_epoch().count()),
      ranks_(std::max<size_t>(1, ranks)) {
  for (RankReports& rank : ranks_) {
    for (const rules::ReportModel& model : step_.reports) {
      rank.reports.push_back(FromOutput(model));
      if (rank.reports.back() == nullptr && rank.progress == nullptr) rank.progress = MakeProgressReport(model.format);
    }
  }
}

StepFollower::RankReports* StepFollower::ReportsOf(int rank) {
  if (!ranked_) return rank == kNoRank ? ranks_.data() : nullptr;
  if (rank < 0 || static_cast<size_t>(rank) >= ranks_.size()) return nullptr;
  return &ranks_[static_cast<size_t>(rank)];
}

void StepFollower::Line(const LogLine& line) {
  last_line_ = std::chrono::steady_clock::now().time_since_epoch().count();
  const std::lock_guard lock(mutex_);
  if (signatures_ != nullptr && !device_lost_ && signatures_->DeviceFatal(line.text) != nullptr) device_lost_ = true;
  if (RankReports* rank = ReportsOf(line.rank); rank != nullptr) {
    if (!stopping_) rank->last_micros = std::max(rank->last_micros, line.micros);
    for (const std::unique_ptr<LineReport>& report : rank->reports) {
      if (report != nullptr) report->Line(line.text);
    }
    if (rank->progress != nullptr) rank->progress->Line(line.text);
  }
  observer_.Output(name_, line);
  ReportProgress(false);
}

void StepFollower::ReportProgress(bool last) {
  const auto now = std::chrono::steady_clock::now();
  if (!last && now - told_at_ < kProgressInterval) return;
  size_t done = 0;
  size_t failed = 0;
  size_t expected = 0;
  for (const RankReports& rank : ranks_) {
    const LineReport* counting = rank.progress.get();
    for (const std::unique_ptr<LineReport>& report : rank.reports) {
      if (counting == nullptr) counting = report.get();
    }
    if (counting == nullptr) continue;
    done += counting->done();
    failed += counting->failed();
    expected += counting->expected();
  }
  if (done == told_done_ && failed == told_failed_ && expected == told_expected_) return;
  told_at_ = now;
  told_done_ = done;
  told_failed_ = failed;
  told_expected_ = expected;
  observer_.Progress(name_, done, failed, expected);
}

void StepFollower::Finish() {
  const std::lock_guard lock(mutex_);
  ReportProgress(true);
}

int64_t StepFollower::LastLineOf(int rank) {
  const std::lock_guard lock(mutex_);
  const RankReports* reports = ReportsOf(rank);
  return reports == nullptr ? -1 : reports->last_micros;
}

LineReport* StepFollower::ProgressOf(int rank) {
  RankReports* reports = ReportsOf(rank);
  return reports == nullptr ? nullptr : reports->progress.get();
}

LineReport* StepFollower::TextOf(int rank, size_t report) {
  RankReports* reports = ReportsOf(rank);
  return reports == nullptr || report >= reports->reports.size() ? nullptr : reports->reports[report].get();
}

}  // namespace yardmaster::worker
