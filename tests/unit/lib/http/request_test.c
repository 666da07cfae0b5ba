// SPDX-License-Identifier: Apache-2.0
/**
 * The request head's contract:
 * good heads decode to what they say; bad ones are refused with the right status at the right
 * place; no prefix of a good head is taken for a whole one; the verdict does not depend on how the
 * bytes are cut or where they stand; each limit is hit at its exact byte; small pieces stay cheap;
 * a failure sticks; requests behind one another are taken one by one.
 */
#include "lib/http/request.h"

#include "tests/unit/lib/http/feed.h"

struct good_case {
    struct fil_bytes text;
    enum fil_http_method method;
    const char *path;
    const char *query;
    const char *host;
    enum fil_http_version version;
    struct fil_http_framing framing;
    uint32_t header_count;
    bool is_closing;
    bool expects_continue;
    bool wants_upgrade;
};

#define LENGTH(n) .framing = {.kind = FIL_HTTP_BODY_LENGTH, .length = (n)}
#define CHUNKED   .framing = {.kind = FIL_HTTP_BODY_CHUNKED}
#define MODERN    .version = FIL_HTTP_1_1
#define H         "Host: h\r\n"

// clang-format off
static const struct good_case good_cases[] = {
    {BYTES("GET / HTTP/1.1\r\nHost: a\r\n\r\n"), FIL_HTTP_GET, "/", "", "a", MODERN, .header_count = 1},
    {BYTES("GET / HTTP/1.0\r\n\r\n"), FIL_HTTP_GET, "/", "", "", .is_closing = true},
    {BYTES("GET / HTTP/1.0\r\nConnection: keep-alive\r\n\r\n"), FIL_HTTP_GET, "/", "", "", .header_count = 1},
    {BYTES("GET / HTTP/1.0\r\nConnection: Keep-Alive, close\r\n\r\n"), FIL_HTTP_GET, "/", "", "",
     .header_count = 1, .is_closing = true},
    {BYTES("GET / HTTP/1.0\r\nHost: x:80\r\n\r\n"), FIL_HTTP_GET, "/", "", "x:80", .header_count = 1,
     .is_closing = true},
    {BYTES("\r\nGET / HTTP/1.1\r\n" H "\r\n"), FIL_HTTP_GET, "/", "", "h", MODERN, .header_count = 1},
    {BYTES("HEAD /a/b?c=d&e HTTP/1.1\r\n" H "\r\n"), FIL_HTTP_HEAD, "/a/b", "c=d&e", "h", MODERN,
     .header_count = 1},
    {BYTES("GET /? HTTP/1.1\r\n" H "\r\n"), FIL_HTTP_GET, "/", "", "h", MODERN, .header_count = 1},
    {BYTES("GET /a?b?c HTTP/1.1\r\n" H "\r\n"), FIL_HTTP_GET, "/a", "b?c", "h", MODERN, .header_count = 1},
    {BYTES("GET //a/../%2e%2F HTTP/1.1\r\n" H "\r\n"), FIL_HTTP_GET, "//a/../%2e%2F", "", "h", MODERN,
     .header_count = 1},
    {BYTES("GET /%00%fF HTTP/1.1\r\n" H "\r\n"), FIL_HTTP_GET, "/%00%fF", "", "h", MODERN, .header_count = 1},
    {BYTES("GET /!$&'()*+,-./:;=@[]^_`{|}~\\ HTTP/1.1\r\n" H "\r\n"), FIL_HTTP_GET,
     "/!$&'()*+,-./:;=@[]^_`{|}~\\", "", "h", MODERN, .header_count = 1},
    {BYTES("GET http://a:80/b?c=d HTTP/1.1\r\n" H "\r\n"), FIL_HTTP_GET, "/b", "c=d", "a:80", MODERN,
     .header_count = 1},
    {BYTES("GET HTTP://[::1]:80 HTTP/1.1\r\nX: y\r\n" H "\r\n"), FIL_HTTP_GET, "/", "", "[::1]:80", MODERN,
     .header_count = 2},
    {BYTES("GET http://a/ HTTP/1.0\r\n\r\n"), FIL_HTTP_GET, "/", "", "a", .is_closing = true},
    {BYTES("OPTIONS * HTTP/1.1\r\n" H "\r\n"), FIL_HTTP_OPTIONS, "*", "", "h", MODERN, .header_count = 1},
    {BYTES("OPTIONS /x HTTP/1.1\r\n" H "\r\n"), FIL_HTTP_OPTIONS, "/x", "", "h", MODERN, .header_count = 1},
    {BYTES("PUT /x HTTP/1.1\r\n" H "Content-Length: 0\r\n\r\n"), FIL_HTTP_PUT, "/x", "", "h", MODERN,
     LENGTH(0), .header_count = 2},
    {BYTES("POST /x HTTP/1.1\r\n" H "content-LENGTH:\t 12 \t\r\n\r\n"), FIL_HTTP_POST, "/x", "", "h", MODERN,
     LENGTH(12), .header_count = 2},
    {BYTES("POST /x HTTP/1.1\r\n" H "Content-Length: 0000000000000000000000012\r\n\r\n"), FIL_HTTP_POST, "/x",
     "", "h", MODERN, LENGTH(12), .header_count = 2},
    {BYTES("POST /x HTTP/1.0\r\nContent-Length: 3\r\n\r\n"), FIL_HTTP_POST, "/x", "", "", LENGTH(3),
     .header_count = 1, .is_closing = true},
    {BYTES("POST /x HTTP/1.1\r\n" H "Transfer-Encoding: chunked\r\n\r\n"), FIL_HTTP_POST, "/x", "", "h", MODERN,
     CHUNKED, .header_count = 2},
    {BYTES("POST /x HTTP/1.1\r\n" H "TRANSFER-ENCODING:CHUNKED\r\n\r\n"), FIL_HTTP_POST, "/x", "", "h", MODERN,
     CHUNKED, .header_count = 2},
    {BYTES("PATCH /x HTTP/1.1\r\n" H "\r\n"), FIL_HTTP_PATCH, "/x", "", "h", MODERN, .header_count = 1},
    {BYTES("DELETE /x HTTP/1.1\r\n" H "\r\n"), FIL_HTTP_DELETE, "/x", "", "h", MODERN, .header_count = 1},
    {BYTES("TRACE /x HTTP/1.1\r\n" H "\r\n"), FIL_HTTP_TRACE, "/x", "", "h", MODERN, .header_count = 1},
    {BYTES("get /x HTTP/1.1\r\n" H "\r\n"), FIL_HTTP_OTHER, "/x", "", "h", MODERN, .header_count = 1},
    {BYTES("M-SEARCH!#$%&'*+.^_`|~09 /x HTTP/1.1\r\n" H "\r\n"), FIL_HTTP_OTHER, "/x", "", "h", MODERN,
     .header_count = 1},
    {BYTES("GET / HTTP/1.1\r\nHost:\r\n\r\n"), FIL_HTTP_GET, "/", "", "", MODERN, .header_count = 1},
    {BYTES("GET / HTTP/1.1\r\nHost: [::1]:5701\r\n\r\n"), FIL_HTTP_GET, "/", "", "[::1]:5701", MODERN,
     .header_count = 1},
    {BYTES("GET / HTTP/1.1\r\n" H "Connection: close\r\n\r\n"), FIL_HTTP_GET, "/", "", "h", MODERN,
     .header_count = 2, .is_closing = true},
    {BYTES("GET / HTTP/1.1\r\n" H "Connection: a , CLOSE,b\r\n\r\n"), FIL_HTTP_GET, "/", "", "h", MODERN,
     .header_count = 2, .is_closing = true},
    {BYTES("GET / HTTP/1.1\r\n" H "Connection: x\r\nConnection: close\r\n\r\n"), FIL_HTTP_GET, "/", "", "h",
     MODERN, .header_count = 3, .is_closing = true},
    {BYTES("GET / HTTP/1.1\r\n" H "Connection: closed, unclose\r\n\r\n"), FIL_HTTP_GET, "/", "", "h", MODERN,
     .header_count = 2},
    {BYTES("PUT / HTTP/1.1\r\n" H "Expect: 100-Continue\r\nContent-Length: 1\r\n\r\n"), FIL_HTTP_PUT, "/", "",
     "h", MODERN, LENGTH(1), .header_count = 3, .expects_continue = true},
    {BYTES("PUT / HTTP/1.1\r\n" H "Expect: 100-continue\r\n\r\n"), FIL_HTTP_PUT, "/", "", "h", MODERN,
     .header_count = 2},
    {BYTES("PUT / HTTP/1.0\r\nExpect: 100-continue\r\nContent-Length: 1\r\n\r\n"), FIL_HTTP_PUT, "/", "", "",
     LENGTH(1), .header_count = 2, .is_closing = true},
    {BYTES("PUT / HTTP/1.1\r\n" H "Expect: wonders\r\nContent-Length: 1\r\n\r\n"), FIL_HTTP_PUT, "/", "", "h",
     MODERN, LENGTH(1), .header_count = 3},
    {BYTES("GET / HTTP/1.1\r\n" H "Connection: Upgrade\r\nUpgrade: websocket\r\n\r\n"), FIL_HTTP_GET, "/", "",
     "h", MODERN, .header_count = 3, .wants_upgrade = true},
    {BYTES("GET / HTTP/1.1\r\n" H "Upgrade: websocket\r\n\r\n"), FIL_HTTP_GET, "/", "", "h", MODERN,
     .header_count = 2},
    {BYTES("GET / HTTP/1.1\r\n" H "Connection: upgrade\r\n\r\n"), FIL_HTTP_GET, "/", "", "h", MODERN,
     .header_count = 2},
    {BYTES("GET / HTTP/1.0\r\nConnection: upgrade\r\nUpgrade: websocket\r\n\r\n"), FIL_HTTP_GET, "/", "", "",
     .header_count = 2, .is_closing = true},
    {BYTES("GET / HTTP/1.1\r\n" H "Empty:\r\nBlank: \t \r\nColons: a:b:c\r\n\r\n"), FIL_HTTP_GET, "/", "", "h",
     MODERN, .header_count = 4},
    {BYTES("GET / HTTP/1.1\r\n" H "X: caf\xc3\xa9 \"<>#\t\x80\xff\r\n\r\n"), FIL_HTTP_GET, "/", "", "h", MODERN,
     .header_count = 2},
    {BYTES("GET / HTTP/1.1\r\n" H "X: 1\r\nX: 1\r\nx: 2\r\n\r\n"), FIL_HTTP_GET, "/", "", "h", MODERN,
     .header_count = 4},
    {BYTES("GET / HTTP/1.1\r\n" H "!#$%&'*+-.^_`|~09azAZ: v\r\n\r\n"), FIL_HTTP_GET, "/", "", "h", MODERN,
     .header_count = 2},
};

