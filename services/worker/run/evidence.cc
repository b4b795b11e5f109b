#include "services/worker/run/evidence.h"

#include <limits>
#include <set>
#include <system_error>
#include <utility>

#include "absl/algorithm/container.h"
#include "services/core/files.h"
#include "services/core/glob.h"
#include "services/worker/reports/report.h"
#include "services/worker/reports/tensors.h"
#include "services/worker/run/workspace.h"

namespace yardmaster::worker {
namespace {

// What ctest printed, which its report is held against; more is left out.
constexpr size_t kMaxPrintedBytes = 16 * 1024 * 1024;
// Files below one ${OUT} that are looked at.
constexpr size_t kMaxFilesOfRank = 100'000;

std::string Printed(LogReader* log, int rank) {
  std::string out;
  if (log == nullptr) return out;
  const absl::Status read = log->Read(1, std::numeric_limits<uint64_t>::max() / 2, [&](const LogLine& line) {
    if (line.rank != rank || line.stream != Stream::kStdout) return true;
    out += line.text;
    out += '\n';
    return out.size() < kMaxPrintedBytes;
  });
  // A damaged log is complete up to the damage; the judge learns of it by itself.
  if (!read.ok()) return out;
  return out;
}

class Gatherer {
 public:
  Gatherer(const rules::SuiteStep& step, StepOutcome& outcome) : step_(step), outcome_(outcome) {}

  void Gather(const RankPlace& place, RankEvidence& rank) {
    rank.last_line_micros = outcome_.follower->LastLineOf(rank.rank);
    for (size_t i = 0; i < step_.reports.size(); ++i) {
      const rules::ReportModel& model = step_.reports[i];
      if (model.format == rules::ReportFormat::kMarkers) {
        GatherMarks(rank, i);
      } else {
        GatherFile(model, place.reports[i], rank, i);
      }
    }
    if (!step_.comparison.has_value()) return;
    TensorComparison comparison = CompareTensorFolder(place.tensors, *step_.comparison);
    for (TensorResult& tensor : comparison.tensors) {
      tensor.step = outcome_.evidence.name;
      tensor.rank = place.rank;
      rank.tensors.push_back(std::move(tensor));
    }
    rank.tensor_problems = std::move(comparison.problems);
  }

 private:
  void GatherMarks(RankEvidence& rank, size_t index) {
    auto* marker = static_cast<MarkerReport*>(outcome_.follower->TextOf(rank.rank, index));
    if (marker == nullptr) return;
    const Marks found = marker->marks();
    Marks& marks = rank.marks.has_value() ? *rank.marks : rank.marks.emplace();
    marks.passed += found.passed;
    marks.failed += found.failed;
    rank.reports.push_back(marker->Take());
  }

  void GatherFile(const rules::ReportModel& model, const std::filesystem::path& file, RankEvidence& rank,
                  size_t index) {
    if (!IsPlainFile(file)) {
      // A program that dies writes no file, but its output says how far it came.
      LineReport* text = outcome_.follower->TextOf(rank.rank, index);
      if (text != nullptr) {
        Report report = text->Take();
        if (!report.tests.empty()) {
          rank.reports.push_back(std::move(report));
          return;
        }
      }
      if (!rank.started) return;
      rank.missing_reports.push_back(file.native());
      // What ran before a program was ended stays, though it is no evidence of a pass.
      LineReport* progress = outcome_.follower->ProgressOf(rank.rank);
      if (progress != nullptr && rank.named.empty()) rank.named = progress->Take().tests;
      return;
    }
    absl::StatusOr<std::string> bytes = ReadSmallFile(file, kMaxReportBytes);
    absl::StatusOr<Report> report = bytes.ok() ? Parse(model.format, *bytes, rank.rank) : bytes.status();
    if (report.ok()) {
      rank.reports.push_back(*std::move(report));
    } else {
      rank.bad_reports.push_back(file.filename().native() + ": " + std::string(report.status().message()));
    }
  }

