# A table as people have it: categories, text, missing values, an index, another order of columns;
# the model takes it as it is.
python3 - <<'EOF' || { echo "skipped: no python3"; exit 77; }
import random
random.seed(7)
words = {"spam": ["win", "money", "now", "prize"], "ham": ["meeting", "lunch", "report", "agenda"]}
def rows(n):
    for i in range(n):
        kind = "spam" if i % 3 == 0 else "ham"
        text = " ".join(random.choice(words[kind] + ["the", "of"]) for _ in range(8))
        yield {"": i, "body": text, "size": "" if i % 7 == 0 else 10 * i, "from": "abroad" if kind == "spam" else "home", "same": 3, "kind": kind}
def write(name, columns, n):
    with open(name, "w") as file:
        file.write(",".join(columns) + "\n")
        for row in rows(n):
            file.write(",".join('"%s"' % row[c] if c == "body" else str(row[c]) for c in columns) + "\n")
write("mail.csv", ["", "body", "size", "from", "same", "kind"], 120)
write("new.csv", ["from", "size", "body", "same"], 6)
write("checked.csv", ["kind", "from", "size", "body"], 30)
EOF
"$SUSTAIN" clean --features mail.csv --label-column kind --text-column body --trusted checked.csv --iterations 50 --threads 1 --quiet --out run 2>&1 | head -3
"$SUSTAIN" predict run/model.safetensors new.csv --quiet | cut -d, -f1,2
"$SUSTAIN" predict run/model.safetensors checked.csv --label-column kind --out p.csv
"$SUSTAIN" clean --features mail.csv --label-column kind --ignore-column body --id-column size --trusted-fraction 0.2 --iterations 50 --threads 1 --quiet --out ids >/dev/null 2>&1
"$SUSTAIN" predict ids/model.safetensors new.csv --quiet | cut -d, -f1-3
"$SUSTAIN" clean --features mail.csv --label-column kind --trusted-fraction 0.2 --out other 2>&1
"$SUSTAIN" clean --features mail.csv --label-column kind --text-column subject --trusted-fraction 0.2 --out other 2>&1
"$SUSTAIN" clean --features mail.csv --label-column kind --text-column kind --trusted-fraction 0.2 --out other 2>&1
"$SUSTAIN" clean --dataset generated --text-column body --out other 2>&1
test ! -e other
