// GELU (tanh form) in one pass.
#include <ATen/cuda/CUDAContext.h>
#include <torch/extension.h>

template <typename scalar_t>
__global__ void gelu_kernel(const scalar_t* x, scalar_t* y, int64_t n) {
  int64_t i = static_cast<int64_t>(blockIdx.x) * blockDim.x + threadIdx.x;
  if (i >= n) return;
  float v = static_cast<float>(x[i]);
  float inner = 0.7978845608f * (v + 0.044715f * v * v * v);
  y[i] = static_cast<scalar_t>(0.5f * v * (1.0f + tanhf(inner)));
}

torch::Tensor forward(torch::Tensor x) {
  TORCH_CHECK(x.is_cuda(), "fused_gelu: x must be a CUDA tensor");
  auto y = torch::empty_like(x);
  const int threads = 256;
  const int64_t blocks = (x.numel() + threads - 1) / threads;
  cudaStream_t stream = at::cuda::getCurrentCUDAStream();
  AT_DISPATCH_FLOATING_TYPES_AND2(
      at::kHalf, at::kBFloat16, x.scalar_type(), "fused_gelu", [&] {
        gelu_kernel<scalar_t><<<blocks, threads, 0, stream>>>(
            x.data_ptr<scalar_t>(), y.data_ptr<scalar_t>(), x.numel());
      });
  return y;
}

PYBIND11_MODULE(TORCH_EXTENSION_NAME, m) { m.def("forward", &forward, "GELU (CUDA)"); }
