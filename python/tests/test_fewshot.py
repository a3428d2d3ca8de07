"""FewShot on the small model of the examples."""

import pickle
from pathlib import Path

import numpy as np
import pytest

import sustain

MODEL = Path(__file__).resolve().parents[2] / "examples" / "fewshot.safetensors"


def stripes(count, seed=0):
    """Pictures with lying and standing stripes."""
    about = sustain.FewShot.load(MODEL).about
    rng = np.random.default_rng(seed)
    labels = np.arange(count) % 2
    pictures = rng.integers(0, 60, (count, about["channels"], about["height"], about["width"]))
    for picture, label in zip(pictures, labels):
        first = rng.integers(0, 4)
        if label:
            picture[:, :, first::4] += 180
        else:
            picture[:, first::4, :] += 180
    return pictures.astype(np.uint8), np.array(["lying", "standing"])[labels]


def test_adapts_and_predicts():
    model = sustain.FewShot.load(MODEL)
    pictures, labels = stripes(10)
    new, expected = stripes(20, 1)
    assert model.adapt(pictures, labels) is model and model.classes_.tolist() == ["lying", "standing"]
    assert (model.predict(new) == expected).mean() > 0.75
    p = model.predict_proba(new)
    np.testing.assert_allclose(p.sum(axis=1), 1, atol=1e-5)
    np.testing.assert_array_equal(model.predict_proba(new[3:5]), p[3:5])
    last = np.moveaxis(new, 1, -1)
    np.testing.assert_array_equal(model.predict_proba(last), p)
    if new.shape[1] == 1:
        np.testing.assert_array_equal(model.predict_proba(new[:, 0]), p)
    again = pickle.loads(pickle.dumps(model))
    np.testing.assert_array_equal(again.predict_proba(new), p)
    assert "adapted to 2 classes" in repr(again)


def test_embeds():
    model = sustain.FewShot.load(str(MODEL))
    pictures, labels = stripes(12)
    features = model.embed(pictures)
    assert features.shape == (12, model.about["features"]) and np.isfinite(features).all()
    near = np.linalg.norm(features[0] - features[2::2], axis=1).mean()
    assert near < np.linalg.norm(features[0] - features[1::2], axis=1).mean()


def test_bad_input_is_refused(tmp_path):
    model = sustain.FewShot.load(MODEL)
    pictures, labels = stripes(4)
    with pytest.raises(ValueError, match="not adapted"):
        model.predict(pictures)
    with pytest.raises(TypeError, match="give bytes"):
        model.adapt(pictures / 255, labels)
    with pytest.raises(ValueError, match="the model needs"):
        model.adapt(pictures[:, :, :3], labels)
    with pytest.raises(ValueError, match="there are 4 rows, but labels has 3"):
        model.adapt(pictures, labels[:3])
    with pytest.raises(ValueError, match="two classes"):
        model.adapt(pictures, ["a"] * 4)
    with pytest.raises(OSError):
        sustain.FewShot.load(tmp_path)
    (tmp_path / "model.safetensors").write_bytes(MODEL.read_bytes()[:100])
    with pytest.raises(ValueError, match="model.safetensors"):
        sustain.FewShot.load(tmp_path)
