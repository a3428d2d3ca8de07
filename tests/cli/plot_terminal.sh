# Pictures in the terminal are as wide as it is, number both axes, and hide no curve behind another.
needs python3
python3 - <<'PYTHON'
import fcntl, os, pty, struct, termios

ARGUMENTS = "sustain compare quadratic --solvers soba,soba:batch=1,ttsa --runs 1 --budget 500 --plot --quiet".split()


def screen(columns):
    child, terminal = pty.fork()
    if child == 0:
        fcntl.ioctl(0, termios.TIOCSWINSZ, struct.pack("HHHH", 40, columns, 0, 0))
        os.execv(os.environ["SUSTAIN"], ARGUMENTS)
    text = b""
    try:
        while part := os.read(terminal, 65536):
            text += part
    except OSError:
        pass
    os.waitpid(child, 0)
    return text.decode().replace("\r", "").split("\n")


for columns in (30, 60, 200):
    lines = screen(columns)
    first = lines.index("  |grad ell(x)|^2") + 1
    rule = next(i for i in range(first, len(lines)) if lines[i].strip().startswith("+"))
    picture = lines[first:rule]
    numbered = sum(line[:9].strip() != "" for line in picture)
    marks = "".join(sorted(set("".join(line[10:] for line in picture)) - {" "}))
    print(columns, "width", len(lines[rule]), "numbers", numbered > 1, len(lines[rule + 1].split()) > 1, "marks", marks)
PYTHON
