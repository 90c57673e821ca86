// The kernels of `kernels.rs` as the plain loops that a C programmer writes first. Same numbers, byte for byte.
#include <stdint.h>
#include <stdlib.h>

typedef uint8_t u8;

static inline int least(int a, int b) { return a < b ? a : b; }
static inline int most(int a, int b) { return a > b ? a : b; }
static inline int limited(int value, int end) { return least(most(value, 0), end - 1); }
static inline u8 byte(int value) { return (u8)limited(value, 256); }

// A filter of 3 x 3: AT(dx, dy) is the neighbour. The first and last columns have neighbours that are limited.
#define FILTER3(name, expression)                                                                   \
    void name(const u8 *restrict in, u8 *restrict out, int width, int height) {                     \
        for (int y = 0; y < height; y++) {                                                          \
            const u8 *rows[3] = {in + limited(y - 1, height) * width, in + y * width,               \
                                 in + limited(y + 1, height) * width};                              \
            const u8 *r0 = rows[0], *r1 = rows[1], *r2 = rows[2];                                   \
            u8 *to = out + y * width;                                                               \
            for (int side = 0; side < 2; side++) {                                                  \
                int x = side * (width - 1), l = limited(x - 1, width), r = limited(x + 1, width);   \
                int a = r0[l], b = r0[x], c = r0[r], d = r1[l], e = r1[x], f = r1[r];               \
                int g = r2[l], h = r2[x], i = r2[r];                                                \
                to[x] = expression;                                                                 \
            }                                                                                       \
            for (int x = 1; x < width - 1; x++) {                                                   \
                int a = r0[x - 1], b = r0[x], c = r0[x + 1], d = r1[x - 1], e = r1[x];              \
                int f = r1[x + 1], g = r2[x - 1], h = r2[x], i = r2[x + 1];                         \
                to[x] = expression;                                                                 \
            }                                                                                       \
        }                                                                                           \
    }

FILTER3(gradients, ((void)e, byte(abs(c - a + 2 * (f - d) + i - g) + abs(g - a + 2 * (h - b) + i - c))))
FILTER3(dilate, most(most(most(most(a, b), most(c, d)), most(most(e, f), most(g, h))), i))
FILTER3(sharpen, ((void)a, (void)c, (void)g, (void)i, byte(5 * e - b - d - f - h)))

#define ORDER(a, b) { u8 low = a < b ? a : b, high = a < b ? b : a; a = low; b = high; }

static inline u8 middle(u8 a, u8 b, u8 c, u8 d, u8 e, u8 f, u8 g, u8 h, u8 i) {
    ORDER(a, b) ORDER(b, c) ORDER(a, b) ORDER(d, e) ORDER(e, f) ORDER(d, e) ORDER(g, h) ORDER(h, i) ORDER(g, h)
    a = most(most(a, d), g);
    c = least(least(c, f), i);
    ORDER(b, e)
    e = most(b, least(e, h));
    ORDER(a, e)
    e = least(e, c);
    return most(a, e);
}

FILTER3(median, middle(a, b, c, d, e, f, g, h, i))

void blur5(const u8 *restrict bytes, u8 *restrict to, int width, int height) {
    width /= 4;
    const float *in = (const float *)bytes;
    float *out = (float *)to, *sums = malloc(sizeof(float) * width);
    for (int y = 0; y < height; y++) {
        const float *r[5];
        for (int k = 0; k < 5; k++) r[k] = in + limited(y + k - 2, height) * width;
        for (int x = 0; x < width; x++)
            sums[x] = ((r[0][x] + r[4][x]) * 0.0625f + (r[1][x] + r[3][x]) * 0.25f) + r[2][x] * 0.375f;
        for (int side = 0; side < 4; side++) {
            int x = side < 2 ? side : width - 4 + side, n[5];
            for (int k = 0; k < 5; k++) n[k] = limited(x + k - 2, width);
            out[y * width + x] = ((sums[n[0]] + sums[n[4]]) * 0.0625f + (sums[n[1]] + sums[n[3]]) * 0.25f)
                + sums[n[2]] * 0.375f;
        }
        for (int x = 2; x < width - 2; x++)
            out[y * width + x] = ((sums[x - 2] + sums[x + 2]) * 0.0625f + (sums[x - 1] + sums[x + 1]) * 0.25f)
                + sums[x] * 0.375f;
    }
    free(sums);
}

void halve(const u8 *restrict in, u8 *restrict out, int width, int height) {
    for (int y = 0; y < height / 2; y++)
        for (int x = 0; x < width / 2; x++) {
            const u8 *from = in + 2 * y * width + 2 * x;
            out[y * (width / 2) + x] = (from[0] + from[1] + from[width] + from[width + 1] + 2) >> 2;
        }
}

