# SPDX-License-Identifier: Apache-2.0
"""HTTP servers under load: our benchmark service, nginx and Go's net/http, and what http-load says
of them."""
import json
import os
import shutil
import subprocess

import process
import program
import server

BODY = ("0123456789" * 10)[:99] + "\\n"

NGINX = """
daemon off; master_process off; worker_processes 1; pid {folder}/pid; error_log {folder}/error;
events {{ worker_connections 4096; }}
http {{
  access_log off; keepalive_requests 1000000000; keepalive_timeout 600s;
  client_body_temp_path {folder}/body; proxy_temp_path {folder}/proxy;
  fastcgi_temp_path {folder}/fastcgi; uwsgi_temp_path {folder}/uwsgi; scgi_temp_path {folder}/scgi;
  server {{
    listen 127.0.0.1:{port};
    location / {{ default_type text/plain; return 200 "{body}"; }}
  }}
}}
"""

GO = """
package main

import ("fmt"; "net/http"; "os"; "strings")

func main() {
	body := []byte(strings.Repeat("0123456789", 10))
	hello := func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/plain")
		w.Write(body)
	}
	burn := func(w http.ResponseWriter, r *http.Request) {
		x := uint32(2463534242)
		for i := 0; i < 510000; i++ {
			x ^= x << 13
			x ^= x >> 17
			x ^= x << 5
		}
		fmt.Fprintln(w, x)
	}
	http.HandleFunc("/", hello)
	http.HandleFunc("/burn", burn)
	panic(http.ListenAndServe("127.0.0.1:"+os.Args[1], nil))
}
"""


def tools(arguments):
    """The folder of http-load and bench-service: beside the binary, or built for the release."""
    if arguments.binary:
        folder = os.path.dirname(os.path.realpath(arguments.binary))
    else:
        built = subprocess.run(
            [os.path.join(program.ROOT, "tools", "build"), "release", "http-load", "bench-service"]
        )
        if built.returncode != 0:
            raise program.BenchError("tools/build failed: see its messages above")
        folder = os.path.join(program.ROOT, "build", "release", "bin")
    for name in ("http-load", "bench-service"):
        if not os.access(os.path.join(folder, name), os.X_OK):
            raise program.BenchError(f"{folder} holds no {name}: build it, or leave out --binary")
    return folder


def is_hello_ready(port):
    return server.http_get(port, "/hello")[0] == 200


def service(folder, core=None, **options):
    """bench-service with options as section__name='value'."""
    settings = [f"FILBERT_{name.upper()}={value}" for name, value in options.items()]
    made = server.Server(
        "filbert",
        lambda port, _: [
            "env", f"FILBERT_NET__LISTEN=127.0.0.1:{port}", *settings,
            os.path.join(folder, "bench-service"),
        ],
        is_hello_ready,
        core,
    )
    made.version = "this tree"
    return made


def nginx(core=None):
    """nginx with one worker that returns a constant; None where it cannot be had."""
    try:
        binary = program.find_peer("nginx")
    except program.BenchError:
        return None

    def command(port, folder):
        path = os.path.join(folder, "nginx.conf")
        with open(path, "w", encoding="ascii") as file:
            file.write(NGINX.format(folder=folder, port=port, body=BODY))
        return [binary, "-p", folder, "-c", path, "-e", os.path.join(folder, "error")]

    made = server.Server("nginx", command, is_hello_ready, core)
    text = subprocess.run([binary, "-v"], stderr=subprocess.PIPE, text=True).stderr
    made.version = text.strip().rpartition("/")[2]
    return made


def go(scratch, core=None):
    """Go's net/http; None where there is no Go."""
    if shutil.which("go") is None:
        return None
    source = os.path.join(scratch, "main.go")
    binary = os.path.join(scratch, "go-server")
    with open(source, "w", encoding="ascii") as file:
        file.write(GO)
    environment = {**os.environ, "GOFLAGS": "-mod=mod", "GOTOOLCHAIN": "local"}
    if subprocess.run(["go", "build", "-o", binary, source], env=environment).returncode != 0:
        return None
    made = server.Server("go", lambda port, _: [binary, str(port)], is_hello_ready, core)
    made.version = subprocess.run(
        ["go", "env", "GOVERSION"], stdout=subprocess.PIPE, text=True
    ).stdout.strip()
    return made


def load(folder, target, core, path, connections, seconds, *mode):
    """Runs http-load; returns its figures with cpu_us, the server's processor time an answer."""
    clock = process.CpuClock(target.pid)
    command = [
        os.path.join(folder, "http-load"), str(target.port), path, str(connections),
        str(round(seconds * 1000)), *[str(word) for word in mode],
    ]
    found = subprocess.run(server.pinned(core, command), stdout=subprocess.PIPE, text=True)
    if found.returncode != 0:
        raise program.BenchError(f"http-load failed against {target.name}")
    figures = json.loads(found.stdout)
    answers = figures["ok"] + figures["late"] + figures["rejected"] + figures["failed"]
    figures["rate"] = answers / figures["seconds"]
    figures["cpu_us"] = clock.elapsed_ns() / 1e3 / max(1, answers)
    return figures
