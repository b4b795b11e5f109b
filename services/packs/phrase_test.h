// Runs the cases that a pack's phrases ship.
#ifndef YARDMASTER_SERVICES_PACKS_PHRASE_TEST_H_
#define YARDMASTER_SERVICES_PACKS_PHRASE_TEST_H_

#include "rules/engine/phrases/phrase_set.h"
#include "services/packs/pack_test.h"

namespace yardmaster {

// Adds the cases of the pack's own phrases to `result`. A rule of phrases is covered if a passing case makes use of it.
void TestPhrases(const rules::PhraseSet& phrases, PackTest& result);

}  // namespace yardmaster

#endif  // YARDMASTER_SERVICES_PACKS_PHRASE_TEST_H_
