// Decisions: the plans that planners made, as they made them.
#ifndef YARDMASTER_SERVICES_CORE_STORE_DECISIONS_H_
#define YARDMASTER_SERVICES_CORE_STORE_DECISIONS_H_

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "services/core/store/page.h"
#include "yardmaster/v1/types.pb.h"

namespace yardmaster::store {

using TimePoint = std::chrono::system_clock::time_point;

struct NewDecision {
  std::string id;  // unique; not empty
  v1::Subject subject;
  std::string pack;
  std::string pack_revision;
  // The digest under which the caller will look for it again. What goes into it is the caller's choice.
  std::string input_digest;
  v1::Mode mode = v1::MODE_DRY_RUN;
  int64_t delivery = 0;  // row id of the delivery that led to it; 0 if none
  std::string plan;      // the serialized v1::Plan; any bytes, kept as they are
};

struct Decision {
  int64_t row = 0;  // for PageRequest::before
  std::string id;
  v1::Subject subject;
  std::string pack;
  std::string pack_revision;
  std::string input_digest;
  v1::Mode mode = v1::MODE_DRY_RUN;
  int64_t delivery = 0;
  TimePoint created_at{};
  std::string plan;  // empty in lists
};

// Fields that are set must all hold.
struct DecisionFilter {
  std::optional<v1::Subject> subject;  // case of names is ignored; an unspecified kind matches every kind
  std::string pack;
  std::optional<v1::Mode> mode;
};

// Thread-safe. Put returns after the commit and waits for it; it must not be called from a callback of the store, and
// is RESOURCE_EXHAUSTED while the disk is low.
class Decisions {
 public:
  virtual ~Decisions() = default;

  // ALREADY_EXISTS if there is a decision of that id.
  virtual absl::Status Put(const NewDecision& decision) = 0;

  // NOT_FOUND (errors::DecisionUnknown) if there is none, or it is no longer kept.
  virtual absl::StatusOr<Decision> Get(std::string_view id) = 0;
  // The newest about a subject; nullopt if there is none.
  virtual absl::StatusOr<std::optional<Decision>> Latest(const v1::Subject& subject) = 0;
  // The newest about a subject under the same input, pack and pack revision; in the given mode where one is given.
  // nullopt if there is none.
  virtual absl::StatusOr<std::optional<Decision>> FindSame(const v1::Subject& subject, std::string_view input_digest,
                                                           std::string_view pack, std::string_view pack_revision,
                                                           std::optional<v1::Mode> mode) = 0;
  virtual absl::StatusOr<Page<Decision>> List(const DecisionFilter& filter, const PageRequest& page) = 0;
};

}  // namespace yardmaster::store

#endif  // YARDMASTER_SERVICES_CORE_STORE_DECISIONS_H_
