#include "services/core/config/review_config.h"

#include <algorithm>
#include <string>
#include <string_view>
#include <utility>

#include "absl/strings/str_cat.h"
#include "services/core/readable.h"

namespace yardmaster {
namespace {

struct OutputWord {
  std::string_view word;
  bool ReviewOutputs::*member;
};
constexpr OutputWord kOutputWords[] = {{"check", &ReviewOutputs::check},
                                       {"comment", &ReviewOutputs::comment},
                                       {"inline", &ReviewOutputs::inline_comments}};

// `bound` may be null.
std::optional<ReviewOutputs> ReadOutputs(ObjectReader& reader, const ReviewOutputs* bound) {
  if (!reader.Has("publish")) return std::nullopt;
  ReviewOutputs outputs;
  for (const JsonPlace& place : reader.Strings("publish")) {
    const std::string& word = place.value->get_ref<const std::string&>();
    const auto* known = std::find_if(std::begin(kOutputWords), std::end(kOutputWords),
                                     [&](const auto& row) { return row.word == word; });
    if (known == std::end(kOutputWords)) {
      reader.context().Problem(place.pointer, "expected \"check\", \"comment\" or \"inline\"");
    } else if (std::exchange(outputs.*known->member, true)) {
      reader.context().Problem(place.pointer, Quoted(word) + " is named twice");
    } else if (bound != nullptr && !(bound->*known->member)) {
      reader.context().Problem(place.pointer, "the service does not publish " + Quoted(word) +
                                                  " for this repository: a file can leave out, not add");
    }
  }
  return outputs;
}

std::optional<size_t> ReadMaxInline(ObjectReader& reader) {
  const std::optional<int64_t> count = reader.Integer("max_inline", 0, static_cast<int64_t>(kMostInlineComments));
  if (!count.has_value()) return std::nullopt;
  return static_cast<size_t>(*count);
}

}  // namespace

ReviewConfig ReadReviewConfig(ObjectReader& reader) {
  ReviewConfig config;
  std::optional<JsonPlace> place = reader.Object("review");
  if (!place.has_value()) return config;
  ObjectReader review(reader.context(), *std::move(place), "what holds for reviews");
  config.events = review.Bool("events").value_or(config.events);
  config.publish = ReadOutputs(review, nullptr).value_or(config.publish);
  if (const std::optional<std::string> gate = review.String("gate"); gate.has_value()) {
    if (*gate != "block" && *gate != "never") review.Problem("gate", "expected \"block\" or \"never\"");
    config.gate_blocks = *gate == "block";
  }
  config.max_inline = ReadMaxInline(review).value_or(config.max_inline);
  config.drafts = review.Bool("drafts").value_or(config.drafts);
  if (const std::optional<int64_t> wait = review.Integer("debounce_ms", 0, kMostReviewDebounce.count())) {
    config.debounce = std::chrono::milliseconds(*wait);
  }
  review.Finish();
  return config;
}

ReviewNarrowing ReadReviewNarrowing(ObjectReader& reader, const ReviewConfig* bound) {
  ReviewNarrowing narrowing;
  std::optional<JsonPlace> place = reader.Object("review");
  if (!place.has_value()) return narrowing;
  ObjectReader review(reader.context(), *std::move(place), "what holds for reviews");
  narrowing.publish = ReadOutputs(review, bound == nullptr ? nullptr : &bound->publish);
  narrowing.max_inline = ReadMaxInline(review);
  if (bound != nullptr && narrowing.max_inline.value_or(0) > bound->max_inline) {
    review.Problem("max_inline", absl::StrCat("the service writes at most ", bound->max_inline,
                                              " comments at lines for this repository: a file can lower that"));
  }
  review.Finish();
  return narrowing;
}

ReviewNarrowing MergeReviewNarrowing(const ReviewNarrowing& narrow, const ReviewNarrowing& wide) {
  return {narrow.publish.has_value() ? narrow.publish : wide.publish,
          narrow.max_inline.has_value() ? narrow.max_inline : wide.max_inline};
}

ReviewConfig Narrowed(ReviewConfig config, const ReviewNarrowing& narrowing) {
  if (narrowing.publish.has_value()) {
    for (const OutputWord& row : kOutputWords) {
      config.publish.*row.member = config.publish.*row.member && *narrowing.publish.*row.member;
    }
  }
  config.max_inline = std::min(config.max_inline, narrowing.max_inline.value_or(config.max_inline));
  return config;
}

}  // namespace yardmaster
