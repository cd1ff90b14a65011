
  systemd.services.@TAG@-follow = {
    description = "Rates of the internet line @LINK@";
    wantedBy = [ @NIX_UNIT@ ];
    bindsTo = [ @NIX_UNIT@ ];
    after = [ @NIX_UNIT@ "@TAG@.service" ];
    partOf = [ "@TAG@.service" ];
    startLimitIntervalSec = 0;
    path = with pkgs; [ fping gawk gnugrep gnused coreutils util-linux @PACKAGES@ ];
    serviceConfig = {
      ExecStart = "${./@TAG@.sh} follow";
      Restart = "always";
      RestartSec = 10;
      KillMode = "mixed";
      StateDirectory = "qosc";
@NIX_SANDBOX@
      CapabilityBoundingSet = [ "CAP_NET_ADMIN" "CAP_NET_RAW" ];
    };
  };
