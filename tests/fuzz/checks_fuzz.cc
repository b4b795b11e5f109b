// Any bytes as a file of checks: problems or a set that runs, never a crash, and every problem has a message.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>

#include "rules/engine/checks/check_set.h"
#include "rules/engine/checks/review.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  namespace rules = yardmaster::rules;
  yardmaster::Problems problems;
  const auto checks = rules::LoadChecks({{"p/pack.json", R"({"name": "p", "title": "t"})"},
                                         {"p/checks/a.json", std::string(reinterpret_cast<const char*>(data), size)}},
                                        "p", problems);
  if ((checks == nullptr) == problems.empty()) abort();
  for (const yardmaster::Problem& problem : problems) {
    if (problem.message.empty()) abort();
  }
  if (checks != nullptr && checks->checks().size() < 20) {
    rules::ReviewOptions options;
    options.check_limit = std::chrono::milliseconds(100);
    rules::Review(*checks, {{"a.py", "import x\ndef f(a):\n    return x.y(a)\n", {}, "", false}}, options);
  }
  return 0;
}
