// What a configuration says about reviews of pull requests: when they are made, and what of them is published. The
// daemon's config says all of it, the file of a repository or an organisation may narrow what is published.
#ifndef YARDMASTER_SERVICES_CORE_CONFIG_REVIEW_CONFIG_H_
#define YARDMASTER_SERVICES_CORE_CONFIG_REVIEW_CONFIG_H_

#include <chrono>
#include <cstddef>
#include <optional>

#include "services/core/json_reader.h"
#include "services/core/limits.h"

namespace yardmaster {

// Where a review shows.
struct ReviewOutputs {
  bool check = false;            // one check or status for each head
  bool comment = false;          // one summary, updated in place
  bool inline_comments = false;  // comments at lines

  friend bool operator==(const ReviewOutputs&, const ReviewOutputs&) = default;
};

struct ReviewConfig {
  bool events = false;  // pull requests are reviewed when they are opened or change, not only when somebody asks
  ReviewOutputs publish = {true, true, true};
  bool gate_blocks = false;  // new blocking findings fail the check
  size_t max_inline = 20;    // comments at lines of one review
  bool drafts = false;       // drafts are reviewed, too
  // A push is reviewed so much later, unless another one comes before.
  std::chrono::milliseconds debounce = kReviewDebounce;
};

// What a file says. Unset members leave what a wider configuration says.
struct ReviewNarrowing {
  std::optional<ReviewOutputs> publish;
  std::optional<size_t> max_inline;
};

// Reads the member "review" of the daemon's entry for a repository:
//   "review": {"events": true, "publish": ["check", "comment", "inline"], "gate": "block", "max_inline": 20,
//              "drafts": false, "debounce_ms": 5000}
ReviewConfig ReadReviewConfig(ObjectReader& reader);

// The same member of a repository's or an organisation's file, which has "publish" and "max_inline" only. `bound`: what
// the daemon publishes; a file that wants more has a problem. Null: the daemon's configuration is unknown.
ReviewNarrowing ReadReviewNarrowing(ObjectReader& reader, const ReviewConfig* bound);

// What `narrow` sets, else what `wide` does.
ReviewNarrowing MergeReviewNarrowing(const ReviewNarrowing& narrow, const ReviewNarrowing& wide);

// The daemon's configuration, narrowed by files and never widened.
ReviewConfig Narrowed(ReviewConfig config, const ReviewNarrowing& narrowing);

}  // namespace yardmaster

#endif  // YARDMASTER_SERVICES_CORE_CONFIG_REVIEW_CONFIG_H_
