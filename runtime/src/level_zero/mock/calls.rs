//! The functions of the mock. They are called like the real ones: with handles that some function returned, and
//! pointers to the data that the specification requires.

use std::alloc::{Layout, alloc};
use std::collections::BTreeMap;
use std::ffi::{CStr, c_char, c_void};
use std::slice;

use cm_compiler::spirv::RegisterFile;
use level_zero_sys as ze;
use level_zero_sys::ze_result_t as Code;

use super::function::functions;
use super::lists::List;
use super::objects::{DRIVERS, Kind, Model};

/// The first bytes of the driver's binaries.
pub(super) const NATIVE: &[u8] = b"native";

/// Writes the handles of a list, or their number.
unsafe fn handles<T>(count: *mut u32, to: *mut *mut T, all: impl ExactSizeIterator<Item = usize>) {
    // SAFETY: the count may be read and written, and there is space for this number of handles.
    unsafe {
        if to.is_null() {
            *count = all.len() as u32;
        } else {
            for (index, handle) in all.take(*count as usize).enumerate() {
                *to.add(index) = handle as *mut T;
            }
        }
    }
}

functions! {
    fn zeInit(_model, flags: ze::ze_init_flags_t) {
        if flags == ze::ZE_INIT_FLAG_GPU_ONLY { Ok(()) } else { Err(ze::ZE_RESULT_ERROR_INVALID_ENUMERATION) }
    }
    fn zeDriverGet(model, count: *mut u32, to: *mut ze::ze_driver_handle_t) {
        handles(count, to, (0..model.settings.drivers as usize).map(|index| DRIVERS + index * 0x100));
        Ok(())
    }
    fn zeDriverGetApiVersion(model, driver: ze::ze_driver_handle_t, to: *mut ze::ze_api_version_t) {
        model.static_handle(driver as usize, false)?;
        *to = ze::ze_api_version_t(model.settings.version);
        Ok(())
    }
    fn zeDriverGetProperties(model, driver: ze::ze_driver_handle_t, to: *mut ze::ze_driver_properties_t) {
        (*to).driverVersion = 7;
        model.static_handle(driver as usize, false)
    }
    fn zeDeviceGet(model, driver: ze::ze_driver_handle_t, count: *mut u32, to: *mut ze::ze_device_handle_t) {
        model.static_handle(driver as usize, false)?;
        handles(count, to, (0..model.settings.devices as usize).map(|index| driver as usize + 1 + index));
        Ok(())
    }
    fn zeDeviceGetProperties(model, device: ze::ze_device_handle_t, to: *mut ze::ze_device_properties_t) {
        model.static_handle(device as usize, true)?;
        let to = &mut *to;
        to.type_ = model.settings.device_type;
        to.deviceId = model.settings.model;
        to.flags = if model.settings.integrated { ze::ZE_DEVICE_PROPERTY_FLAG_INTEGRATED } else { 0 };
        to.physicalEUSimdWidth = 8;
        to.numEUsPerSubslice = 8;
        to.numThreadsPerEU = 7;
        to.timerResolution = 1_000_000;
        to.kernelTimestampValidBits = 32;
        to.uuid.id = [device as usize as u8; 16];
        for (to, from) in to.name.iter_mut().zip(c"made-up".to_bytes_with_nul()) {
            *to = *from as c_char;
        }
        Ok(())
    }
    fn zeDeviceGetModuleProperties(
        model,
        device: ze::ze_device_handle_t,
        to: *mut ze::ze_device_module_properties_t,
    ) {
        model.static_handle(device as usize, true)?;
        (*to).flags = ze::ZE_DEVICE_MODULE_FLAG_FP64;
        (*to).maxArgumentsSize = model.settings.argument_bytes;
        Ok(())
    }
    fn zeDeviceGetImageProperties(
        model,
        device: ze::ze_device_handle_t,
        to: *mut ze::ze_device_image_properties_t,
    ) {
        model.static_handle(device as usize, true)?;
        (*to).maxImageDims2D = model.settings.image_texels;
        (*to).maxImageDims3D = model.settings.slice_texels;
        (*to).maxReadImageArgs = model.settings.read_images;
        (*to).maxWriteImageArgs = model.settings.written_images;
        Ok(())
    }
    fn zeDeviceGetComputeProperties(
        model,
        device: ze::ze_device_handle_t,
        to: *mut ze::ze_device_compute_properties_t,
    ) {
        model.static_handle(device as usize, true)?;
        (*to).maxTotalGroupSize = 256;
        (*to).maxGroupSizeX = 256;
        (*to).maxGroupSizeY = 256;
        (*to).maxGroupSizeZ = 16;
        (*to).maxGroupCountX = u32::MAX;
        (*to).maxGroupCountY = 4096;
        (*to).maxGroupCountZ = 1024;
        (*to).maxSharedLocalMemory = 1 << 16;
        Ok(())
    }
    fn zeDeviceGetMemoryAccessProperties(
        model,
        device: ze::ze_device_handle_t,
        to: *mut ze::ze_device_memory_access_properties_t,
    ) {
        model.static_handle(device as usize, true)?;
        (*to).hostAllocCapabilities = ze::ZE_MEMORY_ACCESS_CAP_FLAG_RW | ze::ZE_MEMORY_ACCESS_CAP_FLAG_ATOMIC;
        Ok(())
    }
    fn zeContextCreate(
        model,
        driver: ze::ze_driver_handle_t,
        _description: *const ze::ze_context_desc_t,
        to: *mut ze::ze_context_handle_t,
    ) {
        model.static_handle(driver as usize, false)?;
        *to = model.create(driver as usize, Kind::Context) as _;
        Ok(())
    }
    fn zeContextDestroy(model, context: ze::ze_context_handle_t) {
        model.destroy(context as usize, |kind| matches!(kind, Kind::Context))
    }
    fn zeMemAllocHost(
        model,
        context: ze::ze_context_handle_t,
        _description: *const ze::ze_host_mem_alloc_desc_t,
        size: usize,
        alignment: usize,
        to: *mut *mut c_void,
    ) {
        is_context(model, context)?;
        allocate(model, context, size, alignment, to)
    }
    fn zeMemAllocDevice(
        model,
        context: ze::ze_context_handle_t,
        _description: *const ze::ze_device_mem_alloc_desc_t,
        size: usize,
        alignment: usize,
        device: ze::ze_device_handle_t,
        to: *mut *mut c_void,
    ) {
        is_context(model, context)?;
        model.static_handle(device as usize, true)?;
        allocate(model, context, size, alignment, to)
    }
    fn zeMemFree(model, context: ze::ze_context_handle_t, memory: *mut c_void) {
        is_context(model, context)?;
        model.destroy(memory as usize, |kind| matches!(kind, Kind::Memory { .. }))
    }
    fn zeImageCreate(
        model,
        context: ze::ze_context_handle_t,
        device: ze::ze_device_handle_t,
        description: *const ze::ze_image_desc_t,
        to: *mut ze::ze_image_handle_t,
    ) {
        is_context(model, context)?;
        model.static_handle(device as usize, true)?;
        let description = &*description;
        let texel = match description.format.layout {
            ze::ZE_IMAGE_FORMAT_LAYOUT_8 => 1,
            ze::ZE_IMAGE_FORMAT_LAYOUT_16 => 2,
            ze::ZE_IMAGE_FORMAT_LAYOUT_32 | ze::ZE_IMAGE_FORMAT_LAYOUT_8_8_8_8 => 4,
            _ => return Err(ze::ZE_RESULT_ERROR_UNSUPPORTED_IMAGE_FORMAT),
        };
        let (width, height) = (description.width as usize, description.height as usize);
        let depth = description.depth as usize;
        let (limit, slices) = match description.type_ {
            ze::ZE_IMAGE_TYPE_2D => (model.settings.image_texels as usize, 1),
            ze::ZE_IMAGE_TYPE_3D => [model.settings.slice_texels as usize; 2].into(),
            _ => return Err(ze::ZE_RESULT_ERROR_UNSUPPORTED_ENUMERATION),
        };
        let inside = [(width, limit), (height, limit), (depth, slices)];
        if inside.iter().any(|(size, limit)| !(1..=*limit).contains(size)) {
            return Err(model.misuse(format_args!("{width} x {height} x {depth} texels")));
        }
        let bytes = vec![0xcd; width * height * depth * texel];
        *to = model.create(context as usize, Kind::Image { texel, width, height, depth, bytes }) as _;
        Ok(())
    }
    fn zeImageDestroy(model, image: ze::ze_image_handle_t) {
        model.destroy(image as usize, |kind| matches!(kind, Kind::Image { .. }))
    }
    fn zeModuleCreate(
        model,
        context: ze::ze_context_handle_t,
        device: ze::ze_device_handle_t,
        description: *const ze::ze_module_desc_t,
        to: *mut ze::ze_module_handle_t,
        log: *mut ze::ze_module_build_log_handle_t,
    ) {
        is_context(model, context)?;
        model.static_handle(device as usize, true)?;
        let description = &*description;
        let code = slice::from_raw_parts(description.pInputModule, description.inputSize);
        let (takes, refused) = match description.format {
            ze::ZE_MODULE_FORMAT_NATIVE => (
                model.settings.takes_binaries && code.starts_with(NATIVE),
                ze::ZE_RESULT_ERROR_INVALID_NATIVE_BINARY,
            ),
            _ => (model.settings.compiles, ze::ZE_RESULT_ERROR_MODULE_BUILD_FAILURE),
        };
        let options = CStr::from_ptr(description.pBuildFlags).to_string_lossy().into_owned();
        if !options.starts_with(RegisterFile::Standard.build_options()) {
            model.misuse("not compiled as vector code");
        }
        model.options.push(options);
        let text = model.settings.log.to_owned();
        *log = model.create(context as usize, Kind::Log { text }) as _;
        if !takes {
            return Err(refused);
        }
        *to = model.create(context as usize, Kind::Module { code: code.to_vec() }) as _;
        Ok(())
    }
    fn zeModuleDestroy(model, module: ze::ze_module_handle_t) {
        model.destroy(module as usize, |kind| matches!(kind, Kind::Module { .. }))
    }
    fn zeModuleBuildLogGetString(
        model,
        log: ze::ze_module_build_log_handle_t,
        size: *mut usize,
        to: *mut c_char,
    ) {
        let Kind::Log { text } = model.get(log as usize)? else { return Err(model.wrong(log as usize)) };
        let bytes = [text.as_bytes(), b"\0"].concat();
        give(&bytes, size, to.cast());
        Ok(())
    }
    fn zeModuleBuildLogDestroy(model, log: ze::ze_module_build_log_handle_t) {
        model.destroy(log as usize, |kind| matches!(kind, Kind::Log { .. }))
    }
    fn zeModuleGetNativeBinary(model, module: ze::ze_module_handle_t, size: *mut usize, to: *mut u8) {
        let Kind::Module { code } = model.get(module as usize)? else { return Err(model.wrong(module as usize)) };
        let binary = [NATIVE, &code[..]].concat();
        let binary = [&binary[..], model.settings.end.as_bytes()].concat();
        give(&binary, size, to);
        Ok(())
    }
    fn zeKernelCreate(
        model,
        module: ze::ze_module_handle_t,
        description: *const ze::ze_kernel_desc_t,
        to: *mut ze::ze_kernel_handle_t,
    ) {
        let Kind::Module { code } = model.get(module as usize)? else { return Err(model.wrong(module as usize)) };
        let name = CStr::from_ptr((*description).pKernelName);
        let there = code.windows(name.count_bytes()).any(|part| part == name.to_bytes());
        if !there || !model.settings.has_kernel {
            return Err(ze::ZE_RESULT_ERROR_INVALID_KERNEL_NAME);
        }
        let name = name.to_string_lossy().into_owned();
        let kernel = Kind::Kernel { name, sized: false, arguments: BTreeMap::new(), setter: None };
        *to = model.create(module as usize, kernel) as _;
        Ok(())
    }
    fn zeKernelDestroy(model, kernel: ze::ze_kernel_handle_t) {
        model.destroy(kernel as usize, |kind| matches!(kind, Kind::Kernel { .. }))
    }
    fn zeKernelSetGroupSize(model, kernel: ze::ze_kernel_handle_t, x: u32, y: u32, z: u32) {
        let Kind::Kernel { sized, .. } = model.get(kernel as usize)? else {
            return Err(model.wrong(kernel as usize));
        };
        *sized = true;
        if (1..=56).contains(&(x * y * z)) { Ok(()) } else { Err(model.misuse("more threads of a group than \
            a subslice runs")) }
    }
    fn zeKernelSetArgumentValue(
        model,
        kernel: ze::ze_kernel_handle_t,
        index: u32,
        size: usize,
        value: *const c_void,
    ) {
        let Kind::Kernel { arguments, setter, .. } = model.get(kernel as usize)? else {
            return Err(model.wrong(kernel as usize));
        };
        arguments.insert(index, slice::from_raw_parts(value.cast::<u8>(), size).to_vec());
        let me = std::thread::current().id();
        if setter.replace(me).is_some_and(|other| other != me) {
            return Err(model.misuse("two threads set the arguments of one kernel"));
        }
        Ok(())
    }
    fn zeCommandQueueCreate(
        model,
        context: ze::ze_context_handle_t,
        device: ze::ze_device_handle_t,
        _description: *const ze::ze_command_queue_desc_t,
        to: *mut ze::ze_command_queue_handle_t,
    ) {
        is_context(model, context)?;
        model.static_handle(device as usize, true)?;
        *to = model.create(context as usize, Kind::Queue) as _;
        Ok(())
    }
    fn zeCommandQueueDestroy(model, queue: ze::ze_command_queue_handle_t) {
        if model.lists().any(|(_, list)| list.running) {
            return Err(model.misuse("lists are running"));
        }
        model.destroy(queue as usize, |kind| matches!(kind, Kind::Queue))
    }
    fn zeCommandQueueExecuteCommandLists(
        model,
        queue: ze::ze_command_queue_handle_t,
        count: u32,
        lists: *mut ze::ze_command_list_handle_t,
        fence: ze::ze_fence_handle_t,
    ) {
        model.expect(queue as usize, |kind| matches!(kind, Kind::Queue))?;
        let lists = slice::from_raw_parts(lists, count as usize);
        lists.iter().try_for_each(|&list| model.submit(list as usize, fence as usize))
    }
    fn zeCommandQueueSynchronize(model, queue: ze::ze_command_queue_handle_t, timeout: u64) {
        model.expect(queue as usize, |kind| matches!(kind, Kind::Queue))?;
        if timeout != u64::MAX {
            return Err(ze::ZE_RESULT_NOT_READY);
        }
        model.synchronize(None)
    }
    fn zeFenceCreate(
        model,
        queue: ze::ze_command_queue_handle_t,
        _description: *const ze::ze_fence_desc_t,
        to: *mut ze::ze_fence_handle_t,
    ) {
        model.expect(queue as usize, |kind| matches!(kind, Kind::Queue))?;
        *to = model.create(queue as usize, Kind::Fence { signalled: false }) as _;
        Ok(())
    }
    fn zeFenceDestroy(model, fence: ze::ze_fence_handle_t) {
        model.destroy(fence as usize, |kind| matches!(kind, Kind::Fence { .. }))
    }
    fn zeFenceHostSynchronize(model, fence: ze::ze_fence_handle_t, timeout: u64) {
        model.expect(fence as usize, |kind| matches!(kind, Kind::Fence { .. }))?;
        if timeout != u64::MAX {
            return Err(ze::ZE_RESULT_NOT_READY);
        }
        model.synchronize(Some(fence as usize))
    }
    fn zeFenceReset(model, fence: ze::ze_fence_handle_t) {
        let Kind::Fence { signalled } = model.get(fence as usize)? else {
            return Err(model.wrong(fence as usize));
        };
        *signalled = false;
        Ok(())
    }
    fn zeCommandListCreate(
        model,
        context: ze::ze_context_handle_t,
        device: ze::ze_device_handle_t,
        _description: *const ze::ze_command_list_desc_t,
        to: *mut ze::ze_command_list_handle_t,
    ) {
        is_context(model, context)?;
        model.static_handle(device as usize, true)?;
        *to = model.create(context as usize, Kind::List(List::default())) as _;
        Ok(())
    }
    fn zeCommandListClose(model, list: ze::ze_command_list_handle_t) {
        model.close(list as usize)
    }
    fn zeCommandListReset(model, list: ze::ze_command_list_handle_t) {
        model.reset(list as usize)
    }
    fn zeCommandListDestroy(model, list: ze::ze_command_list_handle_t) {
        model.destroy_list(list as usize)
    }
    fn zeEventPoolCreate(
        model,
        context: ze::ze_context_handle_t,
        _description: *const ze::ze_event_pool_desc_t,
        _count: u32,
        device: *mut ze::ze_device_handle_t,
        to: *mut ze::ze_event_pool_handle_t,
    ) {
        is_context(model, context)?;
        model.static_handle(*device as usize, true)?;
        *to = model.create(context as usize, Kind::Pool) as _;
        Ok(())
    }
    fn zeEventPoolDestroy(model, pool: ze::ze_event_pool_handle_t) {
        model.destroy(pool as usize, |kind| matches!(kind, Kind::Pool))
    }
    fn zeEventCreate(
        model,
        pool: ze::ze_event_pool_handle_t,
        _description: *const ze::ze_event_desc_t,
        to: *mut ze::ze_event_handle_t,
    ) {
        model.expect(pool as usize, |kind| matches!(kind, Kind::Pool))?;
        *to = model.create(pool as usize, Kind::Event { times: None }) as _;
        Ok(())
    }
    fn zeEventDestroy(model, event: ze::ze_event_handle_t) {
        model.destroy(event as usize, |kind| matches!(kind, Kind::Event { .. }))
    }
    fn zeEventHostReset(model, event: ze::ze_event_handle_t) {
        let Kind::Event { times } = model.get(event as usize)? else {
            return Err(model.wrong(event as usize));
        };
        *times = None;
        Ok(())
    }
    fn zeEventQueryKernelTimestamp(
        model,
        event: ze::ze_event_handle_t,
        to: *mut ze::ze_kernel_timestamp_result_t,
    ) {
        let Kind::Event { times } = model.get(event as usize)? else {
            return Err(model.wrong(event as usize));
        };
        let Some(times) = *times else { return Err(model.misuse("the event is not signalled")) };
        // The clock has 32 bits.
        [(*to).context.kernelStart, (*to).context.kernelEnd] = times.map(|ticks| ticks & 0xffff_ffff);
        Ok(())
    }
}

