"""ctypes declarations of the public headers. Written by generate.py: do not edit."""

from __future__ import annotations

from ctypes import (
    CFUNCTYPE,
    POINTER,
    Structure,
    c_bool,
    c_char,
    c_char_p,
    c_double,
    c_float,
    c_int,
    c_int32,
    c_int64,
    c_size_t,
    c_uint,
    c_uint32,
    c_uint64,
    c_void_p,
)
from typing import Any, Dict, List, Tuple

SUSTAIN_VERSION_NUMBER = 100

# sustain_status
SUSTAIN_OK = 0
SUSTAIN_PRECISION = 1
SUSTAIN_VERSION = 2
SUSTAIN_ARGUMENT = 3
SUSTAIN_MEMORY = 4
SUSTAIN_UNKNOWN_NAME = 5
SUSTAIN_PARAMETER = 6
SUSTAIN_MISSING_ORACLE = 7
SUSTAIN_CONSTANTS = 8
SUSTAIN_ORACLE_FAILED = 9
SUSTAIN_DRAW_DROPPED = 10
SUSTAIN_NOT_FINITE = 11
SUSTAIN_DIVERGED = 12
SUSTAIN_NOT_CONVERGED = 13
SUSTAIN_NOT_CONVEX = 14
SUSTAIN_ORDER = 15
SUSTAIN_IO = 16
SUSTAIN_FORMAT = 17
SUSTAIN_MISMATCH = 18
SUSTAIN_CANCELLED = 19
SUSTAIN_WRITE = 20
SUSTAIN_MEMORY_LIMIT = 21
SUSTAIN_STATUS_COUNT = 22

# sustain_parameter_type
SUSTAIN_PARAMETER_INTEGER = 0
SUSTAIN_PARAMETER_NUMBER = 1
SUSTAIN_PARAMETER_CHOICE = 2

# sustain_level
SUSTAIN_UPPER = 0
SUSTAIN_LOWER = 1

# sustain_float_type
SUSTAIN_FLOAT16 = 0
SUSTAIN_FLOAT32 = 1
SUSTAIN_FLOAT64 = 2

# sustain_memory_part
SUSTAIN_MEMORY_DATA = 0
SUSTAIN_MEMORY_ROWS = 1
SUSTAIN_MEMORY_TABLES = 2
SUSTAIN_MEMORY_MODELS = 3
SUSTAIN_MEMORY_SOLVER = 4
SUSTAIN_MEMORY_TASKS = 5
SUSTAIN_MEMORY_COUNT = 6

# sustain_oracle
SUSTAIN_ORACLE_SHIFT_F_VALUE = 0
SUSTAIN_ORACLE_SHIFT_F_GRAD = 1
SUSTAIN_ORACLE_SHIFT_G_VALUE = 2
SUSTAIN_ORACLE_SHIFT_G_GRAD_Y = 3
SUSTAIN_ORACLE_SHIFT_G_GRAD_X = 4
SUSTAIN_ORACLE_SHIFT_G_HESS_VEC = 5
SUSTAIN_ORACLE_SHIFT_G_CROSS_VEC = 6
SUSTAIN_ORACLE_SHIFT_EXPECTATION = 7
SUSTAIN_ORACLE_SHIFT_FINITE_SUM = 8
SUSTAIN_NEEDS_F_VALUE = 1
SUSTAIN_NEEDS_F_GRAD = 2
SUSTAIN_NEEDS_G_VALUE = 4
SUSTAIN_NEEDS_G_GRAD_Y = 8
SUSTAIN_NEEDS_G_GRAD_X = 16
SUSTAIN_NEEDS_G_HESS_VEC = 32
SUSTAIN_NEEDS_G_CROSS_VEC = 64
SUSTAIN_NEEDS_EXPECTATION = 128
SUSTAIN_NEEDS_FINITE_SUM = 256

# sustain_stop
SUSTAIN_STOP_NONE = 0
SUSTAIN_STOP_ITERATIONS = 1
SUSTAIN_STOP_SAMPLES = 2
SUSTAIN_STOP_SECONDS = 3
SUSTAIN_STOP_GRADIENT = 4
SUSTAIN_STOP_PATIENCE = 5
SUSTAIN_STOP_OBSERVER = 6

# sustain_field_type
SUSTAIN_FIELD_REAL = 0
SUSTAIN_FIELD_DOUBLE = 1
SUSTAIN_FIELD_INT64 = 2
SUSTAIN_FIELD_UINT32 = 3

# sustain_verified_are
SUSTAIN_VERIFIED_RANDOM = 0
SUSTAIN_VERIFIED_WORST_FIRST = 1
SUSTAIN_VERIFIED_MIXED = 2

# sustain_clean_flag
SUSTAIN_CLEAN_FLAG_F1 = 0
SUSTAIN_CLEAN_FLAG_PRECISION = 1
SUSTAIN_CLEAN_FLAG_RECALL = 2
SUSTAIN_CLEAN_FLAG_COUNT = 3
SUSTAIN_CLEAN_FLAG_RATE = 4

# sustain_clean_baseline
SUSTAIN_CLEAN_BASELINE_ALL_LABELS = 0
SUSTAIN_CLEAN_BASELINE_TRUSTED = 1
SUSTAIN_CLEAN_BASELINE_SELF_CONFIDENCE = 2
SUSTAIN_CLEAN_BASELINE_DROP_REFIT = 3
SUSTAIN_CLEAN_BASELINE_MARGIN = 4
SUSTAIN_CLEAN_BASELINE_CONFIDENT = 5
SUSTAIN_CLEAN_BASELINE_DIFFERS = 6
SUSTAIN_CLEAN_BASELINE_COUNT = 7


SUSTAIN_CLEAN_BINS = 20

# sustain_clean_ranking
SUSTAIN_CLEAN_RANKING_BLEND = 0
SUSTAIN_CLEAN_RANKING_NOISE = 1
SUSTAIN_CLEAN_RANKING_RATIO = 2
SUSTAIN_CLEAN_RANKING_SELF = 3
SUSTAIN_CLEAN_RANKING_MARGIN = 4

# sustain_clean_doubt
SUSTAIN_CLEAN_NO_DOUBT = 0
SUSTAIN_CLEAN_DOUBT_FREQUENT = 1
SUSTAIN_CLEAN_DOUBT_ALL = 2


SUSTAIN_CLEAN_MOST_PRED_PROBS = 12
SUSTAIN_CLEAN_MOST_SOURCES = 16

# sustain_missing
SUSTAIN_MISSING_MEAN = 0
SUSTAIN_MISSING_REFUSE = 1

# sustain_noise
SUSTAIN_NOISE_SYMMETRIC = 0
SUSTAIN_NOISE_PAIR = 1
SUSTAIN_NOISE_UNIFORM = 2

# sustain_scaling_mode
SUSTAIN_SCALING_AUTO = 0
SUSTAIN_SCALING_ON = 1
SUSTAIN_SCALING_OFF = 2

# sustain_part
SUSTAIN_PART_TRAINING = 0
SUSTAIN_PART_TEST = 1

# sustain_inverse
SUSTAIN_INVERSE_CHOLESKY = 0
SUSTAIN_INVERSE_CG = 1

# sustain_npy_type
SUSTAIN_NPY_FLOAT = 0
SUSTAIN_NPY_DOUBLE = 1
SUSTAIN_NPY_INT32 = 2
SUSTAIN_NPY_INT64 = 3
SUSTAIN_NPY_BYTE = 4

# sustain_split
SUSTAIN_SPLIT_TRAINING = 0
SUSTAIN_SPLIT_VALIDATION = 1
SUSTAIN_SPLIT_TEST = 2
SUSTAIN_SPLIT_ALL = 3

# sustain_regtune_loss
SUSTAIN_REGTUNE_LOGISTIC = 0
SUSTAIN_REGTUNE_SOFTMAX = 1
SUSTAIN_REGTUNE_SQUARED = 2
SUSTAIN_REGTUNE_HUBER = 3
SUSTAIN_REGTUNE_POISSON = 4

# sustain_regtune_penalty
SUSTAIN_REGTUNE_FEATURE = 0
SUSTAIN_REGTUNE_GROUP = 1
SUSTAIN_REGTUNE_CLASS = 2
SUSTAIN_REGTUNE_SINGLE = 3


SUSTAIN_REGTUNE_FOLDS = 20

# sustain_regtune_feasible
SUSTAIN_REGTUNE_FREE = 0
SUSTAIN_REGTUNE_NONNEGATIVE = 1
SUSTAIN_REGTUNE_SIMPLEX = 2

# sustain_select_form
SUSTAIN_SELECT_AUTO = 0
SUSTAIN_SELECT_L1 = 1
SUSTAIN_SELECT_ELASTIC_NET = 2


SUSTAIN_SELECT_CANDIDATES = 8
SUSTAIN_SELECT_PATH = 40

# sustain_quantity
SUSTAIN_QUANTITY_F_GRAD_X = 0
SUSTAIN_QUANTITY_F_GRAD_Y = 1
SUSTAIN_QUANTITY_G_GRAD_Y = 2
SUSTAIN_QUANTITY_G_HESS_VEC = 3
SUSTAIN_QUANTITY_G_CROSS_VEC = 4

# sustain_phase
SUSTAIN_PHASE_OTHER = 0
SUSTAIN_PHASE_READ = 1
SUSTAIN_PHASE_PROBE = 2
SUSTAIN_PHASE_ITERATIONS = 3
SUSTAIN_PHASE_FITS = 4
SUSTAIN_PHASE_PREDICTIONS = 5
SUSTAIN_PHASE_WRITE = 6
SUSTAIN_PHASE_COUNT = 7

# sustain_quadratic_phi
SUSTAIN_PHI_LINEAR = 0
SUSTAIN_PHI_SQRT = 1
SUSTAIN_PHI_SQUARE = 2


