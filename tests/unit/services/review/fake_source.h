// A git server with one change, for tests.
#ifndef YARDMASTER_TESTS_UNIT_SERVICES_REVIEW_FAKE_SOURCE_H_
#define YARDMASTER_TESTS_UNIT_SERVICES_REVIEW_FAKE_SOURCE_H_

#include <memory>
#include <vector>

#include "absl/status/status.h"
#include "services/review/change_source.h"
#include "tests/support/memory_change.h"

namespace yardmaster::testing {

class FakeSource final : public ChangeSource {
 public:
  absl::StatusOr<SourcedChange> Read(const ChangeAddress& address) override {
    asked.push_back(address);
    if (!error.ok()) return error;
    SourcedChange sourced;
    sourced.change = std::make_unique<MemoryChange>(base, head);
    sourced.merge_base = "merge";
    return sourced;
  }

  MemoryTree base;
  MemoryTree head;
  absl::Status error;
  std::vector<ChangeAddress> asked;
};

}  // namespace yardmaster::testing

#endif  // YARDMASTER_TESTS_UNIT_SERVICES_REVIEW_FAKE_SOURCE_H_
