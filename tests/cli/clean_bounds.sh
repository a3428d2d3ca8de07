# The interval of the number of wrong labels holds what verified rows say for certain: those that
# were found wrong are, those that were found right are not.
for wrong in 9 5 0; do
    awk -v wrong=$wrong 'BEGIN { srand(5); print "x,z,kind" > "data.csv"; print "row,label" > "checked.csv"
        for (i = 0; i < 60; i++) { k = i % 3; given = i < wrong ? (k + 1) % 3 : int(3 * rand())
            if (i >= wrong && i < 10) given = k
            print k + 2 * rand() "," 2 * rand() - k "," given > "data.csv"
            if (i < 10) print i "," k > "checked.csv" } }'
    "$SUSTAIN" clean --features data.csv --label-column kind --verified checked.csv --threads 1 --out run --json 2>/dev/null |
        awk -v wrong=$wrong -F '[ ,:]+' '/"estimated_errors/ { v[$2] = $3 }
            END { low = v["\"estimated_errors_low\""]; high = v["\"estimated_errors_high\""]; all = v["\"estimated_errors\""]
                print wrong, (low >= wrong), (all >= low), (high >= all), (high <= 50 + wrong) }'
done
