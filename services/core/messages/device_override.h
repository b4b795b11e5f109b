// The devices that a job asks for, as a run understands them.
#ifndef YARDMASTER_SERVICES_CORE_MESSAGES_DEVICE_OVERRIDE_H_
#define YARDMASTER_SERVICES_CORE_MESSAGES_DEVICE_OVERRIDE_H_

#include "rules/suites/selection.h"
#include "yardmaster/v1/dispatch.pb.h"

namespace yardmaster {

rules::DeviceOverride DeviceOverrideOf(const v1::DeviceDemand& devices);

}  // namespace yardmaster

#endif  // YARDMASTER_SERVICES_CORE_MESSAGES_DEVICE_OVERRIDE_H_
