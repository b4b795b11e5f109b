// What the bodies of webhooks have in common: names of fields, addresses, and what is mostly there or null.
#ifndef YARDMASTER_SERVICES_CORE_STORE_BODY_DICTIONARY_H_
#define YARDMASTER_SERVICES_CORE_STORE_BODY_DICTIONARY_H_

#include <string_view>

namespace yardmaster::store {

// A compressor that has seen this before takes 40 % less for a body of GitHub. Bodies in databases can be read with
// exactly this text only, so it never changes: a better one gets a function and an encoding of its own, see codec.h.
std::string_view BodyDictionary();

}  // namespace yardmaster::store

#endif  // YARDMASTER_SERVICES_CORE_STORE_BODY_DICTIONARY_H_
