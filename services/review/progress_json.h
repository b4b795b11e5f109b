// How far work has come, as JSON: the same wherever it was computed.
//
// {name, path, line, stages: [{id, title, state: "there" | "unknown" | "missing" | "inconsistent", text?, next?}],
// next?} `next` of a subject is the id of the stage that comes next; without one nothing is missing.
#ifndef YARDMASTER_SERVICES_REVIEW_PROGRESS_JSON_H_
#define YARDMASTER_SERVICES_REVIEW_PROGRESS_JSON_H_

#include <nlohmann/json_fwd.hpp>

#include "services/review/progress.h"

namespace yardmaster {

nlohmann::ordered_json ProgressJson(const SubjectProgress& subject);

}  // namespace yardmaster

#endif  // YARDMASTER_SERVICES_REVIEW_PROGRESS_JSON_H_
