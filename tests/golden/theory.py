#!/usr/bin/env python3
"""Golden numbers of the theory: python3 theory.py > theory.csv

Written from the paper alone (Khanduri et al., NeurIPS 2021), with 60 decimal digits, so that a wrong formula or a lost
digit in src/theory/theory.c shows. One row: a theorem, a set of constants, T, and what the theorem makes of them.

Readings of the text where it slips: L_y = C_gxy/mu_g; L_K by eq. (15), its last term 0 where L_gyy = 0; in Theorem 3.3
hat c_beta = (8 L_y^2 + 8 L^2 + 2 mu_f)/mu_g and alpha is the minimum of the set, whose fourth member is
halved: the last step of the proof needs 1/4 >= alpha (L_f/2 + 4 L_K^2). K is rounded up and at least 1.
"""
import random
from decimal import Decimal as D, getcontext, ROUND_CEILING

getcontext().prec = 60

CONSTANTS = ("mu_g L_g L_fx L_fy C_fy L_gxy L_gyy C_gxy mu_f sigma_f sigma_g sigma_fx sigma_fy sigma_gxy gap distance").split()
EXPECTED = ("K alpha beta c_eta_f c_eta_g w p L L_f L_y L_K L_mu_g c_beta sigma_f_out bound bound_half samples_upper "
            "samples_lower").split()
NAN = D("nan")


def root(v, n):
    return v ** (D(1) / D(n)) if v else D(0)


def ceiling(v):
    return v.to_integral_value(rounding=ROUND_CEILING)


def lipschitz(c):
    """Lemma 2.2."""
    L = c.L_fx + c.L_fy * c.C_gxy / c.mu_g + c.C_fy * (c.L_gxy / c.mu_g + c.L_gyy * c.C_gxy / c.mu_g ** 2)
    return L, L + L * c.C_gxy / c.mu_g, c.C_gxy / c.mu_g


def estimate_lipschitz(c, K):
    """Eq. (15)."""
    den = 2 * c.mu_g * c.L_g - c.mu_g ** 2
    last = D(0)
    if c.L_gyy:
        last = 6 * c.C_gxy ** 2 * c.C_fy ** 2 * c.L_gyy ** 2 * K ** 3 / ((c.L_g - c.mu_g) ** 2 * den)
    return (2 * c.L_fx ** 2 + 6 * c.C_gxy ** 2 * c.L_fy ** 2 * K / den + 6 * c.C_fy ** 2 * c.L_gxy ** 2 * K / den + last).sqrt()


def estimate_sigma(c, K):
    """The lemma on the bias and variance of the estimator, and the bound that knows the draw of k; the larger one."""
    if not c.sigma_f.is_nan():
        return c.sigma_f
    printed = c.sigma_fx ** 2 + 3 / c.mu_g ** 2 * (
        (c.sigma_fy ** 2 + c.C_fy ** 2) * (c.sigma_gxy ** 2 + 2 * c.C_gxy ** 2) + c.sigma_fy ** 2 * c.C_gxy ** 2)
    second_moment = K / (2 * c.mu_g * c.L_g - c.mu_g ** 2)
    by_k = 2 * c.sigma_fx ** 2 + 2 * (c.C_gxy * c.sigma_fy / c.mu_g) ** 2 + (c.C_gxy * c.C_fy) ** 2 * second_moment
    return max(printed, by_k).sqrt()


def nonconvex(c, T):
    """Theorem 3.2, eq. (17) and (29); the bound is the last line of its proof that shows the constants."""
    L, L_f, L_y = lipschitz(c)
    K = max(D(1), ceiling(c.L_g / c.mu_g * (c.C_gxy * c.C_fy * T / c.mu_g).ln()))
    L_K = estimate_lipschitz(c, K)
    Lm = c.mu_g * c.L_g / (c.mu_g + c.L_g)
    c_beta = 6 * D(2).sqrt() * L_y * L / Lm
    bar_f = max(36 * L_K ** 2, 4 * L_K ** 2 * Lm * (c.mu_g + c.L_g) * c_beta ** 2 / L ** 2)
    bar_g = max(36 * c.L_g ** 2, 4 * c.L_g ** 2 * Lm * (c.mu_g + c.L_g) * c_beta ** 2 / L ** 2)
    c_f = 1 / (3 * L_f) + bar_f
    c_g = 1 / (3 * L_f) + 8 * c.L_g ** 2 * c_beta ** 2 + (8 * L ** 2 / Lm ** 2 + 2 * L ** 2 / (Lm * (c.mu_g + c.L_g))) * bar_g
    w = max(D(2), 27 * L_f ** 3, 8 * Lm ** 3 * c_beta ** 3, (c.mu_g + c.L_g) ** 3 * c_beta ** 3, c_f ** D("1.5"), c_g ** D("1.5"))
    sigma = estimate_sigma(c, K)

    a_T, a_0 = 1 / root(w + T, 3), 1 / root(w, 3)
    B2 = 1 / T ** 2
    # The sum of alpha_t over t = 0..T is at most alpha_0 and the integral of (w + t)^(-1/3) from 0 to T.
    sum_alpha = a_0 + D("1.5") * (root(w + T, 3) ** 2 - root(w, 3) ** 2)
    bound = (2 * c.gap / (a_T * T) + 4 * L / (3 * D(2).sqrt() * L_y) * c.distance ** 2 / (a_T * T)
             + 2 / (bar_f * a_0) * sigma ** 2 / (a_T * T) + 2 / (bar_g * a_0) * c.sigma_g ** 2 / (a_T * T)
             + 4 / (a_T * T) * sum_alpha * B2
             + 4 * c_f ** 2 / bar_f * (T + 1).ln() / (a_T * T) * sigma ** 2
             + 4 * c_g ** 2 / bar_g * (T + 1).ln() / (a_T * T) * c.sigma_g ** 2)
    return [K, D(1), c_beta, c_f, c_g, w, D(1) / 3, L, L_f, L_y, L_K, Lm, c_beta, sigma, bound, NAN, T, T * (2 + (K - 1) / 2)]


