//! The code that tests run in processes with the simulated GPU. Each probe prints its answers as lines `name: value`.

use std::ptr;

use level_zero_sys::*;

use crate::level_zero::{Session, call};

/// The variable with the path of the kernel module.
pub(crate) const MODULE: &str = "CM_SIMULATOR_TEST_MODULE";

fn module() -> Vec<u8> {
    std::fs::read(std::env::var_os(MODULE).expect("the variable")).expect("the module")
}

#[test]
#[ignore = "needs the simulated GPU"]
fn properties() {
    let session = Session::new();
    let mut properties = ze_device_properties_t::new();
    call!(session.api, zeDeviceGetProperties(session.device, &mut properties));
    // SAFETY: the driver terminates the name with a zero.
    let name = unsafe { std::ffi::CStr::from_ptr(properties.name.as_ptr()) };
    println!("\nname: {}", name.to_string_lossy());
    println!("id: {:#x} {:#x}", properties.vendorId, properties.deviceId);
    let (slices, subslices) = (properties.numSlices, properties.numSubslicesPerSlice);
    println!("shape: {slices} {subslices} {} {}", properties.numEUsPerSubslice, properties.numThreadsPerEU);
    println!("clock: {}", properties.coreClockRate);
    let mut compute = ze_device_compute_properties_t::new();
    call!(session.api, zeDeviceGetComputeProperties(session.device, &mut compute));
    println!("shared: {}", compute.maxSharedLocalMemory);
    let (mut host, mut before, mut after) = (0, 0, 0);
    call!(session.api, zeDeviceGetGlobalTimestamps(session.device, &mut host, &mut before));
    std::thread::sleep(std::time::Duration::from_millis(2));
    call!(session.api, zeDeviceGetGlobalTimestamps(session.device, &mut host, &mut after));
    println!("time goes on: {}", after > before);
    let mut version = ze_api_version_t::default();
    call!(session.api, zeDriverGetApiVersion(session.driver, &mut version));
    println!("api: {}", version.0 >> 16);
}

/// Copies through memory of the device, with the driver's own kernels.
#[test]
#[ignore = "needs the simulated GPU"]
fn copies() {
    let session = Session::new();
    let bytes: Vec<u8> = (0..100_003u32).map(|i| (i * 7 + i / 256) as u8).collect();
    let (from, to) = (session.shared(&bytes), session.shared(&vec![0u8; bytes.len() + 64]));
    let mut middle = ptr::null_mut();
    let desc = ze_device_mem_alloc_desc_t::new();
    call!(
        session.api,
        zeMemAllocDevice(session.context, &desc, bytes.len(), 64, session.device, &mut middle)
    );
    let (none, size) = (ptr::null_mut(), bytes.len());
    let (source, target) = (from.as_ptr().cast(), to.as_mut_ptr().cast());
    let list = session.list;
    call!(session.api, zeCommandListAppendMemoryCopy(list, middle, source, size, none, 0, ptr::null_mut()));
    call!(session.api, zeCommandListAppendBarrier(list, none, 0, ptr::null_mut()));
    call!(session.api, zeCommandListAppendMemoryCopy(list, target, middle, size, none, 0, ptr::null_mut()));
    assert_eq!(session.execute(), ZE_RESULT_SUCCESS);
    println!("\nsame: {}", to[..size] == bytes[..] && to[size..] == [0; 64]);
}

fn saxpy(session: &Session, module: &[u8], factor: f32) -> bool {
    const COUNT: usize = 1000;
    let kernel = session.kernel(module, "saxpy", 64);
    let x = session.shared(&(0..COUNT).map(|i| i as f32).collect::<Vec<_>>());
    let y = session.shared(&[1f32; COUNT]);
    session.argument(kernel, 0, y.as_mut_ptr());
    session.argument(kernel, 1, x.as_ptr());
    session.argument(kernel, 2, factor);
    session.argument(kernel, 3, COUNT as i32);
    for _ in 0..10 {
        session.launch(kernel, COUNT.div_ceil(64) as u32);
        assert_eq!(session.execute(), ZE_RESULT_SUCCESS);
    }
    (0..COUNT).all(|i| y[i] == 1.0 + 10.0 * factor * i as f32)
}

