
  systemd.services.@TAG@-switch = {
    description = "Variant of the internet line @LINK@ that is due";
    startAt = "*:@MINUTES@";
    path = with pkgs; [ kmod gawk gnugrep gnused coreutils util-linux @PACKAGES@ ];
    serviceConfig = {
      Type = "oneshot";
      ExecStart = "${./@TAG@.sh} switch";
      TimeoutStartSec = "5min";
@NIX_SANDBOX@
    };
  };
  systemd.timers.@TAG@-switch.timerConfig = {
    OnClockChange = true;
    OnTimezoneChange = true;
    AccuracySec = "1s";
  };
