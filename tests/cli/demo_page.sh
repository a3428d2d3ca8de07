# Well-formed, self-contained, and every number of the JSON is on the page.
"$SUSTAIN" demo --iterations 1000 --runs 2 --quiet >/dev/null
if command -v python3 >/dev/null; then
    python3 -c "import xml.dom.minidom as dom; dom.parse(\"demo/chart.svg\")" || exit 1
fi
grep -c "<circle" demo/chart.svg
grep -c "<tr>" demo/index.html
grep -Eo "(src|href)=" demo/index.html demo/chart.svg
grep -o "sustain demo --iterations 1000 --runs 2 --seed 1" demo/index.html
