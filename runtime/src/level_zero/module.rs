//! Compiled kernels on the device, and a pool of kernel objects for each. A kernel object holds the arguments
//! of one launch, so each launch takes one and returns it.

use std::ffi::CString;
use std::ptr;
use std::sync::{Arc, Mutex, PoisonError};

use level_zero_sys::{self as ze, Descriptor};

use super::api::{call, destroy};
use super::cache::{Cache, Key};
use super::compiler_process::{CompilerProcess, Request};
use super::context::Context;
use super::debug_info::DebugInfo;
use super::installed_compiler;
use crate::error::LevelZeroError;

/// A module with one kernel.
pub(super) struct Module {
    name: CString,
    handle: ze::ze_module_handle_t,
    /// Unused kernel objects. Each holds the arguments of one launch, so threads do not share them.
    idle: Mutex<Vec<Handle>>,
    context: Arc<Context>,
}

/// The handle of a kernel object.
struct Handle(ze::ze_kernel_handle_t);

// SAFETY: Level Zero lets kernel objects move between threads; only one thread has this one at a time.
unsafe impl Send for Handle {}
// SAFETY: the module's handle is only used to create and name kernels, which any thread may do at any time.
unsafe impl Send for Module {}
// SAFETY: as above; the kernel objects are behind a lock.
unsafe impl Sync for Module {}

/// A kernel object for one launch.
pub(super) struct Kernel {
    handle: Option<Handle>,
    module: Arc<Module>,
}

/// The code to compile.
#[derive(Clone, Copy)]
pub(super) struct Source<'a> {
    pub(super) name: &'a str,
    pub(super) words: &'a [u32],
    /// The options of the compiler.
    pub(super) options: &'a str,
}

impl Module {
    /// Compiles a kernel, or loads it from the cache.
    pub(super) fn new(
        context: Arc<Context>,
        source: Source<'_>,
        cache: &Cache,
        compiler: &CompilerProcess,
        debug_info: &DebugInfo,
    ) -> Result<Self, LevelZeroError> {
        let properties = &context.properties;
        let Source { name, words, options } = source;
        let numbers = [properties.model, properties.driver];
        let key = Key::new(words, options, &properties.uuid, numbers, installed_compiler::identity());
        if let Some(binary) = cache.load(&key) {
            match Self::build(&context, source, Some(&binary)) {
                Ok(module) => {
                    debug_info.keep(name, &key, &binary)?;
                    tracing::debug!(kernel = name, "taken from the cache of compiled kernels");
                    return Ok(module);
                }
                // After any other error of a cached binary the kernel is compiled again.
                Err(lost @ LevelZeroError::DeviceLost { .. }) => return Err(lost),
                Err(error) => {
                    tracing::debug!(kernel = name, %error, "the driver does not take a compiled kernel from \
                        the cache");
                }
            }
        }
        let request = Request {
            kernel: name.to_owned(),
            uuid: properties.uuid,
            options: options.to_owned(),
            words: words.to_vec(),
        };
        if let Some(binary) = compiler.compile(&request, &properties.name)? {
            let module = Self::build(&context, source, Some(&binary))?;
            tracing::debug!(kernel = name, device = %properties.name, "compiled by another process");
            cache.store(&key, &binary);
            debug_info.keep(name, &key, &binary)?;
            return Ok(module);
        }
        let module = Self::build(&context, source, None)?;
        tracing::debug!(kernel = name, device = %context.properties.name, "compiled");
        match module.binary() {
            Ok(binary) => {
                cache.store(&key, &binary);
                debug_info.keep(name, &key, &binary)?;
            }
            Err(error) if debug_info.is_wanted() => return Err(error),
            Err(error) => {
                tracing::debug!(kernel = name, %error, "the driver does not give a compiled kernel away");
            }
        }
        Ok(module)
    }

    /// The binary of a kernel, compiled here.
    pub(super) fn compiled(context: &Arc<Context>, source: Source<'_>) -> Result<Vec<u8>, LevelZeroError> {
        Self::build(context, source, None)?.binary()
    }

    /// Builds a module from the source, or from a cached binary.
    fn build(
        context: &Arc<Context>,
        Source { name, words, options }: Source<'_>,
        binary: Option<&[u8]>,
    ) -> Result<Self, LevelZeroError> {
        let api = context.api;
        let (format, code) = match binary {
            None => (ze::ZE_MODULE_FORMAT_IL_SPIRV, bytemuck::cast_slice(words)),
            Some(binary) => (ze::ZE_MODULE_FORMAT_NATIVE, binary),
        };
        let options = CString::new(options).unwrap_or_default();
        let mut description = ze::ze_module_desc_t::new();
        description.format = format;
        description.inputSize = code.len();
        description.pInputModule = code.as_ptr();
        description.pBuildFlags = options.as_ptr();
        let (mut handle, mut log) = (ptr::null_mut(), ptr::null_mut());
        // SAFETY: the context and its device live, the code and the options live during the call, and the
        // results go to locals.
        let built = unsafe {
            call!(api, zeModuleCreate(context.handle, context.device, &description, &mut handle, &mut log))
        };
        let log = if log.is_null() {
            String::new()
        } else {
            // SAFETY: the log was just returned and is destroyed once.
            unsafe {
                let text = text(api, log);
                destroy!(api, zeModuleBuildLogDestroy(log));
                text
            }
        };
        let (kernel, device) = (name.to_owned(), context.properties.name.clone());
        match built {
            Err(LevelZeroError::Call { code, .. })
                if code == ze::ZE_RESULT_ERROR_MODULE_BUILD_FAILURE.0
                    || code == ze::ZE_RESULT_ERROR_INVALID_NATIVE_BINARY.0
                    || code == ze::ZE_RESULT_ERROR_MODULE_LINK_FAILURE.0 =>
            {
                return Err(LevelZeroError::Build { kernel, device, log });
            }
            other => other?,
        }
        let module = Self {
            // Names of kernels are Rust identifiers, without zero bytes.
            name: CString::new(name).unwrap_or_default(),
            handle,
            idle: Mutex::default(),
            context: Arc::clone(context),
        };
        // Some drivers report success and then crash when the kernel is created.
        if log.lines().any(|line| line.trim_start().starts_with("error:")) {
            return Err(LevelZeroError::Build { kernel, device, log });
        }
        if !log.is_empty() {
            tracing::warn!(kernel = name, log, "the driver's compiler had something to say");
        }
        let first = match module.make() {
            Err(LevelZeroError::Call { code, .. }) if code == ze::ZE_RESULT_ERROR_INVALID_KERNEL_NAME.0 => {
                return Err(LevelZeroError::NoKernel { kernel, device, log });
            }
            made => made?,
        };
        module.idle.lock().unwrap_or_else(PoisonError::into_inner).push(first);
        Ok(module)
    }

