// The errors of what surrounds the book, named by situation; the book's own are in book/errors.h.
#ifndef YARDMASTER_SERVICES_DISPATCH_ERRORS_H_
#define YARDMASTER_SERVICES_DISPATCH_ERRORS_H_

#include <cstdint>
#include <string_view>

#include "absl/status/status.h"

namespace yardmaster::dispatch {

absl::Status PartsMissing(uint64_t offset, uint64_t there);                          // OUT_OF_RANGE
absl::Status DigestDiffers(std::string_view digest);                                 // INVALID_ARGUMENT
absl::Status BudgetExceeded(std::string_view what, uint64_t size, uint64_t budget);  // RESOURCE_EXHAUSTED
absl::Status FileNotThere(std::string_view digest);                                  // NOT_FOUND
absl::Status FileNotUploaded(std::string_view what, std::string_view digest);        // FAILED_PRECONDITION
absl::Status OffsetPastEnd(uint64_t offset, uint64_t size);                          // OUT_OF_RANGE
absl::Status SuiteNotThere(std::string_view suite);                                  // NOT_FOUND
absl::Status SuiteOfSeveralPacks(std::string_view suite, std::string_view names);    // INVALID_ARGUMENT
absl::Status SuitesUnreadable(std::string_view pack, std::string_view problem);      // FAILED_PRECONDITION
absl::Status RepositoriesNotFetched();                                               // FAILED_PRECONDITION
absl::Status PoolNotContained(std::string_view runner);                              // INVALID_ARGUMENT

}  // namespace yardmaster::dispatch

#endif  // YARDMASTER_SERVICES_DISPATCH_ERRORS_H_
