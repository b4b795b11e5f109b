#include "services/core/rpc/contract_options.h"

#include "absl/algorithm/container.h"
#include "absl/strings/str_cat.h"
#include "yardmaster/v1/contracts.h"
#include "yardmaster/v1/options.pb.h"

namespace yardmaster {
namespace {

using google::protobuf::MethodDescriptor;
using google::protobuf::ServiceDescriptor;

std::vector<const ServiceDescriptor*> FindServices() {
  std::vector<const ServiceDescriptor*> services;
  for (const google::protobuf::FileDescriptor* file : Contracts()) {
    for (int i = 0; i < file->service_count(); ++i) services.push_back(file->service(i));
  }
  absl::c_sort(services, [](const auto* a, const auto* b) { return a->full_name() < b->full_name(); });
  return services;
}

}  // namespace

ServiceDescriptors ContractServices() {
  static const auto* const services = new std::vector<const ServiceDescriptor*>(FindServices());
  return *services;
}

absl::StatusOr<std::vector<MethodRule>> ReadMethodRules(ServiceDescriptors services) {
  std::vector<MethodRule> rules;
  for (const ServiceDescriptor* service : services) {
    for (int i = 0; i < service->method_count(); ++i) {
      const MethodDescriptor& method = *service->method(i);
      const v1::Role role = method.options().GetExtension(v1::role);
      if (role == v1::ROLE_UNSPECIFIED) return absl::InternalError(absl::StrCat(method.full_name(), " says no role"));
      // The numbers are the same.
      rules.push_back({absl::StrCat("/", service->full_name(), "/", method.name()), static_cast<Role>(role)});
    }
  }
  absl::c_sort(rules, [](const MethodRule& a, const MethodRule& b) { return a.full_method < b.full_method; });
  return rules;
}

std::map<std::string, std::string> ReadJobWords(ServiceDescriptors services) {
  std::map<std::string, std::string> words;
  for (const ServiceDescriptor* service : services) {
    for (int i = 0; i < service->options().ExtensionSize(v1::jobs); ++i) {
      const v1::Job& job = service->options().GetExtension(v1::jobs, i);
      words[job.name()] = job.name();
      for (const std::string& old_name : job.old_names()) words[old_name] = job.name();
    }
  }
  return words;
}

}  // namespace yardmaster
