// Identifiers: short, printable, unique in practice. Not secrets.
#ifndef YARDMASTER_SERVICES_CORE_IDS_H_
#define YARDMASTER_SERVICES_CORE_IDS_H_

#include <string>
#include <string_view>

namespace yardmaster {

// `prefix` and 16 hex characters ("d-" for decisions, "r-" for requests). Made from a generator of the thread, seeded
// by the system: no lock, no system call after the first of a thread.
std::string NewId(std::string_view prefix);

}  // namespace yardmaster

#endif  // YARDMASTER_SERVICES_CORE_IDS_H_
