// Kernels of `tests/kernels` as an OpenCL C programmer writes them: a work item for each element, or for a few neighbours.

// Products and sums are rounded apart, as in cm: the results are the same bits.
#pragma OPENCL FP_CONTRACT OFF

uchar limited(int x) { return convert_uchar_sat(x); }

__kernel void gradients(__global const uchar *in, __global uchar *out, int pitch) {
    __global const uchar *p = in + get_global_id(1) * pitch + get_global_id(0);
    int a = p[0], b = p[1], c = p[2], d = p[pitch], f = p[pitch + 2];
    int g = p[2 * pitch], h = p[2 * pitch + 1], i = p[2 * pitch + 2];
    int across = c - a + 2 * (f - d) + i - g;
    int down = g - a + 2 * (h - b) + i - c;
    out[get_global_id(1) * pitch + get_global_id(0)] = limited(abs(across) + abs(down));
}

// Four pixels of a row.
__kernel void gradients_of_four(__global const uchar *in, __global uchar *out, int pitch) {
    __global const uchar *p = in + get_global_id(1) * pitch + get_global_id(0) * 4;
    short8 t = convert_short8(vload8(0, p)), m = convert_short8(vload8(0, p + pitch));
    short8 b = convert_short8(vload8(0, p + 2 * pitch));
    short8 d = b - t, s = t + m * (short)2 + b;
    short4 across = s.s2345 - s.s0123, down = d.s0123 + (short)2 * d.s1234 + d.s2345;
    vstore4(convert_uchar4_sat(abs(across) + abs(down)), 0, out + get_global_id(1) * pitch + get_global_id(0) * 4);
}

#define ORDER(x, y) { uchar low = min(x, y); y = max(x, y); x = low; }

__kernel void median(__global const uchar *in, __global uchar *out, int pitch) {
    __global const uchar *p = in + get_global_id(1) * pitch + get_global_id(0);
    uchar a = p[0], b = p[1], c = p[2], d = p[pitch], e = p[pitch + 1], f = p[pitch + 2];
    uchar g = p[2 * pitch], h = p[2 * pitch + 1], i = p[2 * pitch + 2];
    ORDER(a, b) ORDER(b, c) ORDER(a, b)
    ORDER(d, e) ORDER(e, f) ORDER(d, e)
    ORDER(g, h) ORDER(h, i) ORDER(g, h)
    uchar low = max(max(a, d), g), high = min(min(c, f), i), middle = max(min(b, e), min(max(b, e), h));
    ORDER(low, middle)
    out[get_global_id(1) * pitch + get_global_id(0)] = max(low, min(middle, high));
}

__kernel void blend(__global const uchar4 *front, __global const uchar4 *back, __global uchar4 *out, int pitch) {
    size_t n = get_global_id(1) * pitch + get_global_id(0);
    ushort4 over = convert_ushort4(front[n]), under = convert_ushort4(back[n]);
    ushort4 sum = over * over.w + under * (ushort4)(255 - over.w) + (ushort)128;
    out[n] = convert_uchar4((sum + (sum >> (ushort)8)) >> (ushort)8);
}

__kernel void axpy(__global const float *x, __global float *y, float a) {
    size_t n = get_global_id(0);
    y[n] = a * x[n] + y[n];
}

__kernel void axpy_of_four(__global const float4 *x, __global float4 *y, float a) {
    size_t n = get_global_id(0);
    y[n] = a * x[n] + y[n];
}

#pragma OPENCL EXTENSION cl_khr_fp16 : enable

__kernel void half_polynomial(__global const half *in, __global half *out) {
    half v = in[get_global_id(0)];
    out[get_global_id(0)] = ((v * 0.25h - 0.5h) * v + 1.5h) * v + 0.125h;
}

__kernel void half_polynomial_of_four(__global const half4 *in, __global half4 *out) {
    half4 v = in[get_global_id(0)];
    out[get_global_id(0)] = ((v * 0.25h - 0.5h) * v + 1.5h) * v + 0.125h;
}

