//! The access of the mock's functions to the model.

use std::cell::RefCell;
use std::sync::{Arc, Mutex, PoisonError};

use level_zero_sys as ze;

use super::objects::Model;

thread_local! {
    /// The Level Zero that this thread calls: functions of a table cannot get it in any other way.
    pub(super) static CURRENT: RefCell<Option<Arc<Mutex<Model>>>> = const { RefCell::new(None) };
}

/// Runs a call of the current thread's Level Zero.
pub(super) fn enter(
    call: &'static str,
    body: impl FnOnce(&mut Model) -> Result<(), ze::ze_result_t>,
) -> ze::ze_result_t {
    let current = CURRENT.with_borrow(Clone::clone).expect("this thread has entered a mock");
    let mut model = current.lock().unwrap_or_else(PoisonError::into_inner);
    model.call(call, body)
}

/// Functions of the specification: the name after `fn` is the name there. The body is called with
/// the model.
macro_rules! functions {
    ($(fn $name:ident($model:ident $(, $argument:ident: $type:ty)* $(,)?) $body:block)*) => {
        $(
            #[allow(non_snake_case, clippy::undocumented_unsafe_blocks, unused_unsafe, reason = "see the \
                head of the file")]
            pub(super) unsafe extern "C" fn $name($($argument: $type),*) -> Code {
                $crate::level_zero::mock::function::enter(stringify!($name), |$model: &mut Model| unsafe { $body })
            }
        )*
    };
}

pub(super) use functions;
