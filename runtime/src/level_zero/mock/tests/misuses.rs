//! The mock itself: it detects misuses, so that the other tests can fail.

use std::ptr;

use level_zero_sys::{self as ze, Descriptor};

use super::super::Mock;
use super::super::appends::*;
use super::super::calls::*;
use super::super::objects::{DRIVERS, Settings};

/// Creates an object: the result goes to the last argument.
macro_rules! make {
    ($call:ident($($argument:expr),*)) => {{
        let mut handle = ptr::null_mut();
        // SAFETY: descriptions are complete, and the result goes to a local.
        let result = unsafe { $call($($argument,)* &mut handle) };
        assert_eq!(result, ze::ZE_RESULT_SUCCESS);
        handle
    }};
}

/// Calls a function with right or wrong handles.
macro_rules! try_to {
    ($call:ident($($argument:expr),*)) => {
        // SAFETY: only handles are passed, which the functions look up, and null.
        unsafe { $call($($argument),*) }
    };
}

#[track_caller]
fn noted(mock: &Mock, what: &str) {
    let misuses = std::mem::take(&mut mock.model().misuses);
    assert!(misuses.len() == 1 && misuses[0].contains(what), "{misuses:?} instead of `{what}`");
}

#[test]
fn what_is_wrong_is_noted() {
    let mock = Mock::new(Settings::default());
    let (driver, device) = (DRIVERS as ze::ze_driver_handle_t, (DRIVERS + 1) as ze::ze_device_handle_t);
    let context = make!(zeContextCreate(driver, &ze::ze_context_desc_t::new()));
    let queue = make!(zeCommandQueueCreate(context, device, &ze::ze_command_queue_desc_t::new()));
    let list = make!(zeCommandListCreate(context, device, &ze::ze_command_list_desc_t::new()));
    let other = make!(zeCommandListCreate(context, device, &ze::ze_command_list_desc_t::new()));
    mock.model().misuses.clear();
    let execute = |mut list| try_to!(zeCommandQueueExecuteCommandLists(queue, 1, &mut list, ptr::null_mut()));
    let barrier = |list| try_to!(zeCommandListAppendBarrier(list, ptr::null_mut(), 0, ptr::null_mut()));

    try_to!(zeContextDestroy(context));
    noted(&mock, "goes before its child");
    execute(list);
    noted(&mock, "is not closed");
    barrier(list);
    try_to!(zeCommandListClose(list));
    assert_eq!(mock.model().misuses, [""; 0]);
    barrier(list);
    noted(&mock, "is closed");
    try_to!(zeCommandListClose(list));
    noted(&mock, "closed twice");
    assert_eq!(execute(list), ze::ZE_RESULT_SUCCESS);
    execute(list);
    noted(&mock, "or running");
    try_to!(zeCommandListReset(list));
    noted(&mock, "is running");
    try_to!(zeCommandListDestroy(list));
    noted(&mock, "is running");
    try_to!(zeCommandQueueDestroy(queue));
    noted(&mock, "lists are running");
    try_to!(zeCommandQueueSynchronize(queue, u64::MAX));
    let fence = make!(zeFenceCreate(queue, &ze::ze_fence_desc_t::new()));
    try_to!(zeFenceHostSynchronize(fence, u64::MAX));
    noted(&mock, "nothing signals fence");
    let mut again = list;
    try_to!(zeCommandQueueExecuteCommandLists(queue, 1, &mut again, fence));
    try_to!(zeFenceDestroy(fence));
    noted(&mock, "runs with it");
    assert_eq!(try_to!(zeFenceHostSynchronize(fence, u64::MAX)), ze::ZE_RESULT_SUCCESS);
    try_to!(zeCommandQueueExecuteCommandLists(queue, 1, &mut again, fence));
    noted(&mock, "signalled already");
    try_to!(zeFenceReset(fence));
    try_to!(zeFenceDestroy(fence));
    try_to!(zeCommandListDestroy(list));
    assert_eq!(mock.model().misuses, [""; 0]);
    try_to!(zeCommandListDestroy(list));
    noted(&mock, "is not alive");
    try_to!(zeImageDestroy(other.cast()));
    noted(&mock, "of another kind");
    assert_eq!(mock.model().living().len(), 3, "context, queue and the other list are left");
    try_to!(zeCommandListDestroy(other));
    try_to!(zeCommandQueueDestroy(queue));
    try_to!(zeContextDestroy(context));
    mock.assert_clean("all of it destroyed");
    mock.fail("zeInit", ze::ZE_RESULT_ERROR_DEVICE_LOST);
    try_to!(zeInit(0));
    barrier(other);
    noted(&mock, "known to be lost");
}

#[test]
fn commands_that_race_are_noted() {
    let mock = Mock::new(Settings::default());
    let (driver, device) = (DRIVERS as ze::ze_driver_handle_t, (DRIVERS + 1) as ze::ze_device_handle_t);
    let context = make!(zeContextCreate(driver, &ze::ze_context_desc_t::new()));
    let queue = make!(zeCommandQueueCreate(context, device, &ze::ze_command_queue_desc_t::new()));
    let memory = ze::ze_device_mem_alloc_desc_t::new();
    let [a, b, c] = [(); 3].map(|()| make!(zeMemAllocDevice(context, &memory, 64, 64, device)));
    let copies = |ways: &[[*mut std::ffi::c_void; 2]], ends: bool| {
        let mut list = make!(zeCommandListCreate(context, device, &ze::ze_command_list_desc_t::new()));
        for &[from, to] in ways {
            try_to!(zeCommandListAppendMemoryCopy(list, to, from, 64, ptr::null_mut(), 0, ptr::null_mut()));
        }
        if ends {
            try_to!(zeCommandListAppendBarrier(list, ptr::null_mut(), 0, ptr::null_mut()));
        }
        try_to!(zeCommandListClose(list));
        try_to!(zeCommandQueueExecuteCommandLists(queue, 1, &mut list, ptr::null_mut()));
    };
    copies(&[[a, b], [a, c]], true);
    assert_eq!(mock.model().misuses, [""; 0]);
    for race in [[[a, b], [b, c]], [[a, b], [c, a]], [[a, c], [b, c]]] {
        copies(&race, true);
        noted(&mock, "may overlap");
    }
    copies(&[[a, b]], false);
    noted(&mock, "does not end with a barrier");
}
