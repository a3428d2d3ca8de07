/* folder_lock.h - one run at a time in a folder. */
#ifndef SUSTAIN_CLI_FOLDER_LOCK_H
#define SUSTAIN_CLI_FOLDER_LOCK_H

/* Locks the folder until the program ends, however it ends. Where another process has it, says
 * which and returns EXIT_USAGE. */
int folder_lock(const char *folder);

/* Removes what a killed process was writing in this folder: files with the names that write_file()
 * and the library give to what is not yet complete. Not in folders below it. */
void folder_sweep(const char *folder);

/* The same for one file that is written by itself, unless the process still lives. */
void file_sweep(const char *path);

/* Refuses a folder with a symbolic link in it, through which a run would read or write elsewhere,
 * or with a pipe, which may wait for ever. Not in folders below it. */
int folder_refuse_links(const char *folder);

#endif