SUSTAIN_TUNE_PATH = 20

# sustain_meta_method
SUSTAIN_META_ANIL = 0
SUSTAIN_META_MAML = 1
SUSTAIN_META_ITD_BIO = 2
SUSTAIN_META_SUSTAIN = 3
SUSTAIN_META_PRETRAIN = 4
SUSTAIN_META_PROTOTYPE = 5
SUSTAIN_META_SOLVER = 6

# sustain_meta_hypergradient
SUSTAIN_META_UNROLL = 0
SUSTAIN_META_NEUMANN = 1
SUSTAIN_META_CG = 2
SUSTAIN_META_EXACT = 3
SUSTAIN_META_AUTO = 4

# sustain_meta_direction
SUSTAIN_META_ADAM = 0
SUSTAIN_META_PLAIN = 1

sustain_allocator: Any = CFUNCTYPE(c_void_p, c_void_p, c_void_p, c_size_t)
sustain_log_sink: Any = CFUNCTYPE(None, c_void_p, c_void_p)
sustain_cancel: Any = CFUNCTYPE(c_int, c_void_p)
sustain_parallel_task: Any = CFUNCTYPE(None, c_void_p, c_int64)
sustain_observer: Any = CFUNCTYPE(c_int, c_void_p, c_void_p)
sustain_pack_fill: Any = CFUNCTYPE(c_int, c_void_p, c_void_p)


class sustain_annotation(Structure):
    row: int
    annotator: int
    label: int


class sustain_annotators_options(Structure):
    size: int
    rows: int
    annotators: int
    classes: int
    rounds: int
    tolerance: float


class sustain_annotator(Structure):
    labels: int
    accuracy: float
    low: float
    high: float


class sustain_parameter(Structure):
    name: Any
    type: int
    offset: int
    initial: float
    least: float
    most: float
    choices: Any
    help: Any


class sustain_constants(Structure):
    mu_g: float
    L_g: float
    L_fx: float
    L_fy: float
    C_fy: float
    L_gxy: float
    L_gyy: float
    C_gxy: float
    mu_f: float
    sigma_f: float
    sigma_g: float
    sigma_fx: float
    sigma_fy: float
    sigma_gxy: float
    gap: float
    distance: float


class sustain_steps(Structure):
    alpha: float
    beta: float
    c_eta_f: float
    c_eta_g: float
    w: float
    p: float
    q: float
    L_g: float
    K: int


class sustain_plan(Structure):
    steps: Any
    L: float
    L_f: float
    L_y: float
    L_K: float
    L_mu_g: float
    c_beta: float
    sigma_f: float
    iterations: float
    bound: float
    samples_upper: float
    samples_lower: float


class sustain_batch(Structure):
    size: int
    index: Any
    key: int
    iteration: int


class sustain_problem_ops(Structure):
    name: Any
    f_value: Any
    f_grad: Any
    g_value: Any
    g_grad_y: Any
    g_hess_vec: Any
    g_cross_vec: Any
    g_grad_x: Any
    g_hess: Any
    g_cross: Any
    project_x: Any
    initial: Any
    workspace: Any
    fast: Any


class sustain_problem(Structure):
    ops: Any
    self: Any
    upper_dim: int
    lower_dim: int
    samples: Any
    has_expectation: bool
    known: Any


class sustain_check_row(Structure):
    what: Any
    oracle: Any
    done: bool
    passed: bool
    error: float
    tolerance: float


class sustain_check_report(Structure):
    row: Any
    count: int
    failed: int


class sustain_probabilities(Structure):
    count: int
    classes: int
    values: Any
    type: int
    by_column: bool
    logits: bool
    source: Any
    memory: Any


class sustain_rows(Structure):
    count: int
    dim: int
    values: Any
    bytes: Any
    byte_scale: float
    start: Any
    columns: Any
    labels: Any
    targets: Any
    stored: int
    halves: Any


class sustain_fourier(Structure):
    waves: int
    w: Any
    v: Any


class sustain_softmax_options(Structure):
    size: int
    classes: int
    intercept: bool
    c: float
    tolerance: float
    iterations: int
    fourier: Any


class sustain_softmax_part(Structure):
    rows: Any
    weights: Any


class sustain_memory(Structure):
    size: int
    bytes: float
    part: Any


class sustain_solver_info(Structure):
    name: Any
    title: Any
    reference: Any
    complexity: Any
    needs: int
    deterministic: bool
    parameters: Any
    parameter_count: int


class sustain_choice(Structure):
    name: Any
    when: Any


class sustain_counts(Structure):
    samples: Any
    gradients: Any
    hessian_products: int
    cross_products: int


class sustain_progress(Structure):
    iteration: int
    seconds: float
    upper_value: float
    upper_norm: float
    lower_norm: float
    counts: Any
    solver: Any


class sustain_stopping(Structure):
    size: int
    iterations: int
    samples: int
    seconds: float
    gradient_norm: float
    patience: int
    every: int
    observer: Any
    user: Any


class sustain_result(Structure):
    stop: int
    iterations: int
    seconds: float
    upper_value: float
    point: int
    x: Any
    y: Any
    halvings: int
    dropped: int
    counts: Any


class sustain_field(Structure):
    name: Any
    type: int
    count: int
    data: Any


class sustain_clean_options(Structure):
    size: int
    classes: int
    c: float
    intercept: bool
    folds: int
    seed: int
    batch: int
    solver: Any
    baselines: bool
    truth: Any
    test: Any
    verified: Any
    verified_are: int
    pred_probs: Any
    pred_prob_count: int
    trusted_pred_probs: Any
    flag: int
    flag_value: float
    groups: int
    group: Any
    group_weights_only: bool
    fit_rows: int
    trusted_given: bool
    ends_solver: bool
    verified_drawn: Any


class sustain_clean_score(Structure):
    auc: float
    precision_at_errors: float
    test_accuracy: float
    trusted_accuracy: float
    seconds: float
    flagged: float
    f1: float


class sustain_clean_bin(Structure):
    low: float
    high: float
    count: int
    said: float
    right: float
    right_low: float
    right_high: float


class sustain_clean_result(Structure):
    count: int
    weight: Any
    quality: Any
    verified: Any
    suggested: Any
    is_issue: Any
    order: Any
    confused: Any
    issues: int
    noise: float
    estimated_errors: float
    estimated_low: float
    estimated_high: float
    f1_expected: float
    ranking: int
    ranking_auc: float
    baseline_auc: float
    bins: Any
    shares: Any
    source_names: Any
    y: Any
    model: Any
    trusted_accuracy: float
    score: Any
    weight_score: Any
    classifier_auc: float
    errors: int
    issue_precision: float
    issue_recall: float
    baselines: Any
    group_weight: Any
    group_weight_low: Any
    group_weight_high: Any
    fitted: int
    doubt: int
    frequent: int


class sustain_clean_rate(Structure):
    checked: int
    wrong: int
    rate: float
    low: float
    high: float


class sustain_group_options(Structure):
    size: int
    classes: int
    c: float
    intercept: bool
    seed: int
    groups: int
    group: Any


class sustain_group_errors(Structure):
    rows: int
    rate: float
    low: float
    high: float


class sustain_communicator(Structure):
    size: int
    self: Any
    rank: int
    ranks: int
    exchange: Any


class sustain_table_options(Structure):
    size: int
    text_columns: Any
    categorical: Any
    ignore_columns: Any
    id_column: Any
    show_columns: Any
    missing: int


class sustain_table_features(Structure):
    dim: int
    names: Any
    group: Any
    groups: int
    group_names: Any
    sparse: bool


class sustain_picture(Structure):
    height: int
    width: int
    channels: int
    interleaved: bool


class sustain_dataset(Structure):
    rows: Any
    classes: int
    label_values: int
    class_names: Any
    column_names: Any
    trusted: Any
    truth: Any
    encoding: Any
    kept_columns: int
    kept_names: Any
    kept: Any
    has_id: bool
    picture: Any
    source: Any
    label_source: Any
    date_labels: bool
    context: Any
    memory: Any


class sustain_read_options(Structure):
    size: int
    label_column: Any
    trusted_column: Any
    coarse: bool
    table: Any
    encoding: Any
    keep_half: bool
    missing_labels: bool


class sustain_scaling(Structure):
    dim: int
    mean: Any
    factor: Any
    reason: Any
    context: Any


class sustain_named_set(Structure):
    name: Any
    title: Any
    how: Any
    rows: bool
    pictures: bool


class sustain_fewshot_about(Structure):
    channels: int
    height: int
    width: int
    features: int
    parameters: int
    ways: int
    shots: int
    fixed_ways: bool
    whole: bool
    method: Any


class sustain_hyperclean_options(Structure):
    size: int
    classes: int
    c: float
    intercept: bool
    groups: int
    group: Any


class sustain_splines(Structure):
    count: int
    feature: Any
    knot: Any


class sustain_model(Structure):
    dim: int
    classes: int
    y: Any
    class_names: Any
    column_names: Any
    about: Any
    encoding: Any
    context: Any
    logarithm: bool
    fourier: Any
    splines: Any


class sustain_pictures(Structure):
    count: int
    channels: int
    height: int
    width: int
    classes: int
    pixels: Any
    first: Any
    class_names: Any
    source: Any
    context: Any
    memory: Any


class sustain_picture_options(Structure):
    size: int
    channels: int
    height: int
    width: int
    seed: int


class sustain_task_shape(Structure):
    ways: int
    shots: int
    queries: int


class sustain_regtune_options(Structure):
    size: int
    loss: int
    penalty: int
    classes: int
    groups: int
    group: Any
    intercept: bool
    floor: float
    folds: int
    fold: Any
    x_0: float
    feasible: int


