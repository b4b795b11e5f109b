// The forges that a test is run on: both, or one of them where time is short.
#ifndef YARDMASTER_TESTS_SUPPORT_FACES_H_
#define YARDMASTER_TESTS_SUPPORT_FACES_H_

#include <vector>

#include "tests/support/rounds.h"

namespace yardmaster::testing {

// `one`: the forge that is left where time is short.
template <typename Name>
std::vector<Name> Faces(const char* one) {
  if (IsShort()) return {one};
  return {"github", "gitcode"};
}

}  // namespace yardmaster::testing

#endif  // YARDMASTER_TESTS_SUPPORT_FACES_H_
