// Kernels of the tests of the device, in OpenCL C: compiled by Intel's ocloc when the tests run.

kernel void saxpy(global float *y, global const float *x, float a, int n) {
    int i = get_global_id(0);
    if (i < n) {
        y[i] += a * x[i];
    }
}

// The sum of each group of 64, with shared local memory and barriers.
kernel void reduce(global const int *in, global int *out) {
    local int part[64];
    int l = get_local_id(0);
    part[l] = in[get_global_id(0)];
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int step = 32; step > 0; step /= 2) {
        if (l < step) {
            part[l] += part[l + step];
        }
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    if (l == 0) {
        out[get_group_id(0)] = part[0];
    }
}

kernel void histogram(global const uchar *in, global int *bins) {
    atomic_inc(&bins[in[get_global_id(0)] % 8]);
}

// A race: groups read, add and write without an atomic.
kernel void race(global volatile int *counter) {
    if (get_local_id(0) == 0) {
        int seen = counter[0];
        counter[1 + get_group_id(0)] = seen;
        counter[0] = seen + 1;
    }
}

// Nobody wrote what it reads.
kernel void uninitialised(global int *out) {
    local volatile int nothing[64];
    out[get_global_id(0)] = nothing[get_local_id(0)];
    if (out[0] == 1) {
        nothing[get_local_id(0)] = 1;
    }
}

// The address comes from memory, so that nothing makes it resident.
kernel void follow(global ulong *addresses) {
    *(global int *)addresses[get_global_id(0)] = 1;
}

// Ends only if the group after it writes; groups in order never do that while it spins, unless they take turns.
kernel void handshake(global volatile int *flags) {
    int g = get_group_id(0);
    if (g == 0) {
        while (flags[1] == 0) {
        }
    }
    flags[g] = 1;
}

kernel void endless(global volatile int *flag) {
    while (flag[0] == 0) {
    }
}
