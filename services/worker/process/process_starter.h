// The ids by which the processes of one job are known.
#ifndef YARDMASTER_SERVICES_WORKER_PROCESS_PROCESS_STARTER_H_
#define YARDMASTER_SERVICES_WORKER_PROCESS_PROCESS_STARTER_H_

#include <string>
#include <string_view>
#include <vector>

namespace yardmaster::worker {

// An id that can't be guessed: 128 random bits.
std::string MakeProcessMark();

// `environment` with YARD_PROCESS_MARK set to `mark`, behind those that `inherited` names: where this program is itself
// part of a job, its processes belong to that job, too.
std::vector<std::string> WithMark(const std::vector<std::string>& environment, std::string_view mark,
                                  std::string_view inherited);

}  // namespace yardmaster::worker

#endif  // YARDMASTER_SERVICES_WORKER_PROCESS_PROCESS_STARTER_H_
