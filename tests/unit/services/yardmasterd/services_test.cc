// The table of services against the contracts: what one of them names, the other has.
#include "services/yardmasterd/services.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

#include "services/core/rpc/contract_options.h"

namespace yardmaster {
namespace {

TEST(Services, EveryContractHasItsRow) {
  std::set<std::string> contracts;
  for (const auto* service : ContractServices()) contracts.insert(service->full_name());
  std::set<std::string> rows;
  for (const ServiceRow& row : Services()) EXPECT_TRUE(rows.insert(row.name).second) << row.name << " stands twice";
  EXPECT_EQ(rows, contracts);
}

TEST(Services, EveryJobOfTheContractsIsDoneByARow) {
  std::set<std::string> names;
  for (const auto& [word, name] : ReadJobWords()) names.insert(name);
  std::set<std::string> jobs;
  for (const ServiceRow& row : Services()) {
    for (const auto& [name, job] : row.jobs) EXPECT_TRUE(jobs.insert(name).second) << name << " stands twice";
  }
  EXPECT_EQ(jobs, names);
}

}  // namespace
}  // namespace yardmaster
