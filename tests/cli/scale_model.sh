# The model of costs in docs/scale.md runs, and is within 25 % of the CPU seconds of the runs that
# its constants were not fitted to.
needs python3
model="$CASES/../../tools/scale_model.py"
python3 "$model" --check | awk '/^worst of the runs/ { print ($(NF - 1) <= 25 ? "within 25 %" : $0) }'
python3 "$model" | grep -c '^| 20,000,000 '
