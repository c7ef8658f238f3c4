"""test_install.py: an installed drt finds its model, and its man page and completions lie where they are looked for."""
import os, subprocess

import cli


class Install(cli.Case):
    def test_prefix(self):
        build = os.path.dirname(os.path.dirname(cli.DRT))
        subprocess.run(["cmake", "--install", build, "--prefix", self.path("usr")], check=True, stdout=subprocess.DEVNULL)
        for name in ("man/man1/drt.1", "bash-completion/completions/drt", "zsh/site-functions/_drt", "fish/vendor_completions.d/drt.fish", "drt/model/config.json"):
            self.assertTrue(os.path.exists(self.path("usr", "share", name)), name)
        drt = self.path("usr", "bin", "drt")
        self.write("mill.txt", "The mill of Tarn burned in the dry summer.")
        for args in ("ingest", "lib", "mill.txt"), ("search", "lib", "What burned?"):
            subprocess.run([drt, *args], cwd=self.dir, env=cli.environment(), check=True, stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=cli.SECONDS)
        info = subprocess.run([drt, "info", "lib"], cwd=self.dir, env=cli.environment(), check=True, stdout=subprocess.PIPE).stdout
        self.assertIn(self.path("usr", "share", "drt", "model").encode(), info)


cli.main()
