// SPDX-License-Identifier: Apache-2.0
/** TCP sockets, non-blocking and closed on exec; the network half of fil_env_real(). See env.h. */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "lib/base/attr.h"
#include "lib/base/bytes.h"
#include "lib/os/address.h"

int fil_socket__listen(const struct fil_address *address, int backlog, int *out_fd,
                       struct fil_address *out_bound) FIL_NODISCARD;
int fil_socket__accept(int listener, int *out_fd, struct fil_address *out_peer) FIL_NODISCARD;
int fil_socket__connect(const struct fil_address *address, int *out_fd) FIL_NODISCARD;
int64_t fil_socket__receive(int fd, void *buffer, size_t size) FIL_NODISCARD;
int64_t fil_socket__send(int fd, const struct fil_bytes *slices, uint32_t count) FIL_NODISCARD;
void fil_socket__finish(int fd);
void fil_socket__close(int fd);
