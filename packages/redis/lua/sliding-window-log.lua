-- Uses: sliding

kernels['sliding-window-log'] = slidingKernel
