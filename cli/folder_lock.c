/* folder_lock.c - a lock on the file .lock of a folder, which has the process id of its owner. The
 * system lifts the lock when that process ends, so that a killed run leaves none behind; a file
 * without a lock means nothing. */
#define _DEFAULT_SOURCE /* flock */
#include "folder_lock.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "output.h"

static char locked[LONGEST_PATH]; /* the file to remove in the end */
static pid_t owner;

static void unlock(void) {
    if (getpid() == owner) remove(locked); /* a child that was forked is not the owner */
}

static int refuse(int file, const char *folder) {
    char pid[32] = "";
    const ssize_t got = pread(file, pid, sizeof pid - 1, 0);
    pid[got > 0 ? strcspn(pid, "\n") : 0] = '\0';
    close(file);
    return complain(EXIT_USAGE, "the process %s is writing to the folder %s: wait for its end, or choose another folder with --out",
                    pid[0] != '\0' ? pid : "of another run", folder);
}

/* Whether the file is still the one of that name: its last owner may have removed it between our
 * opening and locking it. */
static bool is_current(int file, const char *path) {
    struct stat here, there;
    return fstat(file, &here) == 0 && stat(path, &there) == 0 && here.st_ino == there.st_ino && here.st_dev == there.st_dev;
}

/* The process that gave a file a name for what is not yet complete; -1: another name. */
static long writer_of(const char *name) {
    const char *mark = strstr(name, ".tmp.");
    if (mark == NULL || !isdigit((unsigned char)mark[5]) || strspn(mark + 5, "0123456789abcdef.") != strlen(mark + 5)) return -1;
    return strtol(mark + 5, NULL, 10);
}

/* What is not complete in a folder: all of it, or (name not NULL) what was to become the file of
 * that name, by processes that have ended. */
static void sweep(const char *folder, const char *name) {
    char path[LONGEST_PATH];
    const size_t length = name != NULL ? strlen(name) : 0;
    DIR *all = opendir(folder);
    const struct dirent *entry;
    while (all != NULL && (entry = readdir(all)) != NULL) {
        const long writer = writer_of(entry->d_name);
        if (writer <= 0) continue;
        if (name != NULL && (strncmp(entry->d_name, name, length) != 0 || strncmp(entry->d_name + length, ".tmp.", 5) != 0)) continue;
        if (name != NULL && (kill((pid_t)writer, 0) == 0 || errno != ESRCH)) continue;
        if (snprintf(path, sizeof path, "%s/%s", folder, entry->d_name) < (int)sizeof path) remove(path);
    }
    if (all != NULL) closedir(all);
}

void folder_sweep(const char *folder) {
    sweep(folder, NULL);
}

void file_sweep(const char *path) {
    char folder[LONGEST_PATH];
    const char *name = split_path(path, folder);
    sweep(folder, name);
}

int folder_lock(const char *folder) {
    char path[LONGEST_PATH];
    for (;;) {
        if (snprintf(path, sizeof path, "%s/.lock", folder) >= (int)sizeof path)
            return complain(EXIT_USAGE, "the name of the folder is too long");
        const int file = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0666);
        if (file < 0) return complain(EXIT_FAILED, "cannot write %s: %s", path, strerror(errno));
        const bool got = flock(file, LOCK_EX | LOCK_NB) == 0;
        if (!got && errno == EWOULDBLOCK) return refuse(file, folder);
        if (!is_current(file, path)) { /* made anew */
            close(file);
            continue;
        }
        if (ftruncate(file, 0) == 0) dprintf(file, "%ld\n", (long)getpid()); /* the file stays open; a file system without locks has none */
        snprintf(locked, sizeof locked, "%s", path);
        owner = getpid();
        atexit(unlock);
        folder_sweep(folder);
        return EXIT_DONE;
    }
}

int folder_refuse_links(const char *folder) {
    char path[LONGEST_PATH];
    struct stat about;
    int code = EXIT_DONE;
    DIR *all = opendir(folder);
    const struct dirent *entry;
    while (all != NULL && code == EXIT_DONE && (entry = readdir(all)) != NULL)
        if (snprintf(path, sizeof path, "%s/%s", folder, entry->d_name) < (int)sizeof path && lstat(path, &about) == 0 &&
            !S_ISREG(about.st_mode) && !S_ISDIR(about.st_mode))
            code = complain(EXIT_USAGE, "%s is a %s, and a run has no file outside its folder: remove it, or choose another folder", path,
                            S_ISLNK(about.st_mode) ? "symbolic link" : "pipe or device");
    if (all != NULL) closedir(all);
    return code;
}
