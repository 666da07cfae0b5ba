# SPDX-License-Identifier: Apache-2.0
"""A member of Hazelcast to compare with: got by Maven, checked by its sum, kept in .peers."""
import hashlib
import os
import subprocess

import program
import server

VERSION = "5.7.0"
JAR = f"hazelcast-{VERSION}.jar"
ARTIFACT = f"com.hazelcast:hazelcast:{VERSION}"
SUM = "241ec66cea8491787f68c3336f069ac463877af50bdb7676cd9d538f1940dc33"

CONFIGURATION = """<hazelcast xmlns="http://www.hazelcast.com/schema/config">
  <cluster-name>dev</cluster-name>
  <network><port auto-increment="false">{port}</port>
    <join><auto-detection enabled="false"/><multicast enabled="false"/></join></network>
  <map name="*"><backup-count>0</backup-count></map>
</hazelcast>
"""


def get_jar(folder):
    """From wherever Maven gets its artifacts here."""
    command = ["mvn", "-q", "-B", "dependency:copy", f"-Dartifact={ARTIFACT}",
               f"-DoutputDirectory={folder}"]
    try:
        subprocess.run(command, check=True, timeout=300)
    except (OSError, subprocess.SubprocessError) as error:
        raise program.BenchError(f"{ARTIFACT} cannot be had: {error}") from error


def find_jar():
    """Hazelcast's jar: kept from an earlier run, or got and checked."""
    folder = os.path.join(program.ROOT, ".peers")
    path = os.path.join(folder, JAR)
    if not os.path.exists(path):
        os.makedirs(folder, exist_ok=True)
        get_jar(folder)
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
