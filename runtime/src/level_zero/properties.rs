//! The properties of a device on which launches, images and the form of the code depend.

use std::ffi::{CStr, c_char};
use std::fmt;

use level_zero_sys::{self as ze, Descriptor};

use super::api::call;
use super::generation::{IpVersion, Reported};
use crate::error::LevelZeroError;
use cm_compiler::spirv::Target;

/// The oldest supported version of the interface: since then clocks are reported in cycles per second.
const OLDEST: u32 = 1 << 16 | 2;

/// A device and its limits.
#[derive(Clone, Debug)]
pub(crate) struct Properties {
    /// The name that the driver reports.
    pub(crate) name: String,
    /// Number of the model.
    pub(crate) model: u32,
    /// Version of the driver.
    pub(crate) driver: u32,
    /// Version of the interface: major in the upper half.
    pub(crate) interface: u32,
    /// Bytes that identify this device.
    pub(crate) uuid: [u8; 16],
    /// The form of its code.
    pub(crate) target: Target,
    /// The largest number of texels of an image per dimension; 0 if it has no images.
    pub(crate) image_texels: usize,
    /// The same of images with three dimensions.
    pub(crate) slice_texels: usize,
    /// The largest numbers of images that a kernel reads, and that it writes.
    pub(crate) image_arguments: [usize; 2],
    /// The largest number of bytes of a kernel's arguments.
    pub(crate) argument_bytes: usize,
    /// The largest number of threads of a group: as many as a subslice runs at once.
    pub(crate) group_size: usize,
    /// The largest number of threads of a group along each axis.
    pub(crate) group_threads: [usize; 3],
    /// The largest number of groups along each axis.
    pub(crate) groups: [usize; 3],
    /// Bytes of shared local memory of a group.
    pub(crate) shared_bytes: usize,
    /// Whether buffers are in memory of the host: the device is part of the processor and has no memory of its own.
    pub(crate) host_memory: bool,
    /// Ticks of its clock per second.
    pub(crate) ticks: u64,
    /// Bits after which timestamps start again from 0.
    pub(crate) timestamp_bits: u32,
}

impl Properties {
    /// Queries a device of a driver. `None` if it is not a GPU.
    pub(super) fn ask(
        api: &ze::Api,
        driver: ze::ze_driver_handle_t,
        device: ze::ze_device_handle_t,
    ) -> Result<Option<Self>, LevelZeroError> {
        let mut interface = ze::ze_api_version_t::default();
        let mut of_driver = ze::ze_driver_properties_t::new();
        // SAFETY: the handles are valid for the process, the pointers are to locals of the types that the
        // functions fill.
        unsafe {
            call!(api, zeDriverGetApiVersion(driver, &mut interface))?;
            call!(api, zeDriverGetProperties(driver, &mut of_driver))?;
        }
        let interface = interface.0;
        if interface < OLDEST {
            return Err(LevelZeroError::TooOld {
                missing: format!("version 1.2 of Level Zero ({})", version(interface)),
            });
        }
        let mut general = ze::ze_device_properties_t::new();
        general.stype = ze::ZE_STRUCTURE_TYPE_DEVICE_PROPERTIES_1_2;
        let mut ip = IpVersion::new();
        // Drivers skip unknown extensions.
        general.pNext = (&raw mut ip).cast();
        let mut modules = ze::ze_device_module_properties_t::new();
        let mut images = ze::ze_device_image_properties_t::new();
        let mut compute = ze::ze_device_compute_properties_t::new();
        let mut access = ze::ze_device_memory_access_properties_t::new();
        // SAFETY: as above.
        unsafe {
            call!(api, zeDeviceGetProperties(device, &mut general))?;
            // Other devices need not answer the rest.
            if general.type_ != ze::ZE_DEVICE_TYPE_GPU {
                return Ok(None);
            }
            call!(api, zeDeviceGetModuleProperties(device, &mut modules))?;
            call!(api, zeDeviceGetImageProperties(device, &mut images))?;
            call!(api, zeDeviceGetComputeProperties(device, &mut compute))?;
            call!(api, zeDeviceGetMemoryAccessProperties(device, &mut access))?;
        }
        let f64 = modules.flags & ze::ZE_DEVICE_MODULE_FLAG_FP64 != 0;
        let target = Reported::new(&general, &ip, f64).target();
        Ok(Some(Self {
            name: text(&general.name),
            model: general.deviceId,
            driver: of_driver.driverVersion,
            interface,
            uuid: general.uuid.id,
            target,
            image_texels: images.maxImageDims2D as usize,
            slice_texels: images.maxImageDims3D as usize,
            image_arguments: [images.maxReadImageArgs as usize, images.maxWriteImageArgs as usize],
            argument_bytes: modules.maxArgumentsSize as usize,
            group_size: group_size(&general, &compute),
            group_threads: [compute.maxGroupSizeX, compute.maxGroupSizeY, compute.maxGroupSizeZ]
                .map(|n| n as usize),
            groups: [compute.maxGroupCountX, compute.maxGroupCountY, compute.maxGroupCountZ]
                .map(|n| n as usize),
            shared_bytes: compute.maxSharedLocalMemory as usize,
            host_memory: has_host_memory(&general, &access),
            ticks: general.timerResolution,
            timestamp_bits: general.kernelTimestampValidBits,
        }))
    }

    /// The version of the interface as text.
    pub(crate) fn version(&self) -> String {
        version(self.interface)
    }
}

impl fmt::Display for Properties {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { name, model, driver, target, image_texels, .. } = self;
        write!(f, "{name} (model {model:#06x}, driver {driver:#010x}, Level Zero {}, ", self.version())?;
        match image_texels {
            0 => write!(f, "{target} code, no images)"),
            _ => write!(f, "{target} code, images of up to {image_texels} texels in each dimension)"),
        }
    }
}

/// The largest number of threads of a group. The driver's own number counts work items of code with lanes; a group of
/// hardware threads has to fit in a subslice.
fn group_size(general: &ze::ze_device_properties_t, compute: &ze::ze_device_compute_properties_t) -> usize {
    let threads = general.numEUsPerSubslice.saturating_mul(general.numThreadsPerEU);
    threads.min(compute.maxTotalGroupSize) as usize
}

/// Whether kernels can use memory of the host like memory of the device, and as fast.
fn has_host_memory(
    general: &ze::ze_device_properties_t,
    access: &ze::ze_device_memory_access_properties_t,
) -> bool {
    let needed = ze::ZE_MEMORY_ACCESS_CAP_FLAG_RW | ze::ZE_MEMORY_ACCESS_CAP_FLAG_ATOMIC;
    general.flags & ze::ZE_DEVICE_PROPERTY_FLAG_INTEGRATED != 0
        && access.hostAllocCapabilities & needed == needed
}

fn version(interface: u32) -> String {
    format!("{}.{}", interface >> 16, interface & 0xffff)
}

/// The text in an array of characters: up to a zero byte, or all of it if the driver forgot that byte.
fn text(characters: &[c_char]) -> String {
    let bytes = bytemuck::cast_slice(characters);
    let ended = CStr::from_bytes_until_nul(bytes).map_or(bytes, CStr::to_bytes);
    String::from_utf8_lossy(ended).into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_end_with_their_array() {
        let characters = |text: &[u8]| text.iter().map(|&byte| byte as c_char).collect::<Vec<_>>();
        assert_eq!(text(&characters(b"Intel\0 junk")), "Intel");
        assert_eq!(text(&characters(b"Intel")), "Intel");
        assert_eq!(text(&characters(b"")), "");
    }
}
