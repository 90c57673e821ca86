//! The objects of the model: handles with their kinds and parents, and their misuses.

use std::alloc::{Layout, dealloc};
use std::collections::BTreeMap;
use std::thread::ThreadId;

use level_zero_sys as ze;

use super::lists::List;

/// The properties of drivers and devices.
#[derive(Clone, Debug)]
pub(super) struct Settings {
    pub(super) drivers: u32,
    pub(super) devices: u32,
    pub(super) device_type: ze::ze_device_type_t,
    pub(super) model: u32,
    pub(super) integrated: bool,
    pub(super) version: u32,
    pub(super) image_texels: u32,
    pub(super) slice_texels: u32,
    pub(super) read_images: u32,
    pub(super) written_images: u32,
    pub(super) argument_bytes: u32,
    /// The log of the compiler.
    pub(super) log: &'static str,
    /// Whether the compiler accepts its input.
    pub(super) compiles: bool,
    /// Whether modules have their kernel.
    pub(super) has_kernel: bool,
    /// Whether it accepts its own binaries.
    pub(super) takes_binaries: bool,
    /// The end of its binaries.
    pub(super) end: &'static str,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            drivers: 1,
            devices: 1,
            device_type: ze::ZE_DEVICE_TYPE_GPU,
            model: 0x1912,
            integrated: false,
            version: 1 << 16 | 3,
            image_texels: 16384,
            slice_texels: 2048,
            read_images: 128,
            written_images: 128,
            argument_bytes: 2048,
            log: "",
            compiles: true,
            has_kernel: true,
            takes_binaries: true,
            end: "",
        }
    }
}

/// The whole model.
pub(super) struct Model {
    pub(super) settings: Settings,
    objects: BTreeMap<usize, Object>,
    /// The returned handles; none is returned twice.
    given: usize,
    /// Every call, in order.
    pub(super) calls: Vec<&'static str>,
    pub(super) failing: Option<(&'static str, ze::ze_result_t)>,
    pub(super) fails_at: Option<(usize, ze::ze_result_t)>,
    pub(super) misuses: Vec<String>,
    /// The options of every module.
    pub(super) options: Vec<String>,
    /// Whether the device is lost, and whether a relevant call has reported it.
    lost: bool,
    told: bool,
    /// Whether waiting for the device has failed.
    untold: bool,
    /// The work of the device.
    pub(super) done: Vec<String>,
    /// The time at which the next commands start, and at which those that run have ended, in ticks.
    pub(super) clock: [u64; 2],
}

/// The object of a handle.
struct Object {
    parent: usize,
    kind: Kind,
}

#[derive(Debug)]
pub(super) enum Kind {
    Context,
    Image {
        texel: usize,
        width: usize,
        height: usize,
        depth: usize,
        bytes: Vec<u8>,
    },
    Memory {
        layout: Layout,
    },
    Module {
        code: Vec<u8>,
    },
    Log {
        text: String,
    },
    Kernel {
        name: String,
        sized: bool,
        arguments: BTreeMap<u32, Vec<u8>>,
        setter: Option<ThreadId>,
    },
    Queue,
    List(List),
    Fence {
        signalled: bool,
    },
    Pool,
    /// An event, and the times of the command that has signalled it.
    Event {
        times: Option<[u64; 2]>,
    },
}

/// The first of the numbers that are handles of drivers; the next one is its first device.
pub(super) const DRIVERS: usize = 0x1000;
/// The distance of handles, so that no address is a handle.
const STEP: usize = 0x10;

/// Calls whose failure does not affect the program: it continues without them.
pub(super) fn is_tolerated(call: &str) -> bool {
    call.ends_with("Destroy")
        || [
            "zeMemFree",
            "zeCommandListReset",
            "zeFenceReset",
            "zeModuleGetNativeBinary",
            "zeModuleBuildLogGetString",
        ]
        .contains(&call)
}

/// Calls that submit work to the device, or wait for it.
fn is_work(call: &str) -> bool {
    call.starts_with("zeCommandListAppend")
        || call == "zeCommandListClose"
        || call.starts_with("zeCommandQueue")
        || call == "zeFenceHostSynchronize"
}

impl Model {
    pub(super) fn new(settings: Settings) -> Self {
        Self {
            settings,
            objects: BTreeMap::new(),
            given: 0x10000,
            calls: Vec::new(),
            failing: None,
            fails_at: None,
            misuses: Vec::new(),
            options: Vec::new(),
            lost: false,
            told: false,
            untold: false,
            done: Vec::new(),
            // Shortly before the end of 32 bits.
            clock: [0xffff_fffe; 2],
        }
    }

