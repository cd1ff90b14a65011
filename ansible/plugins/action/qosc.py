"""Brings a router to the state that a YAML file describes, with shell commands over the connection.

Every command is a script on the standard input of ``sh -s``. So a router needs neither Python nor SFTP.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
import shlex
import subprocess
import tempfile
import time

from ansible.errors import AnsibleActionFail, AnsibleConnectionFailure
from ansible.plugins.action import ActionBase

# Systems whose hook has to be enabled: the test whether it is, and the command.
ENABLE = {
    "openwrt": ("/etc/init.d/qosc-{0} enabled", "/etc/init.d/qosc-{0} enable"),
    "systemd": (
        "systemctl is-enabled -q qosc-{0}.service && systemctl is-active -q qosc-{0}.service",
        "systemctl daemon-reload && systemctl enable -q --now qosc-{0}.service",
    ),
    "alpine": ("[ -e /etc/runlevels/default/qosc-{0} ]", "rc-update add qosc-{0} default"),
}
NAME = re.compile(r"[a-z][a-z0-9-]*")
# Exit codes of the script's `check`.
NOT_STARTED = 3


class ActionModule(ActionBase):
    TRANSFERS_FILES = False
    _supports_check_mode = True
    _supports_diff = True

    def run(self, tmp=None, task_vars=None):
        result = super().run(tmp, task_vars)
        _ignored, self.options = self.validate_argument_spec(
            {
                "src": {"type": "path"},
                "name": {"type": "str"},
                "state": {"type": "str", "choices": ["present", "absent"], "default": "present"},
                "system": {"type": "str"},
                "trial": {"type": "int", "default": 60},
                "probe": {"type": "str"},
                "take_over": {"type": "bool", "default": False},
                "program": {"type": "path", "default": "qosc"},
            },
            required_if=[("state", "present", ["src"]), ("state", "absent", ["src", "name"], True)],
            mutually_exclusive=[("src", "name")],
        )
        if not 1 <= self.options["trial"] <= 99999:
            raise AnsibleActionFail("trial: %d is not from 1 to 99999" % self.options["trial"])
        systems = (self.options["system"] or "").replace(" ", "").split(",")
        self.systems = [system for system in systems if system]
        if "nixos" in self.systems:
            raise AnsibleActionFail("system: nixos is not supported, because only nixos-rebuild enables its files")
        self.report = {"changed": False, "files": []}
        with tempfile.TemporaryDirectory(prefix="qosc-") as self.folder:
            if self.options["state"] == "present":
                self._present()
            else:
                self._absent()
        result.update(self.report)
        return result

    # --- the controller ---------------------------------------------------------------------------------------------

    def _qosc(self, *arguments, codes=(0,)):
        """Runs qosc on the controller. Returns its exit code, output and errors."""
        try:
            run = subprocess.run(
                [self.options["program"], *arguments], capture_output=True, text=True, stdin=subprocess.DEVNULL, check=False
            )
        except OSError as error:
            raise AnsibleActionFail(
                "cannot run %s on the controller: %s; set `program`" % (self.options["program"], error.strerror)
            ) from error
        if run.returncode not in codes:
            raise AnsibleActionFail("qosc %s failed: %s" % (arguments[0], run.stderr.strip()))
        return run.returncode, run.stdout, run.stderr.strip()

    def _compile(self):
        """Compiles the YAML. Sets the script, the link and the files for the router, with their modes."""
        self.src = os.path.abspath(self._find_needle("files", self.options["src"]))
        _code, self.script, findings = self._qosc("compile", "--", self.src)
        if findings:
            self.report["findings"] = findings
        name = re.search(r"^link='([^']*)'$", self.script, re.MULTILINE)
        if not name or not NAME.fullmatch(name.group(1)):
            raise AnsibleActionFail("qosc compile printed no script with the name of a link")
        self.link = self.report["link"] = name.group(1)
        self.files = {"/etc/qosc/%s.sh" % self.link: (self.script, 0o755)}
        if self.systems and self.options["state"] == "present":
            tree = os.path.join(self.folder, "tree")
            self._qosc("install-files", "--system", ",".join(self.systems), "-o", tree, "--", self.src)
            for folder, _folders, names in os.walk(tree):
                for name in names:
                    path = os.path.join(folder, name)
                    mode = 0o755 if os.access(path, os.X_OK) else 0o644
                    with open(path, encoding="utf-8") as file:
                        self.files["/" + os.path.relpath(path, tree)] = (file.read(), mode)

    # --- the router -------------------------------------------------------------------------------------------------

    def _shell(self, text):
        """Runs a shell script on the router. Returns its exit code, output and errors."""
        return self._run("sh -s", text + "\n")

    def _run(self, command, text):
        # Input that is not empty also keeps ssh from making a terminal, which would change line ends.
        done = self._low_level_execute_command(command, in_data=text.encode())
        # ssh reports a new host key among the errors of the command.
        lines = [line.strip() for line in done["stderr"].splitlines() if "Warning: Permanently added" not in line]
        errors = "\n".join(lines).strip() or done["stdout"].strip()
        return done["rc"], done["stdout"], errors

    def _call(self, *words):
        """Runs a call of the compiled script on the router, where no copy of it has to exist."""
        if self.options["take_over"]:
            words = ("--take-over", *words)
        return self._run("sh -s -- " + shlex.join(words), self.script)

    def _different_files(self):
        """Returns the files that are missing on the router, or have other content or another mode."""
        lines = []
        for path in self.files:
            lines.append(
                'if [ -f {0} ] && [ ! -h {0} ]; then set -- $(ls -ln {0}) && echo "{1} ${{1%[.+@]}} $3 $(sha256sum <{0})"; fi'.format(
                    shlex.quote(path), path
                )
            )
        code, out, errors = self._shell("\n".join(["command -v sha256sum >/dev/null || { echo 'no sha256sum here' >&2; exit 9; }", *lines, ":"]))
        if code:
            raise AnsibleActionFail("cannot read the files on the router: %s" % errors)
        held = {}
        for line in out.splitlines():
            words = line.split()
            if len(words) >= 4:
                held[words[0]] = tuple(words[1:4])
        different = []
        for path, (content, mode) in self.files.items():
            letters = "-rwxr-xr-x" if mode == 0o755 else "-rw-r--r--"
            if held.get(path) != (letters, "0", _digest(content)):
                different.append(path)
        return sorted(different)

    def _write(self, paths):
        """Writes files on the router. Each is replaced as a whole or not at all."""
        lines = ["set -e"]
        for path in paths:
            content, mode = self.files[path]
            folder, name = path.rsplit("/", 1)
            # run-parts and shell patterns skip a name with a dot at its beginning.
            fresh = "%s/.%s.qosc-new" % (folder, name)
            lines.append("mkdir -p %s" % shlex.quote(folder))
            lines.append("printf '%%s' %s >%s" % (shlex.quote(content), fresh))
            lines.append("chown 0:0 {1} && chmod {0:o} {1} && mv -f {1} {2}".format(mode, fresh, path))
        code, _out, errors = self._shell("\n".join(lines))
        if code:
            raise AnsibleActionFail("cannot write the files on the router: %s" % errors)

    def _not_enabled(self):
        """Returns the commands that enable hooks which the system would not call yet."""
        wanted = [ENABLE[system] for system in self.systems if system in ENABLE]
        commands = []
        for test, enable in wanted:
            code, _out, _errors = self._shell("{ %s; } >/dev/null 2>&1" % test.format(self.link))
            if code:
                commands.append(enable.format(self.link))
        return commands

    # --- state: present ---------------------------------------------------------------------------------------------

    def _present(self):
        self._compile()
        code, dump, errors = self._call("dump")
        if code:
            raise AnsibleActionFail("cannot read the state of the router: %s" % errors)
        path = os.path.join(self.folder, "router.dump")
        with open(path, "w", encoding="utf-8") as file:
            file.write(dump)
        take_over = ["--take-over"] if self.options["take_over"] else []
        differs, plan, _errors = self._qosc(
            "plan", "--dump", path, "--format", "json", *take_over, "--", self.src, codes=(0, 1)
        )
        self.report["plan"] = json.loads(plan)
        files = self._different_files()
        commands = self._not_enabled()
        self.report["files"] = files
        self.report["changed"] = bool(differs or files or commands)
        if self._task.diff and self.report["changed"]:
            shown = ""
            if differs:
                _code, shown, _errors = self._qosc("plan", "--dump", path, *take_over, "--", self.src, codes=(0, 1))
            shown += "".join("write %s\n" % name for name in files)
            shown += "".join("run %s\n" % command for command in commands)
            self.report["diff"] = [{"prepared": shown}]
        if self._task.check_mode:
            return
        if differs:
            self._try()
        # The boot copy follows the trial, so a router that reboots meanwhile starts what worked.
        if files:
            self._write(files)
        for command in commands:
            code, _out, errors = self._shell(command)
            if code:
                raise AnsibleActionFail("`%s` failed on the router: %s" % (command, errors))

    def _try(self):
        """Tries the change, and confirms it if the router still answers and the probe succeeds."""
        seconds = self.options["trial"]
        if self.options["take_over"]:
            # Objects of other tools do not come back, so the script refuses a trial.
            code, _out, errors = self._call("start")
            if code:
                raise AnsibleActionFail("the router refused the change and is as before: %s" % errors)
            return
        # In scripts of an older qosc, the watchdog of a trial keeps the output of `try` open until the trial ends, and ssh
        # would wait for that. So the output goes to a file.
        code, out, errors = self._run(
            'said=$(mktemp) || exit 1; sh -s -- try %d >"$said" 2>&1; code=$?; cat "$said"; rm -f "$said"; exit $code' % seconds,
            self.script,
        )
        if code:
            raise AnsibleActionFail("the router refused the change and is as before: %s" % errors)
        # A login may print more.
        if any(line.startswith("%s: up to date" % self.link) for line in out.splitlines()):
            return
        end = time.monotonic() + seconds
        back = "the change is not confirmed, and the router returns to its previous state within %d s" % seconds
        try:
            code, errors = self._answers(end)
            if code:
                raise AnsibleActionFail("the shaping is not in place after the change: %s; %s" % (errors, back))
            if self.options["probe"]:
                code, _out, errors = self._shell(self.options["probe"])
                if code:
                    raise AnsibleActionFail(
                        "the probe failed with exit code %d: %s; %s" % (code, errors or "it printed nothing", back)
                    )
            code, _out, errors = self._call("confirm")
        except AnsibleConnectionFailure as error:
            raise AnsibleActionFail("the router does not answer after the change: %s; %s" % (error, back)) from error
        if code:
            raise AnsibleActionFail("cannot confirm the change: %s; %s" % (errors, back))

    def _answers(self, end):
        """Opens a new connection and runs `check`. Repeats this until half of the trial is over."""
        half = time.monotonic() + (end - time.monotonic()) / 2
        while True:
            try:
                # A multiplexed connection from before would not show that a new one is possible.
                self._connection.reset()
                code, _out, errors = self._call("check")
                return code, errors
            except AnsibleConnectionFailure:
                if time.monotonic() > half:
                    raise
                time.sleep(1)

    # --- state: absent ----------------------------------------------------------------------------------------------

    def _absent(self):
        if self.options["src"]:
            self._compile()
        else:
            self.link, self.script = self.options["name"], None
            if not NAME.fullmatch(self.link):
                raise AnsibleActionFail("name: '%s' is not the name of a link" % self.link)
        self.report["link"] = self.link
        copy = "/etc/qosc/%s.sh" % self.link
        uninstaller = "/etc/qosc/%s.uninstall.sh" % self.link
        _code, out, _errors = self._shell('for file in %s %s; do [ ! -e "$file" ] || echo "$file"; done' % (copy, uninstaller))
        found = out.split()
        if self.script is None and copy not in found:
            # Without a script, only its records tell whether it is started.
            code, _out, _errors = self._shell("[ -e /run/qosc/%s ]" % self.link)
            if code == 0:
                raise AnsibleActionFail("%s is started, but %s is missing: give `src`" % (self.link, copy))
            started = False
        else:
            code, _out, errors = self._call("check") if self.script is not None else self._shell("%s check" % copy)
            if code not in (0, 1, NOT_STARTED):
                raise AnsibleActionFail("cannot read the state of the router: %s" % errors)
            started = code != NOT_STARTED
        if uninstaller in found:
            # The uninstaller names the files that install-files wrote.
            _code, text, _errors = self._shell("cat %s" % uninstaller)
            found = sorted(set(re.findall(r"^(?:rm -f| {4})\s*(/\S+)", text, re.MULTILINE)) | {copy, uninstaller})
            _code, out, _errors = self._shell("for file in %s; do [ ! -e \"$file\" ] || echo \"$file\"; done" % shlex.join(found))
            found = out.split()
        self.report["files"] = found
        self.report["changed"] = bool(started or found)
        if self._task.diff and self.report["changed"]:
            shown = ("stop %s\n" % self.link if started else "") + "".join("remove %s\n" % path for path in found)
            self.report["diff"] = [{"prepared": shown}]
        if self._task.check_mode or not self.report["changed"]:
            return
        if started:
            code, _out, errors = self._call("stop") if self.script is not None else self._shell("%s stop" % copy)
            if code:
                raise AnsibleActionFail("cannot stop the shaping: %s" % errors)
        last = uninstaller if uninstaller in found else ""
        code, _out, errors = self._shell(
            "%s\nrm -f %s || exit 1\nrmdir /etc/qosc 2>/dev/null\n:" % (last and "sh %s || exit 1" % last, shlex.join([copy]))
        )
        if code:
            raise AnsibleActionFail("cannot remove the files: %s" % errors)


def _digest(content):
    return hashlib.sha256(content.encode()).hexdigest()
