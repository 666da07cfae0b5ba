// SPDX-License-Identifier: Apache-2.0
#include "lib/conc/role.h"

#include <stddef.h>

#include "lib/base/assert.h"

enum role_index {
#define ROLE_INDEX(role) ROLE_INDEX_##role,
    FIL_ROLES(ROLE_INDEX)
#undef ROLE_INDEX
};

#define ROLE_DEFINE(role) \
    const struct fil_role fil_role_##role = {.name = #role, .bit = 1U << ROLE_INDEX_##role};
FIL_ROLES(ROLE_DEFINE)
#undef ROLE_DEFINE

static const struct fil_role *const all_roles[] = {
#define ROLE_POINTER(role) &fil_role_##role,
    FIL_ROLES(ROLE_POINTER)
#undef ROLE_POINTER
};

static _Thread_local uint32_t held_bits;
static _Thread_local uint32_t op_count; // operations that the thread is inside of

void fil_role_enter(const struct fil_role *role)
{
    fil_assert(role != NULL);
    held_bits |= role->bit;
}

void fil_role_begin_op(void)
{
    op_count++;
}

void fil_role_end_op(void)
{
    op_count--;
}

bool fil_role_is_in_op(void)
{
    return op_count != 0;
}

void fil_role_leave_all(void)
{
    held_bits = 0;
}

bool fil_role_is(const struct fil_role *role)
{
    return (held_bits & role->bit) != 0;
}

const void *fil_role_thread(void)
{
    return &held_bits;
}

const char *fil_role_name(void)
{
    for (size_t i = 0; i < FIL_COUNT_OF(all_roles); i++) {
        if (held_bits == all_roles[i]->bit) {
            return all_roles[i]->name;
        }
    }
    return held_bits == 0 ? "none" : "several";
}

#define ROLE_ASSERT(role)                          \
    void fil_role_assert_##role(void)              \
    {                                              \
        fil_assert(fil_role_is(&fil_role_##role)); \
    }
FIL_ROLES(ROLE_ASSERT)
#undef ROLE_ASSERT
