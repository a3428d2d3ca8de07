#!/usr/bin/env python3
"""Writes tests/golden/arrays: small NPY and NPZ files as NumPy itself writes them. tests/unit/test_arrays.c knows what is in them."""
import pathlib

import numpy as np

folder = pathlib.Path(__file__).parent / "arrays"
folder.mkdir(exist_ok=True)

numbers = np.arange(12).reshape(4, 3) / 4 - 1
for dtype in ("float16", "float32", "float64", ">f4", ">f8"):
    np.save(folder / f"{dtype.replace('>', 'big_')}.npy", numbers.astype(dtype))
np.save(folder / "column_order.npy", np.asfortranarray(numbers.astype("float32")))
for dtype in ("int8", "int16", "int32", "int64"):
    np.save(folder / f"{dtype}.npy", (4 * numbers).astype(dtype))
np.save(folder / "uint8_planar.npy", np.arange(24, dtype="uint8").reshape(2, 3, 2, 2))
np.save(folder / "uint8_interleaved.npy", np.asfortranarray(np.arange(24, dtype="uint8").reshape(2, 2, 2, 3)))
np.save(folder / "bool.npy", np.array([[True, False], [False, True]]))
np.save(folder / "labels_int64.npy", np.array([30, -7, 30, 5]))
np.save(folder / "labels_float.npy", np.array([3.0, 1.0, 3.0, 2.0]))
np.save(folder / "labels_bool.npy", np.array([True, False, False, True]))
np.save(folder / "labels_text.npy", np.array(["katze", "hündin", "katze", "帽子"]))
np.save(folder / "labels_bytes.npy", np.array([b"b", b"a", b"b", b"cc"]))
np.save(folder / "objects.npy", np.array(["a", None], dtype=object), allow_pickle=True)
x, y = numbers.astype("float32"), np.array([1, 0, 1, 2])
np.savez(folder / "stored.npz", x=x, y=y)
np.savez_compressed(folder / "deflated.npz", x=x, y=y)
np.savez_compressed(folder / "many.npz", x_train=x, y_train=y, x_test=x[:2], y_test=y[:2])
from scipy import sparse  # noqa: E402
matrix = sparse.csr_matrix(np.array([[0, 0, 1.5, 0, -2], [0, 0, 0, 0, 0], [3, 0, 0, 0.25, 0]]))
for form in ("csr", "csc", "coo"):
    sparse.save_npz(folder / f"sparse_{form}.npz", matrix.asformat(form))
sparse.save_npz(folder / "sparse_bsr.npz", sparse.bsr_matrix(np.ones((2, 2))), compressed=False)
twice = sparse.coo_matrix(([1.0, 2.0, 4.0, 1.0, -1.0], ([1, 1, 0, 0, 0], [3, 0, 2, 1, 1])), shape=(2, 4))
twice = sparse.coo_matrix((np.r_[twice.data, 0.5], (np.r_[twice.row, 1], np.r_[twice.col, 0])), shape=(2, 4))
sparse.save_npz(folder / "sparse_twice.npz", twice)
broken = matrix.copy()
broken.indices = broken.indices.copy()
broken.indices[1] = 7
sparse.save_npz(folder / "sparse_outside.npz", broken)
