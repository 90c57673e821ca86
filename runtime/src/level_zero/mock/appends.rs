//! The functions that append commands to lists.

use std::ffi::c_void;

use level_zero_sys as ze;
use level_zero_sys::ze_result_t as Code;

use super::function::functions;
use super::lists::{Command, Region};
use super::objects::{Kind, Model};

functions! {
    fn zeCommandListAppendBarrier(
        model,
        list: ze::ze_command_list_handle_t,
        event: ze::ze_event_handle_t,
        _count: u32,
        _events: *mut ze::ze_event_handle_t,
    ) {
        model.append(list as usize, Command::Barrier { event: event as usize })
    }
    fn zeCommandListAppendImageCopyFromMemory(
        model,
        list: ze::ze_command_list_handle_t,
        image: ze::ze_image_handle_t,
        memory: *const c_void,
        region: *const ze::ze_image_region_t,
        _event: ze::ze_event_handle_t,
        _count: u32,
        _events: *mut ze::ze_event_handle_t,
    ) {
        let (image, memory, region) = (image as usize, memory as usize, part(&*region));
        holds(model, image, memory, region)?;
        model.append(list as usize, Command::Upload { image, memory, region })
    }
    fn zeCommandListAppendImageCopyToMemory(
        model,
        list: ze::ze_command_list_handle_t,
        memory: *mut c_void,
        image: ze::ze_image_handle_t,
        region: *const ze::ze_image_region_t,
        _event: ze::ze_event_handle_t,
        _count: u32,
        _events: *mut ze::ze_event_handle_t,
    ) {
        let (image, memory, region) = (image as usize, memory as usize, part(&*region));
        holds(model, image, memory, region)?;
        model.append(list as usize, Command::Download { image, memory, region })
    }
    fn zeCommandListAppendLaunchKernel(
        model,
        list: ze::ze_command_list_handle_t,
        kernel: ze::ze_kernel_handle_t,
        groups: *const ze::ze_group_count_t,
        event: ze::ze_event_handle_t,
        _count: u32,
        _events: *mut ze::ze_event_handle_t,
    ) {
        let (kernel, groups, event) = (kernel as usize, *groups, event as usize);
        let module = model.parent(kernel)?;
        let me = std::thread::current().id();
        let Kind::Kernel { name, sized, arguments, setter } = model.get(kernel)? else {
            return Err(model.wrong(kernel));
        };
        let (name, arguments, sized) = (name.clone(), arguments.clone(), *sized);
        // The list copies the arguments: others may set them from now on.
        let shared = setter.take().is_some_and(|other| other != me);
        if shared || !sized || [groups.groupCountX, groups.groupCountY, groups.groupCountZ].contains(&0) {
            return Err(model.misuse(format_args!("shared: {shared}, sized: {sized}, {groups:?}")));
        }
        let used = arguments.values().filter_map(|value| model.object(value)).collect();
        let written = arguments.get(&Model::written(&name)).and_then(|value| model.object(value));
        let written = written.into_iter().collect();
        let columns = groups.groupCountX;
        let launch = Command::Launch { kernel, module, name, arguments, used, written, columns, event };
        model.append(list as usize, launch)
    }
    fn zeCommandListAppendMemoryCopy(
        model,
        list: ze::ze_command_list_handle_t,
        to: *mut c_void,
        from: *const c_void,
        bytes: usize,
        _event: ze::ze_event_handle_t,
        _count: u32,
        _events: *mut ze::ze_event_handle_t,
    ) {
        let (to, from) = (to as usize, from as usize);
        let memory = [model.memory(to, bytes)?, model.memory(from, bytes)?];
        model.append(list as usize, Command::Copy { to, from, bytes, memory })
    }
    fn zeCommandListAppendMemoryFill(
        model,
        list: ze::ze_command_list_handle_t,
        to: *mut c_void,
        pattern: *const c_void,
        pattern_bytes: usize,
        bytes: usize,
        _event: ze::ze_event_handle_t,
        _count: u32,
        _events: *mut ze::ze_event_handle_t,
    ) {
        if pattern_bytes != 1 {
            return Err(ze::ZE_RESULT_ERROR_UNSUPPORTED_SIZE);
        }
        let (to, pattern) = (to as usize, *pattern.cast::<u8>());
        let memory = model.memory(to, bytes)?;
        model.append(list as usize, Command::Fill { to, pattern, bytes, memory })
    }
}

fn part(region: &ze::ze_image_region_t) -> Region {
    let [x, y, z] = [region.originX, region.originY, region.originZ].map(|n| n as usize);
    let [width, height, depth] = [region.width, region.height, region.depth].map(|n| n as usize);
    Region { x, y, z, width, height, depth }
}

/// Checks that an image and the memory at an address contain a region.
fn holds(model: &mut Model, image: usize, memory: usize, region: Region) -> Result<(), Code> {
    let Kind::Image { texel, .. } = model.get(image)? else { return Err(model.wrong(image)) };
    let bytes = region.width * region.height * region.depth * *texel;
    if model.memory(memory, bytes)? == memory {
        return Ok(());
    }
    Err(model.misuse("not where the memory begins"))
}
