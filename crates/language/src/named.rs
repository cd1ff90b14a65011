//! Names of enums: `strum` derives them from the variants, and this macro returns them.

/// Gives each enum a method `as_str`, which returns the name that `strum` derived for the variant.
#[macro_export]
macro_rules! named {
    ($($name:ident),+ $(,)?) => {$(
        impl $name {
            /// Returns its name, as in the file and in JSON.
            #[must_use]
            pub fn as_str(self) -> &'static str {
                self.into()
            }
        }
    )+};
}

/// Declares choices: enums whose variants have names in the file and in JSON, such as `per-host` for `PerHost`.
#[macro_export]
macro_rules! choices {
    ($($(#[$meta:meta])* pub enum $name:ident { $($body:tt)* })+) => {$(
        #[derive(
            Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, serde::Serialize, schemars::JsonSchema,
            strum::VariantArray, strum::IntoStaticStr
        )]
        #[serde(rename_all = "kebab-case")]
        #[strum(serialize_all = "kebab-case")]
        $(#[$meta])*
        pub enum $name {
            $($body)*
        }

        $crate::named!($name);
    )+};
}