void twice(const u8 *restrict in, u8 *restrict out, int width, int height) {
    for (int y = 0; y < 2 * height; y++)
        for (int x = 0; x < 2 * width; x++) out[y * 2 * width + x] = in[y / 2 * width + x / 2];
}

// Packed RGB to three planes, one below the other.
void planes(const u8 *restrict in, u8 *restrict out, int width, int height) {
    int texels = width / 3;
    u8 *luma = out, *cb = out + texels * height, *cr = cb + texels * height;
    for (int n = 0; n < texels * height; n++) {
        int r = in[3 * n], g = in[3 * n + 1], b = in[3 * n + 2];
        luma[n] = (77 * r + 150 * g + 29 * b + 128) >> 8;
        cb[n] = byte(((-43 * r - 85 * g + 128 * b + 128) >> 8) + 128);
        cr[n] = byte(((128 * r - 107 * g - 21 * b + 128) >> 8) + 128);
    }
}

// Packed Y U Y V to packed R G B A.
void packed(const u8 *restrict in, u8 *restrict out, int width, int height) {
    for (int n = 0; n < width / 4 * height; n++) {
        int u = in[4 * n + 1] - 128, v = in[4 * n + 3] - 128;
        for (int k = 0; k < 2; k++) {
            int bright = (in[4 * n + 2 * k] - 16) * 298 + 128;
            u8 *to = out + 8 * n + 4 * k;
            to[0] = byte((bright + 409 * v) >> 8);
            to[1] = byte((bright - 100 * u - 208 * v) >> 8);
            to[2] = byte((bright + 516 * u) >> 8);
            to[3] = 255;
        }
    }
}

// Both pictures are the input: the lower half is the one behind.
void blend(const u8 *restrict in, u8 *restrict out, int width, int height) {
    const u8 *behind = in + width * (height / 2);
    for (int n = 0; n < width / 4 * (height / 2); n++) {
        int alpha = in[4 * n + 3];
        for (int k = 0; k < 4; k++) {
            int sum = in[4 * n + k] * alpha + behind[4 * n + k] * (255 - alpha) + 128;
            out[4 * n + k] = (sum + (sum >> 8)) >> 8;
        }
    }
}

// Sums and differences of 8 numbers, `by` apart.
#define STEP(by, a, b) { int16_t x = v[(a) * by], y = v[(b) * by]; v[(a) * by] = x + y; v[(b) * by] = x - y; }
static inline void eight(int16_t *v, int by) {
    STEP(by, 0, 4) STEP(by, 1, 5) STEP(by, 2, 6) STEP(by, 3, 7)
    STEP(by, 0, 2) STEP(by, 1, 3) STEP(by, 4, 6) STEP(by, 5, 7)
    STEP(by, 0, 1) STEP(by, 2, 3) STEP(by, 4, 5) STEP(by, 6, 7)
}

// The Hadamard transform of blocks of 8 x 8, as i16.
void transform(const u8 *restrict in, u8 *restrict bytes, int width, int height) {
    int16_t *out = (int16_t *)bytes;
    for (int y = 0; y < height; y += 8)
        for (int x = 0; x < width; x += 8) {
            int16_t block[64];
            for (int k = 0; k < 64; k++) block[k] = in[(y + k / 8) * width + x + k % 8];
            for (int k = 0; k < 8; k++) eight(block + 8 * k, 1);
            for (int k = 0; k < 8; k++) eight(block + k, 8);
            for (int k = 0; k < 64; k++) out[(y + k / 8) * width + x + k % 8] = block[k];
        }
}

// Of 32-bit elements.
void axpy(const u8 *restrict bytes, u8 *restrict to, int width, int height) {
    const float *in = (const float *)bytes;
    float *out = (float *)to;
    for (int n = 0; n < width / 4 * height; n++) out[n] = in[n] * 0.5f + out[n];
}

// Prefix sums of each 256 elements.
void sums(const u8 *restrict bytes, u8 *restrict to, int width, int height) {
    const uint32_t *in = (const uint32_t *)bytes;
    uint32_t *out = (uint32_t *)to;
    for (int n = 0; n < width / 4 * height; n += 256) {
        uint32_t sum = 0;
        for (int k = 0; k < 256; k++) out[n + k] = sum += in[n + k];
    }
}

void histogram(const u8 *restrict in, u8 *restrict to, int width, int height) {
    uint32_t *out = (uint32_t *)to;
    for (int n = 0; n < width * height; n++) out[in[n]]++;
}

