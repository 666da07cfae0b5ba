#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The C client through a restart of a real member, with and without a thread of its own: a call
with a short deadline gives up, one with a long deadline is answered by the new member, listeners
and near caches go on. The program is tests/api/restart.c.
"""
import os
import subprocess

import member
from member import GUARD, Member, MemberTest, main


class Restart(MemberTest):
    def go_through(self, *words):
        options = {"client.near_cache_delay": "10ms"}
        members = [Member(options)]
        self.addCleanup(lambda: members[-1].stop())
        address = f"127.0.0.1:{members[0].port}"
        program = os.path.join(os.path.dirname(member.binary()), "api_restart")
        with subprocess.Popen([program, address, *words], stdin=subprocess.PIPE,
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
            self.addCleanup(process.kill)
            self.assertEqual(process.stdout.readline(), b"stop the member\n")
            members[0].stop()
            process.stdin.write(b"\n")
            process.stdin.flush()
            self.assertEqual(process.stdout.readline(), b"start it again\n")
            members.append(Member({**options, "net.listen": address}))
            output, problems = process.communicate(timeout=GUARD)
            self.assertEqual((output, problems, process.returncode), (b"all is well\n", b"", 0))

    def test_on_the_caller_s_thread(self):
        self.go_through()

    def test_with_a_thread_of_its_own(self):
        self.go_through("thread")


if __name__ == "__main__":
    main()
