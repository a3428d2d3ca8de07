# --mu_g, --mu-g, --mu_g=1 and --set mu_g=1 are the same; the last one given counts.
rest="--L_fx 1 --L_fy 1 --C_fy 1 --L_gxy 0 --L_gyy 0 --C_gxy 1"
"$SUSTAIN" plan --mu_g 1 --L_g 4 $rest >expected
for spelling in "--mu-g 1 --L-g 4" "--mu_g=1 --L_g=4" "--set mu_g=1 --set L_g=4" "--set mu-g=1 --L_g 9 --L_g 4" "--mu_g 1e0 --L_g 4.0"; do
    "$SUSTAIN" plan $spelling $rest | cmp expected - || exit 1
done