class sustain_select_options(Structure):
    size: int
    loss: int
    classes: int
    intercept: bool
    folds: int
    groups: int
    group: Any
    factors: Any
    weights: Any
    seed: int
    form: int
    huber_threshold: float
    scaling: Any
    knots: int
    waves: int


class sustain_select_candidate(Structure):
    name: Any
    detail: Any
    numbers: int
    estimate: float
    error: float
    difference: float
    difference_error: float
    seconds: float
    selected: bool


class sustain_select_point(Structure):
    log_penalty: float
    loss: float
    error: float


class sustain_select_result(Structure):
    candidates: Any
    count: int
    selected: int
    penalty: Any
    part: float
    y: Any
    single_penalty: Any
    single_y: Any
    path: Any
    path_count: int
    held_loss: Any
    held_score: Any
    rows: int
    share: Any
    huber_threshold: float
    splines: Any
    fourier: Any


class sustain_touched(Structure):
    count: int
    coordinate: Any


class sustain_hyper_draw(Structure):
    xi: Any
    zeta: Any
    k: int
    K: int
    L_g: float
    support: Any
    touched: Any


class sustain_momentum_step(Structure):
    draw: Any
    zeta: Any
    keep: float
    beta: float


class sustain_problem_fast(Structure):
    size: int
    support_per_sample: Any
    support: Any
    table_width: Any
    table_rows: Any
    table_add: Any
    table_rest: Any
    g_grad_y_pair: Any
    hyper_pair: Any
    lists_touched: bool
    momentum_step: Any
    prefetch: Any
    project_y: Any


class sustain_profile(Structure):
    size: int
    seconds: Any
    exchange_seconds: float
    exchanges: int
    bytes_sent: int
    bytes_received: int


class sustain_quadratic_options(Structure):
    size: int
    upper_dim: int
    lower_dim: int
    samples: int
    mu_g: float
    L_g: float
    C_gxy: float
    C_fy: float
    phi: int
    curvature: float
    wave: float
    noise_f: float
    noise_g: float
    noise_hess: float
    noise_cross: float
    start: float
    radius: float
    seed: int


class sustain_tune_options(Structure):
    size: int
    model: Any
    from_x_0: bool
    solver: Any
    seed: int
    watched: Any
    test: Any


class sustain_tune_score(Structure):
    log_penalty: float
    upper_loss: float
    norm_squared: float
    test_loss: float
    test_accuracy: float
    seconds: float


class sustain_tune_result(Structure):
    x: Any
    y: Any
    exact: bool
    score: Any
    single: Any
    none: Any
    constant: Any
    path: Any
    point: int


class sustain_meta_options(Structure):
    size: int
    dataset: Any
    method: int
    hypergradient: int
    direction: int
    option: int
    first_order: bool
    ways: int
    shots: int
    queries: int
    tasks: int
    training_tasks: int
    width: int
    inner_steps: int
    inner_step: float
    outer_step: float
    lambda: float
    tolerance: float
    c_eta: float
    least_scale: float
    K: int
    layers: int
    seed: int
    solver: Any


class sustain_meta_progress(Structure):
    loss: float
    accuracy: float
    norm: float


class sustain_meta_trial(Structure):
    size: int
    tasks: int
    queries: int
    shots: int
    seed: int
    stream: int
    quick: bool


class sustain_meta_score(Structure):
    accuracy: float
    interval: float
    support_accuracy: float
    support_interval: float
    loss: float


class sustain_meta_record(Structure):
    accuracy: float
    iteration: int
    without_progress: int
    seconds: float
    train_loss: float
    train_accuracy: float


