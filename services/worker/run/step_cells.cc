#include "services/worker/run/step_cells.h"

#include <utility>

namespace yardmaster::worker {
namespace {

StepResult Unstarted(const StepCell& cell, Verdict verdict, std::string reason) {
  StepResult result;
  result.id = cell.step->id;
  result.cell = rules::CellText(cell.cell);
  result.name = cell.name;
  result.layer = cell.layer_id;
  result.verdict = verdict;
  result.reason = std::move(reason);
  return result;
}

}  // namespace

std::vector<StepCell> CellsOf(const rules::SuiteModel& suite, const rules::SuiteStep& step,
                              const rules::SuiteLayer* layer, std::string_view layer_id) {
  std::vector<StepCell> out;
  for (const rules::Cell& cell : rules::ExpandCells(suite, step)) {
    for (size_t shard = 0; shard < step.shards; ++shard) {
      StepCell one;
      one.step = &step;
      one.layer = layer;
      one.layer_id = layer_id;
      one.cell = cell;
      one.shard = shard;
      one.name = rules::CellName(step, cell, shard);
      out.push_back(std::move(one));
    }
  }
  return out;
}

StepResult NotRunStep(const StepCell& cell, std::string reason) {
  return Unstarted(cell, Verdict::kNotRun, std::move(reason));
}

StepResult ErrorStep(const StepCell& cell, rules::FailureClass cls, std::string signature, std::string message,
                     std::string advice) {
  StepResult result = Unstarted(cell, Verdict::kError, message);
  result.cause = CauseOf(cls, std::move(signature), std::move(message), std::move(advice));
  result.cause->step = cell.name;
  return result;
}

}  // namespace yardmaster::worker
