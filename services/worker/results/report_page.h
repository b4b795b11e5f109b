// The text of report.html beside this file, put into the library when it is built.
#ifndef YARDMASTER_SERVICES_WORKER_RESULTS_REPORT_PAGE_H_
#define YARDMASTER_SERVICES_WORKER_RESULTS_REPORT_PAGE_H_

#include <string_view>

namespace yardmaster::worker {

std::string_view ReportPage();

}  // namespace yardmaster::worker

#endif  // YARDMASTER_SERVICES_WORKER_RESULTS_REPORT_PAGE_H_
