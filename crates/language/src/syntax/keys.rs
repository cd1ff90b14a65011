//! Declares the keys of a mapping: the type of its values, their schema, and how each is read.

use super::field::Field;
use super::fields::Fields;
use super::findings::Findings;
use super::given::{Each, Many};
use super::values::{Read, both, many};

/// Declares a mapping. Each key has its documentation, its attributes for the schema, and its reader. The name of a key
/// in the file is that of its field, unless `as` gives another.
///
/// The keys stand in the order of the schema and of the messages that list them. Fields after `@given` have no key; the
/// caller of `read` passes them.
macro_rules! keys {
    (
        $(#[$meta:meta])*
        pub struct $name:ident {
            $(@given $(#[$given_meta:meta])* $given:ident: $given_type:ty,)*
            $($(#[$key_meta:meta])* $field:ident $(as $key:literal)?: $type:ty = $reader:expr,)*
        }
    ) => {
        #[derive(Debug, Clone, PartialEq, Eq, schemars::JsonSchema)]
        #[schemars(deny_unknown_fields)]
        $(#[$meta])*
        pub struct $name {
            $($(#[$given_meta])* #[schemars(skip)] pub $given: $given_type,)*
            $($(#[$key_meta])* $(#[schemars(rename = $key)])? pub $field: $type,)*
        }

        impl $name {
            /// Reads all keys.
            pub(in crate::syntax) fn read(
                $($given: $given_type,)*
                fields: &mut crate::syntax::fields::Fields<'_>,
                found: &mut crate::syntax::findings::Findings<'_>,
            ) -> $name {
                $name {
                    $($given,)*
                    $($field: $reader(fields, $crate::syntax::keys::key!($field $($key)?), found),)*
                }
            }
        }
    };
}

/// Name of a key: that of its field, or another.
macro_rules! key {
    ($field:ident) => {
        stringify!($field)
    };
    ($field:ident $key:literal) => {
        $key
    };
}
pub(super) use {key, keys};

/// Reads an optional key.
pub(super) fn get<T: Default>(
    read: impl Fn(Field<'_>, &mut Findings<'_>) -> T,
) -> impl Fn(&mut Fields<'_>, &'static str, &mut Findings<'_>) -> T {
    move |fields, key, found| fields.get(key).map_or_else(T::default, |field| read(field, found))
}

/// Reads a required key. `cure` is the text to write if it is missing.
pub(super) fn need<T: Default>(
    read: impl Fn(Field<'_>, &mut Findings<'_>) -> T,
    cure: &'static str,
) -> impl Fn(&mut Fields<'_>, &'static str, &mut Findings<'_>) -> T {
    move |fields, key, found| fields.need(key, cure).map_or_else(T::default, |field| read(field, found))
}

/// Reads a value or a list of values of a key that is required without `other`.
pub(super) fn list_unless<T>(
    other: &'static str,
    one: Read<T>,
) -> impl Fn(&mut Fields<'_>, &'static str, &mut Findings<'_>) -> Many<T> {
    move |fields, key, found| {
        fields.get_unless(other, key).map_or_else(Vec::new, |field| many(field, one, found))
    }
}

/// Reads a value or a list of values.
pub(super) fn list<T>(one: Read<T>) -> impl Fn(&mut Fields<'_>, &'static str, &mut Findings<'_>) -> Many<T> {
    get(move |field, found| many(field, one, found))
}

/// Reads a value for both directions, or one for each.
pub(super) fn each<T: Clone>(
    one: Read<T>,
) -> impl Fn(&mut Fields<'_>, &'static str, &mut Findings<'_>) -> Each<T> {
    get(move |field, found| both(field, one, found))
}