// Two by two pixels, which share their colours.
__kernel void nv12(__global const uchar2 *bright, __global const uchar2 *colours, __global uchar8 *out, int pitch) {
    size_t x = get_global_id(0), y = get_global_id(1);
    int2 c = convert_int2(colours[y * pitch + x]) - 128;
    int r = c.y * 409, g = -c.x * 100 - c.y * 208, b = c.x * 516;
    for (int row = 0; row < 2; row++) {
        int2 l = (convert_int2(bright[(2 * y + row) * pitch + x]) - 16) * 298 + 128;
        uchar2 red = convert_uchar2_sat((l + r) >> 8), green = convert_uchar2_sat((l + g) >> 8);
        uchar2 blue = convert_uchar2_sat((l + b) >> 8);
        out[(2 * y + row) * pitch + x] = (uchar8)(red.x, green.x, blue.x, 255, red.y, green.y, blue.y, 255);
    }
}

__kernel void downsample(__global const uchar2 *in, __global uchar *out, int pitch) {
    size_t x = get_global_id(0), y = get_global_id(1);
    ushort2 sum = convert_ushort2(in[2 * y * pitch + x]) + convert_ushort2(in[(2 * y + 1) * pitch + x]);
    out[y * pitch + x] = (sum.x + sum.y + 2) >> 2;
}

__kernel void downsample_of_four(__global const uchar8 *in, __global uchar4 *out, int pitch) {
    size_t x = get_global_id(0), y = get_global_id(1);
    ushort8 sum = convert_ushort8(in[2 * y * pitch + x]) + convert_ushort8(in[(2 * y + 1) * pitch + x]);
    out[y * pitch + x] = convert_uchar4((sum.even + sum.odd + (ushort)2) >> (ushort)2);
}

__kernel void blur5(__global const float *in, __global float *out, int pitch) {
    __global const float *p = in + get_global_id(1) * pitch + get_global_id(0);
    float rows[5];
    for (int k = 0; k < 5; k++) {
        __global const float *q = p + k * pitch;
        rows[k] = (q[0] + q[4]) * 0.0625f + (q[1] + q[3]) * 0.25f + q[2] * 0.375f;
    }
    out[get_global_id(1) * pitch + get_global_id(0)] =
        (rows[0] + rows[4]) * 0.0625f + (rows[1] + rows[3]) * 0.25f + rows[2] * 0.375f;
}

// Means of four pixels of four bytes.
__kernel void halve_rgba(__global const uchar8 *in, __global uchar4 *out, int pitch) {
    size_t x = get_global_id(0), y = get_global_id(1);
    ushort8 sum = convert_ushort8(in[2 * y * pitch + x]) + convert_ushort8(in[(2 * y + 1) * pitch + x]);
    out[y * pitch + x] = convert_uchar4((sum.lo + sum.hi + (ushort)2) >> (ushort)2);
}
__kernel void halve_rgba_of_two(__global const uchar16 *in, __global uchar8 *out, int pitch) {
    size_t x = get_global_id(0), y = get_global_id(1);
    ushort16 sum = convert_ushort16(in[2 * y * pitch + x]) + convert_ushort16(in[(2 * y + 1) * pitch + x]);
    ushort8 all = (ushort8)(sum.s0123 + sum.s4567, sum.s89ab + sum.scdef);
    out[y * pitch + x] = convert_uchar8((all + (ushort)2) >> (ushort)2);
}

// Four pixels of three bytes.
__kernel void grey(__global const uchar *in, __global uchar4 *out, int pitch) {
    size_t n = get_global_id(1) * pitch + get_global_id(0);
    uchar16 p = vload16(0, in + n * 12);
    ushort4 r = convert_ushort4(p.s0369), g = convert_ushort4(p.s147a), b = convert_ushort4(p.s258b);
    out[n] = convert_uchar4((r * (ushort)77 + g * (ushort)150 + b * (ushort)29 + (ushort)128) >> (ushort)8);
}

__kernel void grey_of_one(__global const uchar *in, __global uchar *out, int pitch) {
    size_t n = get_global_id(1) * pitch + get_global_id(0);
    uchar3 p = vload3(n, in);
    out[n] = (p.x * 77 + p.y * 150 + p.z * 29 + 128) >> 8;
}

__kernel void erode(__global const ushort *in, __global ushort *out, int pitch) {
    __global const ushort *p = in + get_global_id(1) * pitch + get_global_id(0), *q = p + pitch, *r = q + pitch;
    ushort a = min(min(p[0], p[1]), p[2]), b = min(min(q[0], q[1]), q[2]), c = min(min(r[0], r[1]), r[2]);
    out[get_global_id(1) * pitch + get_global_id(0)] = min(min(a, b), c);
}