    /// A call: it fails if it must fail, otherwise it does its work.
    pub(super) fn call(
        &mut self,
        call: &'static str,
        body: impl FnOnce(&mut Self) -> Result<(), ze::ze_result_t>,
    ) -> ze::ze_result_t {
        let index = self.calls.len();
        self.calls.push(call);
        let frees = call.ends_with("Destroy") || call == "zeMemFree";
        if self.told && is_work(call) && !frees {
            self.misuses.push(format!("{call} although the device is known to be lost"));
        }
        let fails = match (self.failing, self.fails_at) {
            (Some((name, result)), _) if name == call => Some(result),
            (_, Some((at, result))) if at == index => Some(result),
            _ => None,
        };
        if fails == Some(ze::ZE_RESULT_ERROR_DEVICE_LOST) {
            self.lost = true;
        }
        // The device continues its work: it is unknown when it has completed.
        self.untold |= self.lost || fails.is_some() && call.ends_with("Synchronize");
        if self.lost && !is_tolerated(call) {
            self.told = true;
            return ze::ZE_RESULT_ERROR_DEVICE_LOST;
        }
        // Functions that destroy do so, whatever they return.
        let result = if fails.is_none() || frees { body(self) } else { Ok(()) };
        fails.or(result.err()).unwrap_or(ze::ZE_RESULT_SUCCESS)
    }

    /// Records a misuse that the specification forbids.
    pub(super) fn misuse(&mut self, what: impl std::fmt::Display) -> ze::ze_result_t {
        let call = self.calls.last().copied().unwrap_or_default();
        self.misuses.push(format!("{call}: {what}"));
        ze::ZE_RESULT_ERROR_INVALID_ARGUMENT
    }

    pub(super) fn create(&mut self, parent: usize, kind: Kind) -> usize {
        self.given += STEP;
        let handle = self.given;
        self.objects.insert(handle, Object { parent, kind });
        handle
    }

    /// Creates memory, whose handle is its address.
    pub(super) fn create_at(&mut self, address: usize, parent: usize, kind: Kind) {
        self.objects.insert(address, Object { parent, kind });
    }

    /// The object of a live handle.
    pub(super) fn get(&mut self, handle: usize) -> Result<&mut Kind, ze::ze_result_t> {
        if !self.objects.contains_key(&handle) {
            return Err(self.misuse(format_args!("{handle:#x} is not alive")));
        }
        Ok(&mut self.objects.get_mut(&handle).expect("it is there").kind)
    }

    /// The parent of a live object.
    pub(super) fn parent(&mut self, handle: usize) -> Result<usize, ze::ze_result_t> {
        self.get(handle)?;
        Ok(self.objects[&handle].parent)
    }

    /// Records that a handle has the wrong kind.
    pub(super) fn wrong(&mut self, handle: usize) -> ze::ze_result_t {
        let kind = self.get(handle).map(|kind| format!("{kind:?}")).unwrap_or_default();
        self.misuse(format_args!("{handle:#x} is of another kind: {kind}"))
    }

    /// Checks that a handle is live and has a kind.
    pub(super) fn expect(&mut self, handle: usize, is: fn(&Kind) -> bool) -> Result<(), ze::ze_result_t> {
        if is(self.get(handle)?) { Ok(()) } else { Err(self.wrong(handle)) }
    }

