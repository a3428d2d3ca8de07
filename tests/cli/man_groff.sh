# groff has nothing to say about the man page.
needs groff
"$SUSTAIN" --man >sustain.1
groff -man -Tascii -wall sustain.1 >/dev/null
