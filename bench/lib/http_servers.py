# SPDX-License-Identifier: Apache-2.0
"""HTTP servers under load: our benchmark service, nginx and Go's net/http, and what `filbert bench
http` says of them."""
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
    """The folder of filbert and bench-service: beside the binary, or built for the release."""
    if arguments.binary:
        folder = os.path.dirname(os.path.realpath(arguments.binary))
    else:
        built = subprocess.run(
            [os.path.join(program.ROOT, "tools", "build"), "release", "filbert", "bench-service",
             "http-load"]
        )
        if built.returncode != 0:
            raise program.BenchError("tools/build failed: see its messages above")
        folder = os.path.join(program.ROOT, "build", "release", "bin")
    for name in ("filbert", "bench-service", "http-load"):
        if not os.access(os.path.join(folder, name), os.X_OK):
            raise program.BenchError(f"{folder} holds no {name}: build it, or leave out --binary")
    return folder


def is_hello_ready(port):
    return server.http_get(port, "/hello")[0] == 200


def service(folder, core=None, **options):
    """bench-service with options as section__name='value', or BENCH_NAME='value'."""
    settings = [
        f"{'' if name.startswith('BENCH_') else 'FILBERT_'}{name.upper()}={value}"
        for name, value in options.items()
    ]
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


def load_command(folder, port, path, connections, seconds, **mode):
    """`filbert bench http`: a closed loop of pipeline=N, or Poisson arrivals at rate=N with a
    second of warm-up; deadline=MS."""
    flags = ["--pipeline", str(mode.get("pipeline", 1))]
    if "rate" in mode:
        flags += ["--rate", str(mode["rate"]), "--arrivals", "poisson", "--warmup", "1s"]
    if "deadline" in mode:
        flags += ["--deadline", f"{mode['deadline']}ms"]
    return [
        os.path.join(folder, "filbert"), "bench", "http", "-o", "json",
        "--address", f"127.0.0.1:{port}", "--path", path, "--connections", str(connections),
        "--duration", f"{round(seconds * 1000)}ms", *flags,
    ]


def load(folder, target, core, path, connections, seconds, **mode):
    """Load as load_command says; returns its figures with cpu_us, the server's processor time an
    answer."""
    clock = process.CpuClock(target.pid)
    command = load_command(folder, target.port, path, connections, seconds, **mode)
    found = subprocess.run(server.pinned(core, command), stdout=subprocess.PIPE, text=True)
    if not found.stdout:  # answers that are errors are told with the others
        raise program.BenchError(f"filbert bench http failed against {target.name}")
    said = json.loads(found.stdout)
    figures = {
        # At a rate: those in which requests were due, without the wait for the last answers.
        "seconds": seconds if "rate" in mode else said["seconds"],
        "ok": said["in_time"],
        "late": said["late"],
        "rejected": said["refused"],
        "failed": said["errors"],
        "lost": said["lost"] + said["unsent"],
        "ok_p50_ms": said["latency_us"]["p50"] / 1e3,
        "ok_p99_ms": said["latency_us"]["p99"] / 1e3,
        "rejected_p50_ms": said["refused_us"]["p50"] / 1e3,
        "rejected_p99_ms": said["refused_us"]["p99"] / 1e3,
        "lag_p99_ms": said["lag_us"]["p99"] / 1e3,
        "rate": said["ops_per_s"],
    }
    figures["sent"] = said["requests"] + figures["lost"]
    figures["cpu_us"] = clock.elapsed_ns() / 1e3 / max(1, said["requests"])
    return figures
