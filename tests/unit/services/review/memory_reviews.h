// Reviews that are kept in memory, for tests.
#ifndef YARDMASTER_TESTS_UNIT_SERVICES_REVIEW_MEMORY_REVIEWS_H_
#define YARDMASTER_TESTS_UNIT_SERVICES_REVIEW_MEMORY_REVIEWS_H_

#include <chrono>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "services/core/errors.h"
#include "services/core/store/reviews.h"

namespace yardmaster::testing {

class ReviewsInMemory final : public store::Reviews {
 public:
  absl::Status Put(const store::NewReview& review) override {
    std::erase_if(reviews_, [&](const store::Review& other) { return other.id == review.id; });
    reviews_.push_back({++rows_, review.id, review.subject, review.head, review.revision,
                        store::TimePoint(std::chrono::seconds(1'700'000'000)), review.outline, review.review});
    return absl::OkStatus();
  }
  absl::StatusOr<store::Review> Get(std::string_view id) override {
    for (const store::Review& review : reviews_) {
      if (review.id == id) return review;
    }
    return errors::ReviewUnknown(id);
  }
  absl::StatusOr<std::optional<store::Review>> Latest(const v1::Subject& subject, std::string_view) override {
    std::optional<store::Review> latest;
    for (const store::Review& review : reviews_) {
      if (review.subject.number() == subject.number()) latest = review;
    }
    return latest;
  }
  absl::StatusOr<store::Page<store::Review>> List(const store::ReviewFilter& filter,
                                                  const store::PageRequest& page) override {
    asked = filter;
    store::Page<store::Review> answer;
    for (auto review = reviews_.rbegin(); review != reviews_.rend(); ++review) {
      if (page.before > 0 && review->row >= page.before) continue;
      if (static_cast<int64_t>(answer.items.size()) == page.limit) {
        answer.next = answer.items.back().row;
        break;
      }
      answer.items.push_back(*review);
    }
    return answer;
  }
  absl::Status PutImport(const v1::Subject&, std::string_view head, const store::ImportedFindings& found) override {
    imports_[std::string(head)].push_back(found);
    return absl::OkStatus();
  }
  absl::StatusOr<std::vector<store::ImportedFindings>> Imports(const v1::Subject&, std::string_view head) override {
    if (imports_left == 0) return absl::UnavailableError("no more imports");
    if (imports_left > 0) --imports_left;
    return imports_[std::string(head)];
  }

  store::ReviewFilter asked;
  int imports_left = -1;  // how often Imports answers still; below zero: always

 private:
  int64_t rows_ = 0;
  std::vector<store::Review> reviews_;
  std::map<std::string, std::vector<store::ImportedFindings>> imports_;  // by head; every tool anew
};

}  // namespace yardmaster::testing

#endif  // YARDMASTER_TESTS_UNIT_SERVICES_REVIEW_MEMORY_REVIEWS_H_
