// SPDX-License-Identifier: Apache-2.0
/** What the invocation and its service share. */
#pragma once

#include "core/exec/invocation.h"

/**
 * The word of an invocation. Three parties hold the block: the operation, until it has ended; the
 * watch, which is the submitter and then the service (on the way there any invoker may take it and
 * let go if the operation has ended); and the promise's hook. The last one to let go sends it home.
 */
#define FIL_INVOCATION_SETTLED 0x1U // the future's result is decided; who sets it completes it
#define FIL_INVOCATION_OVER    0x2U // the operation has ended
#define FIL_INVOCATION_WATCHED 0x4U // the service has it in its list
#define FIL_INVOCATION_HOLD    0x8U // one of those who hold the block

/** The word as it is. */
uint32_t fil_invocation__state(struct fil_invocation *invocation);

/** Sets bits; returns the word before. */
uint32_t fil_invocation__mark(struct fil_invocation *invocation, uint32_t bits);

/** Lets go of the block, as so many of its holders. */
void fil_invocation__drop(struct fil_invocation *invocation, uint32_t holds);

/** The operation's way ends here; the caller lets go of the operation's hold. */
void fil_invocation__end(struct fil_invocation *invocation, struct fil_result result,
                         uint64_t now_ns);

/** Whether the deadline that is over by now stays; else out: the new one. */
bool fil_invocation__is_late(const struct fil_invocation *invocation, uint64_t now_ns,
                             uint64_t *out_deadline_ns);

/** Puts the operation into its partition's mailbox; nothing of it may be touched afterwards. */
void fil_invocation__hand_over(struct fil_invocation *invocation, struct fil_runner *runner);

/** Something was pushed that the service should see at that time; wakes it if it sleeps longer. */
void fil_invocation__urge(struct fil_invocation_service *service, uint64_t needed_ns);

/** A future was cancelled; runs on the service. */
void fil_invocation__on_cancel(void *context);

/** Whether the calling thread is in the service's cycle. */
bool fil_invocation__is_service(const struct fil_invocation_service *service);
