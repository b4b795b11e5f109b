// The phrases of the pack `common`, loaded once for a program.
#ifndef YARDMASTER_TESTS_SUPPORT_SHIPPED_PHRASES_H_
#define YARDMASTER_TESTS_SUPPORT_SHIPPED_PHRASES_H_

#include <gtest/gtest.h>

#include <memory>

#include "rules/engine/phrases/phrase_set.h"
#include "tests/support/shipped_packs.h"

namespace yardmaster::testing {

inline const std::shared_ptr<const rules::PhraseSet>& ShippedPhrases() {
  static const auto* const kPhrases = [] {
    Problems problems;
    auto phrases = rules::PhraseSet::Load(ShippedPacks(), "common", problems);
    for (const Problem& problem : problems) ADD_FAILURE() << problem.ToString();
    return new std::shared_ptr<const rules::PhraseSet>(std::move(phrases));
  }();
  return *kPhrases;
}

}  // namespace yardmaster::testing

#endif  // YARDMASTER_TESTS_SUPPORT_SHIPPED_PHRASES_H_
