//! Folders: `opendir`, `readdir` and `closedir`, which show an entry in the folder of the card and hide links
//! to real GPUs.

use std::ffi::{c_char, c_int};
use std::mem::MaybeUninit;
use std::ptr;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, AtomicPtr, AtomicUsize, Ordering};

use cm_simulator::device::files;

use crate::next::{next, path_with, set_errno};

/// An open folder of the card: the handle of a real folder, of which only the address is used.
struct Listing {
    handle: AtomicPtr<libc::DIR>,
    /// Whether its only entry was read.
    read: AtomicBool,
}

/// The open folders of the card. The driver opens one at a time, while it lists it.
static LISTINGS: [Listing; 16] =
    [const { Listing { handle: AtomicPtr::new(ptr::null_mut()), read: AtomicBool::new(false) } }; 16];
/// The number of open folders, so that a process without any does no work.
static OPEN: AtomicUsize = AtomicUsize::new(0);

/// The entry of the folder.
struct Entry(libc::dirent);

// SAFETY: it is never written: programs must not change the result of `readdir`.
unsafe impl Sync for Entry {}
// SAFETY: it only contains bytes.
unsafe impl Send for Entry {}

fn entry() -> *mut libc::dirent {
    static ENTRY: OnceLock<Entry> = OnceLock::new();
    let Entry(entry) = ENTRY.get_or_init(|| {
        // SAFETY: the fields are numbers and characters, for which zero is a valid value.
        let mut entry: libc::dirent = unsafe { MaybeUninit::zeroed().assume_init() };
        entry.d_ino = 1;
        entry.d_type = libc::DT_DIR;
        entry.d_reclen = size_of::<libc::dirent>() as u16;
        for (to, from) in entry.d_name.iter_mut().zip(files::CARD) {
            *to = *from as c_char;
        }
        Entry(entry)
    });
    ptr::from_ref(entry).cast_mut()
}

fn listing(handle: *mut libc::DIR) -> Option<&'static Listing> {
    // Unused entries are null, too.
    if handle.is_null() || OPEN.load(Ordering::Acquire) == 0 {
        return None;
    }
    LISTINGS.iter().find(|listing| listing.handle.load(Ordering::Acquire) == handle)
}

type Open = unsafe extern "C" fn(*const c_char) -> *mut libc::DIR;
type Read = unsafe extern "C" fn(*mut libc::DIR) -> *mut libc::dirent;
type Close = unsafe extern "C" fn(*mut libc::DIR) -> c_int;

/// Opens the folder of the card.
fn open_listing() -> *mut libc::DIR {
    // SAFETY: the function has this type in the C library, and the path is a terminated string.
    let handle = unsafe { next!(c"opendir" as Open)(c"/".as_ptr()) };
    if handle.is_null() {
        return handle;
    }
    let (free, order) = (ptr::null_mut(), Ordering::AcqRel);
    let take =
        |listing: &&Listing| listing.handle.compare_exchange(free, handle, order, Ordering::Relaxed).is_ok();
    match LISTINGS.iter().find(take) {
        Some(listing) => {
            listing.read.store(false, Ordering::Relaxed);
            OPEN.fetch_add(1, Ordering::AcqRel);
            handle
        }
        None => {
            // SAFETY: the function has this type in the C library, and the handle is open.
            unsafe { next!(c"closedir" as Close)(handle) };
            set_errno(libc::EMFILE);
            ptr::null_mut()
        }
    }
}

/// `opendir` of the C library. It opens the folder of the card, and hides links to real GPUs.
///
/// # Safety
///
/// As in C.
#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn opendir(path: *const c_char) -> *mut libc::DIR {
    // SAFETY: in C, the path is a terminated string.
    let (device, system) = unsafe { (path_with(path, b'd'), path_with(path, b's')) };
    if device.is_some_and(|path| path.starts_with(files::LINKS)) {
        set_errno(libc::ENOENT);
        return ptr::null_mut();
    }
    if system == Some(files::CARDS) {
        return open_listing();
    }
    // SAFETY: the function has this type in the C library, and the arguments are the caller's.
    unsafe { next!(c"opendir" as Open)(path) }
}

macro_rules! read_directory {
    ($($name:ident $text:literal),*) => { $(
        /// The function of the C library with this name, extended by the folder of the card.
        ///
        /// # Safety
        ///
        /// As in C.
        #[unsafe(no_mangle)]
        pub(crate) unsafe extern "C" fn $name(handle: *mut libc::DIR) -> *mut libc::dirent {
            match listing(handle) {
                Some(listing) if listing.read.swap(true, Ordering::Relaxed) => ptr::null_mut(),
                Some(_) => entry(),
                // SAFETY: the function has this type in the C library, and the arguments are the caller's.
                None => unsafe { next!($text as Read)(handle) },
            }
        }
    )* };
}
// On 64-bit systems both have the same structure.
read_directory!(readdir c"readdir", readdir64 c"readdir64");

/// `closedir` of the C library, extended by the folder of the card.
///
/// # Safety
///
/// As in C.
#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn closedir(handle: *mut libc::DIR) -> c_int {
    if let Some(listing) = listing(handle) {
        listing.handle.store(ptr::null_mut(), Ordering::Release);
        OPEN.fetch_sub(1, Ordering::AcqRel);
    }
    // SAFETY: the function has this type in the C library, and the arguments are the caller's.
    unsafe { next!(c"closedir" as Close)(handle) }
}
