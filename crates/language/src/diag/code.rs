//! Stable codes of findings.

use super::did_you_mean;
use serde::Serialize;

choices! {
    /// Severity of a finding.
    pub enum Severity {
        /// Error: nothing is compiled.
        Error,
        /// Warning: the file is compiled, but probably not as the user meant it.
        Warning,
        /// Note: the file is compiled, and the finding is worth knowing.
        Note,
    }
}

macro_rules! codes {
    ($($variant:ident = $code:literal $severity:ident $title:literal,)+) => {
        /// Stable code of a finding. It is never renumbered and never used for anything else.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum Code { $(#[doc = $title] $variant,)+ }

        impl Code {
            /// All codes in order.
            pub const ALL: &[Code] = &[$(Code::$variant,)+];

            /// Returns the code as printed, such as `Q0102`.
            #[must_use]
            pub const fn as_str(self) -> &'static str { match self { $(Code::$variant => $code,)+ } }

            /// Returns the subject of the code in a few words.
            #[must_use]
            pub const fn title(self) -> &'static str { match self { $(Code::$variant => $title,)+ } }

            /// Returns the severity of the code.
            #[must_use]
            pub const fn severity(self) -> Severity { match self { $(Code::$variant => Severity::$severity,)+ } }
        }
    };
}

