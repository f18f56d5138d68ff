// The peer of benches/saxpy.rs: the same kernel as a CUDA user writes it.
extern "C" __global__ void saxpy(float a, const float* x, float* y, size_t n) {
    size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        y[i] += a * x[i];
    }
}
