//! A minimal Level Zero session for tests: a device with one queue.

use std::ffi::{CString, c_void};
use std::ptr;

use level_zero_sys::*;

/// Calls an entry point, and panics with its name and result if it fails.
macro_rules! call {
    ($api:expr, $name:ident($($argument:expr),* $(,)?)) => {{
        // SAFETY: handles come from Level Zero, and pointers are to values that outlive the call.
        let result = unsafe { ($api.$name().expect(stringify!($name)))($($argument),*) };
        assert_eq!(result, ZE_RESULT_SUCCESS, stringify!($name));
    }};
}
pub(crate) use call;

/// A device and a queue. Nothing is destroyed, because the process of a test ends soon.
pub(crate) struct Session {
    pub(crate) api: Api,
    pub(crate) driver: ze_driver_handle_t,
    pub(crate) device: ze_device_handle_t,
    pub(crate) context: ze_context_handle_t,
    queue: ze_command_queue_handle_t,
    pub(crate) list: ze_command_list_handle_t,
}

impl Session {
    pub(crate) fn new() -> Self {
        // SAFETY: the library with this name is the Level Zero loader.
        let loader = unsafe { Loader::load() }.expect("the loader");
        let api = loader.api().clone();
        call!(api, zeInit(ZE_INIT_FLAG_GPU_ONLY));
        let (mut driver, mut device, mut one) = (ptr::null_mut(), ptr::null_mut(), 1);
        call!(api, zeDriverGet(&mut one, &mut driver));
        call!(api, zeDeviceGet(driver, &mut one, &mut device));
        assert_eq!(one, 1, "a device");
        let (mut context, mut queue, mut list) = (ptr::null_mut(), ptr::null_mut(), ptr::null_mut());
        call!(api, zeContextCreate(driver, &ze_context_desc_t::new(), &mut context));
        call!(api, zeCommandQueueCreate(context, device, &ze_command_queue_desc_t::new(), &mut queue));
        call!(api, zeCommandListCreate(context, device, &ze_command_list_desc_t::new(), &mut list));
        Self { api, driver, device, context, queue, list }
    }

    /// Memory shared by host and device, with these values.
    pub(crate) fn shared<T: Copy>(&self, values: &[T]) -> &'static mut [T] {
        let mut memory = ptr::null_mut();
        let (of_device, of_host) = (ze_device_mem_alloc_desc_t::new(), ze_host_mem_alloc_desc_t::new());
        let bytes = size_of_val(values);
        call!(
            self.api,
            zeMemAllocShared(self.context, &of_device, &of_host, bytes, 64, self.device, &mut memory)
        );
        // SAFETY: the memory has this size, is never freed, and is written before the slice is created.
        unsafe {
            ptr::copy_nonoverlapping(values.as_ptr(), memory.cast(), values.len());
            std::slice::from_raw_parts_mut(memory.cast(), values.len())
        }
    }

    /// A kernel of a SPIR-V module.
    pub(crate) fn kernel(&self, module: &[u8], name: &str, group: u32) -> ze_kernel_handle_t {
        let (mut built, mut kernel) = (ptr::null_mut(), ptr::null_mut());
        let mut module_desc = ze_module_desc_t::new();
        (module_desc.format, module_desc.inputSize) = (ZE_MODULE_FORMAT_IL_SPIRV, module.len());
        module_desc.pInputModule = module.as_ptr();
        call!(self.api, zeModuleCreate(self.context, self.device, &module_desc, &mut built, ptr::null_mut()));
        let name = CString::new(name).expect("a name");
        let mut kernel_desc = ze_kernel_desc_t::new();
        kernel_desc.pKernelName = name.as_ptr();
        call!(self.api, zeKernelCreate(built, &kernel_desc, &mut kernel));
        call!(self.api, zeKernelSetGroupSize(kernel, group, 1, 1));
        kernel
    }

    /// Sets an argument: a number, or the address of memory.
    pub(crate) fn argument<T: Copy>(&self, kernel: ze_kernel_handle_t, index: u32, value: T) {
        let value_at = ptr::from_ref(&value).cast::<c_void>();
        call!(self.api, zeKernelSetArgumentValue(kernel, index, size_of::<T>(), value_at));
    }

    /// Appends a launch of this many groups.
    pub(crate) fn launch(&self, kernel: ze_kernel_handle_t, groups: u32) {
        let count = ze_group_count_t { groupCountX: groups, groupCountY: 1, groupCountZ: 1 };
        let none = ptr::null_mut();
        call!(self.api, zeCommandListAppendLaunchKernel(self.list, kernel, &count, none, 0, ptr::null_mut()));
    }

    /// Executes the appended commands, and waits. The list is empty afterwards.
    pub(crate) fn execute(&self) -> ze_result_t {
        call!(self.api, zeCommandListClose(self.list));
        let mut list = self.list;
        // SAFETY: the handles are those of this session.
        let result = unsafe {
            let execute = self.api.zeCommandQueueExecuteCommandLists().expect("an entry point");
            match execute(self.queue, 1, &mut list, ptr::null_mut()) {
                ZE_RESULT_SUCCESS => {
                    self.api.zeCommandQueueSynchronize().expect("an entry point")(self.queue, u64::MAX)
                }
                lost => lost,
            }
        };
        if result == ZE_RESULT_SUCCESS {
            call!(self.api, zeCommandListReset(self.list));
        }
        result
    }
}
