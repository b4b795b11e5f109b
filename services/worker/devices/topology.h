// Which devices of a host reach each other fast.
#ifndef YARDMASTER_SERVICES_WORKER_DEVICES_TOPOLOGY_H_
#define YARDMASTER_SERVICES_WORKER_DEVICES_TOPOLOGY_H_

#include <map>
#include <string_view>

namespace yardmaster::worker {

// The group of each device by its index, from the matrix that `nvidia-smi topo -m` and `npu-smi info -t topo` print.
// Those of one group are joined by NVLink or HCCS; where the host has neither, by switches of PCI Express alone (PIX,
// PXB). Groups are numbered from 0. Empty where the text is no such matrix.
std::map<int, int> GroupsOfTopology(std::string_view text);

}  // namespace yardmaster::worker

#endif  // YARDMASTER_SERVICES_WORKER_DEVICES_TOPOLOGY_H_
