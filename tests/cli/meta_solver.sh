# An algorithm of the registry trains the backbone; a resumed run equals an uninterrupted one, for
# any number of threads; the model is used as any other.
# long
small="--dataset generated --size 16 --width 4 --ways 3 --shots 2 --queries 2 --tasks 4 --training-tasks 6 --validation-tasks 5 --test-tasks 5 --test-queries 4 --validate-every 2 --quiet"
# shellcheck disable=SC2086
for solver in "sustain --K 3" "soba --set alpha=0.05 --set sampling=shuffle" "stocbio"; do
    "$SUSTAIN" meta train $small --solver $solver --iterations 4 --out whole --threads 1 | head -n 1
    "$SUSTAIN" meta train $small --solver $solver --iterations 2 --out parts --threads 3 > /dev/null
    "$SUSTAIN" meta train --iterations 4 --out parts --resume --quiet --threads 2 > /dev/null
    cmp whole/model.safetensors parts/model.safetensors && echo "the same model"
    python3 -c 'import json; r = json.load(open("whole/result.json")); print(r["method"], r["iterations"], r["options"]["method"], r["options"]["training_tasks"])'
done
"$SUSTAIN" meta eval whole --tasks 5 --queries 4 --quiet
many="--solver fedbioacc --set clients=2 --iterations 4"
# shellcheck disable=SC2086
{
    "$SUSTAIN" meta train $small $many --local-steps 3 --out flag > /dev/null
    "$SUSTAIN" meta train $small $many --set local_steps=3 --out parameter > /dev/null
    "$SUSTAIN" meta train $small $many --set local_steps=1 --out other > /dev/null
}
cmp flag/model.safetensors parameter/model.safetensors && echo "the same local steps"
cmp -s flag/model.safetensors other/model.safetensors || echo "which matter"
# the probe of schedule=auto is bounded: 200 gradients or products of each of 4 tasks
for bound in "" "--set probe=800" "--set probe=400"; do
    # shellcheck disable=SC2086
    "$SUSTAIN" meta train $small --solver soba --set schedule=auto $bound --iterations 3 --out "auto$bound" > /dev/null
    python3 -c 'import json, sys; print(json.loads(open(sys.argv[1]).readlines()[-1])["upper_norm"])' "auto$bound/metrics.jsonl"
done | uniq -c | awk '{ print $1 }'
# its steps are for some hundred iterations, with an L_g that is estimated; given steps have a bound
last() { # options: how long the last step was
    # shellcheck disable=SC2086
    "$SUSTAIN" meta train $small --solver soba "$@" --iterations 3 --out last > /dev/null
    python3 -c 'import json; print(json.loads(open("last/metrics.jsonl").readlines()[-1])["upper_norm"])'
}
[ "$(last --set schedule=auto)" = "$(last --set schedule=auto --set noise=1)" ] && echo "noise shortens little"
[ "$(last --set schedule=auto)" = "$(last --set schedule=auto --set L_g=0)" ] && echo "L_g is estimated"
[ "$(last --set schedule=auto)" = "$(last --set schedule=auto --set noise=110)" ] || echo "unless asked"
[ "$(last)" = "$(last --set L_g=0)" ] && echo "0 is a bound for given steps"
