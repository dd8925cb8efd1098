-- Uses: sliding

kernels['sliding-window'] = slidingKernel
