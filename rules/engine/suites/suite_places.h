// Where things of a suite stand in its document: the checks of a suite share it.
#ifndef YARDMASTER_RULES_ENGINE_SUITES_SUITE_PLACES_H_
#define YARDMASTER_RULES_ENGINE_SUITES_SUITE_PLACES_H_

#include <cstddef>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "services/core/json_document.h"
#include "services/core/problem.h"
#include "services/core/readable.h"

namespace yardmaster::rules {

// A place in a document, and the places inside of it.
class Place {
 public:
  Place(const JsonDocument& document, std::string pointer, Problems& problems)
      : document_(&document), pointer_(std::move(pointer)), problems_(&problems) {}

  Place operator/(std::string_view key) const { return {*document_, PointerJoin(pointer_, key), *problems_}; }
  Place operator/(const char* key) const { return *this / std::string_view(key); }
  Place operator/(size_t index) const { return {*document_, PointerJoin(pointer_, index), *problems_}; }

  void Add(std::string message) const { problems_->push_back(document_->ProblemAt(pointer_, std::move(message))); }

  // "…; did you mean X?", where a name is close to one of those that are known.
  void AddUnknown(std::string message, std::string_view name, const std::vector<std::string_view>& known) const {
    Add(std::move(message) + DidYouMean(name, known));
  }

  // "file:line"
  std::string Text() const { return document_->file() + ":" + std::to_string(document_->PositionOf(pointer_).line); }

 private:
  const JsonDocument* document_;
  std::string pointer_;
  Problems* problems_;
};

}  // namespace yardmaster::rules

#endif  // YARDMASTER_RULES_ENGINE_SUITES_SUITE_PLACES_H_
