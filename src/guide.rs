#![doc = include_str!("guide/links.md")]
#![doc = include_str!("../docs/book/src/introduction.md")]

/// Chapters of the book, `docs/book`, each with links to the items that it names.
///
/// A link to another chapter is a reference. `links.md` defines it for this documentation, and the chapter defines it
/// again for the book. The first definition counts.
macro_rules! chapters {
    ($($name:ident $file:literal $items:literal)*) => {
        $(
            #[doc = include_str!("guide/links.md")]
            #[doc = include_str!(concat!("../docs/book/src/", $file))]
            #[doc = "\n## Items of this chapter\n\n"]
            #[doc = $items]
            pub mod $name {}
        )*
    };
}

chapters! {
    cm_to_rust "cm-to-rust.md"
    "[`prelude`](crate::prelude), [`math`](crate::math), [`atomic`](crate::atomic), [`cache`](crate::cache),
    [`block_2d`](crate::block_2d),
    [`registers`](mod@crate::registers), [`surface`](crate::surface), [`buffer`](crate::buffer), [`slm`](crate::slm),
    [`builtins`](crate::builtins)"

    debugging "debugging.md"
    "[`printf!`](crate::printf), [`Device::with_printf_handler`](crate::Device::with_printf_handler),
    [`to_array`](crate::registers::Matrix::to_array), [`Surface2D::dump_rect`](crate::Surface2D::dump_rect),
    [`Buffer::dump`](crate::Buffer::dump), [`ir`](crate::ir), [`RegisterReport`](crate::RegisterReport),
    [`Event::workers`](crate::Event::workers), [`Event::engine`](crate::Event::engine), [`CpuEngine`](crate::CpuEngine),
    [`Event::ran_one_by_one`](crate::Event::ran_one_by_one), [`interpret`](mod@crate::interpret),
    [`diagnose`](crate::diagnose)"

    errors "errors.md"
    "[`Error`](crate::Error), [`Result`](crate::Result), [`Device::best`](crate::Device::best),
    [`diagnose`](crate::diagnose)"

    first_kernel "first-kernel.md"
    "[`#[kernel]`](macro@crate::kernel), [`#[function]`](macro@crate::function),
    [`Surface::read`](crate::surface::Surface::read), [`Matrix::select`](crate::registers::Matrix::select),
    [`Matrix::select_mut`](crate::registers::Matrix::select_mut), [`Surface2D`](crate::Surface2D),
    [`ThreadSpace`](crate::ThreadSpace), [`Device::best`](crate::Device::best)"

    glossary "glossary.md"
    "[`Matrix`](crate::registers::Matrix), [`Vector`](crate::registers::Vector), [`Scalar`](crate::registers::Scalar),
    [`select`](crate::registers::Matrix::select), [`select_mut`](crate::registers::Matrix::select_mut),
    [`merge`](crate::registers::Matrix::merge), [`Format`](crate::Format), [`ThreadSpace`](crate::ThreadSpace),
    [`select_any`](crate::registers::Matrix::select_any), [`#[function]`](macro@crate::function)"

    groups "groups.md"
    "[`ThreadGroups`](crate::ThreadGroups), [`slm()`](crate::slm::slm), [`Slm`](crate::slm::Slm),
    [`barrier`](crate::slm::barrier), [`signal`](crate::slm::signal), [`wait`](crate::slm::wait),
    [`named_barriers()`](crate::named_barriers::named_barriers),
    [`NamedBarriers`](crate::named_barriers::NamedBarriers), [`builtins`](crate::builtins), [`with_race_checks`](crate::Device::with_race_checks),
    [`Event::workers`](crate::Event::workers), [`Event::ran_one_by_one`](crate::Event::ran_one_by_one)"

    images "images.md"
    "[`Surface2D`](crate::Surface2D), [`Format`](crate::Format), [`ThreadSpace::MAX`](crate::ThreadSpace::MAX),
    [`read_rect`](crate::Surface2D::read_rect), [`write_rect`](crate::Surface2D::write_rect)"

    limits "limits.md"
    "[`limits`](crate::limits), [`ThreadSpace::MAX`](crate::ThreadSpace::MAX),
    [`ThreadGroups::MAX_THREADS`](crate::ThreadGroups::MAX_THREADS), [`Format`](crate::Format),
    [`with_large_register_file`](crate::Device::with_large_register_file)"

    machine "machine.md"
    "[`Matrix::select`](crate::registers::Matrix::select), [`Surface::read`](crate::surface::Surface::read),
    [`LinearBuffer`](crate::buffer::LinearBuffer), [`RegisterReport`](crate::RegisterReport)"

    media_block_io "media-block-io.md"
    "[`media_block_io`](crate::media_block_io), [`Surface2D`](crate::Surface2D), [`subgroups`](crate::subgroups)"

    performance "performance.md"
    "[`Event`](crate::Event), [`Event::ran_one_by_one`](crate::Event::ran_one_by_one), [`Event::engine`](crate::Event::engine),
    [`Device::name`](crate::Device::name), [`Scope`](crate::Scope), [`RegisterReport`](crate::RegisterReport)"

    setup "setup.md"
    "[`Device::best`](crate::Device::best), [`Device::cpu`](crate::Device::cpu), [`CpuEngine`](crate::CpuEngine),
    [`diagnose`](crate::diagnose), [`compile_for_parent`](crate::compile_for_parent)"

    stages "stages.md"
    "[`ir`](crate::ir), [`RegisterReport`](crate::RegisterReport), [`Target`](crate::Target), [`spirv`](crate::spirv)"

    testing "testing.md"
    "[`#[function]`](macro@crate::function), [`Device::cpu`](crate::Device::cpu), [`Device::best`](crate::Device::best),
    [`RegisterReport::fits`](crate::RegisterReport::fits)"

    threads "threads.md"
    "[`Device`](crate::Device), [`Surface2D`](crate::Surface2D), [`Buffer`](crate::Buffer), [`Scope`](crate::Scope),
    [`Error`](crate::Error), [`Device::cpu`](crate::Device::cpu),
    [`Device::cpu_with_threads`](crate::Device::cpu_with_threads)"

    video "video.md"
    "[`Device::scope`](crate::Device::scope), [`Download`](crate::Download),
    [`enqueue_read`](crate::Surface2D::enqueue_read), [`enqueue_write`](crate::Surface2D::enqueue_write),
    [`Format`](crate::Format), [`Plane`](crate::Plane),
    [`Surface2D::from_buffer`](crate::Surface2D::from_buffer)"

    waves "waves.md"
    "[`with_dependencies`](crate::ThreadSpace::with_dependencies), [`DependencyPattern`](crate::DependencyPattern),
    [`wait`](crate::slm::wait), [`signal`](crate::slm::signal),
    [`Event::ran_one_by_one`](crate::Event::ran_one_by_one)"
}

