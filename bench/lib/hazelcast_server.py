# SPDX-License-Identifier: Apache-2.0
"""A member of Hazelcast to compare with: from Maven Central, checked by its sum, kept in .peers."""
import hashlib
import os
import subprocess
import urllib.request

import program
import server

VERSION = "5.7.0"
JAR = f"hazelcast-{VERSION}.jar"
URL = f"https://repo1.maven.org/maven2/com/hazelcast/hazelcast/{VERSION}/{JAR}"
SUM = "241ec66cea8491787f68c3336f069ac463877af50bdb7676cd9d538f1940dc33"

CONFIGURATION = """<hazelcast xmlns="http://www.hazelcast.com/schema/config">
  <cluster-name>dev</cluster-name>
  <network><port auto-increment="false">{port}</port>
    <join><auto-detection enabled="false"/><multicast enabled="false"/></join></network>
  <map name="*"><backup-count>0</backup-count></map>
</hazelcast>
"""


def find_jar():
    """Hazelcast's jar: kept from an earlier run, or downloaded and checked."""
    path = os.path.join(program.ROOT, ".peers", JAR)
    if not os.path.exists(path):
        os.makedirs(os.path.dirname(path), exist_ok=True)
        try:
            with urllib.request.urlopen(URL, timeout=300) as answer:
                data = answer.read()
        except OSError as error:
            raise program.BenchError(f"{URL} cannot be had: {error}") from error
        with open(path + ".part", "wb") as file:
            file.write(data)
        os.replace(path + ".part", path)
    with open(path, "rb") as file:
        if hashlib.sha256(file.read()).hexdigest() != SUM:
            raise program.BenchError(f"{path} is not what it should be: remove it")
    return path


def start(binary, core):
    """The server, to be used in a `with` block."""
    jar = find_jar()

    def command(port, folder):
        path = os.path.join(folder, "hazelcast.xml")
        with open(path, "w", encoding="utf-8") as file:
            file.write(CONFIGURATION.format(port=port))
        return ["java", "-Xms2g", "-Xmx2g", f"-Dhazelcast.config={path}",
                "-Dhazelcast.phone.home.enabled=false", "-cp", jar,
                "com.hazelcast.core.server.HazelcastMemberStarter"]

    def is_ready(port):
        asked = subprocess.run([binary, "map", "size", "bench", "--address",
                                f"{server.HOST}:{port}"], capture_output=True, check=False)
        return asked.returncode == 0

    target = server.Server("hazelcast", command, is_ready, core)
    target.poll_pause_s = 0.2
    target.version = VERSION
    return target
