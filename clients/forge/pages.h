// Reading all pages of a list. Forges disagree about how a list ends, and some ignore the page number; these rules end
// every list:
//   an empty page; what the answer itself says (Link, total_page); where it says nothing, a page shorter than asked
//   for; a page that begins like the one before (the server ignores the number); kMaxForgePages.
// Where the answer says how to ask for the next page, it is asked for like that: page numbers end at 10,000 items.
#ifndef YARDMASTER_CLIENTS_FORGE_PAGES_H_
#define YARDMASTER_CLIENTS_FORGE_PAGES_H_

#include <functional>
#include <optional>
#include <string>

#include "absl/status/statusor.h"

namespace yardmaster {

struct ForgePageInfo {
  size_t items = 0;
  std::string first;         // what tells the first item from others
  std::optional<bool> more;  // what the answer says, if anything
  std::string next;          // the query of the next page, as the answer gives it; empty: by its number
};

// Whether a page is the last one, by the rules above. `first_before`: of the page before, empty for none.
bool IsLastPage(const ForgePageInfo& page, const std::string& first_before);

// Calls `read` for page 1, 2, … and stops as above, or when it returns an error. True: the list is complete. False: the
// page limit was reached, or the server repeated a full page and so may hide the rest. `read` sees the repeated page
// too: it leaves out what it has.
// `query`: ForgePageInfo.next of the page before.
using ReadForgePage = std::function<absl::StatusOr<ForgePageInfo>(int page, const std::string& query)>;
absl::StatusOr<bool> ReadForgePages(const ReadForgePage& read);

}  // namespace yardmaster

#endif  // YARDMASTER_CLIENTS_FORGE_PAGES_H_
