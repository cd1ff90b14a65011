//! Names of enums: `strum` derives them from the variants, and this macro returns them.

/// Gives each enum a method `as_str`, which returns the name that `strum` derived for the variant.
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
