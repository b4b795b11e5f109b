#include "services/worker/run/suite_context.h"

#include <algorithm>

namespace yardmaster::worker {

void SuiteContext::Note(const std::string& text) {
  std::vector<std::string>& notes = result->notes;
  if (std::find(notes.begin(), notes.end(), text) != notes.end()) return;
  notes.push_back(text);
  observer->Note(text);
}

}  // namespace yardmaster::worker
