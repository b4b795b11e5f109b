// What patterns of a rubric cost where texts are searched.
#ifndef YARDMASTER_RULES_ENGINE_PATTERN_COST_H_
#define YARDMASTER_RULES_ENGINE_PATTERN_COST_H_

#include "rules/engine/pack/pack_model.h"
#include "services/core/problem.h"

namespace yardmaster::rules {

// Instructions of RE2 from which on a pattern is costly. Repetitions with bounds are written out: `.{0,60}` between two
// words makes about 550, `.{0,200}` about 1,800, and its automaton fits no cache.
inline constexpr int kCostlyProgram = 800;

// One problem for each pattern of a signal or negation that is costly, with its place where the model knows it. They
// are warnings: the pack works, and decides more slowly. Patterns that RE2 refuses are left to the compiler.
Problems CostlyPatterns(const PackModel& model);

}  // namespace yardmaster::rules

#endif  // YARDMASTER_RULES_ENGINE_PATTERN_COST_H_
