/* folder_lock.h - one run at a time in a folder. */
#ifndef SUSTAIN_CLI_FOLDER_LOCK_H
#define SUSTAIN_CLI_FOLDER_LOCK_H

/* Locks a folder until the program ends, however it ends. Where another process has it, says which and returns EXIT_USAGE. */
int folder_lock(const char *folder);

#endif
