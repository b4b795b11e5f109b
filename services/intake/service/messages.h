// Rows of the store as messages of the contracts.
#ifndef YARDMASTER_SERVICES_INTAKE_SERVICE_MESSAGES_H_
#define YARDMASTER_SERVICES_INTAKE_SERVICE_MESSAGES_H_

#include <optional>

#include "services/core/store/inbox.h"
#include "services/core/store/ledger.h"
#include "services/core/store/subjects.h"
#include "yardmaster/v1/intake.pb.h"
#include "yardmaster/v1/ledger.pb.h"
#include "yardmaster/v1/plan.pb.h"

namespace yardmaster {

v1::DeliveryState ToProto(store::DeliveryState state);
v1::EffectState ToProto(store::EffectState state);
// nullopt for the unspecified state and for numbers that are none.
std::optional<store::DeliveryState> FromProto(v1::DeliveryState state);
std::optional<store::EffectState> FromProto(v1::EffectState state);

v1::Delivery ToProto(const store::Delivery& delivery);
v1::Effect ToProto(const store::Effect& effect);

}  // namespace yardmaster

#endif  // YARDMASTER_SERVICES_INTAKE_SERVICE_MESSAGES_H_
