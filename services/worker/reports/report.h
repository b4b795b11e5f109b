// What test programs report, read into one shape. Parsers are pure, take bytes from programs that may have been killed
// or be hostile, and refuse what is beyond their limits.
#ifndef YARDMASTER_SERVICES_WORKER_REPORTS_REPORT_H_
#define YARDMASTER_SERVICES_WORKER_REPORTS_REPORT_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "rules/suites/suite_model.h"

namespace yardmaster::worker {

// From the best to the worst: a skip counts for more than a pass, since a report with both has not run everything.
enum class Outcome : uint8_t {
  kPassed,
  kSkipped,
  kNotStarted,  // the program to run is missing; ctest reports this as "skipped"
  kTimedOut,
  kFailed,
  kUnfinished,  // begun, and the program ended in it
};

struct ReportTest {
  std::string id;  // "file::class::name[param]", "Suite.Case", the path of a marker line
  Outcome outcome = Outcome::kPassed;
  double seconds = 0;
  std::string message;  // of the failure or the skip, at most kMaxReportMessageBytes
};

// What a benchmark measured.
struct Measured {
  std::string name;
  double value = 0;
  std::string unit;  // may be empty
};

struct Report {
  std::vector<ReportTest> tests;
  // What the report says about itself that its tests contradict (totals), or that it was cut off; empty: nothing.
  std::string problem;
  std::vector<Measured> numbers{};  // at most kMaxReportNumbers
};

inline constexpr size_t kMaxReportBytes = 64 * 1024 * 1024;
inline constexpr size_t kMaxReportTests = 200'000;
inline constexpr size_t kMaxReportNumbers = 10'000;
inline constexpr size_t kMaxReportMessageBytes = 8 * 1024;

// pytest's JUnit XML. INVALID_ARGUMENT names what is wrong, and where.
absl::StatusOr<Report> ParseJunit(std::string_view xml);
// GoogleTest's --gtest_output=xml.
absl::StatusOr<Report> ParseGoogleTestXml(std::string_view xml);
// ctest --output-junit: "skipped" because of a missing program is kNotStarted, and whether a failure was a time-out is
// taken from what ctest printed.
absl::StatusOr<Report> ParseCtestJunit(std::string_view xml, std::string_view printed);

// GoogleTest's and marker reports from output, line by line.
class LineReport {
 public:
  virtual ~LineReport() = default;
  virtual void Line(std::string_view line) = 0;
  // What was read so far.
  virtual Report Take() = 0;
  // Tests done and failed so far, for progress.
  virtual size_t done() const = 0;
  virtual size_t failed() const = 0;
  // Tests that the output announced; 0: it said nothing.
  virtual size_t expected() const { return 0; }
};
// "[ RUN      ] A.B" … "[  FAILED  ] A.B (3 ms)": also the one in which the program died.
std::unique_ptr<LineReport> MakeGoogleTestText();
// `model.format` is kMarkers. Patterns were compiled when the manifest was checked. The report has the tests of `line`;
// found marks are in marks().
struct Marks {
  uint64_t passed = 0;  // lines that match `pass`
  uint64_t failed = 0;  // lines that match `fail`
};
class MarkerReport : public LineReport {
 public:
  virtual Marks marks() const = 0;
};
std::unique_ptr<MarkerReport> MakeMarkerReport(const rules::ReportModel& model);
// Progress only: pytest's "a/b.py::test_x PASSED" and "....F.s  [ 12%]", ctest's " 3/20 Test #3: x ... Passed".
std::unique_ptr<LineReport> MakeProgressReport(rules::ReportFormat format);

}  // namespace yardmaster::worker

#endif  // YARDMASTER_SERVICES_WORKER_REPORTS_REPORT_H_
