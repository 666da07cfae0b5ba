// SPDX-License-Identifier: Apache-2.0
/*
 * A room where everybody hears what anybody says, over WebSockets: GET /room. GET /page is one for
 * a browser.
 *
 *     build/release/bin/chat-service
 *     open http://127.0.0.1:8080/page in two windows
 */
#include <filbert/websocket.h>
#include <pthread.h>

#define GUESTS_MAX 1024

struct room {
    pthread_mutex_t lock;
    struct fil_websocket *guests[GUESTS_MAX];
    int count;
};

static struct room room = {.lock = PTHREAD_MUTEX_INITIALIZER};

static void on_open(struct fil_websocket *socket, void *context)
{
    (void)context;
    int is_full = 1;
    pthread_mutex_lock(&room.lock);
    if (room.count < GUESTS_MAX) {
        room.guests[room.count++] = fil_websocket_ref(socket);
        is_full = 0;
    }
    pthread_mutex_unlock(&room.lock);
    if (is_full) {
        (void)fil_websocket_close(socket, FIL_WEBSOCKET_POLICY, "the room is full");
    }
}

static void on_message(struct fil_websocket *socket, void *context,
                       const struct fil_websocket_message *message)
{
    (void)socket;
    (void)context;
    pthread_mutex_lock(&room.lock);
    for (int i = 0; i < room.count; i++) {
        /* One who does not read misses what is said: the others do not wait for it. */
        (void)fil_websocket_send(room.guests[i], message->kind, message->data, message->size);
    }
    pthread_mutex_unlock(&room.lock);
}

static void on_close(struct fil_websocket *socket, void *context, int code, const char *reason)
{
    (void)context;
    (void)code;
    (void)reason;
    int was_guest = 0;
    pthread_mutex_lock(&room.lock);
    for (int i = 0; i < room.count && !was_guest; i++) {
        if (room.guests[i] == socket) {
            room.guests[i] = room.guests[--room.count];
            was_guest = 1;
        }
    }
    pthread_mutex_unlock(&room.lock);
    if (was_guest) {
        fil_websocket_unref(socket);
    }
}

static struct fil_reply enter(struct fil_request *request)
{
    struct fil_websocket_options options = {
        .on_open = on_open, .on_message = on_message, .on_close = on_close};
    return fil_websocket_accept(request, &options);
}

static struct fil_reply page(struct fil_request *request)
{
    static const char html[] =
        "<!doctype html><title>Chat</title><input id=say autofocus placeholder='say something'>"
        "<ul id=heard></ul><script>\n"
        "const socket = new WebSocket('ws://' + location.host + '/room');\n"
        "socket.onmessage = event => {\n"
        "  const item = document.createElement('li');\n"
        "  item.textContent = event.data;\n"
        "  heard.prepend(item);\n"
        "};\n"
        "say.onchange = () => { socket.send(say.value); say.value = ''; };\n"
        "</script>\n";
    (void)request;
    return fil_reply_bytes(200, "text/html; charset=utf-8", html, sizeof(html) - 1);
}

int main(void)
{
    struct fil_server *server = NULL;
    struct fil_route_options on_loop = {.run_on = "loop"};
    int error = fil_server_new(&server, &(struct fil_server_options){.listen = "127.0.0.1:8080"});
    if (error == FIL_OK) {
        error = fil_route(server, "GET /room", enter, &on_loop);
    }
    if (error == FIL_OK) {
        error = fil_route(server, "GET /page", page, &on_loop);
    }
    if (error == FIL_OK) {
        error = fil_server_run(server);
    }
    fil_server_free(server);
    return error == FIL_OK ? 0 : 1;
}
