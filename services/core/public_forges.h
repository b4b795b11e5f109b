// The forges that suites, sentences and clones may name by their public host, for code that knows no forge. A forge
// that ships has its row here; clients/forges/shipped_forges.h has what else there is to know about it.
#ifndef YARDMASTER_SERVICES_CORE_PUBLIC_FORGES_H_
#define YARDMASTER_SERVICES_CORE_PUBLIC_FORGES_H_

#include <string>
#include <string_view>

namespace yardmaster {

struct PublicForge {
  std::string_view name;  // as in "NAME:OWNER/REPO"
  std::string_view host;
};

inline constexpr PublicForge kPublicForges[] = {{"github", "github.com"}, {"gitcode", "gitcode.com"}};

// Where git finds "NAME:OWNER/REPO"; empty for a forge that has no row.
inline std::string PublicGitUrl(std::string_view repository) {
  const size_t colon = repository.find(':');
  for (const PublicForge& forge : kPublicForges) {
    if (colon == std::string_view::npos || repository.substr(0, colon) != forge.name) continue;
    return "https://" + std::string(forge.host) + "/" + std::string(repository.substr(colon + 1)) + ".git";
  }
  return {};
}

}  // namespace yardmaster

#endif  // YARDMASTER_SERVICES_CORE_PUBLIC_FORGES_H_
