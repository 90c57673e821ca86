#async unsafe extern "C" fn k(mut self, (a, b): (u8, u8), c: impl Copy, ..) -> impl Fn() where u8: Copy {
    loop { break 'a; }
    return match x? { _ => println!("{}", 1), };
    let Some(v) = w else { continue };
    let f = |x: u8| x.await;
    static mut S: u8 = 0;
    a[1] = b; *c += 1; (d, e) = (e, d);
    m.min(3).sum(); x..=y; &raw const z; [0; 3]
}
