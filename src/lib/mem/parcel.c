// SPDX-License-Identifier: Apache-2.0
#include "lib/mem/parcel.h"

#include "lib/base/alloc.h"

void fil_parcel_free(struct fil_parcel *parcel)
{
    if (parcel->block == NULL) {
        return;
    }
    fil_free(parcel->block);
    if (parcel->budget != NULL) {
        fil_budget_return(parcel->budget, parcel->size);
    }
    *parcel = (struct fil_parcel){0};
}
