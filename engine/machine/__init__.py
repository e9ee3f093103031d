"""What computes here: devices, fast BLAS, threads, and the profile of how to share them out.

In: environment variables, the processor, a kept profile.
Out: a prepared MLX and allocations of threads.
Callers: every room that computes, and whoever starts one.
"""
