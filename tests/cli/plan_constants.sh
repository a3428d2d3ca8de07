"$SUSTAIN" plan --mu_g 1 --L_g 4 --L_fx 1 --L_fy 1 --C_fy 1 --L_gxy 0 --L_gyy 0 --C_gxy 1
