// outside.cc - the same program in C++.
#include "outside.c" // NOLINT(bugprone-suspicious-include)
