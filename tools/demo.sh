#!/bin/sh
# demo.sh - finds the wrong labels in Fashion-MNIST after 40 % of them were made wrong; without that
# data set, in generated pictures.

cd "$(dirname "$0")/.." || exit 1
tools/packages.sh demo
set=fashion-mnist
if ! build/sustain data | grep -q '^fashion-mnist  *yes'; then
    echo "Fashion-MNIST is not on this machine (Debian has it in dataset-fashion-mnist): this demo uses generated pictures."
    set=generated
fi
command="clean --dataset $set --noise 0.4 --trusted-count 1000 --out build/demo"
echo "\$ sustain $command"
# shellcheck disable=SC2086 # words
exec build/sustain $command