// Squares of floats, `width` bytes in a row: the product of the matrix with itself.
void product(const u8 *restrict bytes, u8 *restrict to, int width, int height) {
    const float *in = (const float *)bytes;
    float *out = (float *)to;
    int n = width / 4;
    for (int i = 0; i < height; i++) {
        for (int j = 0; j < n; j++) out[i * n + j] = 0;
        for (int k = 0; k < n; k++)
            for (int j = 0; j < n; j++) out[i * n + j] += in[i * n + k] * in[k * n + j];
    }
}

// A binomial filter of 5 x 5 bytes.
void binomial(const u8 *restrict in, u8 *restrict out, int width, int height) {
    uint16_t *sums = malloc(sizeof(uint16_t) * (width + 4));
    for (int y = 0; y < height; y++) {
        const u8 *r[5];
        for (int k = 0; k < 5; k++) r[k] = in + limited(y + k - 2, height) * width;
        for (int x = 0; x < width; x++) sums[x + 2] = r[0][x] + r[4][x] + 4 * (r[1][x] + r[3][x]) + 6 * r[2][x];
        sums[0] = sums[1] = sums[2];
        sums[width + 2] = sums[width + 3] = sums[width + 1];
        for (int x = 0; x < width; x++)
            out[y * width + x] = (sums[x] + sums[x + 4] + 4 * (sums[x + 1] + sums[x + 3]) + 6 * sums[x + 2] + 128) >> 8;
    }
    free(sums);
}

// Means of 5 x 5 words, of sums of columns.
void means(const u8 *restrict bytes, u8 *restrict to, int width, int height) {
    width /= 2;
    const uint16_t *in = (const uint16_t *)bytes;
    uint16_t *out = (uint16_t *)to;
    uint32_t *sums = malloc(sizeof(uint32_t) * (width + 4));
    for (int x = 0; x < width; x++) {
        sums[x + 2] = 0;
        for (int k = -2; k <= 2; k++) sums[x + 2] += in[limited(k, height) * width + x];
    }
    for (int y = 0; y < height; y++) {
        sums[0] = sums[1] = sums[2];
        sums[width + 2] = sums[width + 3] = sums[width + 1];
        for (int x = 0; x < width; x++)
            out[y * width + x] = ((sums[x] + sums[x + 1] + sums[x + 2] + sums[x + 3] + sums[x + 4]) * 1311u) >> 15;
        const uint16_t *next = in + limited(y + 3, height) * width, *last = in + limited(y - 2, height) * width;
        for (int x = 0; x < width; x++) sums[x + 2] += next[x] - last[x];
    }
    free(sums);
}

// Both pictures are the input: the lower half is the one behind.
void over(const u8 *restrict in, u8 *restrict out, int width, int height) {
    const u8 *behind = in + width * (height / 2);
    for (int n = 0; n < width / 4 * (height / 2); n++) {
        int rest = 255 - in[4 * n + 3];
        for (int k = 0; k < 4; k++) out[4 * n + k] = byte(in[4 * n + k] + ((behind[4 * n + k] * rest + 128) >> 8));
    }
}

void enlarge(const u8 *restrict in, u8 *restrict out, int width, int height) {
    for (int y = 0; y < height; y++) {
        const u8 *upper = in + y * width, *lower = in + limited(y + 1, height) * width;
        u8 *to = out + 4 * y * width, *below = to + 2 * width;
        for (int x = 0; x < width; x++) {
            int right = x < width - 1 ? x + 1 : x;
            int a = upper[x], b = upper[right], c = lower[x], d = lower[right];
            to[2 * x] = a;
            to[2 * x + 1] = (a + b + 1) >> 1;
            below[2 * x] = (a + c + 1) >> 1;
            below[2 * x + 1] = (a + b + c + d + 2) >> 2;
        }
    }
}

void bayer(const u8 *restrict in, u8 *restrict out, int width, int height) {
    for (int y = 0; y < height / 2; y++)
        for (int x = 0; x < width / 2; x++) {
            const u8 *from = in + 2 * y * width + 2 * x;
            u8 *to = out + 3 * (y * (width / 2) + x);
            to[0] = from[0];
            to[1] = (from[1] + from[width] + 1) >> 1;
            to[2] = from[width + 1];
        }
}

void levels(const u8 *restrict in, u8 *restrict out, int width, int height) {
    for (int n = 0; n < width * height; n++) out[n] = in[n] > 180 ? 255 : in[n] > 90 ? 128 : 0;
}

void integral(const u8 *restrict in, u8 *restrict to, int width, int height) {
    uint32_t *out = (uint32_t *)to;
    for (int y = 0; y < height; y++) {
        uint32_t sum = 0;
        for (int x = 0; x < width; x++) out[y * width + x] = sum += in[y * width + x];
    }
}
