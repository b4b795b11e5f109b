#include "rules/suites/placeholders.h"

#include "absl/algorithm/container.h"
#include "services/core/readable.h"

namespace yardmaster::rules {
namespace {

constexpr std::string_view kOpen = "${";

// The next piece of a text: what stands before a placeholder, and its name.
struct Piece {
  std::string_view before;
  bool escaped = false;  // "$${": `before` ends with the dollar that stays
  bool found = false;
  bool closed = false;
  std::string_view name;
  size_t end = 0;  // where to go on
};

Piece NextPiece(std::string_view text, size_t from) {
  Piece piece;
  const size_t open = text.find(kOpen, from);
  if (open == std::string_view::npos) {
    piece.before = text.substr(from);
    piece.end = text.size();
    return piece;
  }
  if (open > from && text[open - 1] == '$') {
    piece.before = text.substr(from, open - 1 - from);
    piece.escaped = true;
    piece.end = open + kOpen.size();
    return piece;
  }
  piece.before = text.substr(from, open - from);
  piece.found = true;
  const size_t close = text.find('}', open);
  piece.closed = close != std::string_view::npos;
  piece.name = text.substr(open + kOpen.size(), piece.closed ? close - open - kOpen.size() : std::string_view::npos);
  piece.end = piece.closed ? close + 1 : text.size();
  return piece;
}

}  // namespace

std::optional<std::string> Substitute(std::string_view text, const PlaceholderValues& values, std::string& error) {
  std::string out;
  for (size_t at = 0; at < text.size();) {
    const Piece piece = NextPiece(text, at);
    out += piece.before;
    at = piece.end;
    if (piece.escaped) out += kOpen;
    if (!piece.found) continue;
    if (!piece.closed) {
      error = "expected \"}\" after " + Quoted(std::string(kOpen) + std::string(piece.name));
      return std::nullopt;
    }
    const auto value = values.find(piece.name);
    if (value == values.end()) {
      error = "unknown placeholder " + Quoted("${" + std::string(piece.name) + "}");
      return std::nullopt;
    }
    out += value->second;
  }
  return out;
}

std::vector<std::string> PlaceholderNames(std::string_view text) {
  std::vector<std::string> names;
  for (size_t at = 0; at < text.size();) {
    const Piece piece = NextPiece(text, at);
    at = piece.end;
    if (!piece.found || !piece.closed) continue;
    std::string name(piece.name);
    if (!absl::c_linear_search(names, name)) names.push_back(std::move(name));
  }
  return names;
}

}  // namespace yardmaster::rules
