# Every key that programs rely on; null where the truth is not known. The numbers agree with each
# other and with the files of the run.
. "$CASES/support/json.sh"
python3 "$CASES/support/blobs.py"
keys="solver batch iterations seconds total_seconds iterations_per_second gradients_upper gradients_lower samples_upper samples_lower upper_loss
    trusted_accuracy test_accuracy label_error_auc label_error_auc_weights label_error_auc_classifier precision_at_errors issues seed threads
    baselines.all_labels.test_accuracy baselines.trusted_only.auc baselines.self_confidence.precision_at_errors baselines.drop_and_refit.auc"
files="--features x.npy --labels y.npy --trusted tx.npy --trusted-labels ty.npy --threads 1 --solver sustain --iterations 500"
"$SUSTAIN" clean $files --json >unknown.json
python3 "$CASES/support/clean_numbers.py" unknown.json run/labels.csv y.npy
json $keys <unknown.json | paste -sd " " | sed -E 's/[0-9.]+(e-?[0-9]+)?/N/g'
"$SUSTAIN" clean $files --noise 0.2 --seed 5 --json >known.json
python3 "$CASES/support/clean_numbers.py" known.json run/labels.csv y.npy
json $keys <known.json | paste -sd " " | sed -E 's/[0-9.]+(e-?[0-9]+)?/N/g'
cmp known.json run/result.json
json seed iterations solver threads <known.json
