// The errors of what surrounds the queue, named by situation; the queue's own are in queue/errors.h.
#ifndef YARDMASTER_SERVICES_DISPATCH_ERRORS_H_
#define YARDMASTER_SERVICES_DISPATCH_ERRORS_H_

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"

namespace yardmaster::dispatch {

absl::Status PartsMissing(uint64_t offset, uint64_t there);                                      // OUT_OF_RANGE
absl::Status DigestDiffers(std::string_view digest);                                             // INVALID_ARGUMENT
absl::Status BudgetExceeded(std::string_view what, uint64_t size, uint64_t budget);              // RESOURCE_EXHAUSTED
absl::Status FileNotThere(std::string_view digest);                                              // NOT_FOUND
absl::Status FileNotUploaded(std::string_view what, std::string_view digest);                    // FAILED_PRECONDITION
absl::Status OffsetPastEnd(uint64_t offset, uint64_t size);                                      // OUT_OF_RANGE
absl::Status SuiteNotThere(std::string_view suite);                                              // NOT_FOUND
absl::Status SuiteOfSeveralPacks(std::string_view suite, std::string_view names);                // INVALID_ARGUMENT
absl::Status SuitesUnreadable(std::string_view pack, std::string_view problem);                  // FAILED_PRECONDITION
absl::Status RepositoriesNotFetched();                                                           // FAILED_PRECONDITION
absl::Status CommitMayBeOfAFork(std::string_view repository, std::string_view ref, bool asked);  // FAILED_PRECONDITION
absl::Status RunnerNameNotAllowed(std::string_view token, std::string_view runner);              // PERMISSION_DENIED
absl::Status RunnerPoolNotAllowed(std::string_view token, std::string_view pool);                // PERMISSION_DENIED
absl::Status NoLeaseOfToken(std::string_view token, std::string_view what);                      // PERMISSION_DENIED
absl::Status EngineUnknown(std::string_view engine, const std::vector<std::string>& known);      // INVALID_ARGUMENT
absl::Status NothingFailed(std::string_view job);                                                // FAILED_PRECONDITION
absl::Status NothingFlaky(std::string_view job);                                                 // FAILED_PRECONDITION
absl::Status ResultNotThere(std::string_view job);                                               // FAILED_PRECONDITION
absl::Status PoolNotContained(std::string_view runner);                                          // INVALID_ARGUMENT

}  // namespace yardmaster::dispatch

#endif  // YARDMASTER_SERVICES_DISPATCH_ERRORS_H_