    /// A kernel object, which returns to the pool when it is dropped.
    pub(super) fn kernel(self: &Arc<Self>) -> Result<Kernel, LevelZeroError> {
        let idle = self.idle.lock().unwrap_or_else(PoisonError::into_inner).pop();
        let handle = match idle {
            Some(handle) => handle,
            None => self.make()?,
        };
        Ok(Kernel { handle: Some(handle), module: Arc::clone(self) })
    }

    fn make(&self) -> Result<Handle, LevelZeroError> {
        let api = self.context.api;
        let mut description = ze::ze_kernel_desc_t::new();
        description.pKernelName = self.name.as_ptr();
        let mut handle = ptr::null_mut();
        // SAFETY: the module lives, its name ends with a zero byte, the result goes to a local.
        unsafe { call!(api, zeKernelCreate(self.handle, &description, &mut handle)) }?;
        Ok(Handle(handle))
    }

    /// The compiled binary.
    pub(super) fn binary(&self) -> Result<Vec<u8>, LevelZeroError> {
        let api = self.context.api;
        let mut size = 0;
        // SAFETY: the module lives; the first call only asks for the size.
        unsafe { call!(api, zeModuleGetNativeBinary(self.handle, &mut size, ptr::null_mut())) }?;
        let mut binary = vec![0; size];
        // SAFETY: there is room for `size` bytes.
        unsafe { call!(api, zeModuleGetNativeBinary(self.handle, &mut size, binary.as_mut_ptr())) }?;
        binary.truncate(size);
        Ok(binary)
    }
}

/// The text of a build log.
///
/// # Safety
/// The log is valid.
unsafe fn text(api: &ze::Api, log: ze::ze_module_build_log_handle_t) -> String {
    let mut size = 0;
    // SAFETY: the log is valid; the first call only asks for the size.
    if unsafe { call!(api, zeModuleBuildLogGetString(log, &mut size, ptr::null_mut())) }.is_err() {
        return String::new();
    }
    let mut bytes = vec![0_u8; size];
    // SAFETY: there is room for `size` characters.
    if unsafe { call!(api, zeModuleBuildLogGetString(log, &mut size, bytes.as_mut_ptr().cast())) }.is_err() {
        return String::new();
    }
    // The size counts the zero byte at the end.
    let end = bytes.iter().position(|&byte| byte == 0).unwrap_or(bytes.len());
    String::from_utf8_lossy(&bytes[..end]).trim().to_owned()
}

impl Drop for Module {
    fn drop(&mut self) {
        let api = self.context.api;
        for handle in self.idle.get_mut().unwrap_or_else(PoisonError::into_inner).drain(..) {
            // SAFETY: the kernel is unused, and commands that used it kept the module.
            unsafe { destroy!(api, zeKernelDestroy(handle.0)) }
        }
        // SAFETY: the handle is this object's own; its kernels no longer exist, because each holds the module.
        unsafe { destroy!(api, zeModuleDestroy(self.handle)) }
    }
}

impl Kernel {
    pub(super) fn handle(&self) -> ze::ze_kernel_handle_t {
        self.handle.as_ref().map_or(ptr::null_mut(), |handle| handle.0)
    }

    /// Sets an argument to these bytes. Arguments that the compiler found unused may have any value.
    pub(super) fn set(&mut self, index: usize, bytes: &[u8]) -> Result<(), LevelZeroError> {
        let api = self.module.context.api;
        let number = u32::try_from(index).unwrap_or(u32::MAX);
        // SAFETY: the kernel is this object's own; the driver copies the bytes during the call.
        let set = unsafe {
            call!(api, zeKernelSetArgumentValue(self.handle(), number, bytes.len(), bytes.as_ptr().cast()))
        };
        match set {
            Err(LevelZeroError::Call { code, .. })
                if code == ze::ZE_RESULT_ERROR_INVALID_KERNEL_ARGUMENT_INDEX.0 =>
            {
                Ok(())
            }
            set => set,
        }
    }

    /// Sets the threads of a group. Vector code has no lanes: a work item is one hardware thread.
    pub(super) fn set_group_size(&mut self, [x, y, z]: [u32; 3]) -> Result<(), LevelZeroError> {
        let api = self.module.context.api;
        // SAFETY: the kernel is this object's own.
        unsafe { call!(api, zeKernelSetGroupSize(self.handle(), x, y, z)) }
    }

    pub(super) fn module(&self) -> &Arc<Module> {
        &self.module
    }
}

impl Drop for Kernel {
    fn drop(&mut self) {
        if let Some(handle) = self.handle.take() {
            self.module.idle.lock().unwrap_or_else(PoisonError::into_inner).push(handle);
        }
    }
}
