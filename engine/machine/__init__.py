"""Hardware: devices, fast BLAS, threads, and the profile of thread allocations.

In: environment variables, the processor, a stored profile.
Out: a prepared MLX and thread allocations.
Callers: every room that computes, and whoever starts one.
"""
