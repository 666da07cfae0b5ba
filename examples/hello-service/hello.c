// SPDX-License-Identifier: Apache-2.0
#include <filbert/service.h>

static struct fil_reply hello(struct fil_request *request)
{
    return fil_reply_text(request, 200, "hello %s\n", fil_query(request, "name", "world"));
}

int main(void)
{
    struct fil_server *server = NULL;
    int error = fil_server_new(&server, &(struct fil_server_options){.listen = "127.0.0.1:8080"});
    if (error == FIL_OK)
        error = fil_route(server, "GET /hello", hello, NULL);
    if (error == FIL_OK)
        error = fil_server_run(server); // until SIGTERM, which drains
    fil_server_free(server);
    return error == FIL_OK ? 0 : 1;
}
