#!/usr/bin/env bash
# Trains MiniGPT on the GPUs of one node.
set -euo pipefail
cd "$(dirname "$0")"

export CUDA_VISIBLE_DEVICES=${CUDA_VISIBLE_DEVICES:-0,1}
export CUDA_DEVICE_MAX_CONNECTIONS=1
export NCCL_DEBUG=WARN
export NCCL_IB_DISABLE=1
export NCCL_SOCKET_IFNAME=eth0
export PYTORCH_CUDA_ALLOC_CONF=expandable_segments:True

GPUS=$(echo "$CUDA_VISIBLE_DEVICES" | tr ',' '\n' | wc -l)
nvidia-smi --query-gpu=name,memory.total --format=csv

torchrun --standalone --nproc_per_node="$GPUS" train.py --config config.yaml "$@" 2>&1 | tee logs/train.log