struct bad_case {
    struct fil_bytes text;
    int status;
    uint32_t line;
    uint64_t offset;
    const char *reason; // a part of it
};

#define GET "GET / HTTP/1.1\r\n"   // 16 bytes
#define GETH GET H                 // 25 bytes

static const struct bad_case bad_cases[] = {
    // The request line.
    {BYTES("\r\n\r\nGET / HTTP/1.1\r\n"), 400, 2, 2, "begin with a method"},
    {BYTES(" GET / HTTP/1.1\r\n"), 400, 1, 0, "begin with a method"},
    {BYTES("GET\r\n"), 400, 1, 3, "begin with a method"},
    {BYTES("GET\t/ HTTP/1.1\r\n"), 400, 1, 3, "begin with a method"},
    {BYTES("G@T / HTTP/1.1\r\n"), 400, 1, 1, "begin with a method"},
    {BYTES("G\xc3T / HTTP/1.1\r\n"), 400, 1, 1, "begin with a method"},
    {BYTES("GET  / HTTP/1.1\r\n"), 400, 1, 4, "target is empty"},
    {BYTES("GET /\r\n"), 400, 1, 5, "no version"},
    {BYTES("GET / \r\n"), 400, 1, 6, "form HTTP/1.1"},
    {BYTES("GET /  HTTP/1.1\r\n"), 400, 1, 6, "form HTTP/1.1"},
    {BYTES("GET / HTTP/1.1 \r\n"), 400, 1, 6, "form HTTP/1.1"},
    {BYTES("GET / http/1.1\r\n"), 400, 1, 6, "form HTTP/1.1"},
    {BYTES("GET / HTTP/1.10\r\n"), 400, 1, 6, "form HTTP/1.1"},
    {BYTES("GET / HTTP/1,1\r\n"), 400, 1, 6, "form HTTP/1.1"},
    {BYTES("GET / HTTP/1.x\r\n"), 400, 1, 6, "form HTTP/1.1"},
    {BYTES("GET / HTTP/x.1\r\n"), 400, 1, 6, "form HTTP/1.1"},
    {BYTES("GET / HTTP/11\r\n"), 400, 1, 6, "form HTTP/1.1"},
    {BYTES("GET / HTTPS/1.1\r\n"), 400, 1, 6, "form HTTP/1.1"},
    {BYTES("GET / ICE/1.0\r\n"), 400, 1, 6, "form HTTP/1.1"},
    {BYTES("GET / HTTP/1.2\r\n"), 505, 1, 6, "neither 1.0 nor 1.1"},
    {BYTES("GET / HTTP/0.9\r\n"), 505, 1, 6, "neither 1.0 nor 1.1"},
    {BYTES("GET / HTTP/2.0\r\n"), 505, 1, 6, "neither 1.0 nor 1.1"},
    {BYTES("GET / HTTP/3.1\r\n"), 505, 1, 6, "neither 1.0 nor 1.1"},
    {BYTES("GET /a b HTTP/1.1\r\n"), 400, 1, 7, "form HTTP/1.1"},
    {BYTES("GET /a\tb HTTP/1.1\r\n"), 400, 1, 6, "forbidden byte"},
    {BYTES("GET /a\xc3\xa9 HTTP/1.1\r\n"), 400, 1, 6, "forbidden byte"},
    {BYTES("GET /a#b HTTP/1.1\r\n"), 400, 1, 6, "forbidden byte"},
    {BYTES("GET /\"a HTTP/1.1\r\n"), 400, 1, 5, "forbidden byte"},
    {BYTES("GET /<a> HTTP/1.1\r\n"), 400, 1, 5, "forbidden byte"},
    {BYTES("GET /%4 HTTP/1.1\r\n"), 400, 1, 5, "two hex digits"},
    {BYTES("GET /%% HTTP/1.1\r\n"), 400, 1, 5, "two hex digits"},
    {BYTES("GET /%20%4g HTTP/1.1\r\n"), 400, 1, 8, "two hex digits"},
    {BYTES("GET /?a=% HTTP/1.1\r\n"), 400, 1, 8, "two hex digits"},
    {BYTES("GET https://h/ HTTP/1.1\r\n"), 400, 1, 4, "no proxy"},
    {BYTES("GET http:/h/ HTTP/1.1\r\n"), 400, 1, 4, "no proxy"},
    {BYTES("GET http:// HTTP/1.1\r\n"), 400, 1, 11, "no host"},
    {BYTES("GET http:///a HTTP/1.1\r\n"), 400, 1, 11, "no host"},
    {BYTES("GET http://:80/ HTTP/1.1\r\n"), 400, 1, 14, "no host"},
    {BYTES("GET http://u@h/ HTTP/1.1\r\n"), 400, 1, 12, "no host"},
    {BYTES("GET http://h?a HTTP/1.1\r\n"), 400, 1, 12, "no host"},
    {BYTES("GET http://h\\a/ HTTP/1.1\r\n"), 400, 1, 12, "no host"},
    {BYTES("GET http://h/%4 HTTP/1.1\r\n"), 400, 1, 13, "two hex digits"},
    {BYTES("GET http://h/ HTTP/1.1\r\n\r\n"), 400, 1, 0, "Host header and there is none"},
    {BYTES("GET h:80 HTTP/1.1\r\n"), 400, 1, 4, "no proxy"},
    {BYTES("GET a HTTP/1.1\r\n"), 400, 1, 4, "no proxy"},
    {BYTES("OPTIONS ** HTTP/1.1\r\n"), 400, 1, 8, "no proxy"},
    {BYTES("GET * HTTP/1.1\r\n"), 400, 1, 4, "for OPTIONS only"},
    {BYTES("CONNECT h:80 HTTP/1.1\r\n"), 501, 1, 0, "for proxies"},
    {BYTES("CONNECT / HTTP/1.1\r\n"), 501, 1, 0, "for proxies"},
    {BYTES("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"), 505, 1, 6, "neither 1.0 nor 1.1"},
    // Line ends and control bytes.
    {BYTES("\n"), 400, 1, 0, "LF instead"},
    {BYTES("GET / HTTP/1.1\n"), 400, 1, 14, "LF instead"},
    {BYTES("GET / HTTP/1.1\rX"), 400, 1, 14, "CR is not followed"},
    {BYTES("GET / HTTP/1.1\r\r\n"), 400, 1, 14, "CR is not followed"},
    {BYTES("GET /\0 HTTP/1.1\r\n"), 400, 1, 5, "NUL"},
    {BYTES("GET /\x7f HTTP/1.1\r\n"), 400, 1, 5, "control byte"},
    {BYTES("\x16\x03\x01\x02"), 400, 1, 0, "control byte"},
    {BYTES(GET "Host: h\n\r\n"), 400, 2, 23, "LF instead"},
    {BYTES(GETH "\n"), 400, 3, 25, "LF instead"},
    {BYTES(GETH "\rX"), 400, 3, 25, "CR is not followed"},
    {BYTES(GETH "X: a\rb\r\n\r\n"), 400, 3, 29, "CR is not followed"},
    {BYTES(GETH "X: a\r\r\n\r\n"), 400, 3, 29, "CR is not followed"},
    {BYTES(GETH "X: a\0b\r\n\r\n"), 400, 3, 29, "NUL"},
    {BYTES(GETH "X\0: a\r\n\r\n"), 400, 3, 26, "NUL"},
    {BYTES(GETH "X: a\x0b" "b\r\n\r\n"), 400, 3, 29, "control byte"},
    {BYTES(GETH "X: a\x1b[31m\r\n\r\n"), 400, 3, 29, "control byte"},
    {BYTES(GETH "X: a\x7f\r\n\r\n"), 400, 3, 29, "control byte"},
    // Header lines.
    {BYTES(GET " Host: h\r\n\r\n"), 400, 2, 16, "begins with a blank"},
    {BYTES(GETH "\tX: a\r\n\r\n"), 400, 3, 25, "begins with a blank"},
    {BYTES(GETH "X: a\r\n folded\r\n\r\n"), 400, 4, 31, "begins with a blank"},
    {BYTES(GETH " \r\n\r\n"), 400, 3, 25, "begins with a blank"},
    {BYTES(GETH "X : a\r\n\r\n"), 400, 3, 26, "before a header's colon"},
    {BYTES(GETH "X\t: a\r\n\r\n"), 400, 3, 26, "before a header's colon"},
    {BYTES(GETH "X a: a\r\n\r\n"), 400, 3, 26, "before a header's colon"},
    {BYTES(GETH ": a\r\n\r\n"), 400, 3, 25, "no name"},
    {BYTES(GETH "X\r\n\r\n"), 400, 3, 26, "no colon"},
    {BYTES(GETH "X(a): a\r\n\r\n"), 400, 3, 26, "forbidden byte"},
    {BYTES(GETH "X\"a\": a\r\n\r\n"), 400, 3, 26, "forbidden byte"},
    {BYTES(GETH "X[]: a\r\n\r\n"), 400, 3, 26, "forbidden byte"},
    {BYTES(GETH "X\xc3\xa9: a\r\n\r\n"), 400, 3, 26, "forbidden byte"},
    // Host.
    {BYTES(GET "\r\n"), 400, 1, 0, "Host header and there is none"},
    {BYTES(GET "X: a\r\n\r\n"), 400, 1, 0, "Host header and there is none"},
    {BYTES("\r\n" GET "\r\n"), 400, 2, 2, "Host header and there is none"},
    {BYTES(GETH "host: h\r\n\r\n"), 400, 3, 25, "Host is sent twice"},
    {BYTES("GET / HTTP/1.0\r\nHost: a\r\nHost: b\r\n\r\n"), 400, 3, 25, "Host is sent twice"},
    {BYTES(GET "Host: a b\r\n\r\n"), 400, 2, 23, "Host header holds"},
    {BYTES(GET "Host: a/b\r\n\r\n"), 400, 2, 23, "Host header holds"},
    {BYTES(GET "Host: u@h\r\n\r\n"), 400, 2, 23, "Host header holds"},
    {BYTES(GET "Host: h\xe9\r\n\r\n"), 400, 2, 23, "Host header holds"},
    // Framing: the smuggler's tools.
    {BYTES(GETH "Content-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n"), 400, 4, 44, "come together"},
    {BYTES(GETH "Transfer-Encoding: chunked\r\nContent-Length: 5\r\n\r\n"), 400, 3, 25, "come together"},
    {BYTES(GETH "Transfer-Encoding: identity\r\nContent-Length: 5\r\n\r\n"), 400, 3, 25, "come together"},
    {BYTES(GETH "Content-Length: 5\r\nContent-Length: 6\r\n\r\n"), 400, 4, 44, "Length is sent twice"},
    {BYTES(GETH "Content-Length: 5\r\ncontent-length: 5\r\n\r\n"), 400, 4, 44, "Length is sent twice"},
    {BYTES(GETH "Content-Length: 5, 5\r\n\r\n"), 400, 3, 42, "made of digits"},
    {BYTES(GETH "Content-Length: +5\r\n\r\n"), 400, 3, 41, "made of digits"},
    {BYTES(GETH "Content-Length: -5\r\n\r\n"), 400, 3, 41, "made of digits"},
    {BYTES(GETH "Content-Length: 0x5\r\n\r\n"), 400, 3, 42, "made of digits"},
    {BYTES(GETH "Content-Length: 5 5\r\n\r\n"), 400, 3, 42, "made of digits"},
    {BYTES(GETH "Content-Length: 5.0\r\n\r\n"), 400, 3, 42, "made of digits"},
    {BYTES(GETH "Content-Length: 1e1\r\n\r\n"), 400, 3, 42, "made of digits"},
    {BYTES(GETH "Content-Length: \xc2\xb2\r\n\r\n"), 400, 3, 41, "made of digits"},
    {BYTES(GETH "Content-Length: five\r\n\r\n"), 400, 3, 41, "made of digits"},
    {BYTES(GETH "Content-Length:\r\n\r\n"), 400, 3, 40, "Length is empty"},
    {BYTES(GETH "Content-Length: 16777217\r\n\r\n"), 413, 3, 41, "larger than its limit"},
    {BYTES(GETH "Content-Length: 18446744073709551615\r\n\r\n"), 413, 3, 41, "larger than its limit"},
    {BYTES(GETH "Content-Length: 18446744073709551616\r\n\r\n"), 413, 3, 41, "too large"},
    {BYTES(GETH "Content-Length: 99999999999999999999999\r\n\r\n"), 413, 3, 41, "too large"},
    {BYTES(GETH "Content-Length : 5\r\n\r\n"), 400, 3, 39, "before a header's colon"},
    {BYTES(GETH "X: a\n Content-Length: 5\r\n\r\n"), 400, 3, 29, "LF instead"},
    {BYTES(GETH "X: a\nContent-Length: 5\r\n\r\n"), 400, 3, 29, "LF instead"},
    {BYTES(GETH "X: a\rContent-Length: 5\r\n\r\n"), 400, 3, 29, "CR is not followed"},
    {BYTES(GETH "Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n\r\n"), 400, 4, 53,
     "Encoding is sent twice"},
    {BYTES(GETH "Transfer-Encoding: chunked\r\ntransfer-encoding: x\r\n\r\n"), 400, 4, 53,
     "Encoding is sent twice"},
    {BYTES(GETH "Transfer-Encoding: chunked, chunked\r\n\r\n"), 501, 3, 25, "not just chunked"},
    {BYTES(GETH "Transfer-Encoding: gzip, chunked\r\n\r\n"), 501, 3, 25, "not just chunked"},
    {BYTES(GETH "Transfer-Encoding: chunked, identity\r\n\r\n"), 501, 3, 25, "not just chunked"},
    {BYTES(GETH "Transfer-Encoding: chunked,\r\n\r\n"), 501, 3, 25, "not just chunked"},
    {BYTES(GETH "Transfer-Encoding: ,chunked\r\n\r\n"), 501, 3, 25, "not just chunked"},
    {BYTES(GETH "Transfer-Encoding: chunked;q=1\r\n\r\n"), 501, 3, 25, "not just chunked"},
    {BYTES(GETH "Transfer-Encoding: identity\r\n\r\n"), 501, 3, 25, "not just chunked"},
    {BYTES(GETH "Transfer-Encoding: xchunked\r\n\r\n"), 501, 3, 25, "not just chunked"},
    {BYTES(GETH "Transfer-Encoding: \"chunked\"\r\n\r\n"), 501, 3, 25, "not just chunked"},
    {BYTES(GETH "Transfer-Encoding:\r\n\r\n"), 501, 3, 25, "not just chunked"},
    {BYTES(GETH "Transfer-Encoding:\x0b" "chunked\r\n\r\n"), 400, 3, 43, "control byte"},
    {BYTES(GETH "Transfer-Encoding:\r\n chunked\r\n\r\n"), 400, 4, 45, "begins with a blank"},
    {BYTES(GETH "Transfer-Encoding : chunked\r\n\r\n"), 400, 3, 42, "before a header's colon"},
    {BYTES(GETH "Transfer-Encoding\r\n: chunked\r\n\r\n"), 400, 3, 42, "no colon"},
    {BYTES("POST / HTTP/1.0\r\nTransfer-Encoding: chunked\r\n\r\n"), 400, 2, 17, "HTTP/1.0 has no"},
};
// clang-format on

