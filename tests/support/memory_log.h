// A log in memory: what the judge reads without files.
#ifndef YARDMASTER_TESTS_SUPPORT_MEMORY_LOG_H_
#define YARDMASTER_TESTS_SUPPORT_MEMORY_LOG_H_

#include <re2/re2.h>

#include <algorithm>
#include <cstdint>
#include <fstream>
#include <functional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "services/worker/logs/log.h"
#include "tests/support/source_path.h"

namespace yardmaster::testing {

class MemoryLog final : public worker::LogReader {
 public:
  // One line for each line of `text`, a millisecond apart from `micros` on.
  MemoryLog& Add(int rank, int64_t micros, std::string_view text, worker::Stream stream = worker::Stream::kStdout) {
    while (!text.empty()) {
      const size_t end = std::min(text.find('\n'), text.size());
      worker::LogLine line;
      line.number = lines_.size() + 1;
      line.micros = micros;
      line.rank = rank;
      line.stream = stream;
      line.text = std::string(text.substr(0, end));
      lines_.push_back(std::move(line));
      micros += 1000;
      text.remove_prefix(std::min(end + 1, text.size()));
    }
    return *this;
  }

  // tests/data/worker_logs/NAME: lines of "RANK<tab>TEXT", "-" for none, a millisecond apart. False: no such file.
  bool AddFile(const std::string& name) {
    std::ifstream file(yardmaster::testing::SourcePath("tests/data/worker_logs") / name);
    int64_t micros = 0;
    for (std::string line; std::getline(file, line);) {
      const size_t tab = line.find('\t');
      const std::string rank = line.substr(0, tab);
      // A line without text is kept.
      Add(rank == "-" ? worker::kNoRank : std::stoi(rank), micros += 1000, line.substr(tab + 1) + "\n");
    }
    return !lines_.empty();
  }

  uint64_t lines() const override { return lines_.size(); }

  absl::Status Read(uint64_t first, uint64_t count, const std::function<bool(const worker::LogLine&)>& visit) override {
    for (const worker::LogLine& line : lines_) {
      if (line.number < first || line.number - first >= count) continue;
      if (!visit(line)) break;
    }
    return absl::OkStatus();
  }

  absl::StatusOr<std::vector<worker::LogLine>> TailUntil(size_t count, int rank, int64_t until) override {
    std::vector<worker::LogLine> tail;
    for (auto line = lines_.rbegin(); line != lines_.rend() && tail.size() < count; ++line) {
      if ((rank == worker::kAllRanks || line->rank == rank) && line->micros <= until) tail.push_back(*line);
    }
    std::reverse(tail.begin(), tail.end());
    return tail;
  }

  absl::StatusOr<std::vector<worker::LogLine>> Search(std::string_view pattern, size_t limit, int rank) override {
    const RE2 compiled(re2::StringPiece(pattern.data(), pattern.size()), RE2::Quiet);
    if (!compiled.ok()) return absl::InvalidArgumentError(compiled.error());
    std::vector<worker::LogLine> found;
    for (const worker::LogLine& line : lines_) {
      if (found.size() == limit) break;
      if (rank != worker::kAllRanks && line.rank != rank) continue;
      if (RE2::PartialMatch(line.text, compiled)) found.push_back(line);
    }
    return found;
  }

 private:
  std::vector<worker::LogLine> lines_;
};

}  // namespace yardmaster::testing

#endif  // YARDMASTER_TESTS_SUPPORT_MEMORY_LOG_H_