  absl::StatusOr<Report> Parse(rules::ReportFormat format, const std::string& bytes, int rank) {
    switch (format) {
      case rules::ReportFormat::kGoogleTest:
        return ParseGoogleTestXml(bytes);
      case rules::ReportFormat::kCtest:
        return ParseCtestJunit(bytes, Printed(outcome_.log.get(), rank));
      default:
        return ParseJunit(bytes);
    }
  }

  const rules::SuiteStep& step_;
  StepOutcome& outcome_;
};

// The folders below `folder`, or what is no folder; a folder comes before what is in it.
std::vector<std::filesystem::path> EntriesBelow(const std::filesystem::path& folder, bool folders) {
  std::vector<std::filesystem::path> found;
  std::error_code error;
  for (std::filesystem::recursive_directory_iterator entry(folder, error), end;
       !error && entry != end && found.size() < kMaxFilesOfRank; entry.increment(error)) {
    std::error_code gone;
    if (std::filesystem::is_directory(entry->symlink_status(gone)) == folders) found.push_back(entry->path());
  }
  return found;
}

void RemoveIfEmpty(const std::filesystem::path& folder) {
  std::error_code error;
  if (std::filesystem::is_empty(folder, error)) std::filesystem::remove(folder, error);
}

// The files of tensors that are off, by rank: "tensors/NAME.actual.npy" and its pair.
std::set<std::string> TensorsToKeep(const std::vector<TensorResult>& tensors, const RankPlace& place,
                                    uint64_t& budget) {
  std::set<std::string> out;
  for (const TensorResult& tensor : tensors) {
    if (tensor.rank != place.rank || tensor.ok()) continue;
    const std::string names[] = {tensor.name + ".actual.npy", tensor.name + ".expected.npy"};
    uint64_t bytes = 0;
    for (const std::string& name : names) {
      std::error_code error;
      const uint64_t size = std::filesystem::file_size(place.tensors / name, error);
      bytes += error ? budget + 1 : size;
    }
    if (bytes > budget) continue;
    budget -= bytes;
    for (const std::string& name : names) out.insert("tensors/" + name);
  }
  return out;
}

}  // namespace

void GatherEvidence(const rules::SuiteStep& step, const std::vector<RankPlace>& places, StepOutcome& outcome) {
  Gatherer gatherer(step, outcome);
  for (const RankPlace& place : places) {
    for (RankEvidence& rank : outcome.evidence.ranks) {
      if (rank.rank == place.rank) gatherer.Gather(place, rank);
    }
  }
}

std::vector<std::string> KeepArtifacts(const rules::SuiteStep& step, const std::vector<RankPlace>& places,
                                       const std::vector<TensorResult>& tensors, const std::filesystem::path& out) {
  std::vector<std::string> kept;
  uint64_t budget = kMaxKeptTensorBytes;
  for (const RankPlace& place : places) {
    const std::set<std::string> off = TensorsToKeep(tensors, place, budget);
    for (const std::filesystem::path& file : EntriesBelow(place.out, false)) {
      const std::string below = file.lexically_relative(place.out).native();
      const bool wanted =
          IsPlainFile(file) &&
          (off.contains(below) || absl::c_linear_search(place.reports, file) ||
           absl::c_any_of(step.artifacts, [&](const std::string& glob) { return MatchesPath(glob, below); }));
      if (wanted) {
        kept.push_back(file.lexically_relative(out).native());
      } else {
        std::error_code one;
        std::filesystem::remove(file, one);
      }
    }
    std::vector<std::filesystem::path> folders = EntriesBelow(place.out, true);
    absl::c_reverse(folders);
    absl::c_for_each(folders, RemoveIfEmpty);
    RemoveIfEmpty(place.out);
  }
  for (const RankPlace& place : places) {
    if (place.rank >= 0) RemoveIfEmpty(place.out.parent_path());
  }
  absl::c_sort(kept);
  return kept;
}

}  // namespace yardmaster::worker