struct verdict {
    int result;
    size_t consumed;
    struct fil_http_failure failure;
};

/** Decodes pieces that end at the given sizes; each call gets the bytes at another address. */
static struct verdict decode_pieces(struct fil_bytes text, size_t piece_size,
                                    struct fil_http_request *out_request,
                                    struct fil_bytes *out_copy)
{
    struct fil_http_decoder decoder;
    fil_http_decoder_init(&decoder, &fil_http_limits_default);
    struct verdict verdict = {.result = FIL_E_AGAIN};
    *out_copy = feed_copy(fil_bytes_make(NULL, 0));
    for (size_t size = 0; verdict.result == FIL_E_AGAIN && size < text.size;) {
        size = size + piece_size < text.size ? size + piece_size : text.size;
        struct fil_bytes next = feed_copy(fil_bytes_make(text.data, size));
        feed_free(*out_copy);
        *out_copy = next;
        verdict.result = fil_http_request_decode(&decoder, next, out_request, &verdict.consumed);
    }
    verdict.failure = decoder.failure;
    return verdict;
}

static void assert_same_failure(const struct fil_http_failure *actual,
                                const struct fil_http_failure *expected)
{
    assert_int_equal(actual->code, expected->code);
    assert_int_equal(actual->status, expected->status);
    assert_int_equal(actual->line, expected->line);
    assert_int_equal(actual->offset, expected->offset);
    assert_ptr_equal(actual->reason, expected->reason);
}

