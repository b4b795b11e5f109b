// Texts of pull requests and commits. The input, up to a NUL: a template or what a description says; behind it: the
// message of a commit. Never a crash; headings, comments and boxes of the text stay, and nothing grows without a limit.
#include <cstddef>
#include <cstdint>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

#include "services/workflow/commit_message.h"
#include "services/workflow/description.h"
#include "tests/fuzz/check.h"

using yardmaster::Check;

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view input(reinterpret_cast<const char*>(data), size);
  const size_t end = input.find('\0');
  const std::string text(input.substr(0, end));
  yardmaster::GitCommit commit;
  commit.message = end == std::string_view::npos ? "feat(a): one" : std::string(input.substr(end + 1));
  yardmaster::workflow::WhyBadMessage(commit.message);
  const std::vector<yardmaster::workflow::FileFacts> files = {
      yardmaster::workflow::FactsOfFile({}, commit.message, text)};
  yardmaster::workflow::MessageOf(files, text.substr(0, text.find('\n')), "");
  const yardmaster::workflow::Description made = yardmaster::workflow::Describe({commit}, files, text);
  Check(made.title.find('\n') == std::string::npos, "a title is one line");
  Check(made.body.size() <= text.size() + 4 * commit.message.size() + 1'000, "a text does not grow without a limit");
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    if (line.starts_with("- [ ] ") && line.back() > ' ') {
      Check(made.body.find(line) != std::string::npos, "a box stays");
    }
  }
  return 0;
}
