# Documentation of the action plugin of the same name, for ansible-doc. No module runs on a router.
DOCUMENTATION = r"""
module: qosc
short_description: Shape the internet line of a router with qosc
version_added: "0.1.0"
description:
  - Compiles a YAML file with the C(qosc) of the controller, and brings the router to the described state.
  - Runs shell commands over the connection. The router needs C(sh), C(tc), C(ip) and C(sha256sum), but no Python and no
    SFTP.
  - Tries each change first. If the router does not answer after the change, the change is not confirmed. The router
    then returns to its previous state by itself.
  - Needs root on the router, directly or with C(become).
options:
  src:
    description:
      - YAML file on the controller. A relative path is also looked up in the folder C(files) of the play or role.
      - Required if O(state=present). With O(state=absent), it gives the name of the link.
    type: path
  name:
    description:
      - Name of the link to remove, if O(state=absent) and O(src) is not given.
    type: str
  state:
    description:
      - V(present) starts the shaping and installs the files. V(absent) stops the shaping and removes them.
    type: str
    choices: [present, absent]
    default: present
  system:
    description:
      - Kinds of system for C(qosc install-files), such as V(openwrt) or V(debian,ppp).
      - Without it, only the boot copy C(/etc/qosc/NAME.sh) is installed, and nothing calls it at boot.
      - V(nixos) is refused, because only C(nixos-rebuild) can enable its files.
    type: str
  trial:
    description:
      - Seconds after which the router returns to its previous state, unless the change is confirmed.
    type: int
    default: 60
  probe:
    description:
      - Shell command for the router, which must succeed before the change is confirmed.
      - It runs after a new connection has shown that the router still answers.
    type: str
  take_over:
    description:
      - Removes a root qdisc or filters that other tools made. They do not come back, so changes are made without a
        trial and without O(probe).
    type: bool
    default: false
  program:
    description:
      - The C(qosc) of the controller.
    type: path
    default: qosc
attributes:
  check_mode:
    support: full
    description: Changes nothing, and reports what would change.
  diff_mode:
    support: full
    description: Shows the output of C(qosc plan), and the files to write or remove.
  platform:
    support: full
    platforms: linux
    description: Linux routers with a POSIX shell.
author:
  - the authors of qosc
"""

EXAMPLES = r"""
- name: Shape the line
  qosc.qosc.qosc:
    src: routers/{{ inventory_hostname }}.yaml
    system: openwrt
    probe: ping -c 1 -W 5 192.0.2.1

- name: Remove the shaping
  qosc.qosc.qosc:
    name: home
    state: absent
"""

RETURN = r"""
link:
  description: Name of the link.
  returned: always
  type: str
  sample: home
plan:
  description: Output of C(qosc plan --format json) before the change.
  returned: if O(state=present)
  type: dict
files:
  description: Files on the router that were written or removed, or would be.
  returned: always
  type: list
  elements: str
  sample: [/etc/qosc/home.sh]
findings:
  description: Warnings and notes of the compiler.
  returned: if there are any
  type: str
"""
