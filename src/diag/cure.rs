//! Of which findings the cure can be certain.

use super::Code;

impl Code {
    /// Whether a finding of this code can carry a fix. It carries one only where nothing else can have been meant: each is decided
    /// where the finding is made.
    #[must_use]
    pub const fn can_be_fixed(self) -> bool {
        match self {
            // Spelling. What was meant is one of a closed set of words, and one slip away from it alone; or it is the same quantity,
            // written as we read it. Names that somebody made up count only where capitals, hyphens or neighbours differ.
            Code::UnknownKey
            | Code::BadRate
            | Code::BadPercent
            | Code::BadTime
            | Code::BadSize
            | Code::BadAddress
            | Code::BadPort
            | Code::BadDscp
            | Code::BadProtocol
            | Code::BadName
            | Code::BadNumber
            | Code::BadChoice
            | Code::BadMark
            | Code::BadMac
            | Code::UndefinedName
            | Code::UnknownAllow => true,
            // YAML: a space that is missing, quotes around a boolean, none around a text, a key given twice with one value.
            Code::Syntax | Code::WrongType | Code::DuplicateKey | Code::AmbiguousScalar => true,
            // Nothing is lost: what goes does nothing where it stands.
            Code::IdleAllow | Code::AllowedError | Code::ShadowedMatchSameClass => true,
            // What is missing only the household knows.
            Code::MissingKey | Code::TooLarge | Code::GuessedOverhead | Code::Unsupported => false,
            // One of two has to go or to be called otherwise, and either may be the one.
            Code::DuplicateName
            | Code::TakenId
            | Code::SameLinkName
            | Code::SameAddress
            | Code::WanIsLan
            | Code::SameRouterDevice
            | Code::SameRouterTunnel
            | Code::SameRouterNames
            | Code::SameRouterMarks
            | Code::LanBridge
            | Code::OwnDevice
            | Code::TunnelIsWan
            | Code::PoliceClassOverlap => false,
            // Numbers of which any could be the wrong one.
            Code::TooMany
            | Code::GuaranteeAboveParent
            | Code::CeilingBelowGuarantee
            | Code::CeilingAboveParent
            | Code::TooDeep
            | Code::NothingLeft
            | Code::QueueMemory
            | Code::DownloadBursts
            | Code::PriorityWithoutCeiling
            | Code::TargetTooShort
            | Code::LimitsTooLarge
            | Code::GuaranteeTooSmall
            | Code::LowPriorityGuarantee
            | Code::RateTooLow
            | Code::Margin
            | Code::RatesSwapped
            | Code::UnlikelyRate
            | Code::AcksFillUpload
            | Code::MissingOverhead
            | Code::OverheadMismatch
            | Code::ProfileDeviceMismatch
            | Code::MtuTooLarge
            | Code::RateVaries
            | Code::BypassAboveLink
            | Code::PoliceBurstBelowPacket
            | Code::PoliceBurstBelowAggregate
            | Code::PoliceBurstStarvesTcp
            | Code::PolicedLink
            | Code::TunnelMtuTooLarge
            | Code::HostOutsideLan => false,
            // Either the limit is too bold or the household has to change, and of keys that do not go together any may be the wrong one.
            Code::ExpectMisfit | Code::ExpectOutOfReach | Code::ExpectNotMet => false,
            // Which packets a class gets is the household's wish: a match that never meets one, or misses some, may be too narrow,
            // in the wrong place, or one too many.
            Code::NoDefault
            | Code::SecondRest
            | Code::LeafOnly
            | Code::NothingMatches
            | Code::ShareNeedsCake
            | Code::HostCeilingScope
            | Code::FifoForBulk
            | Code::OffloadDelay
            | Code::CannotMatch
            | Code::PortsWithoutProtocol
            | Code::MatchTooLarge
            | Code::DscpUploadOnly
            | Code::TooFewMarkBits
            | Code::TunnelOneFlow
            | Code::ShadowedMatch
            | Code::ShadowedMatchValue
            | Code::MarksOfOtherTools
            | Code::IcmpWithoutIcmpv6
            | Code::WebWithoutQuic
            | Code::TrustedDscp
            | Code::TunnelOneDirection
            | Code::CakeEngineUnsupported
            | Code::CakeEngineIgnored
            | Code::UnusedHost
            | Code::UnusedTunnel => false,
        }
    }
}