__kernel void erode_of_two(__global const ushort *in, __global ushort2 *out, int pitch) {
    __global const ushort *p = in + get_global_id(1) * pitch + get_global_id(0) * 2;
    ushort4 rows = min(min(vload4(0, p), vload4(0, p + pitch)), vload4(0, p + 2 * pitch));
    out[(get_global_id(1) * pitch >> 1) + get_global_id(0)] = min(min(rows.s01, rows.s12), rows.s23);
}

__kernel void gamma(__global const uchar *table, __global const uchar *in, __global uchar *out) {
    out[get_global_id(0)] = table[in[get_global_id(0)]];
}

__kernel void gamma_of_four(__global const uchar *table, __global const uchar4 *in, __global uchar4 *out) {
    uchar4 v = in[get_global_id(0)];
    out[get_global_id(0)] = (uchar4)(table[v.x], table[v.y], table[v.z], table[v.w]);
}

__kernel void compose(__global const uchar4 *front, __global const uchar4 *opacity, __global const uchar4 *back,
                      __global uchar4 *out, int pitch) {
    size_t n = get_global_id(1) * pitch + get_global_id(0);
    ushort4 a = convert_ushort4(opacity[n]);
    ushort4 sum = convert_ushort4(front[n]) * a + convert_ushort4(back[n]) * ((ushort)255 - a) + (ushort)128;
    out[n] = convert_uchar4((sum + (sum >> (ushort)8)) >> (ushort)8);
}

__kernel void block_differences(__global const uchar *current, __global const uchar *other, __global uint *sums,
                                int pitch) {
    size_t x = get_global_id(0), y = get_global_id(1);
    ushort8 sum = 0;
    for (int row = 0; row < 8; row++) {
        size_t at = (y * 8 + row) * pitch + x * 8;
        sum += convert_ushort8(abs_diff(vload8(0, current + at), vload8(0, other + at)));
    }
    ushort4 half4 = sum.lo + sum.hi;
    ushort2 two = half4.lo + half4.hi;
    sums[y * (pitch >> 3) + x] = two.x + two.y;
}

// Two by two pixels of one.
__kernel void upscale(__global const uchar *in, __global uchar2 *out, int pitch) {
    size_t x = get_global_id(0), y = get_global_id(1);
    __global const uchar *p = in + y * pitch + x;
    ushort a = p[0], b = p[1], c = p[pitch], d = p[pitch + 1];
    out[2 * y * pitch + x] = (uchar2)(a, (a + b + 1) >> 1);
    out[(2 * y + 1) * pitch + x] = (uchar2)((a + c + 1) >> 1, (a + b + c + d + 2) >> 2);
}

// Four by two pixels of two.
__kernel void upscale_of_two(__global const uchar *in, __global uchar4 *out, int pitch) {
    size_t x = get_global_id(0), y = get_global_id(1);
    __global const uchar *p = in + y * pitch + x * 2;
    ushort4 t = convert_ushort4(vload4(0, p)), m = convert_ushort4(vload4(0, p + pitch));
    ushort2 s = t.s01 + t.s12, v = t.s01 + m.s01, f = s + m.s01 + m.s12;
    uchar2 h = convert_uchar2((s + (ushort)1) >> (ushort)1), w = convert_uchar2((v + (ushort)1) >> (ushort)1);
    uchar2 q = convert_uchar2((f + (ushort)2) >> (ushort)2);
    out[(2 * y * pitch >> 1) + x] = (uchar4)((uchar)t.s0, h.x, (uchar)t.s1, h.y);
    out[((2 * y + 1) * pitch >> 1) + x] = (uchar4)(w.x, q.x, w.y, q.y);
}

// The number of iterations for which a complex number stays small.
__kernel void escape(__global ushort *out, float scale, uint rounds, int pitch) {
    float x = convert_float(get_global_id(0)) * scale - 2.0f, y = convert_float(get_global_id(1)) * scale - 1.0f;
    float re = x, im = y;
    ushort count = 0;
    for (uint round = 0; round < rounds; round++) {
        float re2 = re * re, im2 = im * im;
        if (!(re2 + im2 < 4.0f))
            break;
        count++;
        im = re * im * 2.0f + y;
        re = re2 - im2 + x;
    }
    out[get_global_id(1) * pitch + get_global_id(0)] = count;
}

__kernel void histogram(__global const uchar *values, __global uint *bins) {
    atomic_inc(bins + values[get_global_id(0)]);
}

