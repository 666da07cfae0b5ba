#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The pages in a browser (headless Chromium, where there is one): each is loaded and shown.
"""
import shutil
import subprocess
import tempfile
import unittest

import member
from member import GUARD, SharedMemberTest

BROWSER = next((name for name in ("chromium", "chromium-browser", "google-chrome")
                if shutil.which(name)), None)


@unittest.skipIf(BROWSER is None, "no Chromium here: apt-get install chromium")
class Pages(SharedMemberTest):
    def load(self, path):
        """What the page has become in the browser."""
        with tempfile.TemporaryDirectory() as profile:
            result = subprocess.run(
                [BROWSER, "--headless", "--no-sandbox", "--disable-gpu",
                 "--disable-dev-shm-usage", f"--user-data-dir={profile}", "--dump-dom",
                 f"http://127.0.0.1:{self.member.port}{path}"],
                capture_output=True, timeout=GUARD, check=False)
        self.assertEqual(result.returncode, 0, result.stderr)
        return result.stdout.decode()

    def test_start_page_is_shown_as_html(self):
        page = self.load("/")
        self.assertIn("<title>Filbert</title>", page)
        self.assertIn("<a href=", page)

    def test_pages_of_text_are_shown(self):
        for path, text in (("/livez", "ok"), ("/services", "GET /livez"), ("/loops", "io/0"),
                           ("/metrics", "filbert_requests_total")):
            self.assertIn(text, self.load(path), path)


if __name__ == "__main__":
    member.main()
