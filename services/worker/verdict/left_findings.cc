// What a rank left behind: tensors, markers, reports.

#include <utility>

#include "absl/algorithm/container.h"
#include "services/core/lines.h"
#include "services/worker/verdict/builtin_signatures.h"
#include "services/worker/verdict/priorities.h"
#include "services/worker/verdict/rank_findings.h"
#include "services/worker/verdict/text.h"

namespace yardmaster::worker {
using rules::FailureClass;

std::string TensorSentence(const TensorResult& tensor) {
  std::string what = Concat(tensor.off, " of ", Count(tensor.elements, "element"), " of tensor '", tensor.name,
                            tensor.off == 1 ? "' is off" : "' are off");
  if (tensor.not_a_number > 0) what += Concat(" (", tensor.not_a_number, " not a number)");
  what += Concat(", worst at ", tensor.worst, ": ", Decimal(tensor.worst_actual), " instead of ",
                 Decimal(tensor.worst_expected), " (rtol ", Decimal(tensor.tolerance.rtol), ", atol ",
                 Decimal(tensor.tolerance.atol), ")");
  return what;
}

void FindInTensors(const StepContext& context, RankView& view) {
  const RankEvidence& evidence = *view.evidence;
  const TensorResult* first = nullptr;
  size_t off = 0;
  for (const TensorResult& tensor : evidence.tensors) {
    if (tensor.ok()) continue;
    if (first == nullptr) first = &tensor;
    ++off;
  }
  if (first != nullptr) {
    std::string what = TensorSentence(*first);
    if (off > 1) what += Concat("; ", Count(off - 1, "other tensor"), " off as well");
    if (view.failed == 0 && !view.EndedBadly()) {
      what += Concat("; the test itself did not notice");
    }
    Finding finding = Make(view, kPrecision, FailureClass::kCode, kPrecisionId, std::move(what));
    finding.search = first->name;
    // The test that noticed it stands in the log; the tensor says it more exactly.
    const auto test = absl::c_find_if(view.findings, [](const Finding& of_test) {
      return of_test.signature == kPrecisionId && !of_test.test.empty();
    });
    if (test != view.findings.end()) {
      finding.what = Concat("test '", test->test, "': ", finding.what);
      finding.test = test->test;
      finding.search = test->search;
      finding.micros = test->micros;
      *test = std::move(finding);
    } else {
      view.findings.push_back(std::move(finding));
    }
  }
  if (!evidence.tensor_problems.empty()) {
    view.findings.push_back(Make(view, kNotComparable, FailureClass::kCode, "not-comparable",
                                 Concat("tensors can't be compared: ", Quoted(evidence.tensor_problems.front()))));
  }
  const rules::SuiteStep* step = context.evidence->step;
  const bool required = step != nullptr && step->comparison.has_value() && step->comparison->required;
  // One that failed may not have come so far.
  const bool well = view.failed == 0 && !view.EndedBadly() && !view.hung && !view.skipped_by_code;
  if (required && well && evidence.tensors.empty() && evidence.tensor_problems.empty() &&
      (view.ran > 0 || view.skipped == 0)) {
    view.findings.push_back(Make(view, kNoReport, FailureClass::kEnvironment, "no-tensors",
                                 "wrote no tensors, and the manifest wants them compared"));
  }
}

void FindInMarks(RankView& view) {
  if (!view.evidence->marks.has_value()) return;
  const Marks& marks = *view.evidence->marks;
  if (marks.failed > 0) {
    Finding finding =
        Make(view, kPrecision, FailureClass::kCode, "fail-marker",
             Concat("printed a marker of failure ", marks.failed == 1 ? "once" : Concat(marks.failed, " times"),
                    view.EndedBadly() ? "" : ", and ended with exit code 0"));
    view.findings.push_back(std::move(finding));
  } else if (marks.passed == 0 && view.end.has_value() && !view.EndedBadly()) {
    view.findings.push_back(Make(view, kNoReport, FailureClass::kEnvironment, "no-marker",
                                 "ended with exit code 0 and never printed the marker of success"));
  }
}

// A script can print that all is well although its own helper said that numbers differ.
void FindDroppedComparison(const StepContext& context, RankView& view) {
  const bool reports = context.evidence->step != nullptr && !context.evidence->step->reports.empty();
  if ((reports && !view.evidence->marks.has_value()) || view.failed > 0 || view.EndedBadly()) return;
  for (const Signatures::Hit& hit : view.hits) {
    if (hit.signature->priority < kFirstPrecision || hit.signature->priority >= kAfterPrecision) continue;
    Finding finding = On(view, FromSignature(*context.signatures, *hit.signature, hit.line.text));
    finding.what +=
        view.evidence->marks.has_value() ? "; the marker of success says otherwise" : "; it ended with exit code 0";
    finding.micros = hit.line.micros;
    finding.line = hit.line;
    view.findings.push_back(std::move(finding));
    return;
  }
}

void FindInReports(RankView& view) {
  const RankEvidence& evidence = *view.evidence;
  if (!evidence.missing_reports.empty()) {
    view.findings.push_back(Make(view, kNoReport, FailureClass::kEnvironment, "no-report",
                                 Concat("left no report '", evidence.missing_reports.front(), "'")));
  }
  if (!evidence.bad_reports.empty()) {
    view.findings.push_back(Make(view, kNoReport, FailureClass::kEnvironment, "bad-report",
                                 Concat("left a report that can't be read: ", Quoted(evidence.bad_reports.front()))));
  }
  for (const Report& report : evidence.reports) {
    if (report.problem.empty()) continue;
    view.findings.push_back(Make(view, kNoReport, FailureClass::kEnvironment, "bad-report",
                                 Concat("its report contradicts itself: ", Quoted(report.problem))));
    break;
  }
}

}  // namespace yardmaster::worker