__kernel void histogram_of_four(__global const uchar4 *values, __global uint *bins) {
    uchar4 v = values[get_global_id(0)];
    atomic_inc(bins + v.x);
    atomic_inc(bins + v.y);
    atomic_inc(bins + v.z);
    atomic_inc(bins + v.w);
}

// A byte and its four neighbours.
__kernel void cross_median(__global const uchar *in, __global uchar *out, int pitch) {
    __global const uchar *p = in + get_global_id(1) * pitch + get_global_id(0);
    uchar up = p[1], left = p[pitch], centre = p[pitch + 1], right = p[pitch + 2], down = p[2 * pitch + 1];
    uchar a = min(up, down), b = max(up, down), c = min(left, right), d = max(left, right);
    uchar e = max(a, c), f = min(b, d);
    out[get_global_id(1) * pitch + get_global_id(0)] = max(min(e, f), min(max(e, f), centre));
}

__kernel void cross_median_of_four(__global const uchar *in, __global uchar *out, int pitch) {
    __global const uchar *p = in + get_global_id(1) * pitch + get_global_id(0) * 4;
    uchar8 m = vload8(0, p + pitch);
    uchar4 up = vload4(0, p + 1), left = m.s0123, centre = m.s1234, right = m.s2345, down = vload4(0, p + 2 * pitch + 1);
    uchar4 a = min(up, down), b = max(up, down), c = min(left, right), d = max(left, right);
    uchar4 e = max(a, c), f = min(b, d);
    vstore4(max(min(e, f), min(max(e, f), centre)), 0, out + get_global_id(1) * pitch + get_global_id(0) * 4);
}

__kernel void slopes(__global const uchar *in, __global uchar *out, int pitch) {
    __global const uchar *p = in + get_global_id(1) * pitch + get_global_id(0);
    int a = p[0], b = p[1], c = p[2], d = p[pitch], f = p[pitch + 2];
    int g = p[2 * pitch], h = p[2 * pitch + 1], i = p[2 * pitch + 2];
    int across = c - a + 2 * (f - d) + i - g;
    int down = g - a + 2 * (h - b) + i - c;
    out[get_global_id(1) * pitch + get_global_id(0)] = convert_uchar_sat(native_sqrt(convert_float(across * across + down * down)));
}

__kernel void slopes_of_four(__global const uchar *in, __global uchar *out, int pitch) {
    __global const uchar *p = in + get_global_id(1) * pitch + get_global_id(0) * 4;
    short8 t = convert_short8(vload8(0, p)), m = convert_short8(vload8(0, p + pitch));
    short8 b = convert_short8(vload8(0, p + 2 * pitch));
    short8 d = b - t, s = t + m * (short)2 + b;
    int4 across = convert_int4(s.s2345 - s.s0123), down = convert_int4(d.s0123 + (short)2 * d.s1234 + d.s2345);
    vstore4(convert_uchar4_sat(native_sqrt(convert_float4(across * across + down * down))), 0, out + get_global_id(1) * pitch + get_global_id(0) * 4);
}

__kernel void bilateral(__global const uchar *in, __global uchar *out, float k, int pitch) {
    __global const uchar *p = in + get_global_id(1) * pitch + get_global_id(0);
    float c = p[pitch + 1], sum = 0, ws = 0;
    for (int y = 0; y < 3; y++)
        for (int x = 0; x < 3; x++) {
            float v = p[y * pitch + x], d = v - c, w = native_recip(d * d * k + 1.0f);
            sum += v * w;
            ws += w;
        }
    out[get_global_id(1) * pitch + get_global_id(0)] = convert_uchar(sum * native_recip(ws) + 0.5f);
}

__kernel void premultiplied(__global const uchar4 *front, __global const uchar4 *back, __global uchar4 *out, int pitch) {
    size_t n = get_global_id(1) * pitch + get_global_id(0);
    uchar4 a = front[n];
    ushort4 part = (convert_ushort4(back[n]) * (ushort)(255 - a.w) + (ushort)128) >> (ushort)8;
    out[n] = add_sat(a, convert_uchar4(part));
}

// A position of a block.
__kernel void positions(__global const uchar *current, __global const uchar *reference, __global ushort *sums, int pitch) {
    size_t x = get_global_id(0), y = get_global_id(1), b = get_global_id(2);
    __global const uchar *c = current + b * 16, *r = reference + b * 16 + y * pitch + x;
    ushort sum = 0;
    for (int row = 0; row < 16; row++) {
        ushort16 d = convert_ushort16(abs_diff(vload16(0, c + row * pitch), vload16(0, r + row * pitch)));
        ushort8 e = d.lo + d.hi;
        ushort4 f = e.lo + e.hi;
        ushort2 g = f.lo + f.hi;
        sum += g.x + g.y;
    }
    sums[(b * 4 + y) * 8 + x] = sum;
}

