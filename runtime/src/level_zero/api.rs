//! Calls of Level Zero functions.

use level_zero_sys as ze;

use crate::error::LevelZeroError;

/// Calls a Level Zero function. Returns an error if the driver lacks it or does not return success. To be used in
/// `unsafe`, with a proof that the arguments fulfil the requirements of the function.
macro_rules! call {
    ($api:expr, $function:ident($($argument:expr),* $(,)?)) => {
        match $api.$function {
            Some(function) => $crate::level_zero::api::check(stringify!($function), function($($argument),*)),
            None => Err($crate::error::LevelZeroError::TooOld { missing: stringify!($function).to_owned() }),
        }
    };
}

/// Destroys a handle; a failure cannot be reported.
macro_rules! destroy {
    ($api:expr, $function:ident($($argument:expr),*)) => {
        if let Err(error) = $crate::level_zero::api::call!($api, $function($($argument),*)) {
            tracing::debug!(%error, "a Level Zero object was not destroyed");
        }
    };
}

pub(super) use {call, destroy};

/// The error of a result, if it is one.
pub(super) fn check(call: &'static str, result: ze::ze_result_t) -> Result<(), LevelZeroError> {
    Err(match result {
        ze::ZE_RESULT_SUCCESS => return Ok(()),
        ze::ZE_RESULT_ERROR_OUT_OF_HOST_MEMORY => LevelZeroError::OutOfHostMemory { call },
        ze::ZE_RESULT_ERROR_OUT_OF_DEVICE_MEMORY => LevelZeroError::OutOfDeviceMemory { call },
        ze::ZE_RESULT_ERROR_DEVICE_LOST => LevelZeroError::DeviceLost { call },
        ze::ZE_RESULT_ERROR_UNSUPPORTED_FEATURE | ze::ZE_RESULT_ERROR_UNSUPPORTED_VERSION => {
            LevelZeroError::TooOld { missing: format!("what {call} was asked for") }
        }
        other => other_error(call, other),
    })
}

/// An error without its own variant.
pub(super) fn other_error(call: &'static str, result: ze::ze_result_t) -> LevelZeroError {
    let name = ze::result_name(result).unwrap_or("an unknown result").to_owned();
    LevelZeroError::Call { call, name, code: result.0 }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn results_are_named() {
        assert_eq!(check("zeInit", ze::ZE_RESULT_SUCCESS), Ok(()));
        let error = check("zeFenceCreate", ze::ZE_RESULT_ERROR_INVALID_NULL_HANDLE).unwrap_err().to_string();
        assert!(
            error.contains("zeFenceCreate gave ZE_RESULT_ERROR_INVALID_NULL_HANDLE (0x78000005)"),
            "{error}"
        );
        let error = check("zeFenceCreate", ze::ze_result_t(0x7abc_def0)).unwrap_err().to_string();
        assert!(error.contains("an unknown result (0x7abcdef0)"), "{error}");
    }

    #[test]
    fn each_cause_has_its_error() {
        type E = LevelZeroError;
        let of = |result| check("zeX", result).unwrap_err();
        assert_eq!(of(ze::ZE_RESULT_ERROR_DEVICE_LOST), E::DeviceLost { call: "zeX" });
        assert_eq!(of(ze::ZE_RESULT_ERROR_OUT_OF_HOST_MEMORY), E::OutOfHostMemory { call: "zeX" });
        assert_eq!(of(ze::ZE_RESULT_ERROR_OUT_OF_DEVICE_MEMORY), E::OutOfDeviceMemory { call: "zeX" });
        assert!(matches!(of(ze::ZE_RESULT_ERROR_UNSUPPORTED_FEATURE), E::TooOld { .. }));
    }

    #[test]
    fn a_missing_function_is_named() {
        let api = ze::Api::default();
        // SAFETY: nothing is called; the table is empty.
        let error = unsafe { call!(api, zeInit(0)) }.unwrap_err();
        assert_eq!(error, LevelZeroError::TooOld { missing: "zeInit".into() });
    }
}