static void assert_same_request(const struct fil_http_request *actual,
                                const struct fil_http_request *expected)
{
    assert_int_equal(actual->method, expected->method);
    assert_int_equal(actual->version, expected->version);
    assert_bytes_equal(actual->method_text, expected->method_text);
    assert_bytes_equal(actual->target, expected->target);
    assert_bytes_equal(actual->path, expected->path);
    assert_bytes_equal(actual->query, expected->query);
    assert_bytes_equal(actual->host, expected->host);
    assert_int_equal(actual->framing.kind, expected->framing.kind);
    assert_int_equal(actual->framing.length, expected->framing.length);
    assert_int_equal(actual->is_keep_alive, expected->is_keep_alive);
    assert_int_equal(actual->expects_continue, expected->expects_continue);
    assert_int_equal(actual->wants_upgrade, expected->wants_upgrade);
    assert_int_equal(actual->headers.count, expected->headers.count);
    for (uint32_t i = 0; i < expected->headers.count; i++) {
        assert_bytes_equal(actual->headers.items[i].name, expected->headers.items[i].name);
        assert_bytes_equal(actual->headers.items[i].value, expected->headers.items[i].value);
    }
}

static void assert_good_case(const struct good_case *expected,
                             const struct fil_http_request *request)
{
    assert_int_equal(request->method, expected->method);
    assert_int_equal(request->version, expected->version);
    assert_bytes_text(request->path, expected->path);
    assert_bytes_text(request->query, expected->query);
    assert_bytes_text(request->host, expected->host);
    assert_int_equal(request->framing.kind, expected->framing.kind);
    assert_int_equal(request->framing.length, expected->framing.length);
    assert_int_equal(request->headers.count, expected->header_count);
    assert_int_equal(request->is_keep_alive, !expected->is_closing);
    assert_int_equal(request->expects_continue, expected->expects_continue);
    assert_int_equal(request->wants_upgrade, expected->wants_upgrade);
}

