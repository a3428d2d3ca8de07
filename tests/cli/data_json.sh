. "$CASES/support/json.sh"
mkdir -p sets/mnist
for name in train-images-idx3 train-labels-idx1 t10k-images-idx3 t10k-labels-idx1; do touch sets/mnist/$name-ubyte; done
SUSTAIN_DATA=elsewhere "$SUSTAIN" data --data-dir sets --json |
    json data_dir datasets.1.name datasets.1.available datasets.1.folder datasets.2.available datasets.2.folder datasets.6.name datasets.6.available datasets.8.name datasets.8.available
