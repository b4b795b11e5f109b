#include "services/dispatch/errors.h"

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "services/core/absl_view.h"

namespace yardmaster::dispatch {

absl::Status PartsMissing(uint64_t offset, uint64_t there) {
  return absl::OutOfRangeError(
      absl::StrCat("the part begins at byte ", offset, ", but only ", there, " bytes are there: go on from there"));
}
absl::Status DigestDiffers(std::string_view digest) {
  return absl::InvalidArgumentError(
      absl::StrCat("what was uploaded as ", Abs(digest), " has another SHA-256; it was removed: begin again"));
}
absl::Status BudgetExceeded(std::string_view what, uint64_t size, uint64_t budget) {
  return absl::ResourceExhaustedError(
      absl::StrCat(Abs(what), " of ", size, " bytes: over the budget of ", budget, " bytes"));
}
absl::Status FileNotThere(std::string_view digest) {
  return absl::NotFoundError(
      absl::StrCat("there is no file ", Abs(digest), "; the oldest are removed when they are too many"));
}
absl::Status FileNotUploaded(std::string_view what, std::string_view digest) {
  return absl::FailedPreconditionError(absl::StrCat(Abs(what), " ", Abs(digest), " was not uploaded"));
}
absl::Status OffsetPastEnd(uint64_t offset, uint64_t size) {
  return absl::OutOfRangeError(absl::StrCat("offset ", offset, " is past the end, which is at ", size));
}
absl::Status SuiteNotThere(std::string_view suite) {
  return absl::NotFoundError(
      absl::StrCat("there is no suite \"", Abs(suite), "\"; 'yard suite list' shows those that are there"));
}
absl::Status SuiteOfSeveralPacks(std::string_view suite, std::string_view names) {
  return absl::InvalidArgumentError(
      absl::StrCat("several packs have a suite \"", Abs(suite), "\": say which of ", Abs(names)));
}
absl::Status SuitesUnreadable(std::string_view pack, std::string_view problem) {
  return absl::FailedPreconditionError(
      absl::StrCat("the suites of the pack \"", Abs(pack), "\" are not valid: ", Abs(problem)));
}
absl::Status RepositoriesNotFetched() {
  return absl::FailedPreconditionError(
      "this daemon reaches no git server: upload a tree (--source DIR), or leave both out for what the suite names");
}
absl::Status CommitMayBeOfAFork(std::string_view repository, std::string_view ref, bool asked) {
  return absl::FailedPreconditionError(absl::StrCat(
      "no branch or tag of ", Abs(repository), " is known to have ", Abs(ref), ": it may be code of a fork, which ",
      asked ? "does not run in the pool \"trusted\": leave --pool out, or name a branch or a tag"
            : "this daemon does not test (dispatch.fork_policy): name a branch or a tag"));
}
absl::Status RunnerNameNotAllowed(std::string_view token, std::string_view runner) {
  return absl::PermissionDeniedError(absl::StrCat("the token \"", Abs(token), "\" is not for a runner named \"",
                                                  Abs(runner), "\": its \"runners\" in the daemon's configuration"));
}
absl::Status RunnerPoolNotAllowed(std::string_view token, std::string_view pool) {
  return absl::PermissionDeniedError(absl::StrCat("the token \"", Abs(token), "\" is not for the pool \"", Abs(pool),
                                                  "\": its \"pool\" in the daemon's configuration"));
}
absl::Status NoLeaseOfToken(std::string_view token, std::string_view what) {
  return absl::PermissionDeniedError(
      absl::StrCat("no runner with the token \"", Abs(token), "\" has a lease ", Abs(what)));
}
absl::Status EngineUnknown(std::string_view engine, const std::vector<std::string>& known) {
  return absl::InvalidArgumentError(absl::StrCat("dispatch.engine: there is no engine \"", Abs(engine),
                                                 "\"; there are: ", absl::StrJoin(known, ", ")));
}
absl::Status NothingFailed(std::string_view job) {
  return absl::FailedPreconditionError(
      absl::StrCat("nothing of the job \"", Abs(job), "\" has failed: there is nothing to run again"));
}
absl::Status NothingFlaky(std::string_view job) {
  return absl::FailedPreconditionError(
      absl::StrCat("nothing of the job \"", Abs(job), "\" was flaky: there is nothing to run again"));
}
absl::Status ResultNotThere(std::string_view job) {
  return absl::FailedPreconditionError(
      absl::StrCat("the job \"", Abs(job), "\" has left no result, or it was removed meanwhile: run all of it again"));
}
absl::Status PoolNotContained(std::string_view runner) {
  return absl::InvalidArgumentError(absl::StrCat(
      "the runner \"", Abs(runner),
      "\" lacks means to contain what it runs, which the pool \"untrusted\" asks "
      "for: its own messages say which; in the pool \"trusted\" it can run code that you would run yourself"));
}

}  // namespace yardmaster::dispatch