sustain_annotation._fields_ = [("row", c_int64), ("annotator", c_int32), ("label", c_int32)]
sustain_annotators_options._fields_ = [
    ("size", c_size_t),
    ("rows", c_int64),
    ("annotators", c_int64),
    ("classes", c_int64),
    ("rounds", c_int64),
    ("tolerance", c_double),
]
sustain_annotator._fields_ = [
    ("labels", c_int64),
    ("accuracy", c_double),
    ("low", c_double),
    ("high", c_double),
]
sustain_parameter._fields_ = [
    ("name", c_char_p),
    ("type", c_int),
    ("offset", c_size_t),
    ("initial", c_double),
    ("least", c_double),
    ("most", c_double),
    ("choices", c_char_p),
    ("help", c_char_p),
]
sustain_constants._fields_ = [
    ("mu_g", c_double),
    ("L_g", c_double),
    ("L_fx", c_double),
    ("L_fy", c_double),
    ("C_fy", c_double),
    ("L_gxy", c_double),
    ("L_gyy", c_double),
    ("C_gxy", c_double),
    ("mu_f", c_double),
    ("sigma_f", c_double),
    ("sigma_g", c_double),
    ("sigma_fx", c_double),
    ("sigma_fy", c_double),
    ("sigma_gxy", c_double),
    ("gap", c_double),
    ("distance", c_double),
]
sustain_steps._fields_ = [
    ("alpha", c_double),
    ("beta", c_double),
    ("c_eta_f", c_double),
    ("c_eta_g", c_double),
    ("w", c_double),
    ("p", c_double),
    ("q", c_double),
    ("L_g", c_double),
    ("K", c_int),
]
sustain_plan._fields_ = [
    ("steps", sustain_steps),
    ("L", c_double),
    ("L_f", c_double),
    ("L_y", c_double),
    ("L_K", c_double),
    ("L_mu_g", c_double),
    ("c_beta", c_double),
    ("sigma_f", c_double),
    ("iterations", c_double),
    ("bound", c_double),
    ("samples_upper", c_double),
    ("samples_lower", c_double),
]
sustain_batch._fields_ = [
    ("size", c_int64),
    ("index", c_void_p),
    ("key", c_uint64),
    ("iteration", c_int64),
]
sustain_problem_ops._fields_ = [
    ("name", c_char_p),
    ("f_value", CFUNCTYPE(c_int, c_void_p, c_void_p, c_void_p, c_void_p, c_void_p, c_void_p)),
    ("f_grad", CFUNCTYPE(c_int, c_void_p, c_void_p, c_void_p, c_void_p, c_void_p, c_void_p, c_void_p)),
    ("g_value", CFUNCTYPE(c_int, c_void_p, c_void_p, c_void_p, c_void_p, c_void_p, c_void_p)),
    ("g_grad_y", CFUNCTYPE(c_int, c_void_p, c_void_p, c_void_p, c_void_p, c_void_p, c_void_p)),
    ("g_hess_vec", CFUNCTYPE(c_int, c_void_p, c_void_p, c_void_p, c_void_p, c_void_p, c_void_p, c_void_p)),
    ("g_cross_vec", CFUNCTYPE(c_int, c_void_p, c_void_p, c_void_p, c_void_p, c_void_p, c_void_p, c_void_p)),
    ("g_grad_x", CFUNCTYPE(c_int, c_void_p, c_void_p, c_void_p, c_void_p, c_void_p, c_void_p)),
    ("g_hess", CFUNCTYPE(c_int, c_void_p, c_void_p, c_void_p, c_void_p, c_void_p, c_void_p)),
    ("g_cross", CFUNCTYPE(c_int, c_void_p, c_void_p, c_void_p, c_void_p, c_void_p, c_void_p)),
    ("project_x", CFUNCTYPE(c_int, c_void_p, c_void_p)),
    ("initial", CFUNCTYPE(c_int, c_void_p, c_void_p, c_void_p)),
    ("workspace", CFUNCTYPE(c_size_t, c_void_p, c_int64)),
    ("fast", POINTER(sustain_problem_fast)),
]
sustain_problem._fields_ = [
    ("ops", POINTER(sustain_problem_ops)),
    ("self", c_void_p),
    ("upper_dim", c_int64),
    ("lower_dim", c_int64),
    ("samples", c_int64 * 2),
    ("has_expectation", c_bool),
    ("known", POINTER(sustain_constants)),
]
sustain_check_row._fields_ = [
    ("what", c_char_p),
    ("oracle", c_char_p),
    ("done", c_bool),
    ("passed", c_bool),
    ("error", c_double),
    ("tolerance", c_double),
]
sustain_check_report._fields_ = [
    ("row", sustain_check_row * 40),
    ("count", c_int),
    ("failed", c_int),
]
sustain_probabilities._fields_ = [
    ("count", c_int64),
    ("classes", c_int64),
    ("values", c_void_p),
    ("type", c_int),
    ("by_column", c_bool),
    ("logits", c_bool),
    ("source", c_char_p),
    ("memory", c_void_p),
]
sustain_rows._fields_ = [
    ("count", c_int64),
    ("dim", c_int64),
    ("values", c_void_p),
    ("bytes", c_void_p),
    ("byte_scale", c_float),
    ("start", c_void_p),
    ("columns", c_void_p),
    ("labels", c_void_p),
    ("targets", c_void_p),
    ("stored", c_int64),
    ("halves", c_void_p),
]
sustain_fourier._fields_ = [("waves", c_int64), ("w", c_void_p), ("v", c_void_p)]
sustain_softmax_options._fields_ = [
    ("size", c_size_t),
    ("classes", c_int64),
    ("intercept", c_bool),
    ("c", c_double),
    ("tolerance", c_double),
    ("iterations", c_int64),
    ("fourier", POINTER(sustain_fourier)),
]
sustain_softmax_part._fields_ = [("rows", POINTER(sustain_rows)), ("weights", c_void_p)]
sustain_memory._fields_ = [("size", c_size_t), ("bytes", c_double), ("part", c_double * 6)]
sustain_solver_info._fields_ = [
    ("name", c_char_p),
    ("title", c_char_p),
    ("reference", c_char_p),
    ("complexity", c_char_p),
    ("needs", c_uint),
    ("deterministic", c_bool),
    ("parameters", POINTER(sustain_parameter)),
    ("parameter_count", c_int),
]
sustain_choice._fields_ = [("name", c_char_p), ("when", c_char_p)]
sustain_counts._fields_ = [
    ("samples", c_int64 * 2),
    ("gradients", c_int64 * 2),
    ("hessian_products", c_int64),
    ("cross_products", c_int64),
]
sustain_progress._fields_ = [
    ("iteration", c_int64),
    ("seconds", c_double),
    ("upper_value", c_double),
    ("upper_norm", c_double),
    ("lower_norm", c_double),
    ("counts", sustain_counts),
    ("solver", c_void_p),
]
sustain_stopping._fields_ = [
    ("size", c_size_t),
    ("iterations", c_int64),
    ("samples", c_int64),
    ("seconds", c_double),
    ("gradient_norm", c_double),
    ("patience", c_int64),
    ("every", c_int64),
    ("observer", sustain_observer),
    ("user", c_void_p),
]
sustain_result._fields_ = [
    ("stop", c_int),
    ("iterations", c_int64),
    ("seconds", c_double),
    ("upper_value", c_double),
    ("point", c_int64),
    ("x", c_void_p),
    ("y", c_void_p),
    ("halvings", c_int64),
    ("dropped", c_int64),
    ("counts", sustain_counts),
]
sustain_field._fields_ = [
    ("name", c_char_p),
    ("type", c_int),
    ("count", c_int64),
    ("data", c_void_p),
]
sustain_clean_options._fields_ = [
    ("size", c_size_t),
    ("classes", c_int64),
    ("c", c_double),
    ("intercept", c_bool),
    ("folds", c_int64),
    ("seed", c_int64),
    ("batch", c_int64),
    ("solver", c_char_p),
    ("baselines", c_bool),
    ("truth", c_void_p),
    ("test", POINTER(sustain_rows)),
    ("verified", c_void_p),
    ("verified_are", c_int),
    ("pred_probs", POINTER(POINTER(sustain_probabilities))),
    ("pred_prob_count", c_int),
    ("trusted_pred_probs", POINTER(POINTER(sustain_probabilities))),
    ("flag", c_int),
    ("flag_value", c_double),
    ("groups", c_int64),
    ("group", c_void_p),
    ("group_weights_only", c_bool),
    ("fit_rows", c_int64),
    ("trusted_given", c_bool),
    ("ends_solver", c_bool),
    ("verified_drawn", c_void_p),
]
sustain_clean_score._fields_ = [
    ("auc", c_double),
    ("precision_at_errors", c_double),
    ("test_accuracy", c_double),
    ("trusted_accuracy", c_double),
    ("seconds", c_double),
    ("flagged", c_double),
    ("f1", c_double),
]
sustain_clean_bin._fields_ = [
    ("low", c_double),
    ("high", c_double),
    ("count", c_int64),
    ("said", c_double),
    ("right", c_double),
    ("right_low", c_double),
    ("right_high", c_double),
]
sustain_clean_result._fields_ = [
    ("count", c_int64),
    ("weight", c_void_p),
    ("quality", c_void_p),
    ("verified", c_void_p),
    ("suggested", c_void_p),
    ("is_issue", c_void_p),
    ("order", c_void_p),
    ("confused", c_void_p),
    ("issues", c_int64),
    ("noise", c_double),
    ("estimated_errors", c_double),
    ("estimated_low", c_double),
    ("estimated_high", c_double),
    ("f1_expected", c_double),
    ("ranking", c_int),
    ("ranking_auc", c_double),
    ("baseline_auc", c_double),
    ("bins", sustain_clean_bin * 20),
    ("shares", c_double * 16),
    ("source_names", c_char_p * 16),
    ("y", c_void_p),
    ("model", sustain_softmax_options),
    ("trusted_accuracy", c_double),
    ("score", sustain_clean_score),
    ("weight_score", sustain_clean_score),
    ("classifier_auc", c_double),
    ("errors", c_int64),
    ("issue_precision", c_double),
    ("issue_recall", c_double),
    ("baselines", sustain_clean_score * 7),
    ("group_weight", c_void_p),
    ("group_weight_low", c_void_p),
    ("group_weight_high", c_void_p),
    ("fitted", c_int64),
    ("doubt", c_int),
    ("frequent", c_int32),
]
sustain_clean_rate._fields_ = [
    ("checked", c_int64),
    ("wrong", c_int64),
    ("rate", c_double),
    ("low", c_double),
    ("high", c_double),
]
sustain_group_options._fields_ = [
    ("size", c_size_t),
    ("classes", c_int64),
    ("c", c_double),
    ("intercept", c_bool),
    ("seed", c_int64),
    ("groups", c_int64),
    ("group", c_void_p),
]
sustain_group_errors._fields_ = [
    ("rows", c_int64),
    ("rate", c_double),
    ("low", c_double),
    ("high", c_double),
]
sustain_communicator._fields_ = [
    ("size", c_size_t),
    ("self", c_void_p),
    ("rank", c_int),
    ("ranks", c_int),
    ("exchange", CFUNCTYPE(c_int, c_void_p, c_void_p, c_void_p, sustain_cancel, c_void_p)),
]
sustain_table_options._fields_ = [
    ("size", c_size_t),
    ("text_columns", c_char_p),
    ("categorical", c_char_p),
    ("ignore_columns", c_char_p),
    ("id_column", c_char_p),
    ("show_columns", c_char_p),
    ("missing", c_int),
]
sustain_table_features._fields_ = [
    ("dim", c_int64),
    ("names", POINTER(c_char_p)),
    ("group", c_void_p),
    ("groups", c_int64),
    ("group_names", POINTER(c_char_p)),
    ("sparse", c_bool),
]
sustain_picture._fields_ = [
    ("height", c_int64),
    ("width", c_int64),
    ("channels", c_int64),
    ("interleaved", c_bool),
]
sustain_dataset._fields_ = [
    ("rows", sustain_rows),
    ("classes", c_int64),
    ("label_values", c_int64),
    ("class_names", POINTER(c_char_p)),
    ("column_names", POINTER(c_char_p)),
    ("trusted", c_void_p),
    ("truth", c_void_p),
    ("encoding", c_void_p),
    ("kept_columns", c_int64),
    ("kept_names", POINTER(c_char_p)),
    ("kept", POINTER(c_char_p)),
    ("has_id", c_bool),
    ("picture", sustain_picture),
    ("source", c_char_p),
    ("label_source", c_char_p),
    ("date_labels", c_bool),
    ("context", c_void_p),
    ("memory", c_void_p),
]
sustain_read_options._fields_ = [
    ("size", c_size_t),
    ("label_column", c_char_p),
    ("trusted_column", c_char_p),
    ("coarse", c_bool),
    ("table", POINTER(sustain_table_options)),
    ("encoding", c_void_p),
    ("keep_half", c_bool),
    ("missing_labels", c_bool),
]
sustain_scaling._fields_ = [
    ("dim", c_int64),
    ("mean", c_void_p),
    ("factor", c_void_p),
    ("reason", c_char_p),
    ("context", c_void_p),
]
sustain_named_set._fields_ = [
    ("name", c_char_p),
    ("title", c_char_p),
    ("how", c_char_p),
    ("rows", c_bool),
    ("pictures", c_bool),
]
sustain_fewshot_about._fields_ = [
    ("channels", c_int64),
    ("height", c_int64),
    ("width", c_int64),
    ("features", c_int64),
    ("parameters", c_int64),
    ("ways", c_int64),
    ("shots", c_int64),
    ("fixed_ways", c_bool),
    ("whole", c_bool),
    ("method", c_char_p),
]
sustain_hyperclean_options._fields_ = [
    ("size", c_size_t),
    ("classes", c_int64),
    ("c", c_double),
    ("intercept", c_bool),
    ("groups", c_int64),
    ("group", c_void_p),
]
sustain_splines._fields_ = [("count", c_int64), ("feature", c_void_p), ("knot", c_void_p)]
sustain_model._fields_ = [
    ("dim", c_int64),
    ("classes", c_int64),
    ("y", c_void_p),
    ("class_names", POINTER(c_char_p)),
    ("column_names", POINTER(c_char_p)),
    ("about", c_char_p),
    ("encoding", c_void_p),
    ("context", c_void_p),
    ("logarithm", c_bool),
    ("fourier", POINTER(sustain_fourier)),
    ("splines", POINTER(sustain_splines)),
]
sustain_pictures._fields_ = [
    ("count", c_int64),
    ("channels", c_int64),
    ("height", c_int64),
    ("width", c_int64),
    ("classes", c_int64),
    ("pixels", c_void_p),
    ("first", c_void_p),
    ("class_names", POINTER(c_char_p)),
    ("source", c_char_p),
    ("context", c_void_p),
    ("memory", c_void_p),
]
sustain_picture_options._fields_ = [
    ("size", c_size_t),
    ("channels", c_int64),
    ("height", c_int64),
    ("width", c_int64),
    ("seed", c_uint64),
]
sustain_task_shape._fields_ = [("ways", c_int64), ("shots", c_int64), ("queries", c_int64)]
sustain_regtune_options._fields_ = [
    ("size", c_size_t),
    ("loss", c_int),
    ("penalty", c_int),
    ("classes", c_int64),
    ("groups", c_int64),
    ("group", c_void_p),
    ("intercept", c_bool),
    ("floor", c_double),
    ("folds", c_int64),
    ("fold", c_void_p),
    ("x_0", c_double),
    ("feasible", c_int),
]
sustain_select_options._fields_ = [
    ("size", c_size_t),
    ("loss", c_int),
    ("classes", c_int64),
    ("intercept", c_bool),
    ("folds", c_int64),
    ("groups", c_int64),
    ("group", c_void_p),
    ("factors", c_void_p),
    ("weights", c_void_p),
    ("seed", c_int64),
    ("form", c_int),
    ("huber_threshold", c_double),
    ("scaling", c_void_p),
    ("knots", c_int64),
    ("waves", c_int64),
]
sustain_select_candidate._fields_ = [
    ("name", c_char_p),
    ("detail", c_char * 256),
    ("numbers", c_int64),
    ("estimate", c_double),
    ("error", c_double),
    ("difference", c_double),
    ("difference_error", c_double),
    ("seconds", c_double),
    ("selected", c_bool),
]
sustain_select_point._fields_ = [("log_penalty", c_double), ("loss", c_double), ("error", c_double)]
sustain_select_result._fields_ = [
    ("candidates", POINTER(sustain_select_candidate)),
    ("count", c_int),
    ("selected", c_int),
    ("penalty", c_void_p),
    ("part", c_double),
    ("y", c_void_p),
    ("single_penalty", c_void_p),
    ("single_y", c_void_p),
    ("path", POINTER(sustain_select_point)),
    ("path_count", c_int),
    ("held_loss", c_void_p),
    ("held_score", c_void_p),
    ("rows", c_int64),
    ("share", c_void_p),
    ("huber_threshold", c_double),
    ("splines", POINTER(sustain_splines)),
    ("fourier", POINTER(sustain_fourier)),
]
sustain_touched._fields_ = [("count", c_int64), ("coordinate", c_void_p)]
sustain_hyper_draw._fields_ = [
    ("xi", sustain_batch),
    ("zeta", POINTER(sustain_batch)),
    ("k", c_int),
    ("K", c_int),
    ("L_g", c_double),
    ("support", c_int64 * 2),
    ("touched", POINTER(sustain_touched)),
]
sustain_momentum_step._fields_ = [
    ("draw", POINTER(sustain_hyper_draw)),
    ("zeta", POINTER(sustain_batch)),
    ("keep", c_double),
    ("beta", c_double),
]
sustain_problem_fast._fields_ = [
    ("size", c_size_t),
    ("support_per_sample", c_int64 * 2),
    ("support", CFUNCTYPE(c_int64, c_void_p, c_int, c_void_p, c_void_p)),
    ("table_width", CFUNCTYPE(c_int64, c_void_p, c_int)),
    ("table_rows", CFUNCTYPE(c_int, c_void_p, c_int, c_void_p, c_void_p, c_void_p, c_void_p, c_void_p, c_void_p)),
    ("table_add", CFUNCTYPE(c_int, c_void_p, c_int, c_void_p, c_void_p, c_double, c_void_p, c_void_p)),
    ("table_rest", CFUNCTYPE(c_int, c_void_p, c_int, c_void_p, c_void_p, c_void_p, c_void_p, c_void_p)),
    ("g_grad_y_pair", CFUNCTYPE(c_int, c_void_p, c_void_p, c_void_p, c_void_p, c_void_p, c_void_p, c_void_p, c_void_p, c_void_p)),
    ("hyper_pair", CFUNCTYPE(c_int, c_void_p, c_void_p, c_void_p, c_void_p, c_void_p, c_void_p, c_void_p, c_void_p, c_void_p)),
    ("lists_touched", c_bool),
    ("momentum_step", CFUNCTYPE(c_int, c_void_p, c_void_p, c_void_p, c_void_p, c_void_p, c_void_p, c_void_p, c_void_p, c_void_p, c_void_p)),
    ("prefetch", CFUNCTYPE(None, c_void_p, c_int, c_void_p)),
    ("project_y", CFUNCTYPE(c_int, c_void_p, c_void_p)),
]
sustain_profile._fields_ = [
    ("size", c_size_t),
    ("seconds", c_double * 16),
    ("exchange_seconds", c_double),
    ("exchanges", c_int64),
    ("bytes_sent", c_int64),
    ("bytes_received", c_int64),
]
sustain_quadratic_options._fields_ = [
    ("size", c_size_t),
    ("upper_dim", c_int64),
    ("lower_dim", c_int64),
    ("samples", c_int64),
    ("mu_g", c_double),
    ("L_g", c_double),
    ("C_gxy", c_double),
    ("C_fy", c_double),
    ("phi", c_int),
    ("curvature", c_double),
    ("wave", c_double),
    ("noise_f", c_double),
    ("noise_g", c_double),
    ("noise_hess", c_double),
    ("noise_cross", c_double),
    ("start", c_double),
    ("radius", c_double),
    ("seed", c_int64),
]
sustain_tune_options._fields_ = [
    ("size", c_size_t),
    ("model", POINTER(sustain_regtune_options)),
    ("from_x_0", c_bool),
    ("solver", c_char_p),
    ("seed", c_int64),
    ("watched", POINTER(sustain_rows)),
    ("test", POINTER(sustain_rows)),
]
sustain_tune_score._fields_ = [
    ("log_penalty", c_double),
    ("upper_loss", c_double),
    ("norm_squared", c_double),
    ("test_loss", c_double),
    ("test_accuracy", c_double),
    ("seconds", c_double),
]
sustain_tune_result._fields_ = [
    ("x", c_void_p),
    ("y", c_void_p),
    ("exact", c_bool),
    ("score", sustain_tune_score),
    ("single", sustain_tune_score),
    ("none", sustain_tune_score),
    ("constant", sustain_tune_score),
    ("path", POINTER(sustain_tune_score)),
    ("point", c_int64),
]
sustain_meta_options._fields_ = [
    ("size", c_size_t),
    ("dataset", c_char_p),
    ("method", c_int),
    ("hypergradient", c_int),
    ("direction", c_int),
    ("option", c_int),
    ("first_order", c_bool),
    ("ways", c_int64),
    ("shots", c_int64),
    ("queries", c_int64),
    ("tasks", c_int64),
    ("training_tasks", c_int64),
    ("width", c_int64),
    ("inner_steps", c_int64),
    ("inner_step", c_double),
    ("outer_step", c_double),
    ("lambda", c_double),
    ("tolerance", c_double),
    ("c_eta", c_double),
    ("least_scale", c_double),
    ("K", c_int64),
    ("layers", c_int),
    ("seed", c_uint64),
    ("solver", c_char_p),
]
sustain_meta_progress._fields_ = [("loss", c_double), ("accuracy", c_double), ("norm", c_double)]
sustain_meta_trial._fields_ = [
    ("size", c_size_t),
    ("tasks", c_int64),
    ("queries", c_int64),
    ("shots", c_int64),
    ("seed", c_uint64),
    ("stream", c_uint32),
    ("quick", c_bool),
]
sustain_meta_score._fields_ = [
    ("accuracy", c_double),
    ("interval", c_double),
    ("support_accuracy", c_double),
    ("support_interval", c_double),
    ("loss", c_double),
]
sustain_meta_record._fields_ = [
    ("accuracy", c_double),
    ("iteration", c_int64),
    ("without_progress", c_int64),
    ("seconds", c_double),
    ("train_loss", c_double),
    ("train_accuracy", c_double),
]

