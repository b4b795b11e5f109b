#include "clients/forge/pages.h"

#include <utility>

#include "clients/forge/limits.h"

namespace yardmaster {

bool IsLastPage(const ForgePageInfo& page, const std::string& first_before) {
  if (page.items == 0) return true;
  if (!first_before.empty() && page.first == first_before) return true;
  if (page.more.has_value()) return !*page.more;
  return page.items < static_cast<size_t>(kForgePageSize);
}

absl::StatusOr<bool> ReadForgePages(const ReadForgePage& read) {
  std::string first_before;
  std::string query;
  for (int number = 1; number <= kMaxForgePages; ++number) {
    absl::StatusOr<ForgePageInfo> page = read(number, query);
    if (!page.ok()) return page.status();
    // A server that ignores the number and sends more than was asked for has sent all; one that sends exactly a page
    // may have more.
    if (page->items > 0 && !first_before.empty() && page->first == first_before) {
      return page->items > static_cast<size_t>(kForgePageSize);
    }
    if (IsLastPage(*page, first_before)) return true;
    first_before = page->first;
    query = std::move(page->next);
  }
  return false;
}

}  // namespace yardmaster
