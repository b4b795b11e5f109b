#include "services/dispatch/make_job.h"

#include <utility>

#include "services/core/errors.h"
#include "services/core/status_macros.h"
#include "services/dispatch/book/states.h"
#include "services/dispatch/errors.h"
#include "services/dispatch/job_messages.h"

namespace yardmaster::dispatch {

absl::StatusOr<Job> MakeJob(Dispatch& dispatch, v1::JobSpec spec, std::string id, std::string submitter,
                            std::string repository) {
  RETURN_IF_ERROR(CheckSpec(spec));
  if (!spec.pool().empty() && spec.pool() != "trusted" && spec.pool() != "untrusted") {
    return errors::FieldInvalid("spec.pool", "\"trusted\" or \"untrusted\"");
  }
  ASSIGN_OR_RETURN(const ShelvedSuite suite, dispatch.suites().Find(spec.suite()));
  if (!spec.source_digest().empty() && !dispatch.files().Has(spec.source_digest())) {
    return FileNotUploaded("the source tree", spec.source_digest());
  }
  spec.set_suite(suite.name);
  Job job;
  job.id = std::move(id);
  ASSIGN_OR_RETURN(job.demand, DemandFor(DemandOfSuite(*suite.suite), spec));
  job.priority = PriorityFromName(spec.priority()).value_or(Priority::kNormal);
  job.repository = std::move(repository);
  job.submitter = std::move(submitter);
  job.request = RequestOf(spec);
  return job;
}

}  // namespace yardmaster::dispatch
