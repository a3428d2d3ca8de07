"$SUSTAIN" --completion bash >script
bash -n script && . ./script
mkdir folder_one
try() {
    COMP_WORDS=("$@") COMP_CWORD=$(($# - 1))
    _sustain
    echo "$*: ${COMPREPLY[*]}"
}
try sustain ""
try sustain pl
try sustain --ver
try sustain --completion ""
try sustain solvers sus
try sustain help de
try sustain plan --theorem ""
try sustain plan --json --problem q
try sustain plan --phi s
try sustain plan --sigma_g
try sustain plan --mu_g ""
try sustain demo --out fold
try sustain demo --runs ""
try sustain rates --problem s
try sustain rates --solvers ""
try sustain clean --noise-kind p
touch features.npy
try sustain clean --features feat
try sustain clean --out fold
try sustain clean --resu
try sustain meta ""
try sustain meta train --meth
try sustain meta train --method it