    /// Whether a handle is a driver's, or a device's of any driver.
    pub(super) fn static_handle(&mut self, handle: usize, device: bool) -> Result<(), ze::ze_result_t> {
        let (driver, index) = ((handle.wrapping_sub(DRIVERS)) / 0x100, handle % 0x100);
        let devices = self.settings.devices as usize;
        if driver < self.settings.drivers as usize
            && (if device { 1..devices + 1 } else { 0..1 }).contains(&index)
        {
            return Ok(());
        }
        Err(self.misuse(format_args!("{handle:#x} is no {}", if device { "device" } else { "driver" })))
    }

    pub(super) fn destroy(&mut self, handle: usize, is: fn(&Kind) -> bool) -> Result<(), ze::ze_result_t> {
        self.expect(handle, is)?;
        if let Some((child, object)) = self.objects.iter().find(|(_, object)| object.parent == handle) {
            let text = format!("{handle:#x} goes before its child {child:#x} {:?}", object.kind);
            return Err(self.misuse(text));
        }
        let user = self.lists().find(|(_, list)| list.running && list.uses(handle)).map(|(user, _)| user);
        if let Some(user) = user {
            return Err(self.misuse(format_args!("{handle:#x} goes while list {user:#x} runs with it")));
        }
        if let Some(Object { kind: Kind::Memory { layout }, .. }) = self.objects.remove(&handle) {
            // SAFETY: memory is allocated with this layout at the address that is its handle, and is removed
            // once.
            unsafe { dealloc(handle as *mut u8, layout) };
        }
        Ok(())
    }

    /// The memory that contains this number of bytes at an address.
    pub(super) fn memory(&mut self, address: usize, bytes: usize) -> Result<usize, ze::ze_result_t> {
        match (self.allocation(address), self.allocation(address + bytes.max(1) - 1)) {
            (Some(first), Some(last)) if first == last => Ok(first),
            _ => Err(self.misuse(format_args!("{bytes} bytes at {address:#x} are not in memory"))),
        }
    }

    /// The memory that contains an address.
    pub(super) fn allocation(&self, address: usize) -> Option<usize> {
        match self.objects.range(..=address).next_back()? {
            (&start, Object { kind: Kind::Memory { layout }, .. }) if address < start + layout.size() => {
                Some(start)
            }
            _ => None,
        }
    }

    pub(super) fn lists(&self) -> impl Iterator<Item = (usize, &List)> {
        self.objects.iter().filter_map(|(&handle, object)| match &object.kind {
            Kind::List(list) => Some((handle, list)),
            _ => None,
        })
    }

    /// The bytes of all live memory.
    pub(super) fn bytes(&self) -> usize {
        let sizes = self.objects.values().map(|object| match &object.kind {
            Kind::Memory { layout } => layout.size(),
            _ => 0,
        });
        sizes.sum()
    }

    /// The live objects.
    pub(super) fn living(&self) -> Vec<String> {
        self.objects.iter().map(|(handle, object)| format!("{handle:#x} {:?}", object.kind)).collect()
    }

    /// The objects that are live without a reason. The only reason is a device that may still be working: it keeps its
    /// lists, the objects that they use, and their parents.
    pub(super) fn left(&self) -> Vec<String> {
        if !self.untold || self.lists().next().is_none() {
            return self.living();
        }
        let used = |handle: usize| self.lists().any(|(_, list)| list.uses(handle));
        let mut left = Vec::new();
        for (&handle, object) in &self.objects {
            let kept = match object.kind {
                Kind::Context | Kind::Queue | Kind::List(_) => true,
                // All events of a pool are kept with one of them.
                Kind::Fence { .. } | Kind::Pool | Kind::Event { .. } => true,
                Kind::Image { .. } | Kind::Module { .. } | Kind::Memory { .. } => used(handle),
                Kind::Kernel { .. } => used(object.parent),
                Kind::Log { .. } => false,
            };
            if !kept {
                left.push(format!("{handle:#x} {:?}", object.kind));
            }
        }
        left
    }
}
