// Where HTML comments are in a stretch of Markdown.
#ifndef YARDMASTER_RULES_ENGINE_TEXT_HTML_COMMENTS_H_
#define YARDMASTER_RULES_ENGINE_TEXT_HTML_COMMENTS_H_

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

namespace yardmaster::rules {

// Bytes [begin, end) of a text, marks included.
struct CommentRange {
  uint32_t begin = 0;
  uint32_t end = 0;
};

// Adds the comments in [begin, end) of `text`, the bytes of one block, in ascending order. In an HTML block a comment
// without its end mark runs to the end of the block; in a paragraph (`inline_markup`) it is no comment, and neither is
// one in a code span or after a backslash. Linear in the bytes. Where `code_spans` is given, the code spans of a
// paragraph are added to it, backticks included, in ascending order.
void FindHtmlComments(std::string_view text, uint32_t begin, uint32_t end, bool inline_markup,
                      std::vector<CommentRange>& comments, std::vector<CommentRange>* code_spans = nullptr);

}  // namespace yardmaster::rules

#endif  // YARDMASTER_RULES_ENGINE_TEXT_HTML_COMMENTS_H_
