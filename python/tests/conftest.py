"""What all tests share."""

import signal

# A shell starts background jobs with SIGINT ignored, and Python then never raises KeyboardInterrupt.
signal.signal(signal.SIGINT, signal.default_int_handler)