static void test_good_heads_decode_to_what_they_say(void **state)
{
    (void)state;
    for (size_t i = 0; i < FIL_COUNT_OF(good_cases); i++) {
        struct fil_http_request request;
        struct fil_bytes copy;
        struct fil_bytes text = good_cases[i].text;
        struct verdict verdict = decode_pieces(text, text.size, &request, &copy);
        assert_int_equal(verdict.result, FIL_OK);
        assert_int_equal(verdict.consumed, text.size);
        assert_good_case(&good_cases[i], &request);
        feed_free(copy);
    }
}

static void test_bad_heads_are_refused_with_status_and_place(void **state)
{
    (void)state;
    for (size_t i = 0; i < FIL_COUNT_OF(bad_cases); i++) {
        const struct bad_case *expected = &bad_cases[i];
        struct fil_http_request request;
        struct fil_bytes copy;
        struct verdict verdict =
            decode_pieces(expected->text, expected->text.size, &request, &copy);
        assert_true(verdict.result < 0);
        assert_int_not_equal(verdict.result, FIL_E_AGAIN);
        assert_int_equal(verdict.result, verdict.failure.code);
        assert_int_equal(verdict.consumed, 0);
        assert_int_equal(verdict.failure.status, expected->status);
        assert_non_null(strstr(verdict.failure.reason, expected->reason));
        assert_int_equal(verdict.failure.line, expected->line);
        assert_int_equal(verdict.failure.offset, expected->offset);
        feed_free(copy);
    }
}

