// The example payloads that GitHub's own libraries ship; see webhook_examples/README.md.
#ifndef YARDMASTER_TESTS_SUPPORT_WEBHOOK_EXAMPLES_H_
#define YARDMASTER_TESTS_SUPPORT_WEBHOOK_EXAMPLES_H_

#include <zstd.h>

#include <cstddef>
#include <cstdint>
#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <string>

#include "tests/support/source_path.h"

namespace yardmaster::testing {

// [{"name": event, "examples": [payload…]}…], keys in the order of the file. Throws std::runtime_error if the file is
// missing or damaged.
inline nlohmann::ordered_json GithubExamples() {
  const std::string name = SourcePath("tests/support/webhook_examples/github.json.zst").string();
  std::ifstream in(name, std::ios::binary);
  const std::string packed{std::istreambuf_iterator<char>(in), {}};
  const unsigned long long size = ZSTD_getFrameContentSize(packed.data(), packed.size());
  if (size == ZSTD_CONTENTSIZE_ERROR || size == ZSTD_CONTENTSIZE_UNKNOWN) {
    throw std::runtime_error(name + " can't be read");
  }
  std::string text(size, '\0');
  if (ZSTD_isError(ZSTD_decompress(text.data(), text.size(), packed.data(), packed.size())) != 0) {
    throw std::runtime_error(name + " is damaged");
  }
  return nlohmann::ordered_json::parse(text);
}

// The example of an opened issue whose size is closest to `bytes`. Throws std::runtime_error if none is within 2 %.
inline nlohmann::ordered_json OpenedIssueOfAbout(size_t bytes) {
  nlohmann::ordered_json best;
  size_t best_distance = SIZE_MAX;
  for (const nlohmann::ordered_json& event : GithubExamples()) {
    if (event["name"] != "issues") continue;
    for (const nlohmann::ordered_json& example : event["examples"]) {
      const size_t size = example.dump().size();
      const size_t distance = size > bytes ? size - bytes : bytes - size;
      if (example["action"] != "opened" || distance >= best_distance) continue;
      best = example;
      best_distance = distance;
    }
  }
  if (best_distance > bytes / 50) {
    throw std::runtime_error("no example of an opened issue has about " + std::to_string(bytes) + " bytes");
  }
  return best;
}

}  // namespace yardmaster::testing

#endif  // YARDMASTER_TESTS_SUPPORT_WEBHOOK_EXAMPLES_H_
