// Return from a function with the error of a function that it calls.
//
//   RETURN_IF_ERROR(store.Put(row));
//   ASSIGN_OR_RETURN(const Row row, store.Get(id));
//
// Both return the absl::Status, so the function returns absl::Status or absl::StatusOr. A caller that
// does something else with the error writes it out.
#ifndef YARDMASTER_SERVICES_CORE_STATUS_MACROS_H_
#define YARDMASTER_SERVICES_CORE_STATUS_MACROS_H_

#include <utility>

#include "absl/status/status.h"
#include "absl/status/statusor.h"

#define YARD_STATUS_JOIN_(a, b) a##b
#define YARD_STATUS_NAME_(line) YARD_STATUS_JOIN_(yard_status_, line)

#define RETURN_IF_ERROR(...)                                                             \
  do {                                                                                   \
    if (absl::Status yard_status = (__VA_ARGS__); !yard_status.ok()) return yard_status; \
  } while (false)

#define ASSIGN_OR_RETURN(variable, ...)                                                          \
  auto YARD_STATUS_NAME_(__LINE__) = (__VA_ARGS__);                                              \
  if (!YARD_STATUS_NAME_(__LINE__).ok()) return std::move(YARD_STATUS_NAME_(__LINE__)).status(); \
  variable = *std::move(YARD_STATUS_NAME_(__LINE__))

#endif  // YARDMASTER_SERVICES_CORE_STATUS_MACROS_H_