// Four elements of a row, which the work items of a sub-group have.
__attribute__((intel_reqd_sub_group_size(16)))
__kernel void softmax(__global const half4 *in, __global half4 *out) {
    size_t n = get_global_id(0);
    float4 v = convert_float4(in[n]);
    float m = sub_group_reduce_max(fmax(fmax(v.x, v.y), fmax(v.z, v.w)));
    float4 e = native_exp2((v - m) * 1.442695f);
    float total = sub_group_reduce_add(e.x + e.y + e.z + e.w);
    out[n] = convert_half4(e * native_recip(total));
}

// 32 bytes of a row.
__kernel void thresholds(__global const uchar *in, __global uint *out, uint limit, int pitch) {
    size_t x = get_global_id(0), y = get_global_id(1);
    __global const uchar *p = in + y * pitch + x * 32;
    uint bits = 0;
    for (int k = 0; k < 2; k++) {
        uchar16 v = vload16(k, p);
        bits |= ((v.s0 > limit) | (v.s1 > limit) << 1 | (v.s2 > limit) << 2 | (v.s3 > limit) << 3 |
                 (v.s4 > limit) << 4 | (v.s5 > limit) << 5 | (v.s6 > limit) << 6 | (v.s7 > limit) << 7 |
                 (v.s8 > limit) << 8 | (v.s9 > limit) << 9 | (v.sa > limit) << 10 | (v.sb > limit) << 11 |
                 (v.sc > limit) << 12 | (v.sd > limit) << 13 | (v.se > limit) << 14 | (v.sf > limit) << 15) << (16 * k);
    }
    out[y * (pitch >> 5) + x] = bits;
}

#pragma OPENCL EXTENSION cl_khr_subgroup_ballot : enable

// A byte: the work items of a sub-group make a number.
__attribute__((intel_reqd_sub_group_size(32)))
__kernel void thresholds_of_one(__global const uchar *in, __global uint *out, uint limit, int pitch) {
    size_t x = get_global_id(0), y = get_global_id(1);
    uint bits = sub_group_ballot(in[y * pitch + x] > limit).x;
    if (get_sub_group_local_id() == 0)
        out[y * (pitch >> 5) + (x >> 5)] = bits;
}

__kernel void chroma_key(__global const uchar4 *front, __global const uchar4 *back, __global uchar4 *out, int limit) {
    size_t n = get_global_id(0);
    uchar4 f = front[n], b = back[n];
    uint distance = abs(f.x - 20) + abs(f.y - 200) + abs(f.z - 30);
    out[n] = as_int(distance) < limit ? b : f;
}

// A row of 64 bytes.
__kernel void rows_of_bytes(__global const char *matrix, __global const char *vector, __global int *sums, int columns) {
    size_t row = get_global_id(0);
    int sum = 0;
    for (int k = 0; k < 4; k++) {
        short16 p = convert_short16(vload16(k, matrix + row * columns)) * convert_short16(vload16(k, vector));
        int8 e = convert_int8(p.lo) + convert_int8(p.hi);
        int4 f = e.lo + e.hi;
        int2 g = f.lo + f.hi;
        sum += g.x + g.y;
    }
    sums[row] = sum;
}

// Three numbers of 10 bits in each dword.
__kernel void pack10(__global const ushort *x, __global uint *y) {
    size_t n = get_global_id(0);
    ushort3 v = vload3(n, x);
    y[n] = v.x | v.y << 10 | v.z << 20;
}
__kernel void unpack10(__global const uint *x, __global ushort *y) {
    size_t n = get_global_id(0);
    uint v = x[n];
    vstore3((ushort3)(v & 1023, (v >> 10) & 1023, (v >> 20) & 1023), n, y);
}
__kernel void unpack10_of_two(__global const uint2 *x, __global ushort *y) {
    size_t n = get_global_id(0);
    uint2 v = x[n];
    __global uint *o = (__global uint *)(y + n * 6);
    uint a = v.x & 1023 | (v.x << 6) & 0x3ff0000, b = (v.x >> 20) & 1023 | (v.y << 16) & 0x3ff0000, c = (v.y >> 10) & 1023 | (v.y >> 4) & 0x3ff0000;
    vstore3((uint3)(a, b, c), 0, o);
}

