//! The generation of a GPU, from the properties that its driver reports.

use std::ptr;

use cm_compiler::spirv::Target;
use level_zero_sys as ze;

/// `ze_device_ip_version_ext_t` of Level Zero 1.6, which the header of the bindings does not have yet.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub(super) struct IpVersion {
    stype: ze::ze_structure_type_t,
    next: *mut std::ffi::c_void,
    /// Architecture in bits 22 to 31, release in bits 14 to 21; 0 if the driver does not fill it in.
    pub(super) version: u32,
}

impl IpVersion {
    /// An empty extension for the chain of `ze_device_properties_t`.
    pub(super) const fn new() -> Self {
        // `ZE_STRUCTURE_TYPE_DEVICE_IP_VERSION_EXT`
        Self { stype: ze::ze_structure_type_t(0x1_000f), next: ptr::null_mut(), version: 0 }
    }
}

/// The properties that a driver reports about the generation of a device.
#[derive(Clone, Copy, Debug)]
pub(super) struct Reported {
    /// [`IpVersion::version`].
    pub(super) ip: u32,
    /// Number of the model.
    pub(super) model: u32,
    /// Lanes of `f32` that a register holds.
    pub(super) lanes: u32,
    /// Whether the device computes in `f64`.
    pub(super) f64: bool,
}

impl Reported {
    /// From the properties of a device.
    pub(super) fn new(general: &ze::ze_device_properties_t, ip: &IpVersion, f64: bool) -> Self {
        Self { ip: ip.version, model: general.deviceId, lanes: general.physicalEUSimdWidth, f64 }
    }

    /// The form of code for the device. Unknown numbers get the form of their neighbours: each form runs on every later
    /// generation with registers of the same size.
    pub(super) fn target(self) -> Target {
        // The numbers are from the driver's source, `third_party/aot_config_headers/platforms.h`.
        match (self.ip >> 22, self.ip >> 14 & 0xff) {
            (0, _) => self.target_by_model(),
            (..12, _) => Target::Gen9,
            (12, ..50) => Target::XeLp,
            (12, 60..70) => Target::XeHpc,
            // Arrow Lake H has a matrix engine; its siblings have none.
            (12, 70..74) => Target::XeLpg,
            (12, _) => Target::XeHpg,
            (..30, _) => Target::Xe2,
            (..35, _) => Target::Xe3,
            _ => Target::Xe3p,
        }
    }

    /// For drivers that do not yet report the version of the hardware. They know no later generation than Xe-HPC.
    fn target_by_model(self) -> Target {
        // The numbers are from the driver's source, `shared/source/dll/devices/devices_base.inl`.
        match (self.model, self.lanes, self.f64) {
            (0x4f80..=0x4f8f | 0x5690..=0x56cf, _, _) => Target::XeHpg,
            (0x7d40..=0x7dff, _, _) => Target::XeLpg,
            (0x0b69 | 0x0b6e | 0x0bd0..=0x0bdf, _, _) | (_, 16.., _) => Target::XeHpc,
            (_, _, true) => Target::Gen9,
            (_, _, false) => Target::XeLp,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The version in the encoding of drivers.
    const fn ip(architecture: u32, release: u32, revision: u32) -> u32 {
        architecture << 22 | release << 14 | revision
    }

    #[test]
    fn every_generation_is_told_by_its_version() {
        let devices = [
            ("Skylake", ip(9, 0, 9), Target::Gen9),
            ("Coffee Lake", ip(9, 2, 9), Target::Gen9),
            ("Ice Lake", ip(11, 0, 0), Target::Gen9),
            ("Tiger Lake", 0x0300_0000, Target::XeLp),
            ("Rocket Lake", 0x0300_4000, Target::XeLp),
            ("Alder Lake P", 0x0300_c000, Target::XeLp),
            ("Iris Xe MAX", 0x0302_8000, Target::XeLp),
            ("Arc A770", 0x030d_c008, Target::XeHpg),
            ("Arc A380", 0x030e_0005, Target::XeHpg),
            ("Flex", 0x030e_4000, Target::XeHpg),
            ("Ponte Vecchio", 0x030f_0007, Target::XeHpc),
            ("Ponte Vecchio VG", 0x030f_4007, Target::XeHpc),
            ("Meteor Lake U", 0x0311_8004, Target::XeLpg),
            ("Meteor Lake H", 0x0311_c004, Target::XeLpg),
            ("Arrow Lake H", 0x0312_8004, Target::XeHpg),
            ("Battlemage", 0x0500_4000, Target::Xe2),
            ("Battlemage G31", 0x0500_8000, Target::Xe2),
            ("Lunar Lake", 0x0501_0004, Target::Xe2),
            ("Panther Lake H", 0x0780_0004, Target::Xe3),
            ("Panther Lake U", 0x0780_4001, Target::Xe3),
            ("Wildcat Lake", 0x0780_c000, Target::Xe3),
            ("Nova Lake S", ip(30, 4, 4), Target::Xe3),
            ("Nova Lake P", ip(35, 10, 4), Target::Xe3p),
            ("what comes later", ip(40, 0, 0), Target::Xe3p),
        ];
        for (name, ip, target) in devices {
            // Other properties do not matter.
            for (lanes, f64) in [(8, false), (8, true), (16, false), (16, true)] {
                assert_eq!(Reported { ip, model: 0x1912, lanes, f64 }.target(), target, "{name}");
            }
        }
    }

    #[test]
    fn older_drivers_tell_it_by_model_registers_and_f64() {
        let devices = [
            ("Skylake", 0x1912, 8, true, Target::Gen9),
            ("Tiger Lake", 0x9a49, 8, false, Target::XeLp),
            ("Arc A770", 0x56a0, 8, false, Target::XeHpg),
            ("Flex", 0x56c0, 8, true, Target::XeHpg),
            ("Ponte Vecchio", 0x0bd5, 16, true, Target::XeHpc),
            ("Meteor Lake", 0x7d55, 8, true, Target::XeLpg),
            ("wide registers", 0xffff, 16, true, Target::XeHpc),
        ];
        for (name, model, lanes, f64, target) in devices {
            assert_eq!(Reported { ip: 0, model, lanes, f64 }.target(), target, "{name}");
        }
    }
}