static void test_every_prefix_of_a_good_head_asks_for_more(void **state)
{
    (void)state;
    for (size_t i = 0; i < FIL_COUNT_OF(good_cases); i++) {
        for (size_t size = 0; size < good_cases[i].text.size; size++) {
            struct fil_http_decoder decoder;
            struct fil_http_request request;
            size_t consumed = 1;
            fil_http_decoder_init(&decoder, &fil_http_limits_default);
            struct fil_bytes prefix = feed_copy(fil_bytes_make(good_cases[i].text.data, size));
            assert_int_equal(fil_http_request_decode(&decoder, prefix, &request, &consumed),
                             FIL_E_AGAIN);
            assert_int_equal(consumed, 0);
            feed_free(prefix);
        }
    }
}

static void check_pieces(struct fil_bytes text, size_t piece_size)
{
    struct fil_http_request whole;
    struct fil_http_request pieced;
    struct fil_bytes whole_copy;
    struct fil_bytes pieced_copy;
    struct verdict expected = decode_pieces(text, text.size, &whole, &whole_copy);
    struct verdict actual = decode_pieces(text, piece_size, &pieced, &pieced_copy);
    assert_int_equal(actual.result, expected.result);
    assert_int_equal(actual.consumed, expected.consumed);
    if (expected.result == FIL_OK) {
        assert_same_request(&pieced, &whole);
    } else {
        assert_same_failure(&actual.failure, &expected.failure);
    }
    feed_free(whole_copy);
    feed_free(pieced_copy);
}

static void test_the_verdict_does_not_depend_on_the_pieces(void **state)
{
    (void)state;
    for (size_t piece_size = 1; piece_size <= 7; piece_size++) {
        for (size_t i = 0; i < FIL_COUNT_OF(good_cases); i++) {
            check_pieces(good_cases[i].text, piece_size);
        }
        for (size_t i = 0; i < FIL_COUNT_OF(bad_cases); i++) {
            check_pieces(bad_cases[i].text, piece_size);
        }
    }
}

static int decode_with(const struct fil_http_limits *limits, struct fil_bytes text,
                       struct fil_http_failure *out_failure)
{
    struct fil_http_decoder decoder;
    struct fil_http_request request;
    size_t consumed = 0;
    fil_http_decoder_init(&decoder, limits);
    struct fil_bytes copy = feed_copy(text);
    int result = fil_http_request_decode(&decoder, copy, &request, &consumed);
    feed_free(copy);
    *out_failure = decoder.failure;
    return result;
}

/** The size of the first prefix that is refused; 0 when none is. */
static size_t first_refused(const struct fil_http_limits *limits, struct fil_bytes text,
                            struct fil_http_failure *out_failure)
{
    for (size_t size = 0; size <= text.size; size++) {
        int result = decode_with(limits, fil_bytes_make(text.data, size), out_failure);
        if (result != FIL_OK && result != FIL_E_AGAIN) {
            return size;
        }
    }
    return 0;
}

static void test_target_limit_is_exact(void **state)
{
    (void)state;
    struct fil_bytes text = BYTES("GET /123456789 HTTP/1.1\r\n" H "\r\n");
    struct fil_http_failure failure;
    struct fil_http_limits limits = fil_http_limits_default;
    limits.target_size_max = 10;
    assert_int_equal(first_refused(&limits, text, &failure), 0);
    limits.target_size_max = 9;
    assert_int_equal(first_refused(&limits, text, &failure), 25);
    assert_int_equal(failure.status, 414);
    assert_int_equal(failure.code, FIL_E_LIMIT);
    assert_int_equal(failure.offset, 4);
}

static void test_endless_request_line_is_cut_at_its_limit(void **state)
{
    (void)state;
    char text[300];
    memset(text, 'a', sizeof(text));
    memcpy(text, "GET /", 5);
    struct fil_http_failure failure;
    struct fil_http_limits limits = fil_http_limits_default;
    limits.target_size_max = 100;
    // The longest method, the longest target, two blanks, the version, the line end.
    size_t line_max = FIL_HTTP_METHOD_SIZE_MAX + 100 + 2 + 8 + 2;
    assert_int_equal(first_refused(&limits, fil_bytes_make(text, sizeof(text)), &failure),
                     line_max);
    assert_int_equal(failure.status, 414);
    assert_int_equal(failure.offset, line_max);

    limits.head_size_max = 50;
    assert_int_equal(first_refused(&limits, fil_bytes_make(text, sizeof(text)), &failure), 50);
    assert_int_equal(failure.status, 414);
}

static void test_longest_request_line_fits(void **state)
{
    (void)state;
    struct fil_bytes text = BYTES("ABCDEFGHIJKLMNOPQRSTUVWX /234567890 HTTP/1.1\r\n" H "\r\n");
    struct fil_bytes longer = BYTES("ABCDEFGHIJKLMNOPQRSTUVWXY /23456789 HTTP/1.1\r\n" H "\r\n");
    struct fil_http_failure failure;
    struct fil_http_limits limits = fil_http_limits_default;
    limits.target_size_max = 10;
    assert_int_equal(decode_with(&limits, text, &failure), FIL_OK);
    assert_int_equal(decode_with(&limits, longer, &failure), FIL_E_UNSUPPORTED);
    assert_int_equal(failure.status, 501);
    assert_int_equal(failure.offset, 0);
}

static void test_head_limit_is_exact(void **state)
{
    (void)state;
    struct fil_bytes text = BYTES("GET / HTTP/1.1\r\n" H "X: abc\r\n\r\n");
    struct fil_http_failure failure;
    struct fil_http_limits limits = fil_http_limits_default;
    limits.head_size_max = (uint32_t)text.size;
    assert_int_equal(first_refused(&limits, text, &failure), 0);
    // From the header section on, each smaller limit is hit as soon as it is reached.
    for (uint32_t limit = 16; limit < text.size; limit++) {
        limits.head_size_max = limit;
        assert_int_equal(first_refused(&limits, text, &failure), limit);
        assert_int_equal(failure.status, 431);
        assert_int_equal(failure.offset, limit);
        assert_int_equal(decode_with(&limits, text, &failure), FIL_E_LIMIT);
        assert_int_equal(failure.offset, limit);
    }
}

