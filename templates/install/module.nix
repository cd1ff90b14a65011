# @MADE@
# Add this file to `imports` in /etc/nixos/configuration.nix.
{ pkgs, ... }:

{
  environment.etc."qosc/@LINK@.sh".source = ./@TAG@.sh;

  # The unit may not load modules.
  boot.kernelModules = [ "ifb" ];
  # Otherwise the module makes the devices ifb0 and ifb1, which nobody uses.
  boot.extraModprobeConfig = "options ifb numifbs=0";

  systemd.services.@TAG@ = {
    description = "Shaping of the internet line @LINK@";
    # The unit starts when the device appears, and stops when it vanishes.
    wantedBy = [ @NIX_UNIT@ ];
    bindsTo = [ @NIX_UNIT@ ];
    after = [ @NIX_UNIT@ "systemd-modules-load.service" "nftables.service" ];
    path = with pkgs; [ kmod gawk gnugrep gnused coreutils util-linux @PACKAGES@ ];
    # A new script changes only what differs.
    reloadIfChanged = true;
    serviceConfig = {
      Type = "oneshot";
      RemainAfterExit = true;
      ExecStart = "${./@TAG@.sh} start --if-present --device @DEVICE_WORD@";
      ExecReload = "${./@TAG@.sh} start --if-present --device @DEVICE_WORD@";
      ExecStop = "${./@TAG@.sh} stop";
      TimeoutStartSec = "5min";
@NIX_SANDBOX@
    };
  };
@NIX_TUNNELS@
@NIX_SWITCH@
@NIX_FOLLOW@
}
