// What revisions of packs that run in the shadow of those in service would have done.
#ifndef YARDMASTER_SERVICES_CORE_STORE_SHADOWS_H_
#define YARDMASTER_SERVICES_CORE_STORE_SHADOWS_H_

#include <cstdint>
#include <functional>
#include <string>

#include "absl/status/status.h"
#include "yardmaster/v1/types.pb.h"

namespace yardmaster::store {

// One decision or review that was made under both revisions.
struct NewShadowRun {
  v1::Subject subject;
  std::string planner;  // who decided
  std::string pack;
  std::string base_revision;
  std::string shadow_revision;
  std::string input;   // digest of what was decided about; empty: unknown
  std::string record;  // any bytes, kept as they are
};

// Fields that are set must all hold.
struct ShadowFilter {
  std::string repository = {};  // "github:owner/name"; case is ignored
  std::string pack = {};
  std::string shadow_revision = {};
};

// Thread-safe. Put returns after the commit and waits for it; it must not be called from a callback of the store, and
// is RESOURCE_EXHAUSTED while the disk is low.
class Shadows {
 public:
  virtual ~Shadows() = default;

  // Keeps a run as the newest; one about the same subject and input by the same planner under the same revisions goes.
  // INVALID_ARGUMENT for a record over kMaxShadowRecordBytes.
  virtual absl::Status Put(const NewShadowRun& run) = 0;
  // Shows the records, newest first, until `visit` returns false. Bytes that can't be read are left out.
  virtual absl::Status ForEach(const ShadowFilter& filter,
                               const std::function<bool(const std::string& record)>& visit) = 0;
};

}  // namespace yardmaster::store

#endif  // YARDMASTER_SERVICES_CORE_STORE_SHADOWS_H_