static void test_header_count_limit_is_exact(void **state)
{
    (void)state;
    struct fil_bytes text = BYTES("GET / HTTP/1.1\r\n" H "A: 1\r\nB: 2\r\n\r\n");
    struct fil_http_failure failure;
    struct fil_http_limits limits = fil_http_limits_default;
    limits.header_count_max = 3;
    assert_int_equal(first_refused(&limits, text, &failure), 0);
    limits.header_count_max = 2;
    assert_int_equal(first_refused(&limits, text, &failure), 16 + 9 + 6 + 6);
    assert_int_equal(failure.status, 431);
    assert_int_equal(failure.line, 4);
}

static void test_as_many_headers_as_there_is_room_for(void **state)
{
    (void)state;
    char text[64 + FIL_HTTP_HEADERS_MAX * 6];
    size_t size = 16;
    memcpy(text, "GET / HTTP/1.0\r\n", 16);
    for (uint32_t i = 0; i < FIL_HTTP_HEADERS_MAX; i++, size += 6) {
        memcpy(text + size, "A: b\r\n", 6);
    }
    memcpy(text + size, "\r\n", 2);
    struct fil_http_failure failure;
    struct fil_http_limits limits = fil_http_limits_default;
    limits.header_count_max = FIL_HTTP_HEADERS_MAX;
    assert_int_equal(decode_with(&limits, fil_bytes_make(text, size + 2), &failure), FIL_OK);
    memcpy(text + size, "A: b\r\n\r\n", 8);
    assert_int_equal(decode_with(&limits, fil_bytes_make(text, size + 8), &failure), FIL_E_LIMIT);
    assert_int_equal(failure.status, 431);
    // The default is lower.
    assert_int_equal(
        decode_with(&fil_http_limits_default, fil_bytes_make(text, size + 8), &failure),
        FIL_E_LIMIT);
    assert_int_equal(failure.line, 1 + 64 + 1);
}

static void test_body_limit_is_exact(void **state)
{
    (void)state;
    struct fil_bytes text = BYTES("PUT / HTTP/1.1\r\n" H "Content-Length: 100\r\n\r\n");
    struct fil_http_failure failure;
    struct fil_http_limits limits = fil_http_limits_default;
    limits.body_size_max = 100;
    assert_int_equal(decode_with(&limits, text, &failure), FIL_OK);
    limits.body_size_max = 99;
    assert_int_equal(decode_with(&limits, text, &failure), FIL_E_LIMIT);
    assert_int_equal(failure.status, 413);
}

/** Each of the 256 bytes at the place marked '?'; returns how many are accepted. */
static uint32_t count_accepted(const char *pattern)
{
    size_t size = strlen(pattern);
    const char *mark = strchr(pattern, '?');
    assert_non_null(mark);
    uint32_t accepted = 0;
    for (uint32_t byte = 0; byte < 256; byte++) {
        char text[128];
        memcpy(text, pattern, size);
        text[mark - pattern] = (char)byte;
        struct fil_http_failure failure;
        accepted +=
            decode_with(&fil_http_limits_default, fil_bytes_make(text, size), &failure) == FIL_OK;
    }
    return accepted;
}

static void test_each_place_takes_its_bytes_and_no_others(void **state)
{
    (void)state;
    const uint32_t letters_and_digits = 62;
    // Methods and names: letters, digits and 15 marks; a name's colon ends it, too.
    assert_int_equal(count_accepted("A?C / HTTP/1.0\r\n\r\n"), letters_and_digits + 15);
    assert_int_equal(count_accepted("GET / HTTP/1.0\r\nA?C: x\r\n\r\n"),
                     letters_and_digits + 15 + 1);
    // Values: everything but the 32 control bytes (tab is fine) and DEL.
    assert_int_equal(count_accepted("GET / HTTP/1.0\r\nA: x?y\r\n\r\n"), 256 - 32 + 1 - 1);
    // Targets: the 94 visible bytes without " # < > and a percent sign that has no digits.
    assert_int_equal(count_accepted("GET /a?y HTTP/1.0\r\n\r\n"), 94 - 4 - 1);
    // Host: letters, digits, -._~ !$&'()*+,;= %:[].
    assert_int_equal(count_accepted("GET / HTTP/1.0\r\nHost: a?c\r\n\r\n"),
                     letters_and_digits + 4 + 11 + 4);
}

/** Lines are scanned a word at a time; no place in a word may be blind. */
static void test_control_bytes_are_seen_at_every_position(void **state)
{
    (void)state;
    char text[] = "GET / HTTP/1.0\r\nX: abcdefghijklmnopqrstuvwx\r\n\r\n";
    const size_t value_at = 19;
    for (size_t at = value_at; at < value_at + 24; at++) {
        char kept = text[at];
        for (uint32_t byte = 0; byte < 256; byte++) {
            struct fil_http_failure failure;
            bool is_text = (byte >= ' ' && byte != 0x7f) || byte == '\t';
            text[at] = (char)byte;
            assert_int_equal(decode_with(&fil_http_limits_default,
                                         fil_bytes_make(text, sizeof(text) - 1), &failure),
                             is_text ? FIL_OK : FIL_E_MALFORMED);
            assert_int_equal(failure.offset, is_text ? 0 : at);
        }
        text[at] = kept;
    }
}

static void test_a_failure_sticks(void **state)
{
    (void)state;
    struct fil_http_decoder decoder;
    struct fil_http_request request;
    size_t consumed = 0;
    struct fil_bytes bad = BYTES("GET / HTTP/9.9\r\n");
    struct fil_bytes good = BYTES("GET / HTTP/1.1\r\n" H "\r\n");
    fil_http_decoder_init(&decoder, &fil_http_limits_default);
    assert_int_equal(fil_http_request_decode(&decoder, bad, &request, &consumed),
                     FIL_E_UNSUPPORTED);
    assert_int_equal(fil_http_request_decode(&decoder, good, &request, &consumed),
                     FIL_E_UNSUPPORTED);
    assert_int_equal(decoder.failure.status, 505);
    fil_http_decoder_init(&decoder, &fil_http_limits_default);
    assert_int_equal(fil_http_request_decode(&decoder, good, &request, &consumed), FIL_OK);
}

