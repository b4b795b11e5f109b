#include "rules/engine/comment_similarity.h"

#include <re2/re2.h>

#include <algorithm>
#include <iterator>

#include "absl/algorithm/container.h"

namespace yardmaster::rules {
namespace {

bool OwnWords(Zone zone) {
  return zone != Zone::kHtmlComment && zone != Zone::kQuote && zone != Zone::kCode && zone != Zone::kTrace &&
         zone != Zone::kEnvironment;
}

// Bytes of one UTF-8 character from its first byte; a stray continuation byte counts as one.
size_t CharacterBytes(unsigned char first) {
  if (first >= 0xF0) return 4;
  if (first >= 0xE0) return 3;
  return first >= 0xC0 ? 2 : 1;
}

// Punctuation and blanks of East Asian text: U+2000–U+206F, U+3000–U+303F, U+FF00–U+FF0F, U+FF1A–U+FF20.
bool IsWidePunctuation(std::string_view c) {
  if (c.size() != 3) return false;
  const auto a = static_cast<unsigned char>(c[0]);
  const auto b = static_cast<unsigned char>(c[1]);
  return (a == 0xE2 && (b == 0x80 || b == 0x81)) || (a == 0xE3 && b == 0x80) || (a == 0xEF && b == 0xBC);
}

void AppendTokens(std::string_view text, std::vector<std::string>& tokens) {
  std::string word;
  const auto flush = [&] {
    if (!word.empty()) tokens.push_back(std::move(word));
    word.clear();
  };
  for (size_t i = 0; i < text.size();) {
    const auto c = static_cast<unsigned char>(text[i]);
    if (c < 0x80) {
      if (c >= 'A' && c <= 'Z') {
        word += static_cast<char>(c - 'A' + 'a');
      } else if ((c >= 'a' && c <= 'z') || (c >= '0' && c <= '9')) {
        word += static_cast<char>(c);
      } else {
        flush();
      }
      ++i;
      continue;
    }
    flush();
    const std::string_view character = text.substr(i, CharacterBytes(c));
    if (!IsWidePunctuation(character)) tokens.emplace_back(character);
    i += character.size();
  }
  flush();
}

}  // namespace

std::vector<std::string> CommentTokens(std::string_view comment, const ZoneSplitter& splitter) {
  std::vector<std::string> tokens;
  for (const ZoneSpan& span : splitter.Split(comment)) {
    if (OwnWords(span.zone)) AppendTokens(comment.substr(span.begin, span.end - span.begin), tokens);
  }
  absl::c_sort(tokens);
  tokens.erase(std::unique(tokens.begin(), tokens.end()), tokens.end());
  return tokens;
}

double Jaccard(const std::vector<std::string>& a, const std::vector<std::string>& b) {
  std::vector<std::string_view> both;
  std::set_intersection(a.begin(), a.end(), b.begin(), b.end(), std::back_inserter(both));
  const size_t all = a.size() + b.size() - both.size();
  return all == 0 ? 0 : static_cast<double>(both.size()) / static_cast<double>(all);
}

bool HasTemplateMarker(std::string_view comment, std::string_view template_id, const ZoneSplitter& splitter) {
  if (comment.find("<!-- yardmaster ") == std::string_view::npos) return false;
  for (const ZoneSpan& span : splitter.Split(comment)) {
    if (span.zone != Zone::kHtmlComment) continue;
    re2::StringPiece part(comment.data() + span.begin, span.end - span.begin);
    re2::StringPiece id;
    while (RE2::FindAndConsume(&part, R"(<!-- yardmaster (?:[a-z]+=\S+ )*template=(\S+) )", &id)) {
      if (std::string_view(id.data(), id.size()) == template_id) return true;
    }
  }
  return false;
}

}  // namespace yardmaster::rules
