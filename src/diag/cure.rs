//! Codes whose findings can have a certain cure.

use super::Code;

impl Code {
    /// True if a finding of this code can carry a fix. The rule that makes the finding decides if it carries one: only
    /// if nothing else can be meant.
    #[must_use]
    pub const fn can_be_fixed(self) -> bool {
        match self {
            // Spelling. The meant word is the only one of a closed set that differs by one typing error, or the value
            // is the same quantity in our notation. Names chosen by the user differ only in capitals, hyphens or
            // swapped neighbours.
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
            // YAML: a missing space, quotes around a boolean, no quotes around a text, a key given twice with the same
            // value.
            Code::Syntax | Code::WrongType | Code::DuplicateKey | Code::AmbiguousScalar => true,
            // The removed text has no effect where it is.
            Code::IdleAllow | Code::AllowedError | Code::ShadowedMatchSameClass => true,
            // The findings point into the input of another tool, which stays as it is.
            Code::NoEquivalent | Code::NotImportable | Code::OtherwiseExpressed => false,
            // Only the household knows the missing value.
            Code::MissingKey | Code::TooLarge | Code::GuessedOverhead | Code::Unsupported => false,
            // One of two must be removed or renamed, and it can be either.
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
            // Any of several numbers can be the wrong one.
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
            // The limit may be too strict, or the household may need a change. If keys do not fit together, any of them
            // may be wrong.
            Code::ExpectMisfit | Code::ExpectOutOfReach | Code::ExpectNotMet => false,
            // The household decides which packets a class gets. A match that no packet meets, or that misses some, may
            // be too narrow, misplaced or superfluous.
            Code::NoDefault
            | Code::SecondRest
            | Code::LeafOnly
            | Code::NothingMatches
            | Code::ShareNeedsCake
            | Code::HostCeilingScope
            | Code::SharedLimit
            | Code::FifoForBulk
            | Code::OffloadDelay
            | Code::OffloadDelayInClass
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
            | Code::RemoteInLan
            | Code::CakeEngineUnsupported
            | Code::CakeEngineIgnored
            | Code::UnusedHost
            | Code::UnusedTunnel => false,
        }
    }
}