// Rows of 64 floats.
__kernel void norms(__global const float4 *x, __global float *y) {
    size_t n = get_global_id(0);
    float s = 0;
    __attribute__((opencl_unroll_hint)) for (int k = 0; k < 16; k++) { float4 v = x[n * 16 + k]; v *= v; s += v.x + v.y + v.z + v.w; }
    y[n] = native_rsqrt(s);
}
__attribute__((intel_reqd_sub_group_size(16)))
__kernel void norms_of_groups(__global const float4 *x, __global float *y) {
    size_t n = get_global_id(0);
    float4 v = x[n]; v *= v;
    float s = sub_group_reduce_add(v.x + v.y + v.z + v.w);
    if (get_sub_group_local_id() == 0) y[n / 16] = native_rsqrt(s);
}

// Tiles of 16 x 16 bytes.
__kernel void moments(__global const uchar *in, __global uint2 *out, int pitch, int width) {
    size_t x = get_global_id(0), y = get_global_id(1);
    uint s = 0, q = 0;
    __attribute__((opencl_unroll_hint)) for (int r = 0; r < 16; r++) {
        ushort16 v = convert_ushort16(vload16(0, in + (y * 16 + r) * pitch + x * 16));
        uint16 w = convert_uint16(v * v);
        ushort8 v8 = v.lo + v.hi; ushort4 v4 = v8.lo + v8.hi; s += v4.x + v4.y + v4.z + v4.w;
        uint8 w8 = w.lo + w.hi; uint4 w4 = w8.lo + w8.hi; q += w4.x + w4.y + w4.z + w4.w;
    }
    out[y * width + x] = (uint2)(s, q);
}
__attribute__((intel_reqd_sub_group_size(16)))
__kernel void moments_of_groups(__global const uchar *in, __global uint2 *out, int pitch, int width) {
    size_t x = get_global_id(0), y = get_global_id(1);
    ushort s = 0; uint q = 0;
    __attribute__((opencl_unroll_hint)) for (int r = 0; r < 16; r++) {
        ushort v = in[(y * 16 + r) * pitch + x];
        s += v; q += (ushort)(v * v);
    }
    uint st = sub_group_reduce_add((uint)s), qt = sub_group_reduce_add(q);
    if (get_sub_group_local_id() == 0) out[y * width + x / 16] = (uint2)(st, qt);
}

__kernel void half_axpy(__global const half *x, __global half *y, half a) {
    size_t n = get_global_id(0); y[n] = x[n] * a + y[n];
}
__kernel void half_axpy_of_four(__global const half4 *x, __global half4 *y, half a) {
    size_t n = get_global_id(0); y[n] = x[n] * a + y[n];
}

// Four weights for each of 16 phases.
__kernel void resample(__global const uchar *in, __global const float *w, __global float *out, float step) {
    size_t n = get_global_id(0);
    float place = (uint)n * step;
    uint whole = convert_uint(place);
    uint phase = convert_uint((place - whole) * 16.0f);
    float4 t = vload4(phase, w);
    uchar4 v = vload4(0, in + whole);
    out[n] = v.x * t.x + v.y * t.y + v.z * t.z + v.w * t.w;
}
__kernel void resample_of_one(__global const uchar *in, __global const float *w, __global float *out, float step) {
    size_t n = get_global_id(0);
    float place = (uint)n * step, s = 0;
    uint whole = convert_uint(place);
    uint phase = convert_uint((place - whole) * 16.0f);
    for (int k = 0; k < 4; k++) s += in[whole + k] * w[phase * 4 + k];
    out[n] = s;
}

__kernel void smooth(__global const uchar *in, __global uchar *out, int pitch) {
    __global const uchar *p = in + get_global_id(1) * pitch + get_global_id(0);
    ushort down[5];
    __attribute__((opencl_unroll_hint)) for (int c = 0; c < 5; c++)
        down[c] = p[c] + p[4 * pitch + c] + (p[pitch + c] + p[3 * pitch + c]) * 4 + p[2 * pitch + c] * 6;
    out[get_global_id(1) * pitch + get_global_id(0)] =
        (down[0] + down[4] + (down[1] + down[3]) * 4 + down[2] * 6 + 128) >> 8;
}

