//! The table of the mock's functions.

use level_zero_sys::Api;

use super::{appends::*, calls::*};

macro_rules! functions {
    ($($name:ident)*) => {
        /// The names of the functions.
        pub(super) const NAMES: &[&str] = &[$(stringify!($name)),*];

        /// The complete table.
        pub(super) fn api() -> Api {
            Api { $($name: Some($name),)* ..Api::default() }
        }

        /// The table without one function.
        pub(super) fn without(name: &str) -> Api {
            let mut api = api();
            match name {
                $(stringify!($name) => api.$name = None,)*
                _ => panic!("there is no {name}"),
            }
            api
        }
    };
}

functions! {
    zeInit zeDriverGet zeDriverGetApiVersion zeDriverGetProperties
    zeDeviceGet zeDeviceGetProperties zeDeviceGetModuleProperties zeDeviceGetImageProperties
    zeDeviceGetComputeProperties zeDeviceGetMemoryAccessProperties
    zeContextCreate zeContextDestroy zeMemAllocHost zeMemAllocDevice zeMemFree zeImageCreate zeImageDestroy
    zeModuleCreate zeModuleDestroy zeModuleBuildLogGetString zeModuleBuildLogDestroy zeModuleGetNativeBinary
    zeKernelCreate zeKernelDestroy zeKernelSetGroupSize zeKernelSetArgumentValue
    zeCommandQueueCreate zeCommandQueueDestroy zeCommandQueueExecuteCommandLists zeCommandQueueSynchronize
    zeCommandListCreate zeCommandListClose zeCommandListReset zeCommandListDestroy
    zeCommandListAppendBarrier zeCommandListAppendLaunchKernel
    zeCommandListAppendMemoryCopy zeCommandListAppendMemoryFill
    zeCommandListAppendImageCopyFromMemory zeCommandListAppendImageCopyToMemory
    zeFenceCreate zeFenceDestroy zeFenceHostSynchronize zeFenceReset
    zeEventPoolCreate zeEventPoolDestroy zeEventCreate zeEventDestroy zeEventHostReset zeEventQueryKernelTimestamp
}
