// A result as JUnit XML, for CI systems that read nothing else. What did not pass must be seen there as well: a step
// that failed without a failing test, or a run that tested nothing, is a test case of its own.
#include <cstddef>
#include <cstdio>
#include <map>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include "services/worker/results/result_files.h"
#include "services/worker/results/text.h"
#include "services/worker/text.h"

namespace yardmaster::worker {
namespace {

constexpr size_t kMaxName = 1'000;
constexpr size_t kMaxMessage = 8'000;

enum class Kind { kPassed, kFailure, kError, kSkipped };

Kind KindOf(Verdict verdict) {
  // As verdicts are declared.
  constexpr Kind kKinds[] = {Kind::kPassed,  Kind::kPassed, Kind::kSkipped, Kind::kFailure,
                             Kind::kFailure, Kind::kError,  Kind::kError};
  return kKinds[static_cast<size_t>(verdict)];
}

struct Case {
  std::string name;
  Verdict verdict = Verdict::kPassed;
  double seconds = 0;
  std::string message;
};

// One <testsuite>: a step, and where it has ranks one of them.
struct Suite {
  std::string name;
  std::string class_name;
  std::vector<Case> cases;
};

std::string Time(double seconds) {
  char buffer[32];
  std::snprintf(buffer, sizeof buffer, "%.3f", seconds > 0 ? seconds : 0);
  return buffer;
}

std::string Attribute(std::string_view name, std::string_view value, size_t max_bytes = kMaxName) {
  return " " + std::string(name) + "=\"" + EscapeMarkup(value, max_bytes) + "\"";
}

std::string CaseXml(const Suite& suite, const Case& test) {
  std::string out = "    <testcase" + Attribute("classname", suite.class_name) + Attribute("name", test.name) +
                    Attribute("time", Time(test.seconds));
  const std::string_view first_line = std::string_view(test.message).substr(0, test.message.find('\n'));
  const std::string message = Attribute("message", first_line);
  const std::string text = EscapeMarkup(test.message, kMaxMessage);
  const Kind kind = KindOf(test.verdict);
  if (kind == Kind::kSkipped) return Concat(out, "><skipped", message, "/></testcase>\n");
  if (test.verdict == Verdict::kFlaky) return Concat(out, "><system-out>flaky: ", text, "</system-out></testcase>\n");
  if (kind == Kind::kPassed) return out + "/>\n";
  const std::string_view tag = kind == Kind::kFailure ? "failure" : "error";
  return Concat(out, "><", tag, message, Attribute("type", VerdictName(test.verdict)), ">", text, "</", tag,
                "></testcase>\n");
}

struct Counts {
  size_t tests = 0;
  size_t failures = 0;
  size_t errors = 0;
  size_t skipped = 0;
  double seconds = 0;

