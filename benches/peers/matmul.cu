// The peer of benches/matmul.rs: tiles of 16 × 16 in shared memory, as the CUDA guide teaches it.
constexpr int TILE = 16;

extern "C" __global__ void matmul(size_t n, const float* a, const float* b, float* c) {
    __shared__ float as[TILE][TILE];
    __shared__ float bs[TILE][TILE];
    size_t row = (size_t)blockIdx.y * TILE + threadIdx.y;
    size_t column = (size_t)blockIdx.x * TILE + threadIdx.x;
    float sum = 0.0f;
    for (size_t start = 0; start < n; start += TILE) {
        bool in_a = row < n && start + threadIdx.x < n;
        bool in_b = start + threadIdx.y < n && column < n;
        as[threadIdx.y][threadIdx.x] = in_a ? a[row * n + start + threadIdx.x] : 0.0f;
        bs[threadIdx.y][threadIdx.x] = in_b ? b[(start + threadIdx.y) * n + column] : 0.0f;
        __syncthreads();
        for (int k = 0; k < TILE; k++) {
            sum += as[threadIdx.y][k] * bs[k][threadIdx.x];
        }
        __syncthreads();
    }
    if (row < n && column < n) {
        c[row * n + column] = sum;
    }
}
