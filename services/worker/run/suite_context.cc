#include "services/worker/run/suite_context.h"

#include "absl/algorithm/container.h"

namespace yardmaster::worker {

void SuiteContext::Note(const std::string& text) {
  std::vector<std::string>& notes = result->notes;
  if (absl::c_linear_search(notes, text)) return;
  notes.push_back(text);
  observer->Note(text);
}

}  // namespace yardmaster::worker
