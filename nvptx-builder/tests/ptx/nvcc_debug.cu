// Source of nvcc_debug.ptx (nvcc 13.5 -ptx -G -arch=sm_90).
__device__ int twice(int v) { return 2 * v; }
__global__ void doubled(int *x, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) x[i] = twice(x[i]);
}
