//! Layouts, defaults and names.

use std::mem::offset_of;
use std::ptr;

use level_zero_sys::*;

/// What a C program prints for `sizeof` and `offsetof` on 64-bit systems. All structures are checked when the
/// crate is compiled (`layout.rs`); these numbers did not come out of the generator.
#[test]
#[cfg(target_pointer_width = "64")]
fn structures_have_the_layout_of_c() {
    assert_eq!(size_of::<ze_result_t>(), 4);
    assert_eq!(size_of::<ze_device_handle_t>(), 8);
    assert_eq!((size_of::<ze_device_properties_t>(), align_of::<ze_device_properties_t>()), (368, 8));
    assert_eq!(offset_of!(ze_device_properties_t, type_), 16);
    assert_eq!(offset_of!(ze_device_properties_t, maxMemAllocSize), 40);
    assert_eq!(offset_of!(ze_device_properties_t, timerResolution), 80);
    assert_eq!(offset_of!(ze_device_properties_t, name), 112);
    assert_eq!(size_of::<ze_module_desc_t>(), 56);
    assert_eq!(offset_of!(ze_module_desc_t, pInputModule), 32);
    assert_eq!(size_of::<ze_image_desc_t>(), 72);
    assert_eq!(offset_of!(ze_image_desc_t, width), 48);
    assert_eq!((size_of::<ze_group_count_t>(), align_of::<ze_group_count_t>()), (12, 4));
    assert_eq!(size_of::<ze_kernel_timestamp_result_t>(), 32);
    assert_eq!(size_of::<ze_image_region_t>(), 24);
}

fn descriptor<T: Descriptor>(header: impl Fn(&T) -> (ze_structure_type_t, *const std::ffi::c_void)) {
    assert_eq!(header(&T::new()), (T::STYPE, ptr::null()));
    assert_eq!(header(&T::default()), (T::STYPE, ptr::null()));
}

#[test]
fn structures_say_what_they_are() {
    descriptor::<ze_device_properties_t>(|it| (it.stype, it.pNext));
    descriptor::<ze_device_image_properties_t>(|it| (it.stype, it.pNext));
    descriptor::<ze_context_desc_t>(|it| (it.stype, it.pNext));
    descriptor::<ze_command_queue_desc_t>(|it| (it.stype, it.pNext));
    descriptor::<ze_image_desc_t>(|it| (it.stype, it.pNext));
    descriptor::<ze_event_pool_desc_t>(|it| (it.stype, it.pNext));
    descriptor::<ze_host_mem_alloc_desc_t>(|it| (it.stype, it.pNext));
    assert_eq!(ze_image_desc_t::STYPE, ZE_STRUCTURE_TYPE_IMAGE_DESC);
    // Those whose type is called otherwise.
    assert_eq!(ze_image_memory_properties_exp_t::STYPE, ZE_STRUCTURE_TYPE_IMAGE_MEMORY_EXP_PROPERTIES);
    assert_eq!(ze_context_power_saving_hint_exp_desc_t::STYPE, ZE_STRUCTURE_TYPE_POWER_SAVING_HINT_EXP_DESC);
}

#[test]
fn everything_else_is_zero() {
    let device = ze_device_properties_t::new();
    assert_eq!((device.type_, device.vendorId, device.flags), (ze_device_type_t(0), 0, 0));
    assert!(device.name.iter().all(|&c| c == 0) && device.uuid.id == [0; ZE_MAX_DEVICE_UUID_SIZE as usize]);
    let image = ze_image_desc_t::default();
    assert_eq!((image.format.layout.0, image.width, image.height), (0, 0, 0));
    let count = ze_group_count_t::default();
    assert_eq!((count.groupCountX, count.groupCountY, count.groupCountZ), (0, 0, 0));
}

#[test]
fn results_have_names() {
    for (result, number, name) in [
        (ZE_RESULT_SUCCESS, 0, "ZE_RESULT_SUCCESS"),
        (ZE_RESULT_NOT_READY, 1, "ZE_RESULT_NOT_READY"),
        (ZE_RESULT_ERROR_DEVICE_LOST, 0x7000_0001, "ZE_RESULT_ERROR_DEVICE_LOST"),
        (ZE_RESULT_ERROR_MODULE_BUILD_FAILURE, 0x7000_0004, "ZE_RESULT_ERROR_MODULE_BUILD_FAILURE"),
        (ZE_RESULT_ERROR_UNINITIALIZED, 0x7800_0001, "ZE_RESULT_ERROR_UNINITIALIZED"),
        (ZE_RESULT_ERROR_UNSUPPORTED_FEATURE, 0x7800_0003, "ZE_RESULT_ERROR_UNSUPPORTED_FEATURE"),
        (ZE_RESULT_ERROR_UNKNOWN, 0x7fff_fffe, "ZE_RESULT_ERROR_UNKNOWN"),
    ] {
        assert_eq!(result, ze_result_t(number));
        assert_eq!(result_name(result), Some(name));
        assert_eq!(result.to_string(), format!("{name} ({number:#x})"));
    }
    assert_eq!(result_name(ze_result_t(0x7800_ffff)), None);
    assert_eq!(ze_result_t(2).to_string(), "unknown result (0x2)");
}

#[test]
fn flags_can_be_put_together() {
    let flags: ze_host_mem_alloc_flags_t =
        ZE_HOST_MEM_ALLOC_FLAG_BIAS_CACHED | ZE_HOST_MEM_ALLOC_FLAG_BIAS_WRITE_COMBINED;
    assert_eq!(flags, 0b101);
}

#[test]
fn versions_come_apart() {
    assert_eq!((ZE_MAJOR_VERSION(ZE_API_VERSION_1_2.0), ZE_MINOR_VERSION(ZE_API_VERSION_1_2.0)), (1, 2));
    assert_eq!(ZE_MAKE_VERSION(1, 2), ZE_API_VERSION_1_2.0);
}
