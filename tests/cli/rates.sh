# Tables, plots and the page.
"$SUSTAIN" rates --quick --solvers sustain,saba --problem nonconvex --budget 50 --plot --out here
ls here
grep -Eo "(src|href)=" here/index.html here/nonconvex.svg
if command -v python3 >/dev/null; then
    python3 -c "import xml.dom.minidom as dom; dom.parse(\"here/nonconvex.svg\")" || exit 1
fi
