// "news": tells the channels that subscribed what is new in their repositories, all that came together in one message.
#ifndef YARDMASTER_SERVICES_SCHEDULE_NEWS_H_
#define YARDMASTER_SERVICES_SCHEDULE_NEWS_H_

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "services/intake/sweeps/scheduled.h"

namespace yardmaster {

// The job. What it tells of is the time from the end of the last run that told something to now; a run that is begun
// again tells of the same time, and says nothing twice. A source that can't be read is logged and named in the summary;
// what is new in it is told once it can be read again, of the last week at most.
absl::StatusOr<std::string> TellNews(const JobEnvironment& env, const JobTurn& turn);

// Dead letters, and runs of schedules that failed.
std::vector<NewsSource> ScheduleNews();

}  // namespace yardmaster

#endif  // YARDMASTER_SERVICES_SCHEDULE_NEWS_H_
