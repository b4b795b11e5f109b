// Whose code a run is.
#ifndef YARDMASTER_SERVICES_YARDWORKER_CODE_ORIGIN_H_
#define YARDMASTER_SERVICES_YARDWORKER_CODE_ORIGIN_H_

#include <string>

#include "rules/suites/suite_model.h"
#include "yardmaster/v1/dispatch.pb.h"

namespace yardmaster::yardworker {

// Alike in runs that may take what one of them has compiled for their own: those of one repository's own commits, of
// one pull request, or of trees that people upload in place of one repository. What people upload is their own, and
// what a pull request changes is its author's: neither becomes a part of what the repository's own commits are.
std::string CodeOrigin(const v1::JobSpec& spec, const rules::SuiteModel& suite);

}  // namespace yardmaster::yardworker

#endif  // YARDMASTER_SERVICES_YARDWORKER_CODE_ORIGIN_H_
