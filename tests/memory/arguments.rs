//! Argument types and kernels that users implement: any mismatch is an error, on every device, before the launch
//! begins.

use cm::__private::{LaunchArg, launch};
use cm::Backend;
use cm::dsl::buffer::LinearBuffer;
use cm::dsl::kernel::{ArgSource, Argument, ArgumentKind, ByReference, ByValue, Kernel, Param, ParamKind};
use cm::prelude::*;
use cm::surface::Surface;
use cm_test_support::devices::devices;

/// A parameter that declares one type and binds another.
macro_rules! lying {
    ($($name:ident says $kind:expr, binds $bound:ty as $bind:expr;)*) => {$(
        struct $name;

        impl Kernel for $name {
            type Unit = Self;
            const NAME: &'static str = stringify!($name);
            const PLACE: (&'static str, u32, u32) = (file!(), line!(), column!());
            const PARAMS: &'static [Param] = &[Param { name: "x", kind: $kind }];

            fn run<B: Backend>(source: &mut impl ArgSource<B>, _: impl Iterator<Item = ()>) {
                let _: $bound = $bind(source);
            }
        }
    )*};
}

lying! {
    SurfaceAsBuffer says ArgumentKind::One(ParamKind::Surface { writable: true }), binds LinearBuffer<u32, B>
        as <Buffer<u32> as Argument<ByReference>>::bind;
    BufferAsSurface says <Buffer<u8> as Argument<ByReference>>::KIND.by(true), binds Surface<B>
        as <Surface2D as Argument<ByReference>>::bind;
    WordAsByte says <u16 as Argument<ByValue>>::KIND, binds Scalar<u8, B> as <u8 as Argument<ByValue>>::bind;
}

/// A kernel as `#[kernel]` would generate it, launched by hand.
struct Honest;

impl Kernel for Honest {
    type Unit = Self;
    const NAME: &'static str = "honest";
    const PLACE: (&'static str, u32, u32) = (file!(), line!(), column!());
    const PARAMS: &'static [Param] = &[
        Param { name: "output", kind: ArgumentKind::One(ParamKind::Surface { writable: true }) },
        Param { name: "n", kind: <u32 as Argument<ByValue>>::KIND },
    ];

    fn run<B: Backend>(source: &mut impl ArgSource<B>, threads: impl Iterator<Item = ()>) {
        let mut output: Surface<B> = <Surface2D as Argument<ByReference>>::bind(source);
        let n: Scalar<u32, B> = <u32 as Argument<ByValue>>::bind(source);
        for () in threads {
            let block: Matrix<u8, 1, 16, B> = Matrix::<u32, 1, 16, B>::splat_any(n).convert();
            output.write(0, 0, &block);
        }
    }
}

#[test]
fn parameters_bind_what_they_declare() {
    for device in devices(1) {
        let one = ThreadSpace::new(1, 1).unwrap();
        let mut surface = Surface2D::new(&device, Format::R8, 16, 1).unwrap();
        let mut buffer = Buffer::<u8>::new(&device, 64).unwrap();
        let errors = [
            launch::<SurfaceAsBuffer>(&device, one, &mut [(&mut surface).into_arg()]).unwrap_err(),
            launch::<BufferAsSurface>(&device, one, &mut [(&mut buffer).into_arg()]).unwrap_err(),
            launch::<WordAsByte>(&device, one, &mut [1u16.into_arg()]).unwrap_err(),
        ];
        let ends = ["as a surface, but bound as a buffer", "as a buffer, but bound as a surface", "type u8"];
        for (error, end) in errors.iter().zip(ends) {
            let text = error.to_string();
            assert!(text.contains("parameter 0 is declared") && text.contains(end), "{text}");
        }
    }
}

#[test]
fn arguments_fit_their_parameters() {
    for device in devices(1) {
        let one = ThreadSpace::new(1, 1).unwrap();
        let mut surface = Surface2D::new(&device, Format::R8, 16, 1).unwrap();
        let mut buffer = Buffer::<u8>::new(&device, 64).unwrap();
        let fails = |result: cm::Result<Event>, what: &str| {
            let text = result.unwrap_err().to_string();
            assert!(text.contains("`honest`") && text.contains(what), "{text}");
        };
        fails(launch::<Honest>(&device, one, &mut []), "2 parameters, but 0 arguments");
        fails(
            launch::<Honest>(&device, one, &mut [(&mut surface).into_arg()]),
            "2 parameters, but 1 arguments",
        );
        fails(
            launch::<Honest>(
                &device,
                one,
                &mut [(&mut surface).into_arg(), 1u32.into_arg(), 1u32.into_arg()],
            ),
            "but 3 arguments",
        );
        fails(
            launch::<Honest>(&device, one, &mut [(&surface).into_arg(), 1u32.into_arg()]),
            "takes `&mut Surface2D`, but the argument is `&Surface2D`",
        );
        fails(
            launch::<Honest>(&device, one, &mut [(&mut buffer).into_arg(), 1u32.into_arg()]),
            "but the argument is `&mut Buffer<_>`",
        );
        fails(
            launch::<Honest>(&device, one, &mut [(&mut surface).into_arg(), 1u16.into_arg()]),
            "but the argument is a value of 1 elements of u16",
        );
        fails(
            launch::<Honest>(&device, one, &mut [1u32.into_arg(), (&mut surface).into_arg()]),
            "takes `&mut Surface2D`",
        );
        launch::<Honest>(&device, one, &mut [(&mut surface).into_arg(), 7u32.into_arg()]).unwrap();
        assert_eq!(surface.to_vec().unwrap(), [7; 16]);
    }
}