/// Chapters that show programs by including their files, as mdBook does and rustdoc cannot.
macro_rules! chapters_of_programs {
    ($($name:ident $file:literal)*) => {
        $(
            #[cfg(doctest)]
            #[doc = include_str!(concat!("../docs/book/src/", $file))]
            struct $name;
        )*
    };
}

chapters_of_programs! {
    Tutorials "tutorials.md"
    BitonicSort "tutorials/bitonic-sort.md"
    BlackScholes "tutorials/black-scholes.md"
    BoxFilter "tutorials/box-filter.md"
    ColourAdjust "tutorials/colour-adjust.md"
    ErrorDiffusion "tutorials/error-diffusion.md"
    FeatureDistances "tutorials/feature-distances.md"
    Fft "tutorials/fft.md"
    GaussianBlur "tutorials/gaussian-blur.md"
    GraphCut "tutorials/graph-cut.md"
    HelloWorld "tutorials/hello-world.md"
    Histogram "tutorials/histogram.md"
    HoughCircles "tutorials/hough-circles.md"
    Mandelbrot "tutorials/mandelbrot.md"
    MatrixProduct "tutorials/matrix-product.md"
    Nbody "tutorials/nbody.md"
    PrefixSum "tutorials/prefix-sum.md"
    RadixSort "tutorials/radix-sort.md"
    Registers "tutorials/registers.md"
    Sepia "tutorials/sepia.md"
    SeveralKernels "tutorials/several-kernels.md"
    Sharpen "tutorials/sharpen.md"
    SparseMatrixVector "tutorials/sparse-matrix-vector.md"
    Transpose "tutorials/transpose.md"
    VideoProgram "tutorials/video.md"
}