def strongly_convex(c, T):
    """Theorem 3.3, eq. (19)."""
    L, L_f, L_y = lipschitz(c)
    K = max(D(1), ceiling(c.L_g / (2 * c.mu_g) * (c.C_gxy ** 2 * c.C_fy ** 2 * T / c.mu_g ** 2).ln()))
    L_K = estimate_lipschitz(c, K)
    c_beta = (8 * L_y ** 2 + 8 * L ** 2 + 2 * c.mu_f) / c.mu_g
    alpha = min(1 / (c.mu_f + 1), 1 / (2 * c.mu_g * c_beta), c.mu_g / (c_beta * c.L_g ** 2), 1 / (8 * L_K ** 2 + L_f) / 2,
                (L ** 2 + 2 * L_y ** 2) / (4 * L_K ** 2 * c.L_g ** 2 * c_beta ** 2))
    sigma = estimate_sigma(c, K)
    delta = c.gap + sigma ** 2 + c.distance ** 2

    def bound(t):
        noise = (2 * c_beta ** 2 + 8 * c_beta ** 2 * L_K ** 2) * c.sigma_g ** 2 + 2 * (c.mu_f + 1) ** 2 * sigma ** 2
        return (1 - c.mu_f * alpha) ** t * delta + 1 / c.mu_f * (2 / T + noise * alpha)

    Lm = c.mu_g * c.L_g / (c.mu_g + c.L_g)
    return [K, alpha, c_beta * alpha, (c.mu_f + 1) * alpha, D(1), D(1), D(0), L, L_f, L_y, L_K, Lm, c_beta, sigma, bound(T),
            bound(T / 2), T, T * (2 + (K - 1) / 2)]


class Constants:
    """Exactly the doubles that a C program reads from the row."""

    def __init__(self, values):
        for name in CONSTANTS:
            setattr(self, name, D(values[name]))


def random_values(rng):
    def spread(low, high):
        return float("%.3g" % (low * (high / low) ** rng.random()))
    v = {"mu_g": spread(0.05, 2)}
    v["L_g"] = float("%.4g" % (v["mu_g"] * spread(1.05, 20)))
    for name in "L_fx L_fy C_fy L_gxy L_gyy C_gxy".split():
        v[name] = spread(0.02, 3)
    v["mu_f"] = spread(0.001, 0.02)
    for name in "sigma_f sigma_g sigma_fx sigma_fy sigma_gxy".split():
        v[name] = spread(0.01, 2)
    if rng.random() < 0.6:
        v["sigma_f"] = float("nan")
    v["gap"], v["distance"] = spread(0.1, 50), spread(0.1, 10)
    return v, float(round(spread(1, 1e12)))


def rows():
    rng = random.Random(20210614)
    for theorem in "nonconvex", "strongly_convex":
        for i in range(16):
            v, T = random_values(rng)
            if i == 0:
                v["L_gyy"] = 0.0
                v["L_g"] = v["mu_g"]
            if i == 1:
                v["C_fy"], T = 1e-6, 100.0  # the logarithm is negative: K = 1
            if i == 2:
                v["gap"] = float("nan")  # steps, but no bound
            if i == 3:
                v["sigma_f"], T = float("nan"), 1e15  # the variance of k exceeds the lemma's bound
                v["L_g"], v["sigma_fy"], v["sigma_gxy"] = 1.25 * v["mu_g"], 0.0, 0.0
            if i == 4:
                v["L_fx"] = v["L_fy"] = v["L_gxy"] = v["L_gyy"] = 0.0
                v["L_fx"], v["sigma_g"], v["sigma_f"] = 0.3, 0.0, 0.0  # no noise
                T = 1.0
            if 5 <= i <= 8:  # the first to fourth member of Theorem 3.3's set is the smallest, in the others the fifth
                L_fx, L_g, C_gxy, mu_f = [(0.1, 2, 0.02, 0.02), (0.01, 2.4, 1, 0.005), (0.01, 6, 1, 0.005), (0.2, 2, 0.02, 0.02)][i - 5]
                v.update(L_fx=L_fx, L_fy=0.0, L_gxy=0.0, L_gyy=0.0, mu_g=2.0, L_g=float(L_g), C_gxy=C_gxy, mu_f=mu_f)
            v["C_gxy"] = min(v["C_gxy"], v["L_g"])  # Assumption 2
            yield theorem, v, T


def main():
    print(",".join(["theorem"] + CONSTANTS + ["iterations"] + EXPECTED))
    for theorem, v, T in rows():
        made = {"nonconvex": nonconvex, "strongly_convex": strongly_convex}[theorem](Constants(v), D(T))
        print(",".join([theorem] + ["%.17g" % v[name] for name in CONSTANTS] + ["%.17g" % T] + ["%.17g" % float(x) for x in made]))


if __name__ == "__main__":
    main()