STRUCTURES = (
    sustain_annotation,
    sustain_annotators_options,
    sustain_annotator,
    sustain_parameter,
    sustain_constants,
    sustain_steps,
    sustain_plan,
    sustain_batch,
    sustain_problem_ops,
    sustain_problem,
    sustain_check_row,
    sustain_check_report,
    sustain_probabilities,
    sustain_rows,
    sustain_fourier,
    sustain_softmax_options,
    sustain_softmax_part,
    sustain_memory,
    sustain_solver_info,
    sustain_choice,
    sustain_counts,
    sustain_progress,
    sustain_stopping,
    sustain_result,
    sustain_field,
    sustain_clean_options,
    sustain_clean_score,
    sustain_clean_bin,
    sustain_clean_result,
    sustain_clean_rate,
    sustain_group_options,
    sustain_group_errors,
    sustain_communicator,
    sustain_table_options,
    sustain_table_features,
    sustain_picture,
    sustain_dataset,
    sustain_read_options,
    sustain_scaling,
    sustain_named_set,
    sustain_fewshot_about,
    sustain_hyperclean_options,
    sustain_splines,
    sustain_model,
    sustain_pictures,
    sustain_picture_options,
    sustain_task_shape,
    sustain_regtune_options,
    sustain_select_options,
    sustain_select_candidate,
    sustain_select_point,
    sustain_select_result,
    sustain_touched,
    sustain_hyper_draw,
    sustain_momentum_step,
    sustain_problem_fast,
    sustain_profile,
    sustain_quadratic_options,
    sustain_tune_options,
    sustain_tune_score,
    sustain_tune_result,
    sustain_meta_options,
    sustain_meta_progress,
    sustain_meta_trial,
    sustain_meta_score,
    sustain_meta_record,
)