/// Every kind of launch, which must work with all settings.
#[test]
#[ignore = "needs the simulated GPU"]
fn launches() {
    let (session, module) = (Session::new(), module());
    println!("\nsaxpy: {}", saxpy(&session, &module, 3.0));

    let kernel = session.kernel(&module, "reduce", 64);
    let values: Vec<i32> = (0..64 * 100).map(|i| i * i % 1001).collect();
    let (input, output) = (session.shared(&values), session.shared(&[0; 100]));
    session.argument(kernel, 0, input.as_ptr());
    session.argument(kernel, 1, output.as_mut_ptr());
    session.launch(kernel, 100);
    assert_eq!(session.execute(), ZE_RESULT_SUCCESS);
    let sums: Vec<i32> = values.chunks(64).map(|group| group.iter().sum()).collect();
    println!("reduce: {}", output == sums);

    let kernel = session.kernel(&module, "histogram", 32);
    let bytes: Vec<u8> = (0..32 * 200u32).map(|i| (i * i % 251) as u8).collect();
    let (input, bins) = (session.shared(&bytes), session.shared(&[0i32; 8]));
    session.argument(kernel, 0, input.as_ptr());
    session.argument(kernel, 1, bins.as_mut_ptr());
    session.launch(kernel, 200);
    assert_eq!(session.execute(), ZE_RESULT_SUCCESS);
    let expected: Vec<i32> =
        (0..8).map(|bin| bytes.iter().filter(|byte| **byte % 8 == bin).count() as i32).collect();
    println!("histogram: {}", bins == expected);
}

#[test]
#[ignore = "needs the simulated GPU"]
fn host_threads() {
    let module = module();
    let right = std::thread::scope(|scope| {
        let threads: Vec<_> = (1..=8)
            .map(|factor| {
                let module = &module;
                scope.spawn(move || saxpy(&Session::new(), module, factor as f32))
            })
            .collect();
        threads.into_iter().filter_map(|thread| thread.join().ok()).filter(|right| *right).count()
    });
    println!("\nright: {right}");
}

/// Runs a kernel with one argument, and prints the memory afterwards and the result.
fn run_on<const N: usize>(name: &str, group: u32, groups: u32) {
    let session = Session::new();
    let kernel = session.kernel(&module(), name, group);
    let memory = session.shared(&[0i32; N]);
    session.argument(kernel, 0, memory.as_mut_ptr());
    session.launch(kernel, groups);
    println!("\nresult: {}", session.execute());
    println!("memory: {memory:?}");
}

#[test]
#[ignore = "needs the simulated GPU"]
fn race() {
    run_on::<101>("race", 8, 100);
}

#[test]
#[ignore = "needs the simulated GPU"]
fn uninitialised() {
    run_on::<64>("uninitialised", 64, 1);
}

#[test]
#[ignore = "needs the simulated GPU"]
fn handshake() {
    run_on::<2>("handshake", 1, 2);
}

#[test]
#[ignore = "needs the simulated GPU"]
fn endless() {
    run_on::<1>("endless", 1, 1);
}

/// Runs a kernel that writes to unmapped memory, and then a correct one.
#[test]
#[ignore = "needs the simulated GPU"]
fn wild_pointer() {
    let (session, module) = (Session::new(), module());
    let kernel = session.kernel(&module, "follow", 8);
    let addresses = session.shared(&[0x1234_5678_9000u64; 8]);
    session.argument(kernel, 0, addresses.as_ptr());
    session.launch(kernel, 1);
    let result = session.execute();
    println!("\nresult: {result}");
    if result == ZE_RESULT_SUCCESS {
        println!("saxpy: {}", saxpy(&session, &module, 2.0));
    }
}

/// Closes no folder, while that of the card is open.
#[test]
#[ignore = "needs the simulated GPU"]
fn folders() {
    unsafe extern "C" {
        fn opendir(path: *const std::ffi::c_char) -> *mut u8;
        fn readdir(folder: *mut u8) -> *mut u8;
        fn closedir(folder: *mut u8) -> i32;
    }
    // SAFETY: the functions of the C library have these types, and closing no folder is an error that they return.
    unsafe {
        let folder = opendir(c"/sys/bus/pci/devices/0000:00:02.0/drm".as_ptr());
        println!("\nopen: {}", !folder.is_null());
        println!("none closed: {}", closedir(ptr::null_mut()));
        let entries = (0..9).take_while(|_| !readdir(folder).is_null()).count();
        println!("entries: {entries}");
        println!("closed: {}", closedir(folder));
    }
}
