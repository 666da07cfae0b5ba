// SPDX-License-Identifier: Apache-2.0
/*
 * A service that reads bodies while they come, however large: POST /sum answers how many bytes
 * there were and the sum of them.
 *
 *     build/release/bin/upload-service
 *     curl -T some-large-file -X POST 127.0.0.1:8080/sum
 */
#include <filbert/service.h>

#define WAIT_MS 10000

static struct fil_reply sum(struct fil_request *request)
{
    unsigned char room[65536];
    unsigned long long count = 0;
    unsigned long long total = 0;
    size_t size = 0;
    int error = fil_body_read(request, room, sizeof(room), &size);
    while (error == FIL_E_AGAIN || (error == FIL_OK && size > 0)) {
        for (size_t i = 0; i < size; i++) {
            total += room[i];
        }
        count += size;
        size = 0;
        /* A thread of the pool "block" may wait; one of the I/O loops may not. */
        error = error == FIL_E_AGAIN ? fil_body_wait(request, WAIT_MS) : FIL_OK;
        if (error == FIL_OK) {
            error = fil_body_read(request, room, sizeof(room), &size);
        }
    }
    if (error != FIL_OK) {
        return fil_reply_error(request, error);
    }
    return fil_reply_text(request, 200, "bytes %llu sum %llu\n", count, total);
}

int main(void)
{
    struct fil_server *server = NULL;
    struct fil_route_options streamed = {.run_on = "block", .streams_body = true};
    int error = fil_server_new(&server, &(struct fil_server_options){.listen = "127.0.0.1:8080"});
    if (error == FIL_OK) {
        error = fil_route(server, "POST /sum", sum, &streamed);
    }
    if (error == FIL_OK) {
        error = fil_server_run(server);
    }
    fil_server_free(server);
    return error == FIL_OK ? 0 : 1;
}