# name: (library, type of the result, types of the arguments)
FUNCTIONS: Dict[str, Tuple[str, Any, List[Any]]] = {
    "sustain_annotators_defaults_for": (
        "sustain-learn",
        None,
        [c_size_t, POINTER(sustain_annotators_options)],
    ),
    "sustain_annotators_estimate": (
        "sustain-learn",
        c_int,
        [c_void_p, POINTER(sustain_annotators_options), POINTER(sustain_annotation), c_int64, c_void_p, POINTER(sustain_annotator)],
    ),
    "sustain_cancel_flag": ("sustain", c_int, [c_void_p]),
    "sustain_check_problem": (
        "sustain",
        c_int,
        [c_void_p, POINTER(sustain_problem), c_void_p, c_void_p, c_int64, c_uint64, POINTER(sustain_check_report)],
    ),
    "sustain_clean_baseline_key": ("sustain-learn", c_char_p, [c_int]),
    "sustain_clean_baseline_title": ("sustain-learn", c_char_p, [c_int]),
    "sustain_clean_create": (
        "sustain-learn",
        c_int,
        [c_void_p, POINTER(sustain_clean_options), POINTER(sustain_rows), POINTER(sustain_rows), POINTER(c_void_p)],
    ),
    "sustain_clean_defaults_for": (
        "sustain-learn",
        None,
        [c_size_t, POINTER(sustain_clean_options)],
    ),
    "sustain_clean_destroy": ("sustain-learn", None, [c_void_p]),
    "sustain_clean_finish": (
        "sustain-learn",
        c_int,
        [c_void_p, c_void_p, c_void_p, POINTER(sustain_clean_result)],
    ),
    "sustain_clean_group_errors": (
        "sustain-learn",
        c_int,
        [c_void_p, c_int64, c_int64, c_void_p, c_void_p, POINTER(sustain_group_errors)],
    ),
    "sustain_clean_group_intervals": (
        "sustain-learn",
        c_int,
        [c_void_p, POINTER(sustain_group_options), POINTER(sustain_rows), POINTER(sustain_rows), c_void_p, c_void_p, c_void_p],
    ),
    "sustain_clean_group_weights": (
        "sustain-learn",
        c_int,
        [c_void_p, POINTER(sustain_group_options), POINTER(sustain_rows), POINTER(sustain_rows), c_void_p],
    ),
    "sustain_clean_load_models": ("sustain-learn", c_int, [c_void_p, c_char_p, c_void_p]),
    "sustain_clean_memory": ("sustain-learn", c_int, [c_void_p, POINTER(sustain_memory)]),
    "sustain_clean_noise": (
        "sustain-learn",
        c_int,
        [c_void_p, c_int64, c_int64, POINTER(sustain_clean_rate)],
    ),
    "sustain_clean_problem": ("sustain-learn", POINTER(sustain_problem), [c_void_p]),
    "sustain_clean_rank_score": (
        "sustain-learn",
        c_int,
        [c_void_p, c_int64, c_void_p, c_void_p, c_void_p, c_void_p, c_void_p],
    ),
    "sustain_clean_ranking_text": ("sustain-learn", c_char_p, [c_int]),
    "sustain_clean_save_models": ("sustain-learn", c_int, [c_void_p, c_char_p, c_void_p]),
    "sustain_clean_solver": ("sustain-learn", c_void_p, [c_void_p]),
    "sustain_clean_stopping": ("sustain-learn", sustain_stopping, [c_void_p]),
    "sustain_clean_trusted_accuracy": ("sustain-learn", c_int, [c_void_p, c_void_p, c_void_p]),
    "sustain_constants_table": ("sustain", POINTER(sustain_parameter), [c_void_p]),
    "sustain_constants_unknown": ("sustain", sustain_constants, []),
    "sustain_context_create_for": (
        "sustain",
        c_int,
        [c_size_t, c_int, sustain_allocator, c_void_p, POINTER(c_void_p)],
    ),
    "sustain_context_destroy": ("sustain", None, [c_void_p]),
    "sustain_context_fingerprint": ("sustain", c_uint64, [c_void_p]),
    "sustain_context_memory": ("sustain", c_size_t, [c_void_p]),
    "sustain_context_phase": ("sustain", c_int, [c_void_p, c_int]),
    "sustain_context_profile": ("sustain", c_int, [c_void_p, POINTER(sustain_profile)]),
    "sustain_context_set_cancel": ("sustain", None, [c_void_p, sustain_cancel, c_void_p]),
    "sustain_context_set_communicator": (
        "sustain",
        c_int,
        [c_void_p, POINTER(sustain_communicator)],
    ),
    "sustain_context_set_identity": ("sustain", None, [c_void_p, c_char_p]),
    "sustain_context_set_log": ("sustain", None, [c_void_p, sustain_log_sink, c_void_p]),
    "sustain_context_set_memory_limit": ("sustain", None, [c_void_p, c_size_t]),
    "sustain_context_set_threads": ("sustain", c_int, [c_void_p, c_int]),
    "sustain_context_set_trust_mtime": ("sustain", None, [c_void_p, c_bool]),
    "sustain_context_threads": ("sustain", c_int, [c_void_p]),
    "sustain_csv_delimiter": ("sustain-learn", c_size_t, [c_char_p, c_size_t, c_char_p]),
    "sustain_dataset_corrupt": (
        "sustain-learn",
        c_int,
        [POINTER(sustain_dataset), c_int, c_double, c_uint64],
    ),
    "sustain_dataset_destroy": ("sustain-learn", None, [POINTER(sustain_dataset)]),
    "sustain_dataset_drop_targets": ("sustain-learn", None, [POINTER(sustain_dataset)]),
    "sustain_dataset_join": (
        "sustain-learn",
        c_int,
        [POINTER(sustain_dataset), POINTER(sustain_dataset)],
    ),
    "sustain_dataset_match": (
        "sustain-learn",
        c_int,
        [POINTER(sustain_dataset), POINTER(sustain_dataset)],
    ),
    "sustain_dataset_part": (
        "sustain-learn",
        c_int,
        [POINTER(sustain_dataset), c_int64, c_int64, POINTER(POINTER(sustain_dataset))],
    ),
    "sustain_dataset_read": (
        "sustain-learn",
        c_int,
        [c_void_p, c_char_p, POINTER(sustain_read_options), POINTER(POINTER(sustain_dataset))],
    ),
    "sustain_dataset_read_labels": (
        "sustain-learn",
        c_int,
        [c_void_p, c_char_p, POINTER(sustain_read_options), POINTER(POINTER(sustain_dataset))],
    ),
    "sustain_dataset_set_picture": (
        "sustain-learn",
        c_int,
        [POINTER(sustain_dataset), sustain_picture],
    ),
    "sustain_dataset_subset": (
        "sustain-learn",
        c_int,
        [POINTER(sustain_dataset), c_void_p, c_int64, POINTER(POINTER(sustain_dataset))],
    ),
    "sustain_error": ("sustain", c_char_p, [c_void_p]),
    "sustain_estimate_constants": (
        "sustain",
        c_int,
        [c_void_p, POINTER(sustain_problem), c_int64, c_uint64, c_void_p, c_void_p, POINTER(sustain_constants)],
    ),
    "sustain_estimate_largest": (
        "sustain",
        c_int,
        [c_void_p, POINTER(sustain_problem), c_int64, c_uint64, c_void_p, c_void_p, c_void_p],
    ),
    "sustain_estimate_steady": (
        "sustain",
        c_int,
        [c_void_p, POINTER(sustain_problem), c_int64, c_uint64, c_void_p, c_void_p, c_void_p],
    ),
    "sustain_fewshot_adapt": (
        "sustain-fewshot",
        c_int,
        [c_void_p, POINTER(c_void_p), c_void_p, c_int64],
    ),
    "sustain_fewshot_create": (
        "sustain-fewshot",
        c_int,
        [c_void_p, c_void_p, c_int64, c_int64, POINTER(c_void_p)],
    ),
    "sustain_fewshot_destroy": ("sustain-fewshot", None, [c_void_p]),
    "sustain_fewshot_features": ("sustain-fewshot", c_int, [c_void_p, c_void_p, c_void_p]),
    "sustain_fewshot_model_about": ("sustain-fewshot", sustain_fewshot_about, [c_void_p]),
    "sustain_fewshot_model_destroy": ("sustain-fewshot", None, [c_void_p]),
    "sustain_fewshot_model_parse": (
        "sustain-fewshot",
        c_int,
        [c_void_p, c_char_p, c_void_p, c_size_t, POINTER(c_void_p)],
    ),
    "sustain_fewshot_model_read": (
        "sustain-fewshot",
        c_int,
        [c_void_p, c_char_p, POINTER(c_void_p)],
    ),
    "sustain_fewshot_normalize": ("sustain-fewshot", c_int, [c_void_p, POINTER(c_void_p), c_int64]),
    "sustain_fewshot_predict": ("sustain-fewshot", c_int, [c_void_p, c_void_p, c_void_p]),
    "sustain_fewshot_predict_together": (
        "sustain-fewshot",
        c_int,
        [c_void_p, POINTER(c_void_p), c_void_p, c_int64, POINTER(c_void_p), c_int64, c_void_p],
    ),
    "sustain_field_size": ("sustain", c_size_t, [c_int]),
    "sustain_generated_create": (
        "sustain-learn",
        c_int,
        [c_void_p, c_int64, c_uint64, POINTER(POINTER(sustain_dataset))],
    ),
    "sustain_group_defaults_for": (
        "sustain-learn",
        None,
        [c_size_t, POINTER(sustain_group_options)],
    ),
    "sustain_hash": ("sustain", c_uint64, [c_void_p, c_size_t, c_uint64]),
    "sustain_hyperclean_create": (
        "sustain",
        c_int,
        [c_void_p, POINTER(sustain_hyperclean_options), POINTER(sustain_rows), POINTER(sustain_rows), POINTER(POINTER(sustain_problem))],
    ),
    "sustain_hyperclean_defaults_for": (
        "sustain",
        None,
        [c_size_t, POINTER(sustain_hyperclean_options)],
    ),
    "sustain_hyperclean_destroy": ("sustain", None, [POINTER(sustain_problem)]),
    "sustain_hypergradient": (
        "sustain",
        c_int,
        [c_void_p, POINTER(sustain_problem), POINTER(sustain_batch), POINTER(sustain_batch), c_void_p, c_void_p, c_int, c_double, c_void_p],
    ),
    "sustain_lower_solve": (
        "sustain",
        c_int,
        [c_void_p, POINTER(sustain_problem), POINTER(sustain_batch), c_void_p, c_double, c_void_p],
    ),
    "sustain_memory_check": ("sustain", c_int, [c_void_p, POINTER(sustain_memory)]),
    "sustain_memory_key": ("sustain", c_char_p, [c_int]),
    "sustain_meta_baselines": (
        "sustain-fewshot",
        c_int,
        [c_void_p, POINTER(sustain_pictures), POINTER(sustain_meta_trial), POINTER(sustain_meta_score), POINTER(sustain_meta_score)],
    ),
    "sustain_meta_best": ("sustain-fewshot", POINTER(sustain_meta_record), [c_void_p]),
    "sustain_meta_create": (
        "sustain-fewshot",
        c_int,
        [c_void_p, POINTER(sustain_meta_options), POINTER(sustain_pictures), POINTER(c_void_p)],
    ),
    "sustain_meta_defaults_for": (
        "sustain-fewshot",
        None,
        [c_size_t, POINTER(sustain_meta_options)],
    ),
    "sustain_meta_destroy": ("sustain-fewshot", None, [c_void_p]),
    "sustain_meta_dim": ("sustain-fewshot", c_int64, [c_void_p]),
    "sustain_meta_evaluate": (
        "sustain-fewshot",
        c_int,
        [c_void_p, POINTER(sustain_pictures), POINTER(sustain_meta_trial), POINTER(sustain_meta_score)],
    ),
    "sustain_meta_iteration": ("sustain-fewshot", c_int64, [c_void_p]),
    "sustain_meta_layers": ("sustain-fewshot", c_char_p, [c_void_p]),
    "sustain_meta_load": ("sustain-fewshot", c_int, [c_void_p, c_char_p]),
    "sustain_meta_look": ("sustain-fewshot", c_bool, [c_void_p, c_double]),
    "sustain_meta_memory": (
        "sustain-fewshot",
        c_int,
        [c_void_p, POINTER(sustain_pictures), POINTER(sustain_meta_trial), POINTER(sustain_memory)],
    ),
    "sustain_meta_method_name": ("sustain-fewshot", c_char_p, [c_void_p]),
    "sustain_meta_open": ("sustain-fewshot", c_int, [c_void_p, c_char_p, POINTER(c_void_p)]),
    "sustain_meta_parameters": ("sustain-fewshot", POINTER(sustain_parameter), [c_void_p]),
    "sustain_meta_problem_create": (
        "sustain-fewshot",
        c_int,
        [c_void_p, POINTER(sustain_meta_options), POINTER(sustain_pictures), POINTER(POINTER(sustain_problem))],
    ),
    "sustain_meta_problem_destroy": ("sustain-fewshot", None, [POINTER(sustain_problem)]),
    "sustain_meta_save": ("sustain-fewshot", c_int, [c_void_p, c_char_p]),
    "sustain_meta_settled": ("sustain-fewshot", POINTER(sustain_meta_options), [c_void_p]),
    "sustain_meta_solver": ("sustain-fewshot", c_void_p, [c_void_p]),
    "sustain_meta_step": ("sustain-fewshot", c_int, [c_void_p, POINTER(sustain_meta_progress)]),
    "sustain_meta_write_best": ("sustain-fewshot", c_int, [c_void_p, c_char_p]),
    "sustain_meta_write_model": ("sustain-fewshot", c_int, [c_void_p, c_char_p]),
    "sustain_minimize": (
        "sustain",
        c_int,
        [c_void_p, POINTER(sustain_problem), c_char_p, POINTER(sustain_stopping), c_void_p, c_void_p, POINTER(sustain_result)],
    ),
    "sustain_model_destroy": ("sustain-learn", None, [POINTER(sustain_model)]),
    "sustain_model_features": (
        "sustain-learn",
        c_int,
        [c_void_p, POINTER(sustain_splines), POINTER(sustain_fourier), POINTER(sustain_rows), c_int64, c_int64, c_void_p],
    ),
    "sustain_model_read": (
        "sustain-learn",
        c_int,
        [c_void_p, c_char_p, POINTER(POINTER(sustain_model))],
    ),
    "sustain_model_write": ("sustain-learn", c_int, [c_void_p, c_char_p, POINTER(sustain_model)]),
    "sustain_named_at": ("sustain-learn", POINTER(sustain_named_set), [c_int]),
    "sustain_named_count": ("sustain-learn", c_int, []),
    "sustain_named_find": ("sustain-learn", c_bool, [c_char_p, c_char_p, c_char_p, c_size_t]),
    "sustain_named_read": (
        "sustain-learn",
        c_int,
        [c_void_p, c_char_p, c_char_p, c_int, POINTER(sustain_read_options), POINTER(POINTER(sustain_dataset))],
    ),
    "sustain_nearest_name": ("sustain", c_char_p, [c_char_p, POINTER(c_char_p), c_int]),
    "sustain_npy_write": (
        "sustain-learn",
        c_int,
        [c_void_p, c_char_p, c_int, c_int, c_void_p, c_void_p],
    ),
    "sustain_outer": (
        "sustain",
        c_int,
        [c_void_p, POINTER(sustain_problem), POINTER(sustain_batch), POINTER(sustain_batch), c_void_p, c_double, c_void_p, c_void_p, c_void_p],
    ),
    "sustain_pack_add": ("sustain-learn", c_int, [c_void_p, POINTER(sustain_dataset)]),
    "sustain_pack_add_file": (
        "sustain-learn",
        c_int,
        [c_void_p, c_char_p, POINTER(sustain_read_options)],
    ),
    "sustain_pack_add_picture": (
        "sustain-learn",
        c_int,
        [c_void_p, sustain_picture, c_void_p, c_char_p],
    ),
    "sustain_pack_write": (
        "sustain-learn",
        c_int,
        [c_void_p, c_char_p, sustain_pack_fill, c_void_p, c_void_p],
    ),
    "sustain_parallel_for": (
        "sustain",
        c_int,
        [c_void_p, c_int64, sustain_parallel_task, c_void_p],
    ),
    "sustain_parameter_print": (
        "sustain",
        None,
        [POINTER(sustain_parameter), c_void_p, c_char_p, c_size_t],
    ),
    "sustain_parameters_reset": ("sustain", None, [POINTER(sustain_parameter), c_int, c_void_p]),
    "sustain_parameters_set": (
        "sustain",
        c_int,
        [c_void_p, POINTER(sustain_parameter), c_int, c_void_p, c_char_p, c_char_p],
    ),
    "sustain_parameters_set_number": (
        "sustain",
        c_int,
        [c_void_p, POINTER(sustain_parameter), c_int, c_void_p, c_char_p, c_double],
    ),
    "sustain_phase_key": ("sustain", c_char_p, [c_int]),
    "sustain_philox": ("sustain", None, [c_void_p, c_void_p, c_void_p]),
    "sustain_picture_read": (
        "sustain-learn",
        c_int,
        [c_void_p, c_char_p, c_int64, c_int64, c_int64, c_void_p],
    ),
    "sustain_pictures_destroy": ("sustain-learn", None, [POINTER(sustain_pictures)]),
    "sustain_pictures_folder": (
        "sustain-learn",
        c_int,
        [c_void_p, c_char_p, c_int, POINTER(sustain_picture_options), POINTER(POINTER(sustain_pictures))],
    ),
    "sustain_pictures_named": (
        "sustain-learn",
        c_int,
        [c_void_p, c_char_p, c_char_p, c_int, POINTER(sustain_picture_options), POINTER(POINTER(sustain_pictures))],
    ),
    "sustain_plan_bound_at": (
        "sustain",
        c_double,
        [POINTER(sustain_constants), POINTER(sustain_plan), c_double],
    ),
    "sustain_plan_for_epsilon": (
        "sustain",
        c_int,
        [c_void_p, POINTER(sustain_constants), c_bool, c_double, POINTER(sustain_plan)],
    ),
    "sustain_plan_nonconvex": (
        "sustain",
        c_int,
        [c_void_p, POINTER(sustain_constants), c_double, POINTER(sustain_plan)],
    ),
    "sustain_plan_strongly_convex": (
        "sustain",
        c_int,
        [c_void_p, POINTER(sustain_constants), c_double, POINTER(sustain_plan)],
    ),
    "sustain_png_encode": (
        "sustain-learn",
        c_int,
        [c_void_p, c_void_p, sustain_picture, POINTER(c_void_p), c_void_p],
    ),
    "sustain_png_free": ("sustain-learn", None, [c_void_p, c_void_p]),
    "sustain_precision": ("sustain", c_char_p, []),
    "sustain_probabilities_check": (
        "sustain-learn",
        c_int,
        [c_void_p, POINTER(sustain_probabilities)],
    ),
    "sustain_probabilities_destroy": ("sustain-learn", None, [POINTER(sustain_probabilities)]),
    "sustain_probabilities_name": (
        "sustain-learn",
        c_char_p,
        [POINTER(sustain_probabilities), c_int64],
    ),
    "sustain_probabilities_read": (
        "sustain-learn",
        c_int,
        [c_void_p, c_char_p, c_bool, POINTER(POINTER(sustain_probabilities))],
    ),
    "sustain_probabilities_row": (
        "sustain-learn",
        None,
        [POINTER(sustain_probabilities), c_int64, c_void_p],
    ),
    "sustain_probabilities_subset": (
        "sustain-learn",
        c_int,
        [c_void_p, POINTER(sustain_probabilities), c_void_p, c_int64, POINTER(POINTER(sustain_probabilities))],
    ),
    "sustain_problem_offers": ("sustain", c_uint, [POINTER(sustain_problem)]),
    "sustain_quadratic_create": (
        "sustain",
        c_int,
        [c_void_p, POINTER(sustain_quadratic_options), POINTER(POINTER(sustain_problem))],
    ),
    "sustain_quadratic_defaults_for": (
        "sustain",
        None,
        [c_size_t, POINTER(sustain_quadratic_options)],
    ),
    "sustain_quadratic_destroy": ("sustain", None, [POINTER(sustain_problem)]),
    "sustain_quadratic_lower": ("sustain", None, [POINTER(sustain_problem), c_void_p, c_void_p]),
    "sustain_quadratic_minimum": ("sustain", c_double, [POINTER(sustain_problem), c_void_p]),
    "sustain_quadratic_table": ("sustain", POINTER(sustain_parameter), [c_void_p]),
    "sustain_quadratic_value": (
        "sustain",
        c_double,
        [POINTER(sustain_problem), c_void_p, c_void_p],
    ),
    "sustain_random_bits": ("sustain", c_uint64, [c_uint64, c_uint32, c_uint64, c_uint32]),
    "sustain_random_index": ("sustain", c_int64, [c_uint64, c_uint32, c_uint64, c_uint32, c_int64]),
    "sustain_random_indices": (
        "sustain",
        None,
        [c_uint64, c_uint32, c_uint64, c_int64, c_int64, c_void_p],
    ),
    "sustain_random_normal": ("sustain", c_double, [c_uint64, c_uint32, c_uint64, c_uint32]),
    "sustain_random_permuted": (
        "sustain",
        c_int64,
        [c_uint64, c_uint32, c_uint64, c_int64, c_int64],
    ),
    "sustain_random_uniform": ("sustain", c_double, [c_uint64, c_uint32, c_uint64, c_uint32]),
    "sustain_regtune_create": (
        "sustain",
        c_int,
        [c_void_p, POINTER(sustain_regtune_options), POINTER(sustain_rows), POINTER(sustain_rows), POINTER(POINTER(sustain_problem))],
    ),
    "sustain_regtune_defaults_for": ("sustain", None, [c_size_t, POINTER(sustain_regtune_options)]),
    "sustain_regtune_destroy": ("sustain", None, [POINTER(sustain_problem)]),
    "sustain_regtune_outer": (
        "sustain",
        c_int,
        [POINTER(sustain_problem), c_void_p, c_double, c_void_p, c_void_p, c_void_p],
    ),
    "sustain_regtune_score": (
        "sustain",
        c_int,
        [POINTER(sustain_problem), POINTER(sustain_rows), c_void_p, c_void_p, c_void_p],
    ),
    "sustain_regtune_solve": (
        "sustain",
        c_int,
        [POINTER(sustain_problem), c_void_p, c_double, c_void_p],
    ),
    "sustain_rows_all_same": ("sustain", c_bool, [POINTER(sustain_rows)]),
    "sustain_scaling_apply": (
        "sustain-learn",
        c_int,
        [POINTER(sustain_scaling), POINTER(sustain_dataset)],
    ),
    "sustain_scaling_create": (
        "sustain-learn",
        c_int,
        [POINTER(sustain_dataset), c_int, POINTER(POINTER(sustain_scaling))],
    ),
    "sustain_scaling_destroy": ("sustain-learn", None, [POINTER(sustain_scaling)]),
    "sustain_scaling_drop_mean": ("sustain-learn", None, [POINTER(sustain_scaling)]),
    "sustain_select_create": (
        "sustain-learn",
        c_int,
        [c_void_p, POINTER(sustain_select_options), POINTER(sustain_rows), POINTER(sustain_rows), POINTER(c_void_p)],
    ),
    "sustain_select_defaults_for": (
        "sustain-learn",
        None,
        [c_size_t, POINTER(sustain_select_options)],
    ),
    "sustain_select_destroy": ("sustain-learn", None, [c_void_p]),
    "sustain_select_folds": ("sustain-learn", c_int64, [c_int64, c_int64]),
    "sustain_select_memory": ("sustain-learn", c_int, [c_void_p, POINTER(sustain_memory)]),
    "sustain_select_run": ("sustain-learn", c_int, [c_void_p, POINTER(sustain_select_result)]),
    "sustain_select_score": (
        "sustain-learn",
        c_int,
        [c_void_p, POINTER(sustain_rows), c_void_p, c_void_p, c_void_p],
    ),
    "sustain_softmax_accuracy": (
        "sustain-learn",
        c_int,
        [c_void_p, POINTER(sustain_softmax_options), POINTER(sustain_rows), c_void_p, c_void_p],
    ),
    "sustain_softmax_defaults_for": (
        "sustain-learn",
        None,
        [c_size_t, POINTER(sustain_softmax_options)],
    ),
    "sustain_softmax_fit": (
        "sustain-learn",
        c_int,
        [c_void_p, POINTER(sustain_softmax_options), POINTER(sustain_softmax_part), c_int, c_void_p],
    ),
    "sustain_softmax_predict": (
        "sustain-learn",
        c_int,
        [c_void_p, POINTER(sustain_softmax_options), POINTER(sustain_rows), c_void_p, c_void_p, c_void_p],
    ),
    "sustain_softmax_size": ("sustain-learn", c_int64, [POINTER(sustain_softmax_options), c_int64]),
    "sustain_solver_at": ("sustain", POINTER(sustain_solver_info), [c_int]),
    "sustain_solver_attach": ("sustain", c_int, [c_void_p, c_char_p, c_int, c_int64, c_void_p]),
    "sustain_solver_choice": ("sustain", POINTER(sustain_choice), [c_int]),
    "sustain_solver_count": ("sustain", c_int, []),
    "sustain_solver_counts": ("sustain", sustain_counts, [c_void_p]),
    "sustain_solver_create": (
        "sustain",
        c_int,
        [c_void_p, c_char_p, POINTER(sustain_problem), POINTER(c_void_p)],
    ),
    "sustain_solver_describe": ("sustain", POINTER(sustain_solver_info), [c_void_p]),
    "sustain_solver_destroy": ("sustain", None, [c_void_p]),
    "sustain_solver_get": ("sustain", None, [c_void_p, c_char_p, c_char_p, c_size_t]),
    "sustain_solver_iteration": ("sustain", c_int64, [c_void_p]),
    "sustain_solver_load": ("sustain", c_int, [c_void_p, c_char_p]),
    "sustain_solver_memory": ("sustain", c_int, [c_void_p, POINTER(sustain_memory)]),
    "sustain_solver_release": ("sustain", None, [c_void_p]),
    "sustain_solver_run": (
        "sustain",
        c_int,
        [c_void_p, POINTER(sustain_stopping), POINTER(sustain_result)],
    ),
    "sustain_solver_save": ("sustain", c_int, [c_void_p, c_char_p]),
    "sustain_solver_set": ("sustain", c_int, [c_void_p, c_char_p, c_char_p]),
    "sustain_solver_set_number": ("sustain", c_int, [c_void_p, c_char_p, c_double]),
    "sustain_solver_start": ("sustain", c_int, [c_void_p, c_void_p, c_void_p]),
    "sustain_solver_state": ("sustain", POINTER(sustain_field), [c_void_p, c_void_p]),
    "sustain_solver_step": ("sustain", c_int, [c_void_p]),
    "sustain_solver_steps": ("sustain", sustain_steps, [c_void_p]),
    "sustain_solver_x": ("sustain", c_void_p, [c_void_p]),
    "sustain_solver_y": ("sustain", c_void_p, [c_void_p]),
    "sustain_splines_fill": (
        "sustain-learn",
        c_int,
        [c_void_p, POINTER(sustain_splines), POINTER(sustain_rows), c_int64, c_int64, c_void_p],
    ),
    "sustain_status_name": ("sustain", c_char_p, [c_int]),
    "sustain_status_text": ("sustain", c_char_p, [c_int]),
    "sustain_stop_text": ("sustain", c_char_p, [c_int]),
    "sustain_table_encoding_destroy": ("sustain-learn", None, [c_void_p]),
    "sustain_table_encoding_features": ("sustain-learn", sustain_table_features, [c_void_p]),
    "sustain_table_encoding_read": (
        "sustain-learn",
        c_int,
        [c_void_p, c_char_p, c_char_p, POINTER(c_void_p)],
    ),
    "sustain_table_encoding_share": ("sustain-learn", c_void_p, [c_void_p]),
    "sustain_table_encoding_write": ("sustain-learn", c_int, [c_void_p, POINTER(c_void_p)]),
    "sustain_task_draw": (
        "sustain-learn",
        None,
        [POINTER(sustain_pictures), POINTER(sustain_task_shape), c_uint64, c_uint32, c_uint64, c_void_p, c_void_p, c_void_p],
    ),
    "sustain_tasks_check": (
        "sustain-learn",
        c_int,
        [POINTER(sustain_pictures), POINTER(sustain_task_shape)],
    ),
    "sustain_tune_create": (
        "sustain-learn",
        c_int,
        [c_void_p, POINTER(sustain_tune_options), POINTER(sustain_rows), POINTER(sustain_rows), POINTER(c_void_p)],
    ),
    "sustain_tune_defaults_for": ("sustain-learn", None, [c_size_t, POINTER(sustain_tune_options)]),
    "sustain_tune_destroy": ("sustain-learn", None, [c_void_p]),
    "sustain_tune_ended": ("sustain-learn", c_bool, [c_void_p]),
    "sustain_tune_finish": (
        "sustain-learn",
        c_int,
        [c_void_p, POINTER(sustain_result), POINTER(sustain_tune_result)],
    ),
    "sustain_tune_memory": ("sustain-learn", c_int, [c_void_p, POINTER(sustain_memory)]),
    "sustain_tune_problem": ("sustain-learn", POINTER(sustain_problem), [c_void_p]),
    "sustain_tune_reason": ("sustain-learn", c_char_p, [c_void_p]),
    "sustain_tune_solver": ("sustain-learn", c_void_p, [c_void_p]),
    "sustain_tune_start": ("sustain-learn", c_int, [c_void_p]),
    "sustain_tune_stopping": ("sustain-learn", sustain_stopping, [c_void_p]),
    "sustain_tune_watch": ("sustain-learn", c_int, [c_void_p, POINTER(sustain_progress)]),
    "sustain_tune_watched_loss": ("sustain-learn", c_double, [c_void_p]),
    "sustain_version": ("sustain", c_char_p, []),
    "sustain_version_number": ("sustain", c_int, []),
}
