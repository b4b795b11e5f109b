// Words of a text, for finding similar ones.
#ifndef YARDMASTER_SERVICES_CORE_STORE_SEARCH_TERMS_H_
#define YARDMASTER_SERVICES_CORE_STORE_SEARCH_TERMS_H_

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace yardmaster::store {

// The distinct words of a text in the order of their first occurrence, in lower case, at most `max_words`:
//  * runs of letters and digits of any script, from 2 characters on; an identifier with underscores as a whole and by
//    its parts;
//  * Chinese, Japanese and Korean, which have no blanks between words, as overlapping pairs of characters.
// Left out: numbers, hexadecimal addresses and hashes, and runs over 40 characters, which are never words. Invalid
// UTF-8 separates words. A word contains letters, digits, "_" and bytes above 127 only.
std::vector<std::string> WordsOf(std::string_view text, size_t max_words);

}  // namespace yardmaster::store

#endif  // YARDMASTER_SERVICES_CORE_STORE_SEARCH_TERMS_H_
