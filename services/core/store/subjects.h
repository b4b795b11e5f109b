// Subjects: what issues and pull requests looked like when we last saw them, and their text for finding similar ones.
#ifndef YARDMASTER_SERVICES_CORE_STORE_SUBJECTS_H_
#define YARDMASTER_SERVICES_CORE_STORE_SUBJECTS_H_

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "yardmaster/v1/types.pb.h"

namespace yardmaster::store {

using TimePoint = std::chrono::system_clock::time_point;

// A look at a subject.
struct SeenSubject {
  v1::Subject subject;
  std::string title;
  // Only its first kMaxIndexedBodyBytes are indexed; the body itself is not kept.
  std::string body;
  std::vector<std::string> labels;
  std::string state;   // "open", "closed", …: as the forge-neutral router names it
  std::string author;  // login
  // Over title, body, labels and state; made by the caller, who compares it to know edits that change nothing.
  std::string digest;
};

struct KnownSubject {
  v1::Subject subject;
  std::string title;
  std::vector<std::string> labels;
  std::string state;
  std::string author;
  std::string digest;
  TimePoint first_seen_at{};
  TimePoint seen_at{};
};

// A label that a person took off: we never put it back.
struct RemovedLabel {
  std::string label;
  std::string by;  // login
  TimePoint at{};
};

// When a pull request got the head that it has now, as far as that is known by looking.
struct SeenHead {
  std::string head;
  std::optional<TimePoint> not_before;  // it was last seen with another head then; nullopt: it never was
  TimePoint not_after{};                // it was first seen with this one then
};

// What tells of a head: what a forge answers is how things are now; what it sends may be late and out of order.
enum class HeadSource : uint8_t { kAnswer, kDelivery };

struct SimilarQuery {
  std::string title;
  std::string body;        // its first kMaxIndexedBodyBytes count
  std::string forge;       // empty: all
  std::string repository;  // empty: all; case is ignored
  // Left out of the answer: usually the subject that the text belongs to.
  std::optional<v1::Subject> except;
  std::string state;  // empty: all
  int64_t limit = 5;  // at most kMaxSimilar
};

struct SimilarSubject {
  v1::Subject subject;
  std::string title;
  std::string state;
  double score = 0;  // larger is more alike; comparable within one answer only
};

// Thread-safe. Functions that write return after the commit and wait for it; they must not be called from a callback of
// the store. Put is RESOURCE_EXHAUSTED while the disk is low; what people did to labels is always noted.
class Subjects {
 public:
  virtual ~Subjects() = default;

  // Notes a look. Call it when the work on what was seen is done, not before: after a crash the same delivery is worked
  // on again and must not be taken for an edit that changes nothing.
  virtual absl::Status Put(const SeenSubject& seen) = 0;
  // nullopt if it was never put.
  virtual absl::StatusOr<std::optional<KnownSubject>> Get(const v1::Subject& subject) = 0;

  // A person took a label off. The newest removal replaces an older one of the same label.
  virtual absl::Status NoteLabelRemoved(const v1::Subject& subject, std::string_view label, std::string_view by) = 0;
  // A person put it on again: it is theirs to decide, and no longer forbidden.
  virtual absl::Status ForgetLabelRemoved(const v1::Subject& subject, std::string_view label) = 0;
  // By label. Empty also for subjects never seen.
  virtual absl::StatusOr<std::vector<RemovedLabel>> RemovedLabels(const v1::Subject& subject) = 0;

  // A pull request was seen with a head at a time, which is noted. What is known of the head that it has now: another
  // one, if this look is older than one before, or is a late delivery of the head that it had before.
  virtual absl::StatusOr<SeenHead> SeeHead(const v1::Subject& subject, std::string_view head, TimePoint at,
                                           HeadSource source) = 0;

  // Subjects whose texts share rare words with the query, best first. Words of any script count, Chinese by pairs of
  // characters; words that stand in too many texts do not, which also bounds the time. Empty if nothing is alike.
  virtual absl::StatusOr<std::vector<SimilarSubject>> Similar(const SimilarQuery& query) = 0;
};

}  // namespace yardmaster::store

#endif  // YARDMASTER_SERVICES_CORE_STORE_SUBJECTS_H_
