"""Trained few-shot models in use (``fewshot.h``)."""

from __future__ import annotations

import ctypes
import os
import threading
from typing import Any, Dict, Optional, Tuple

import numpy as np

from ._context import Context
from ._estimator import NotFittedError, check_labels, encode

#: Pictures that statistics are computed of at most, where no other pictures are given.
_MOST_PICTURES = 512


class FewShot:
    """A few-shot model that was trained by ``sustain meta train``: it adapts to a few pictures of each class.

    Make it with ``FewShot.load``.

    Attributes
    ----------
    classes_ : ndarray
        The classes of the pictures that it was adapted to.
    about : dict
        Sizes of pictures, number of features and parameters, ways and shots in training, method.

    Examples
    --------
    >>> import sustain
    >>> model = sustain.FewShot.load("run")                      # doctest: +SKIP
    >>> model.adapt(images, labels).predict(other_images)        # doctest: +SKIP
    """

    def __init__(self, model: bytes, name: str = "model") -> None:
        self._bytes = model
        self._name = name
        self._support: Optional[Tuple[np.ndarray, np.ndarray]] = None
        self._open()

    @classmethod
    def load(cls, run: Any) -> "FewShot":
        """Reads a trained model.

        Parameters
        ----------
        run : str or path
            The folder of a run of ``sustain meta train``, or a file ``model.safetensors``.

        Returns
        -------
        model : FewShot
            The model, not adapted.
        """
        path = os.fspath(run)
        if os.path.isdir(path):
            path = os.path.join(path, "model.safetensors")
        with open(path, "rb") as file:
            return cls(file.read(), path)

    def _open(self) -> None:
        self._context = Context()
        self._model = ctypes.c_void_p()
        self._classifier = ctypes.c_void_p()
        self._lock = threading.RLock()
        data = np.frombuffer(self._bytes, np.uint8)
        self._context.call(
            "sustain_fewshot_model_parse",
            self._context.handle,
            self._name.encode(),
            data.ctypes.data,
            len(data),
            ctypes.byref(self._model),
        )
        about = self._context.lib.sustain_fewshot_model_about(self._model)
        self.about: Dict[str, Any] = {name: getattr(about, name) for name, _ in about._fields_}
        self.about["method"] = self.about["method"].decode()

    def __del__(self) -> None:
        context = getattr(self, "_context", None)
        if context is None or context.handle is None:
            return
        context.lib.sustain_fewshot_destroy(self._classifier)
        context.lib.sustain_fewshot_model_destroy(self._model)
        context.close()

    def __getstate__(self) -> Dict[str, Any]:
        return {"model": self._bytes, "name": self._name, "support": self._support}

    def __setstate__(self, state: Dict[str, Any]) -> None:
        self._bytes, self._name, self._support = state["model"], state["name"], None
        self._open()
        if state["support"] is not None:
            self.adapt(*state["support"])

    def __repr__(self) -> str:
        about = self.about
        state = f"adapted to {len(self.classes_)} classes" if self._support is not None else "not adapted"
        size = f"{about['channels']} x {about['height']} x {about['width']}"
        return f"<FewShot {about['method']}, pictures {size}, {about['features']} features, {state}>"

    # ---- pictures ----

    def _pictures(self, images: Any, name: str = "images") -> np.ndarray:
        """Bytes (n, channels, height, width)."""
        array = np.asarray(images.detach().cpu() if hasattr(images, "detach") else images)
        if array.dtype != np.uint8:
            raise TypeError(
                f"{name} are of type {array.dtype}: give bytes from 0 to 255, "
                "(255 * images).astype('uint8') where they are from 0 to 1"
            )
        channels, height, width = (int(self.about[key]) for key in ("channels", "height", "width"))
        if array.ndim == 3 and channels == 1 and array.shape[1:] == (height, width):
            array = array[:, None]
        if (
            array.ndim == 4
            and array.shape[1:] == (height, width, channels)
            and array.shape[1:] != (channels, height, width)
        ):
            array = array.transpose(0, 3, 1, 2)
        if array.ndim != 4 or array.shape[1:] != (channels, height, width) or len(array) == 0:
            raise ValueError(
                f"{name} have the shape {array.shape}: "
                f"the model needs (n, {channels}, {height}, {width}) or (n, {height}, {width}, {channels})"
            )
        return np.ascontiguousarray(array)

    @staticmethod
    def _addresses(pictures: np.ndarray) -> np.ndarray:
        return pictures.ctypes.data + np.arange(len(pictures), dtype=np.uintp) * np.uintp(pictures.strides[0])

    def _create(self, ways: int, pictures: int) -> None:
        """Makes a classifier in place of the one there is."""
        self._context.lib.sustain_fewshot_destroy(self._classifier)
        self._classifier, self._support = ctypes.c_void_p(), None
        self._context.call(
            "sustain_fewshot_create",
            self._context.handle,
            self._model,
            ways,
            max(pictures, ways),
            ctypes.byref(self._classifier),
        )

    # ---- use ----

    def adapt(self, images: Any, labels: Any) -> "FewShot":
        """Adapts to a few labelled pictures; replaces any previous adaptation.

        Parameters
        ----------
        images : uint8 array or tensor of shape (n, channels, height, width) or (n, height, width, channels)
            The pictures; (n, height, width) with one channel.
        labels : array of shape (n,)
            Their classes: integers or text.

        Returns
        -------
        self : FewShot
            The adapted model.
        """
        pictures = self._pictures(images)
        given = check_labels(labels, "labels", len(pictures))
        classes, codes = encode(given, "labels")
        with self._lock:
            self._create(len(classes), len(pictures))
            addresses = self._addresses(pictures)
            pointers = ctypes.cast(addresses.ctypes.data, ctypes.POINTER(ctypes.c_void_p))
            self._context.run("sustain_fewshot_adapt", self._classifier, pointers, codes.ctypes.data, len(pictures))
            self.classes_, self._support = classes, (pictures, given)
        return self

    def predict_proba(self, images: Any) -> np.ndarray:
        """Probabilities of the classes of pictures; those of one picture do not depend on the others.

        Parameters
        ----------
        images : uint8 array or tensor
            As in ``adapt``.

        Returns
        -------
        probabilities : ndarray of shape (n, n_classes)
            Their columns are ``classes_``.
        """
        if self._support is None:
            raise NotFittedError("this FewShot model is not adapted yet: call adapt first")
        pictures = self._pictures(images)
        return self._each("sustain_fewshot_predict", pictures, len(self.classes_))

    def predict(self, images: Any) -> np.ndarray:
        """The likeliest class of each picture.

        Parameters
        ----------
        images : uint8 array or tensor
            As in ``adapt``.

        Returns
        -------
        labels : ndarray of shape (n,)
            Of ``classes_``.
        """
        probabilities = self.predict_proba(images)
        return self.classes_[probabilities.argmax(axis=1)]

    def embed(self, images: Any) -> np.ndarray:
        """Features of pictures by the backbone.

        An adapted model normalizes pictures by the statistics of the pictures that it was adapted
        to; a model that is not adapted by those of the first 512 of ``images``.

        Parameters
        ----------
        images : uint8 array or tensor
            As in ``adapt``.

        Returns
        -------
        features : ndarray of shape (n, n_features)
            The features.
        """
        pictures = self._pictures(images)
        with self._lock:
            if self._support is None:
                first = pictures[:_MOST_PICTURES]
                self._create(int(self.about["ways"]), len(first))
                addresses = self._addresses(first)
                pointers = ctypes.cast(addresses.ctypes.data, ctypes.POINTER(ctypes.c_void_p))
                self._context.run("sustain_fewshot_normalize", self._classifier, pointers, len(first))
            return self._each("sustain_fewshot_features", pictures, int(self.about["features"]))

    def _each(self, function: str, pictures: np.ndarray, width: int) -> np.ndarray:
        """One result (width) for each picture."""
        out = np.empty((len(pictures), width), np.float32)
        with self._lock:
            for address, row in zip(self._addresses(pictures).tolist(), out):
                self._context.call(function, self._classifier, address, row.ctypes.data)
        return out
