#!/usr/bin/env python3
"""Lasso and elastic net by scikit-learn: python3 lasso.py > lasso.csv

The data are made by a rule that tests/unit/test_lasso.c repeats. One row: loss, share of the absolute penalty, and the model, feature by feature, the
intercepts last (those of softmax with mean 0). The penalty is 0.1 for the squared loss, 0.05 for the others."""
import numpy as np
from sklearn.linear_model import ElasticNet, LogisticRegression

n, d = 60, 8
i, j = np.arange(n)[:, None], np.arange(d)[None, :]
X = np.sin(1.3 * i + 2.1 * j * j + 0.1 * i * j).astype(np.float32).astype(float)
score = X @ np.array([2, -1.5, 1, 0, 0, 0, 0, 0.3]) + 0.5
noise = np.cos(7.7 * np.arange(n) ** 2)
target = (score + noise).astype(np.float32).astype(float)
label = (score + 1.5 * noise > 0.5).astype(int)
kind = np.where(score + noise > 1, 2, np.where(X[:, 3] + noise > 0, 1, 0))


def write(loss, share, numbers):
    print(loss, share, *(f"{v:.10f}" for v in numbers), sep=",")


for share in (1.0, 0.5):
    m = ElasticNet(alpha=0.1, l1_ratio=share, tol=1e-13, max_iter=100000).fit(X, target)
    write("squared", share, [*m.coef_, m.intercept_])
    saga = dict(penalty="elasticnet", solver="saga", C=1 / (n * 0.05), l1_ratio=share, tol=1e-14, max_iter=500000)
    m = LogisticRegression(**saga).fit(X, label)
    write("logistic", share, [*m.coef_[0], *m.intercept_])
    m = LogisticRegression(**saga).fit(X, kind)
    write("softmax", share, [*m.coef_.T.ravel(), *(m.intercept_ - m.intercept_.mean())])