codes! {
    // reading the text
    Syntax = "Q0101" Error "the text is not YAML",
    UnknownKey = "Q0102" Error "a key that does not exist",
    WrongType = "Q0103" Error "a value of the wrong type",
    DuplicateKey = "Q0104" Error "a key given twice",
    MissingKey = "Q0105" Error "a required key is missing",
    TooLarge = "Q0106" Error "a file beyond the limits",
    AmbiguousScalar = "Q0107" Error "a scalar that YAML readers read differently",
    IdleAllow = "Q0108" Warning "an allow that suppresses nothing",
    UnknownAllow = "Q0109" Warning "an allow without a known code",
    AllowedError = "Q0110" Warning "an allow of an error",
    BadInclude = "Q0111" Error "an included file that cannot be used",
    BadTemplate = "Q0112" Error "a template that cannot be used",
    BadVariant = "Q0113" Error "a variant that cannot be done",
    NewInLayer = "Q0114" Warning "a name that no lower layer has",
    // values
    BadRate = "Q0201" Error "not a rate",
    BadPercent = "Q0202" Error "not a percentage",
    BadTime = "Q0203" Error "not a time",
    BadSize = "Q0204" Error "not a size",
    BadAddress = "Q0205" Error "not an address",
    BadPort = "Q0206" Error "not a port",
    BadDscp = "Q0207" Error "not a DSCP",
    BadProtocol = "Q0208" Error "not a protocol",
    BadMark = "Q0209" Error "not a mark",
    BadName = "Q0210" Error "not a usable name",
    BadNumber = "Q0211" Error "a number out of range",
    BadChoice = "Q0212" Error "not one of the choices",
    BadMac = "Q0213" Error "not a MAC address",
    // names
    UndefinedName = "Q0301" Error "a name that is not defined",
    DuplicateName = "Q0302" Error "a name given twice",
    TakenId = "Q0303" Error "an id given twice",
    TooMany = "Q0304" Error "more classes than a link can have",
    // classes
    GuaranteeAboveParent = "Q0401" Error "guarantees above the parent",
    CeilingBelowGuarantee = "Q0402" Error "a ceiling below the guarantee",
    CeilingAboveParent = "Q0403" Error "a ceiling above the parent",
    NoDefault = "Q0404" Error "not exactly one default class",
    TooDeep = "Q0405" Error "classes nested deeper than the kernel allows",
    NothingLeft = "Q0406" Error "no rate left for a class",
    SecondRest = "Q0407" Error "a second class without match in a matched parent",
    LeafOnly = "Q0408" Error "a field that only a leaf can have",
    NothingMatches = "Q0409" Warning "a class that nothing matches",
    ShareNeedsCake = "Q0410" Error "a queue that cannot share per host",
    HostCeilingScope = "Q0411" Note "a host ceiling that applies only in its home class",
    QueueMemory = "Q0412" Warning "queues that take much memory",
    DownloadBursts = "Q0413" Note "parallel downloads that delay all other traffic",
    PriorityWithoutCeiling = "Q0415" Note "a first-priority class without a ceiling",
    SharedLimit = "Q0416" Note "one limit for all addresses of a prefix",
    BadEach = "Q0417" Error "an `each` that cannot be done",
    TargetTooShort = "Q0420" Warning "a target shorter than one packet",
    FifoForBulk = "Q0421" Warning "one queue for all flows of a bulk class",
    LimitsTooLarge = "Q0422" Warning "limits that let queues take much memory",
    GuaranteeTooSmall = "Q0423" Warning "a guarantee too small for its packets",
    LowPriorityGuarantee = "Q0424" Warning "a low-priority class guaranteed as much as the default",
    OnlyClass = "Q0425" Warning "an only class that gets all packets against its own words",
    DefaultBelowMatch = "Q0427" Warning "a default class inside a class with a match",
    QueueTooShort = "Q0428" Warning "a queue too short for its rate",
    // matches
    CannotMatch = "Q0501" Error "a match that no packet can meet",
    PortsWithoutProtocol = "Q0502" Error "ports without a protocol that has ports",
    MatchTooLarge = "Q0503" Error "a match that needs too many filters",
    DscpUploadOnly = "Q0504" Note "a DSCP that matches only uploads",
    TooFewMarkBits = "Q0508" Error "too few bits in the marks",
    TunnelOneFlow = "Q0509" Note "a tunnel whose downloads are one flow",
    ShadowedMatch = "Q0510" Warning "a match that earlier classes match completely",
    ShadowedMatchValue = "Q0511" Warning "a value that earlier classes match",
    ShadowedMatchSameClass = "Q0512" Note "a match that adds nothing to its class",
    MarksOfOtherTools = "Q0513" Warning "mark bits that other tools use",
    IcmpWithoutIcmpv6 = "Q0514" Warning "ICMP without ICMPv6",
    WebWithoutQuic = "Q0515" Note "web traffic without QUIC",
    TrustedDscp = "Q0516" Note "a trusted DSCP of unknown senders",
    TunnelOneDirection = "Q0517" Warning "a tunnel match that works in one direction only",
    RemoteInLan = "Q0518" Warning "a remote address inside the LAN",
    UnseenAddress = "Q0520" Warning "an address that the line never shows",
    UnseenFamily = "Q0521" Note "a limit that one IP version passes",
    UnseenHosts = "Q0522" Warning "hosts behind NAT of IPv6 that share as one",
    // link
    GuessedOverhead = "Q0601" Warning "a link without a profile",
    RateTooLow = "Q0602" Error "a rate below what one packet needs",
    CakeEngineUnsupported = "Q0603" Error "something that CAKE cannot do as the engine",
    CakeEngineIgnored = "Q0604" Note "a class or queue that applies only in the direction of HTB",
    Margin = "Q0605" Warning "a margin of zero, or one that wastes bandwidth",
    RatesSwapped = "Q0606" Warning "line rates that look swapped",
    UnlikelyRate = "Q0607" Warning "a rate that this kind of line does not have",
    AcksFillUpload = "Q0608" Warning "acknowledgements that fill the upload",
    MissingOverhead = "Q0609" Warning "a profile without the overhead of PPP or DSL",
    ProfileDeviceMismatch = "Q0610" Warning "a device name that does not fit the line",
    MtuTooLarge = "Q0611" Warning "an MTU that the line does not carry",
    RateVaries = "Q0613" Note "a wireless line shaped like a constant rate",
    OwnDevice = "Q0614" Error "a device that the script creates",
    SameLinkName = "Q0615" Warning "two files with the same link name",
    WanIsLan = "Q0616" Warning "one device as both WAN and LAN",
    OverheadMismatch = "Q0617" Warning "an overhead that does not fit the line",
    LanBridge = "Q0618" Error "a LAN device as the WAN device",
    OffloadDelay = "Q0619" Warning "aggregated packets that block a slow line",
    OffloadDelayInClass = "Q0620" Note "offloads turned off because of a slow class",
    ShapedMisfit = "Q0621" Error "a shaped rate that contradicts the margin or the line rate",
    VaryMisfit = "Q0622" Error "bounds between which a line cannot vary",
    // police
    BypassAboveLink = "Q0701" Error "policed rates that leave nothing for the classes",
    PoliceBurstBelowPacket = "Q0702" Warning "a police burst below one packet",
    PoliceBurstBelowAggregate = "Q0703" Warning "a police burst below one aggregate",
    PoliceBurstStarvesTcp = "Q0704" Warning "a police burst that starves TCP",
    PoliceClassOverlap = "Q0705" Note "a policer and a class of which one has no effect",
    PolicedLink = "Q0706" Warning "a whole link policed instead of shaped",
    DownloadsUnshaped = "Q0707" Warning "settings for downloads that are not shaped",
    // hosts and tunnels
    HostOutsideLan = "Q0801" Warning "a host outside the LAN's networks",
    SameAddress = "Q0802" Warning "two hosts with one address",
    UnusedHost = "Q0803" Note "a host that nothing uses",
    TunnelMtuTooLarge = "Q0804" Warning "a tunnel MTU that fragments packets",
    UnusedTunnel = "Q0805" Note "a tunnel that nothing uses",
    TunnelIsWan = "Q0806" Warning "a tunnel on the WAN device",
    // features that do not exist yet
    Unsupported = "Q0901" Error "something that is not supported",
    // expectations
    ExpectMisfit = "Q1001" Error "keys of an expectation that contradict each other",
    ExpectOutOfReach = "Q1002" Warning "an expectation that this line cannot meet",
    ExpectNotMet = "Q1003" Error "an expectation that the lab found not met",
    // files of one router
    SameRouterDevice = "Q1101" Error "two files that shape one device",
    SameRouterTunnel = "Q1102" Error "a tunnel device that two files shape",
    SameRouterNames = "Q1103" Error "names or settings on the router that two files share",
    SameRouterMarks = "Q1104" Warning "mark bits that two files use",
    // import from other tools
    NoEquivalent = "Q1201" Warning "a setting of another tool without an equivalent",
    NotImportable = "Q1202" Error "an input that import cannot read",
    OtherwiseExpressed = "Q1203" Note "a setting of another tool that becomes something else",
    ImportDiffers = "Q1204" Error "packets that the result of an import limits in another way",
}

