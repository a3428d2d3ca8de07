/* verbs.h - the commands of the program: one file per verb; verb_list.c has the list. */
#ifndef SUSTAIN_CLI_VERBS_H
#define SUSTAIN_CLI_VERBS_H

#include <stdio.h>

#include "options.h"

extern const verb verb_clean;
extern const verb verb_tune;
extern const verb verb_predict;
extern const verb verb_report;
extern const verb verb_solvers;
extern const verb verb_plan;
extern const verb verb_demo;
extern const verb verb_rates;
extern const verb verb_compare;
extern const verb verb_data;
extern const verb verb_data_pack;
extern const verb verb_meta_train;
extern const verb verb_meta_eval;
extern const verb verb_meta_adapt;
extern const verb verb_meta_embed;
extern const verb verb_help;

/* The program itself (options such as --version), and its verbs. */
extern const verb program;
const verb *verb_at(int i);         /* NULL after the last */
const char *verb_name_at(int i);    /* likewise */
const char *verb_group_at(int i);   /* the title of the group that begins with this verb, or NULL */
const char *verb_example_at(int i); /* a short command, or NULL */
/* The verb of that name, which may be two words ("meta train"); `second` is the word after the
 * first, or NULL. Complains if there is none. */
const verb *verb_find(const char *first, const char *second);
/* Whether a word is no verb, but the first of several: meta. */
bool verb_is_family(const char *first);
bool verb_belongs(int i, const char *first);

/* The folder of named data sets: the given one, else the variable SUSTAIN_DATA, else NULL. */
const char *data_folder(const char *given);

/* The parts of a help text that the man page shares. */
/* "--iterations T" */
void flag_text(const option *row, char *text, size_t size);
/* "--phi linear|sqrt|square" */
void parameter_text(const sustain_parameter *row, char *text, size_t size);
/* with its default */
void help_text(const option *row, char *text, size_t size);
void parameter_help_text(const sustain_parameter *row, char *text, size_t size); /* likewise */
/* "" if there is none */
void default_text(const sustain_parameter *row, char *text, size_t size);
/* The heading before an option; NULL: none. */
const char *section_title(const verb *v, const option *row);
/* "sustain solvers [NAME] [options]" */
void usage_text(const verb *v, char *text, size_t size);

/* help.c */
void print_help(FILE *to, const verb *v);
void print_family_help(FILE *to, const char *first);
void print_man_page(FILE *to);   /* man.c */
void print_completion(FILE *to); /* completion.c: for bash */

#endif
