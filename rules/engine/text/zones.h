// Markdown → zones: which part of a text is prose, code, a stack trace, an environment dump and so on. Evidence counts
// differently in each. Zones are whole lines of the text as received, except for the title, which is one zone, and for
// HTML comments, which may begin and end inside a line.
#ifndef YARDMASTER_RULES_ENGINE_TEXT_ZONES_H_
#define YARDMASTER_RULES_ENGINE_TEXT_ZONES_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "services/core/problem.h"

namespace yardmaster::rules {

// Parts of a text that count differently.
enum class Zone : uint8_t {
  kTitle,        // the issue's title
  kProse,        // what people wrote; inline code is part of it
  kHeading,      // Markdown headings that are not part of an issue form
  kCode,         // fenced or indented code
  kTrace,        // stack traces and error output, inside and outside of fences
  kEnvironment,  // dumps such as collect_env, nvidia-smi or package lists
  kQuote,        // block quotes (of other people's words) that are no trace
  kHtmlComment,  // <!-- … -->
  kBoilerplate,  // headings and fixed sentences of issue forms
  kCommand,      // lines that begin with a slash-command
  kOverflow,     // everything past the size limit of the Markdown parser
};
inline constexpr size_t kZoneCount = 11;

// A set of zones, one bit each.
using ZoneMask = uint16_t;
inline constexpr ZoneMask kAllZones = (1U << kZoneCount) - 1;
inline ZoneMask MaskOf(Zone zone) { return static_cast<ZoneMask>(1U << static_cast<unsigned>(zone)); }

// "title", "prose", … as written in packs.
std::string_view ZoneName(Zone zone);
std::optional<Zone> ZoneFromName(std::string_view name);

// A run of bytes of one zone: [begin, end) of the text that was split.
struct ZoneSpan {
  Zone zone = Zone::kProse;
  size_t begin = 0;
  size_t end = 0;
  // First word of a fence's info string, lower case, at most 32 bytes ("python", "c++"); empty elsewhere.
  std::string language;

  friend bool operator==(const ZoneSpan&, const ZoneSpan&) = default;
};

// More than this many bytes of a body are not parsed as Markdown; the rest becomes Zone::kOverflow.
inline constexpr size_t kMaxMarkdownBytes = 64 * 1024;

// Where the part of `text` ends that is parsed as Markdown: behind the last whole line within the limit, or at the
// limit if the line is longer, but never inside a UTF-8 character.
size_t MarkdownEnd(std::string_view text);

// What a pack says about zones (its zones.json): the words that give traces, environment dumps and issue forms away.
// All patterns are RE2 syntax, case as written, tried at the beginning of single lines without their line ending. The
// markers and the indentation of the quotes, lists and fences around a line are taken off before; write "\\s*" for
// other blanks that may come first and
// ".*" for text that may. A pattern that matches an empty line is an error.
struct ZoneRules {
  std::vector<std::string> trace_starts;        // a line that starts a trace
  std::vector<std::string> trace_lines;         // a line that belongs to a trace once one has started
  std::vector<std::string> error_lines;         // an error message that counts as trace on its own
  std::vector<std::string> environment_starts;  // a line that starts an environment dump
  std::vector<std::string> environment_lines;   // a line that belongs to a dump once one has started
  // Whole lines of issue forms: headings and fixed sentences. The marks of headings and emphasis ("#", "*", "_") and a
  // colon around them need not be written.
  std::vector<std::string> boilerplate;

  friend bool operator==(const ZoneRules&, const ZoneRules&) = default;
};
// The lists by their keys in zones.json.
inline constexpr std::pair<const char*, std::vector<std::string> ZoneRules::*> kZoneRuleLists[] = {
    {"trace_starts", &ZoneRules::trace_starts},
    {"trace_lines", &ZoneRules::trace_lines},
    {"error_lines", &ZoneRules::error_lines},
    {"environment_starts", &ZoneRules::environment_starts},
    {"environment_lines", &ZoneRules::environment_lines},
    {"boilerplate", &ZoneRules::boilerplate}};

// Splits texts. Immutable after construction; safe to use from many threads at once.
class ZoneSplitter {
 public:
  // Compiles the patterns. Returns nullptr and adds a problem for each bad pattern; `pointer` in a problem is that of
  // the pattern inside zones.json (for example "/trace_starts/3"); file and line are left to the caller.
  static std::unique_ptr<ZoneSplitter> Create(const ZoneRules& rules, Problems& problems);
  ~ZoneSplitter();
  ZoneSplitter(const ZoneSplitter&) = delete;
  ZoneSplitter& operator=(const ZoneSplitter&) = delete;

  // Zones of a body or a comment in ascending order. They do not overlap, cover every non-blank line, and adjacent
  // lines of the same zone and language of the same block are one span; so are those of one trace or dump that blank
  // lines cut into several paragraphs. Any bytes are accepted: invalid UTF-8, NUL, every line ending. Lists nested more
  // than 128 deep (see markdown_blocks.h) are not parsed as Markdown: all lines then count as prose, trace or
  // environment by their own looks, and `too_deep`, where given, is set to say so.
  std::vector<ZoneSpan> Split(std::string_view text, bool* too_deep = nullptr) const;

 private:
  struct Impl;
  explicit ZoneSplitter(std::unique_ptr<const Impl> impl);
  std::unique_ptr<const Impl> impl_;
};

}  // namespace yardmaster::rules

#endif  // YARDMASTER_RULES_ENGINE_TEXT_ZONES_H_
