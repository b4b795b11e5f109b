#include "rules/engine/comment_similarity.h"

#include <re2/re2.h>

#include <algorithm>
#include <iterator>

#include "absl/algorithm/container.h"
#include "absl/strings/ascii.h"
#include "services/core/utf8.h"

namespace yardmaster::rules {
namespace {

bool OwnWords(Zone zone) {
  return zone != Zone::kHtmlComment && zone != Zone::kQuote && zone != Zone::kCode && zone != Zone::kTrace &&
         zone != Zone::kEnvironment;
}

// Punctuation and blanks of East Asian text.
bool IsWidePunctuation(char32_t c) {
  return (c >= 0x2000 && c <= 0x207F) || (c >= 0x3000 && c <= 0x303F) || (c >= 0xFF00 && c <= 0xFF3F);
}

void AppendTokens(std::string_view text, std::vector<std::string>& tokens) {
  std::string word;
  const auto flush = [&] {
    if (!word.empty()) tokens.push_back(std::move(word));
    word.clear();
  };
  for (size_t i = 0; i < text.size();) {
    const Utf8Char c = DecodeUtf8(text, i);
    if (c.code_point < 0x80 && absl::ascii_isalnum(static_cast<unsigned char>(text[i]))) {
      word += absl::ascii_tolower(static_cast<unsigned char>(text[i]));
    } else {
      flush();
      if (c.code_point >= 0x80 && !IsWidePunctuation(c.code_point)) tokens.emplace_back(text.substr(i, c.bytes));
    }
    i += c.bytes;
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
    re2::StringPiece part(comment.substr(span.begin, span.end - span.begin));
    std::string id;
    while (RE2::FindAndConsume(&part, R"(<!-- yardmaster (?:[a-z]+=\S+ )*template=(\S+) )", &id)) {
      if (id == template_id) return true;
    }
  }
  return false;
}

}  // namespace yardmaster::rules