__kernel void corners(__global const uchar *in, __global float *out, int pitch) {
    __global const uchar *p = in + get_global_id(1) * pitch + get_global_id(0);
    float a = 0, d = 0, b = 0;
    __attribute__((opencl_unroll_hint)) for (int r = 0; r < 3; r++)
        __attribute__((opencl_unroll_hint)) for (int c = 0; c < 3; c++) {
            float across = (int)p[(r + 1) * pitch + c + 2] - (int)p[(r + 1) * pitch + c];
            float down = (int)p[(r + 2) * pitch + c + 1] - (int)p[r * pitch + c + 1];
            a += across * across; d += down * down; b += across * down;
        }
    float trace = a + d;
    out[get_global_id(1) * pitch + get_global_id(0)] = a * d - b * b - trace * trace * 0.0625f;
}

__kernel void transformed(float16 m, __global const float4 *x, __global float4 *y) {
    float4 v = x[get_global_id(0)], out;
    out.x = v.x * m.s0 + v.y * m.s1 + v.z * m.s2 + v.w * m.s3;
    out.y = v.x * m.s4 + v.y * m.s5 + v.z * m.s6 + v.w * m.s7;
    out.z = v.x * m.s8 + v.y * m.s9 + v.z * m.sa + v.w * m.sb;
    out.w = v.x * m.sc + v.y * m.sd + v.z * m.se + v.w * m.sf;
    y[get_global_id(0)] = out;
}

__kernel void prefix_sums(__global const uint16 *x, __global uint16 *y) {
    uint sums[16];
    vstore16(x[get_global_id(0)], 0, sums);
#pragma unroll
    for (int i = 1; i < 16; i++) sums[i] += sums[i - 1];
    y[get_global_id(0)] = vload16(0, sums);
}

__kernel void squares(__global const float *x, __global float *y) {
    float3 p = vload3(get_global_id(0), x);
    y[get_global_id(0)] = p.x * p.x + p.y * p.y + p.z * p.z;
}

__kernel void butterflies(__global const float *x, __global float *y, int pitch) {
    __global const float *from = x + get_global_id(1) * 8 * pitch + get_global_id(0) * 8;
    __global float *to = y + get_global_id(1) * 8 * pitch + get_global_id(0) * 8;
    float m[8][8];
#pragma unroll
    for (int i = 0; i < 8; i++) vstore8(vload8(0, from + i * pitch), 0, m[i]);
#pragma unroll
    for (int d = 1; d < 8; d *= 2)
#pragma unroll
        for (int i = 0; i < 8; i++)
            if ((i & d) == 0)
#pragma unroll
                for (int k = 0; k < 8; k++) {
                    float a = m[i][k], b = m[i + d][k];
                    m[i][k] = a + b;
                    m[i + d][k] = a - b;
                }
#pragma unroll
    for (int d = 1; d < 8; d *= 2)
#pragma unroll
        for (int i = 0; i < 8; i++)
            if ((i & d) == 0)
#pragma unroll
                for (int k = 0; k < 8; k++) {
                    float a = m[k][i], b = m[k][i + d];
                    m[k][i] = a + b;
                    m[k][i + d] = a - b;
                }
#pragma unroll
    for (int i = 0; i < 8; i++) vstore8(vload8(0, m[i]), 0, to + i * pitch);
}

__kernel void recursive(__global const float16 *x, __global float16 *y, int pitch, float keep) {
    float m[16];
    size_t at = get_global_id(1) * pitch + get_global_id(0);
    vstore16(x[at], 0, m);
#pragma unroll
    for (int i = 1; i < 16; i++) m[i] = m[i] + (m[i - 1] - m[i]) * keep;
    y[at] = vload16(0, m);
}

__kernel void smoothed(__global const uchar16 *x, __global uchar16 *y, int pitch) {
    uchar m[16];
    size_t at = get_global_id(1) * pitch + get_global_id(0);
    vstore16(x[at], 0, m);
    short before = m[0];
#pragma unroll
    for (int i = 1; i < 16; i++) {
        before = (before * 3 + m[i] + 2) >> 2;
        m[i] = before;
    }
    y[at] = vload16(0, m);
}

__kernel void residuals(__global const short4 *x, __global short4 *y, int pitch) {
    size_t at = get_global_id(1) * pitch + get_global_id(0);
    short4 b = x[at];
    short e0 = b.x + b.z, e1 = b.x - b.z, e2 = (b.y >> 1) - b.w, e3 = b.y + (b.w >> 1);
    y[at] = (short4)(e0 + e3, e1 + e2, e1 - e2, e0 - e3);
}