impl Code {
    /// Returns `true` if only a stage after the YAML parser reports this code. Such a finding shows that the text is YAML.
    #[must_use]
    pub const fn is_after_parsing(self) -> bool {
        !matches!(
            self,
            Code::Syntax
                | Code::WrongType
                | Code::DuplicateKey
                | Code::TooLarge
                | Code::AmbiguousScalar
                | Code::IdleAllow
                | Code::UnknownAllow
                | Code::AllowedError
        )
    }

    /// Returns the code with this text, in upper or lower case.
    #[must_use]
    pub fn find(text: &str) -> Option<Code> {
        Code::ALL.iter().copied().find(|code| code.as_str().eq_ignore_ascii_case(text))
    }

    /// Returns the only code that differs from the text by a typing error; `None` if there are several.
    #[must_use]
    pub fn near(text: &str) -> Option<Code> {
        let near = |code: &Code| did_you_mean(text, [code.as_str()]).is_some();
        let mut near = Code::ALL.iter().copied().filter(near);
        near.next().filter(|_| near.next().is_none())
    }
}

impl Serialize for Code {
    fn serialize<S: serde::Serializer>(&self, s: S) -> Result<S::Ok, S::Error> {
        s.serialize_str(self.as_str())
    }
}

impl std::fmt::Display for Code {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.as_str())
    }
}

#[cfg(test)]
mod tests {
    use super::Code;

    #[test]
    fn codes_are_unique_and_in_order() {
        let codes: Vec<&str> = Code::ALL.iter().map(|code| code.as_str()).collect();
        assert!(codes.is_sorted_by(|a, b| a < b), "{codes:?}");
        for code in codes {
            let digits = code.strip_prefix('Q').unwrap();
            assert!(digits.len() == 4 && digits.chars().all(|c| c.is_ascii_digit()), "{code}");
        }
        // the declaration order is that of the texts, so sorting codes sorts their texts
        assert!(Code::ALL.is_sorted_by(|a, b| a < b));
    }

    #[test]
    fn only_close_misspellings_of_codes_get_a_suggestion() {
        assert_eq!(Code::find("q0601"), Some(Code::GuessedOverhead));
        assert_eq!(Code::find("Q601"), None);
        assert_eq!(Code::near("0901"), Some(Code::Unsupported));
        assert_eq!(Code::near("Q0001"), None);
        assert_eq!(Code::near("unused"), None);
    }

    #[test]
    fn titles_are_unique_and_well_formed() {
        let mut titles: Vec<&str> = Code::ALL.iter().map(|code| code.title()).collect();
        for title in &titles {
            assert!(!title.ends_with('.') && !title.is_empty(), "{title}");
        }
        titles.sort_unstable();
        titles.dedup();
        assert_eq!(titles.len(), Code::ALL.len());
    }
}
