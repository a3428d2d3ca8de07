# One sentence each, exit code 2, nothing written.
needs python3
model=$CASES/../../examples/fewshot.safetensors
python3 "$CASES/support/stripes.py" photos 1 0
mkdir one empty broken
cp -r photos/lying one
head -c 90 photos/lying/0.png > broken/0.png
cp broken/0.png broken/1.png # the sentence is about the first, whoever reads it
try() {
    "$SUSTAIN" meta "$@" 2>&1
    echo "exit code $?"
    [ ! -e out ] || echo "something was written"
}
try adapt
try adapt "$model" --query photos
try adapt "$model" --support photos
try adapt "$model" --support photos --query
try adapt nowhere --support photos --query photos
try adapt empty --support photos --query photos
try adapt photos/lying/0.png --support photos --query photos
try adapt "$model" --support nowhere --query photos
try adapt "$model" --support empty --query photos
try adapt "$model" --support one --query photos
try adapt "$model" --support photos --query nowhere.png --out out
try adapt "$model" --support photos --query empty --out out
try adapt "$model" --support photos --query broken --out out
try embed "$model"
try embed "$model" photos
try embed "$model" empty --out out
try embed "$model" broken --out out
"$SUSTAIN" meta train --dataset generated --size 16 --width 4 --ways 2 --shots 1 --queries 1 --tasks 1 --validation-tasks 1 --test-tasks 1 --iterations 1 \
    --method anil --out run --quiet > /dev/null
try adapt run --support photos --query photos

# A pipe would be waited for, and a link to nothing is a picture too few.
mkfifo photos/lying/pipe.png
try adapt "$model" --support photos --query photos/lying/0.png
try embed "$model" photos --out out
rm photos/lying/pipe.png && ln -s nowhere photos/lying/gone.png
try adapt "$model" --support photos --query photos/lying/0.png
