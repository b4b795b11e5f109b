#include "services/dispatch/make_job.h"

#include <utility>

#include "absl/algorithm/container.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "services/core/errors.h"
#include "services/core/short_digest.h"
#include "services/core/status_macros.h"
#include "services/dispatch/errors.h"
#include "services/dispatch/job_messages.h"
#include "services/dispatch/queue/states.h"
#include "services/dispatch/suite_times.h"

namespace yardmaster::dispatch {
namespace {

// What is run of a suite: jobs with the same part take the same time.
std::string PartOf(const v1::JobSpec& spec) {
  const std::string steps = absl::StrJoin(spec.steps(), "\n", [](std::string* out, const v1::StepChoice& choice) {
    absl::StrAppend(out, choice.step(), "\t", absl::StrJoin(choice.tests(), "\t"));
  });
  return absl::StrCat(absl::StrJoin(spec.layers(), ","), "\n", absl::StrJoin(spec.select(), ","), "\n", steps, "\n",
                      spec.keep_going() ? 1 : 0, "\n", spec.devices().SerializeAsString(),
                      // It leaves out layers that another job with these steps would run.
                      spec.has_shard() ? "\nshard" : "");
}

// Of the job that answers for this one what is its result; nothing if its files are not there any more.
void AnswerFrom(Dispatch& dispatch, Job& job) {
  const std::string earlier = dispatch.dispatcher().past_runs().Passed(
      job.answer_key, job.demand, dispatch.dispatcher().EnvironmentsFor(job.demand));
  if (earlier.empty()) return;
  const absl::StatusOr<Job> answer = dispatch.dispatcher().FindJob(earlier);
  if (!answer.ok() || answer->verdict != Verdict::kPassed) return;
  const bool all_there = absl::c_all_of(
      ArtifactsOf(*answer), [&](const v1::Artifact& artifact) { return dispatch.files().Has(artifact.digest()); });
  if (!all_there) return;
  job.answered_by = answer->id;
  job.result = answer->result;
  job.last_runner = answer->last_runner;
  job.model = answer->model;
  job.environment = answer->environment;
  job.notes.push_back(
      absl::StrCat("answered by the job ", answer->id,
                   ", which passed with the same tree, suite, variables, device model and environment"));
}

}  // namespace

absl::StatusOr<Job> MakeJob(Dispatch& dispatch, v1::JobSpec spec, JobOrigin origin) {
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
  job.id = std::move(origin.id);
  ASSIGN_OR_RETURN(job.demand, DemandFor(DemandOfSuite(*suite.suite), spec));
  job.priority = PriorityFromName(spec.priority()).value_or(Priority::kNormal);
  job.repository = std::move(origin.repository);
  job.submitter = std::move(origin.submitter);
  job.source = spec.source_digest();
  job.commit = std::move(origin.commit);
  job.failed_before = std::move(origin.failed_before);
  job.request = RequestOf(spec);
  job.suite = suite.name;
  const std::string part = PartOf(spec);
  job.shape = ShortDigestOf({"shape", suite.name, part});
  // What a suite names by itself may be another tree tomorrow.
  if (!job.source.empty()) {
    job.answer_key = ShortDigestOf(
        {"answer", suite.suite->digest, job.source, job.demand.pool, part, absl::StrJoin(spec.variables(), "\n")});
  }
  job.limit = LimitOfSuite(*suite.suite);
  job.expected = dispatch.dispatcher().past_runs().Expected(job.shape, job.demand);
  // Its part was never run before, or not as a part of its own.
  if (job.expected.count() == 0) job.expected = std::chrono::seconds(spec.shard().expected_seconds());
  if (spec.from_cache()) AnswerFrom(dispatch, job);
  return job;
}

}  // namespace yardmaster::dispatch