static void test_pipelined_requests_are_taken_one_by_one(void **state)
{
    (void)state;
    struct fil_http_decoder decoder;
    struct fil_http_request request;
    size_t consumed = 0;
    struct fil_bytes text = BYTES("GET /1 HTTP/1.1\r\n" H "\r\nGET /2 HTTP/1.1\r\n" H "\r\nGET /3");
    fil_http_decoder_init(&decoder, &fil_http_limits_default);
    assert_int_equal(fil_http_request_decode(&decoder, text, &request, &consumed), FIL_OK);
    assert_bytes_text(request.path, "/1");
    text = fil_bytes_make(text.data + consumed, text.size - consumed);
    assert_int_equal(fil_http_request_decode(&decoder, text, &request, &consumed), FIL_OK);
    assert_bytes_text(request.path, "/2");
    text = fil_bytes_make(text.data + consumed, text.size - consumed);
    assert_int_equal(fil_http_request_decode(&decoder, text, &request, &consumed), FIL_E_AGAIN);
    assert_int_equal(text.size, 6);
}

/** Were each call to start from the front, this would take hours: the test's time-out is the check.
 */
static void test_a_million_one_byte_pieces_are_cheap(void **state)
{
    (void)state;
    const size_t half = 500000;
    struct fil_http_limits limits = fil_http_limits_default;
    limits.target_size_max = (uint32_t)half;
    limits.head_size_max = (uint32_t)(2 * half + 100);
    char *text = fil_alloc(limits.head_size_max);
    assert_non_null(text);
    memset(text, 'a', limits.head_size_max);
    memcpy(text, "GET /", 5);
    memcpy(text + half, " HTTP/1.1\r\n" H "X: ", 23);
    memcpy(text + 2 * half, "\r\n\r\n", 4);

    struct fil_http_decoder decoder;
    struct fil_http_request request;
    size_t consumed = 0;
    fil_http_decoder_init(&decoder, &limits);
    for (size_t size = 0; size < 2 * half + 4; size++) {
        assert_int_equal(
            fil_http_request_decode(&decoder, fil_bytes_make(text, size), &request, &consumed),
            FIL_E_AGAIN);
    }
    struct fil_bytes whole = fil_bytes_make(text, 2 * half + 4);
    assert_int_equal(fil_http_request_decode(&decoder, whole, &request, &consumed), FIL_OK);
    assert_int_equal(consumed, whole.size);
    assert_int_equal(request.path.size, half - 4);
    assert_int_equal(request.headers.items[1].value.size, half - 23);
    fil_free(text);
}

static void test_decoding_allocates_nothing(void **state)
{
    (void)state;
    struct fil_http_decoder decoder;
    struct fil_http_request request;
    size_t consumed = 0;
    fil_http_decoder_init(&decoder, &fil_http_limits_default);
    uint64_t before = fil_alloc_count();
    assert_int_equal(fil_http_request_decode(&decoder, good_cases[0].text, &request, &consumed),
                     FIL_OK);
    assert_int_equal(fil_alloc_count(), before);
}

static void test_parts_are_judged_as_a_head_is(void **state)
{
    (void)state;
    static const struct {
        const char *method;
        const char *target;
        const char *host;
        int status; // 0: good
    } cases[] = {
        {"GET", "/a%20b?c=d", "x:1", 0}, {"OPTIONS", "*", "x", 0},
        {"FETCH", "/", "", 0},           {"CONNECT", "", "x:1", 501},
        {"G T", "/", "x", 400},          {"", "/", "x", 400},
        {"GET", "", "x", 400},           {"GET", "*", "x", 400},
        {"GET", "a", "x", 400},          {"GET", "/%zz", "x", 400},
        {"GET", "/%2", "x", 400},        {"GET", "/a b", "x", 400},
        {"GET", "/\x01", "x", 400},      {"GET", "/\xff", "x", 400},
        {"GET", "/", "a b", 400},        {"METHODSAREATMOSTSOLONGHERE", "/", "x", 501},
    };
    for (size_t i = 0; i < FIL_COUNT_OF(cases); i++) {
        struct fil_http_decoder decoder;
        struct fil_http_request request = {.method_text = fil_bytes_of(cases[i].method),
                                           .target = fil_bytes_of(cases[i].target),
                                           .host = fil_bytes_of(cases[i].host)};
        fil_http_decoder_init(&decoder, &fil_http_limits_default);
        int error = fil_http_request_check(&decoder, &request);
        assert_int_equal(error == FIL_OK ? 0 : decoder.failure.status, cases[i].status);
        if (i == 0) {
            assert_int_equal(request.method, FIL_HTTP_GET);
            assert_true(fil_bytes_equal_text(request.path, "/a%20b"));
            assert_true(fil_bytes_equal_text(request.query, "c=d"));
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_good_heads_decode_to_what_they_say),
        cmocka_unit_test(test_bad_heads_are_refused_with_status_and_place),
        cmocka_unit_test(test_every_prefix_of_a_good_head_asks_for_more),
        cmocka_unit_test(test_the_verdict_does_not_depend_on_the_pieces),
        cmocka_unit_test(test_target_limit_is_exact),
        cmocka_unit_test(test_endless_request_line_is_cut_at_its_limit),
        cmocka_unit_test(test_longest_request_line_fits),
        cmocka_unit_test(test_head_limit_is_exact),
        cmocka_unit_test(test_header_count_limit_is_exact),
        cmocka_unit_test(test_as_many_headers_as_there_is_room_for),
        cmocka_unit_test(test_body_limit_is_exact),
        cmocka_unit_test(test_each_place_takes_its_bytes_and_no_others),
        cmocka_unit_test(test_control_bytes_are_seen_at_every_position),
        cmocka_unit_test(test_a_failure_sticks),
        cmocka_unit_test(test_pipelined_requests_are_taken_one_by_one),
        cmocka_unit_test(test_a_million_one_byte_pieces_are_cheap),
        cmocka_unit_test(test_decoding_allocates_nothing),
        cmocka_unit_test(test_parts_are_judged_as_a_head_is),
    };
    return cmocka_run_group_tests_name("http request", tests, NULL, NULL);
}
