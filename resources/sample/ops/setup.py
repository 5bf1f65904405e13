"""Builds the CUDA operator: python ops/setup.py install."""

from pathlib import Path

from setuptools import setup
from torch.utils.cpp_extension import BuildExtension, CUDAExtension

setup(
    name="fused_gelu",
    ext_modules=[
        CUDAExtension(
            "fused_gelu",
            [str(Path(__file__).parent / "fused_gelu.cu")],
            extra_compile_args={"nvcc": ["-O3", "--use_fast_math"]},
        )
    ],
    cmdclass={"build_ext": BuildExtension},
)
