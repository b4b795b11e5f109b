// A review as lines that GitHub's runners show at the lines of a change.
#ifndef YARDMASTER_SERVICES_REVIEW_GITHUB_LINES_H_
#define YARDMASTER_SERVICES_REVIEW_GITHUB_LINES_H_

#include <string>

#include "services/review/report.h"

namespace yardmaster {

// "::error file=a.py,line=3,col=5,endColumn=9,title=OL01::message" for each finding that stands, one line each: block
// and major are errors, minor are warnings, info are notices. Nothing in a finding can begin another line or command.
std::string GithubLines(const ReviewReport& report);

}  // namespace yardmaster

#endif  // YARDMASTER_SERVICES_REVIEW_GITHUB_LINES_H_