fn is_context(model: &mut Model, context: ze::ze_context_handle_t) -> Result<(), Code> {
    model.expect(context as usize, |kind| matches!(kind, Kind::Context))
}

/// Writes bytes, or their number.
unsafe fn give(bytes: &[u8], size: *mut usize, to: *mut u8) {
    // SAFETY: the size may be read and written, and there is space for this number of bytes.
    unsafe {
        if !to.is_null() {
            to.copy_from_nonoverlapping(bytes.as_ptr(), bytes.len().min(*size));
        }
        *size = bytes.len();
    }
}

/// Memory with garbage contents.
unsafe fn allocate(
    model: &mut Model,
    context: ze::ze_context_handle_t,
    size: usize,
    alignment: usize,
    to: *mut *mut c_void,
) -> Result<(), Code> {
    let layout = Layout::from_size_align(size, alignment).ok().filter(|layout| layout.size() > 0);
    let layout = layout.ok_or(ze::ZE_RESULT_ERROR_UNSUPPORTED_SIZE)?;
    // SAFETY: the layout is not empty, and the result may be written.
    unsafe {
        let memory = alloc(layout);
        memory.write_bytes(0xcd, size);
        model.create_at(memory as usize, context as usize, Kind::Memory { layout });
        *to = memory.cast();
    }
    Ok(())
}
