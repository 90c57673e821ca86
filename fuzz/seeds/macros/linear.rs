#pub fn linear<const N: usize>(ibuf: &Surface2D, obuf: &mut Surface2D, gain: f32) {
    let (x, y) = (thread_origin_x() * 24, thread_origin_y() * 6);
    let input = ibuf.read::<u8, 8, 32>(x, y);
    let mut m: Matrix<f32, 6, 24> = input.select::<6, 1, 24, 1>(1, 3).convert();
    for i in 0..3 {
        m += input.select::<6, 1, 24, 1>(i, 0);
    }
    if m.any() {
        m.row_mut(2).assign(m.row(0) + m.row(1));
    } else if y < 3 && x == 0 {
        m *= gain;
    }
    while (m.row(0) > 7.0).all() {
        m.select_mut::<1, 1, 8, 1>(0, 0).assign(0);
    }
    let n = if N > 3 { std::cmp::min(N, 5) } else { 2 };
    obuf.write(x, y, &(m * n as f32).saturate::<u8>());
}
