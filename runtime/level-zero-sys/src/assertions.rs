//! Layouts that the compiler checks; `layout.rs` lists them.

/// Does not compile if a structure has another size, alignment or offset of a field, in bytes, than the table
/// says.
macro_rules! assert_layouts {
    ($($name:ident (size $size:literal, align $align:literal) { $($field:ident: $offset:literal),+ $(,)? })*) => {
        const _: () = {
            $(
                assert!(size_of::<$name>() == $size, concat!("the size of ", stringify!($name)));
                assert!(align_of::<$name>() == $align, concat!("the alignment of ", stringify!($name)));
                $(
                    assert!(
                        core::mem::offset_of!($name, $field) == $offset,
                        concat!("the offset of ", stringify!($name), "::", stringify!($field))
                    );
                )+
            )*
        };
    };
}
pub(crate) use assert_layouts;
