// Several reviews told as one.
#ifndef YARDMASTER_SERVICES_REVIEW_MERGED_REPORT_H_
#define YARDMASTER_SERVICES_REVIEW_MERGED_REPORT_H_

#include <string_view>

#include "services/review/report.h"

namespace yardmaster {

// Adds the report of one folder to `all`, whose paths are those of its findings behind `folder`. "." stands for the
// folder itself. Of the rest of both (gate, baseline, progress) nothing is put together.
void AddReport(std::string_view folder, ReviewReport part, ReviewReport& all);

}  // namespace yardmaster

#endif  // YARDMASTER_SERVICES_REVIEW_MERGED_REPORT_H_
