// Why nothing is done about tests: a code that the answers know (services/commands/pipe/test_handlers.cc), and the
// detail.
#ifndef YARDMASTER_SERVICES_DISPATCH_PULLS_REFUSAL_H_
#define YARDMASTER_SERVICES_DISPATCH_PULLS_REFUSAL_H_

#include <optional>
#include <string>

namespace yardmaster::dispatch {

struct Refusal {
  std::string code;
  std::string detail;
};

}  // namespace yardmaster::dispatch

#endif  // YARDMASTER_SERVICES_DISPATCH_PULLS_REFUSAL_H_
