// What the contracts say of services besides their messages (proto/yardmaster/v1/options.proto): who may call their
// methods, and what of them schedules can run.
#ifndef YARDMASTER_SERVICES_CORE_RPC_CONTRACT_OPTIONS_H_
#define YARDMASTER_SERVICES_CORE_RPC_CONTRACT_OPTIONS_H_

#include <google/protobuf/descriptor.h>

#include <map>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "services/core/auth.h"

namespace yardmaster {

using ServiceDescriptors = absl::Span<const google::protobuf::ServiceDescriptor* const>;

// The services of all contracts, in order of their names.
ServiceDescriptors ContractServices();

// The role of every method, in order. INTERNAL names the first method that says none.
absl::StatusOr<std::vector<MethodRule>> ReadMethodRules(ServiceDescriptors services = ContractServices());

// What "schedules[].run" of the configuration may say → the job's name, which differs where the word is an old one.
std::map<std::string, std::string> ReadJobWords(ServiceDescriptors services = ContractServices());

}  // namespace yardmaster

#endif  // YARDMASTER_SERVICES_CORE_RPC_CONTRACT_OPTIONS_H_