// The cosine transform of a row of 8 words.
__kernel void cosines(__global const short8 *x, __global short8 *y, int pitch) {
    size_t at = get_global_id(1) * pitch + get_global_id(0);
    int8 v = convert_int8(x[at]);
    int4 s = v.s0123 + v.s7654, d = v.s0123 - v.s7654;
    int e0 = s.x + s.w, e1 = s.y + s.z, e2 = s.x - s.w, e3 = s.y - s.z;
    int8 o;
    o.s0 = ((e0 + e1) * 64 + 64) >> 7;
    o.s4 = ((e0 - e1) * 64 + 64) >> 7;
    o.s2 = (e2 * 83 + e3 * 36 + 64) >> 7;
    o.s6 = (e2 * 36 - e3 * 83 + 64) >> 7;
    o.s1 = (d.x * 89 + d.y * 75 + d.z * 50 + d.w * 18 + 64) >> 7;
    o.s3 = (d.x * 75 - d.y * 18 - d.z * 89 - d.w * 50 + 64) >> 7;
    o.s5 = (d.x * 50 - d.y * 89 + d.z * 18 + d.w * 75 + 64) >> 7;
    o.s7 = (d.x * 18 - d.y * 50 + d.z * 75 - d.w * 89 + 64) >> 7;
    y[at] = convert_short8(o);
}

// A sub-group quantises a row of 128 floats; 8 for each lane.
__attribute__((intel_reqd_sub_group_size(16)))
__kernel void quantised(__global const float8 *x, __global char8 *y, __global float *scales) {
    size_t row = get_global_id(0) / 16, lane = get_sub_group_local_id();
    float8 v = x[row * 16 + lane], size = fabs(v);
    float4 four = fmax(size.lo, size.hi);
    float2 two = fmax(four.lo, four.hi);
    float most = sub_group_reduce_max(fmax(two.x, two.y));
    y[row * 16 + lane] = convert_char8_sat(rint(v * (127.0f / most)));
    if (lane == 0) scales[row] = most * (1.0f / 127.0f);
}

// Levels of four bits with a scale for 32.
__kernel void scaled_nibbles(__global const uchar4 *x, __global const half *scales, __global half8 *y) {
    size_t n = get_global_id(0);
    half scale = scales[n / 4];
    uchar4 pairs = x[n];
    half4 low = convert_half4(as_char4(pairs & (uchar4)15) - (char4)8) * scale;
    half4 high = convert_half4(as_char4(pairs >> (uchar4)4) - (char4)8) * scale;
    y[n] = (half8)(low.x, high.x, low.y, high.y, low.z, high.z, low.w, high.w);
}

// A curve of lines between the numbers of a table.
__kernel void curve(__global const float *x, __global const float *table, __global float *y) {
    size_t n = get_global_id(0);
    float v = x[n] * 31.0f, whole = fmin(fmax(floor(v), 0.0f), 30.0f);
    int at = convert_int(whole);
    float a = table[at], b = table[at + 1];
    y[n] = a + (b - a) * (v - whole);
}

__kernel void curve_of_four(__global const float4 *x, __global const float *table, __global float4 *y) {
    size_t n = get_global_id(0);
    float4 v = x[n] * 31.0f, whole = fmin(fmax(floor(v), 0.0f), 30.0f);
    int4 at = convert_int4(whole);
    float4 a = (float4)(table[at.x], table[at.y], table[at.z], table[at.w]);
    float4 b = (float4)(table[at.x + 1], table[at.y + 1], table[at.z + 1], table[at.w + 1]);
    y[n] = a + (b - a) * (v - whole);
}

// A second-order filter down 16 rows of a channel.
__kernel void second_order(__global const short *x, __global short *y, int pitch, short8 k) {
    size_t at = get_global_id(1) * 16 * pitch + get_global_id(0);
    x += at;
    y += at;
    short last = 0, before = 0;
#pragma unroll
    for (int i = 0; i < 16; i++) {
        int now = x[(i + 2) * pitch] * k.s0 + x[(i + 1) * pitch] * k.s1 + x[i * pitch] * k.s2
            - last * k.s3 - before * k.s4;
        before = last;
        last = convert_short_sat((now + 8192) >> 14);
        y[i * pitch] = last;
    }
}