  void Add(const Case& test) {
    const Kind kind = KindOf(test.verdict);
    ++tests;
    failures += kind == Kind::kFailure ? 1 : 0;
    errors += kind == Kind::kError ? 1 : 0;
    skipped += kind == Kind::kSkipped ? 1 : 0;
    seconds += test.seconds > 0 ? test.seconds : 0;
  }
  std::string Xml() const {
    return Attribute("tests", std::to_string(tests)) + Attribute("failures", std::to_string(failures)) +
           Attribute("errors", std::to_string(errors)) + Attribute("skipped", std::to_string(skipped)) +
           Attribute("time", Time(seconds));
  }
};

// What is said about a step that its tests don't say.
std::string StepMessage(const StepResult& step) {
  if (!step.cause.has_value()) return step.reason;
  std::string message = step.cause->message.empty() ? step.reason : step.cause->message;
  if (!step.cause->advice.empty()) message += "\n" + step.cause->advice;
  for (const LogLine& line : step.cause->excerpt) {
    message += "\n" + (line.rank == kNoRank ? std::string() : "[" + std::to_string(line.rank) + "] ") + line.text;
  }
  return message;
}

std::vector<Suite> SuitesOf(const RunResult& run) {
  std::vector<Suite> suites;
  std::map<std::tuple<std::string, std::string, int>, size_t> places;
  const auto suite_of = [&](const std::string& layer, const std::string& step, int rank) -> Suite& {
    const auto [it, added] = places.emplace(std::make_tuple(layer, step, rank), suites.size());
    if (added) {
      Suite& suite = suites.emplace_back();
      suite.name = layer + "/" + step + (rank == kNoRank ? "" : " rank " + std::to_string(rank));
      suite.class_name = run.suite + "/" + suite.name;
    }
    return suites[it->second];
  };
  // Steps in the order in which they ran, each with what was seen in it.
  std::map<std::pair<std::string, std::string>, bool> bad_test_in;
  std::map<std::pair<std::string, std::string>, bool> test_in;
  for (const TestResult& test : run.tests) {
    const Kind kind = KindOf(test.verdict);
    bool& bad = bad_test_in[{test.layer, test.step}];
    bad = bad || kind == Kind::kFailure || kind == Kind::kError;
    test_in[{test.layer, test.step}] = true;
  }
  for (const StepResult& step : run.steps) {
    const std::pair<std::string, std::string> key = {step.layer, step.name};
    const Kind kind = KindOf(step.verdict);
    const bool told = kind == Kind::kPassed || kind == Kind::kSkipped ? test_in[key] : bad_test_in[key];
    if (!told) {
      suite_of(step.layer, step.name, kNoRank)
          .cases.push_back({step.name, step.verdict, static_cast<double>(step.end_micros - step.begin_micros) / 1e6,
                            StepMessage(step)});
    }
  }
  for (const TestResult& test : run.tests)
    suite_of(test.layer, test.step, test.rank).cases.push_back({test.id, test.verdict, test.seconds, test.message});
  for (const LayerResult& layer : run.layers) {
    if (layer.verdict == Verdict::kNotRun)
      suite_of(layer.id, "layer", kNoRank).cases.push_back({layer.id, layer.verdict, 0, layer.reason});
  }
  return suites;
}

}  // namespace

std::string ResultJunit(const RunResult& run) {
  std::vector<Suite> suites = SuitesOf(run);
  Counts total;
  for (const Suite& suite : suites) {
    for (const Case& test : suite.cases) total.Add(test);
  }
  // A run that was not run, or whose fault lies outside of any step, must not look green.
  const bool good = run.verdict == Verdict::kPassed || run.verdict == Verdict::kFlaky;
  if (!good && total.failures + total.errors == 0) {
    Suite& suite = suites.emplace_back();
    suite.name = "run";
    suite.class_name = run.suite + "/run";
    // As an error: whoever reads this file alone takes skipped for harmless.
    const Verdict shown = run.verdict == Verdict::kNotRun ? Verdict::kError : run.verdict;
    suite.cases.push_back({std::string(VerdictName(run.verdict)), shown, 0, run.reason});
    total.Add(suite.cases.back());
  }

  std::string out =
      "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites" + Attribute("name", run.suite) + total.Xml() + ">\n";
  for (const Suite& suite : suites) {
    Counts counts;
    for (const Case& test : suite.cases) counts.Add(test);
    out += "  <testsuite" + Attribute("name", suite.name) + counts.Xml() + Attribute("timestamp", run.started_at) +
           ">\n    <properties><property name=\"job\"" + Attribute("value", run.job) + "/><property name=\"commit\"" +
           Attribute("value", run.commit) + "/><property name=\"suite_digest\"" + Attribute("value", run.suite_digest) +
           "/></properties>\n";
    for (const Case& test : suite.cases) out += CaseXml(suite, test);
    out += "  </testsuite>\n";
  }
  return out + "</testsuites>\n";
}

}  // namespace yardmaster::worker
