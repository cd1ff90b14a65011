
  systemd.services.@TAG@-tunnels = {
    description = "Queues of the tunnels of @LINK@";
    # The unit runs each time that a tunnel's device appears. It does not start what was stopped.
    wantedBy = [ @NIX_TUNNEL_UNITS@ ];
    requisite = [ "@TAG@.service" ];
    after = [ "@TAG@.service" ];
    serviceConfig = {
      Type = "oneshot";
      # The program that makes a tunnel sets its port after the device has appeared.
      ExecStartPre = "${pkgs.coreutils}/bin/sleep 2";
      # The call returns at once, so the unit can run again for the next device.
      ExecStart = "${pkgs.systemd}/bin/systemctl --no-block reload @TAG@.service";
    };
  };
