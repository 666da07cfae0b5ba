// SPDX-License-Identifier: Apache-2.0
/** filbert: the one program. Finds the command; the commands do the rest. */
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "bench_client.h"
#include "bench_load.h"
#include "client_command.h"
#include "command.h"
#include "filbert/error.h"
#include "job_command.h"
#include "lib/base/attr.h"
#include "lib/os/process.h"
#include "load/protocol.h"
#include "map_command.h"

static const char help_text[] =
    "Filbert " FIL_VERSION ", an in-memory computing platform\n"
    "\n"
    "usage: filbert COMMAND [ARGUMENTS]\n"
    "\n"
    "  start          run a member in the foreground\n"
    "  serve FILE     run a member with the services of a YAML file\n"
    "  map            read and change maps of a running member\n"
    "  job            check, draw and run stream jobs\n"
    "  client list    who is connected to a member\n"
    "  config show    print the options in force; --origin tells where each comes from\n"
    "  config check   check the configuration and exit\n"
    "  config docs    print the reference of all options\n"
    "  bench stages   compare ways to run requests on this machine\n"
    "  bench resp     put load on a server; also memcached, hazelcast, http\n"
    "  bench client   measure the C client\n"
    "  version        print the version\n"
    "  help [COMMAND] this text, or a command's\n"
    "\n"
    "Exit codes: 0 well, 1 failed, 2 wrong usage.\n";

static const char start_help[] =
    "usage: filbert start [--config FILE] [--listen ADDRESS:PORT] [--set NAME=VALUE]...\n"
    "\n"
    "Runs a member in the foreground until SIGTERM, Ctrl-C or the end of its terminal, which end\n"
    "it gracefully; nohup filbert start & outlives the terminal.\n"
    "\n"
    "  --config FILE          read options from a YAML file\n"
    "  --listen ADDRESS:PORT  where to take connections (default 127.0.0.1:5701)\n"
    "  --set NAME=VALUE       set any option; filbert config docs lists them\n"
    "\n"
    "Later wins: file, then environment (FILBERT_NET__LISTEN), then flags.\n";

static const char serve_help[] =
    "usage: filbert serve [--check] FILE [--config FILE] [--listen ADDRESS:PORT]\n"
    "                     [--set NAME=VALUE]...\n"
    "\n"
    "Runs a member as start does, with routes onto maps, topics, other servers and texts that the\n"
    "file lists; docs/services.md explains it. What is wrong is told as FILE:LINE:COLUMN.\n"
    "\n"
    "  --check                only look whether the file is good\n";

static const char config_help[] =
    "usage: filbert config show [--origin] [--config FILE] [--set NAME=VALUE]...\n"
    "       filbert config check [--config FILE] [--set NAME=VALUE]...\n"
    "       filbert config docs\n"
    "\n"
    "show prints YAML that can be used as a configuration file.\n";

static const char bench_help[] =
    "usage: filbert bench stages [--plot FILE.svg] [--seconds N] [--rounds N] [--only NAME,...]\n"
    "                            [--json] [--quick]\n"
    "       filbert bench isolation [--quick]\n"
    "       filbert bench kernel [--quick]\n"
    "       filbert bench store [--quick]\n"
    "       filbert bench resp|memcached|hazelcast|http [--address A:P] [--command NAME] ...\n"
    "       filbert bench client [--address A:P] [--in-flight N] ...\n"
    "\n"
    "stages runs a fixed load against a member in this process with each switch of its kernel on\n"
    "and off, and against small models of other architectures; docs/stage-lab.md explains it.\n"
    "\n"
    "  --plot FILE.svg  draw the figures, too\n"
    "  --seconds N      measure each setting so long under each load, over all rounds (1)\n"
    "  --rounds N       so many rounds (3)\n"
    "  --only NAME,...  these settings only, by the names that --json shows\n"
    "  --json           print every sample instead of tables\n"
    "  --quick          only show that it works\n"
    "\n"
    "isolation, kernel and store print JSON for bench/isolation, bench/stages and bench/growth.\n"
    "\n"
    "resp, memcached, hazelcast and http put load on a server, which may be another program: see\n"
    "filbert help bench resp. client measures the C client: see filbert help bench client.\n";

static const char *program = "filbert";

const char *command_program(void)
{
    return program;
}

static int complain_extra(const char *word)
{
    (void)fprintf(stderr, "filbert: '%s' is not expected here: see filbert help\n", word);
    return EXIT_USAGE;
}

static int command_version(int count, char **words)
{
    if (count > 1) {
        return complain_extra(words[1]);
    }
    (void)printf("filbert %s\n", FIL_VERSION);
    return EXIT_OK;
}

static int command_help(int count, char **words);

struct command {
    const char *name;
    int (*run)(int count, char **words);
    const char *help;
};

static const struct command commands[] = {
    {"start", command_start, start_help},
    {"serve", command_serve, serve_help},
    {"config", command_config, config_help},
    {"bench", command_bench, bench_help},
    {"map", command_map, map_help},
    {"job", command_job, job_help},
    {"client", command_client, client_help},
    {"version", command_version, help_text},
    {"--version", command_version, help_text},
    {"help", command_help, help_text},
    {"--help", command_help, help_text},
    {"-h", command_help, help_text},
};

static const struct command *find_command(const char *name)
{
    for (size_t i = 0; i < FIL_COUNT_OF(commands); i++) {
        if (strcmp(commands[i].name, name) == 0) {
            return &commands[i];
        }
    }
    (void)fprintf(stderr, "filbert: no command '%s': filbert help lists them\n", name);
    return NULL;
}

/** The help that a part of a command has of its own; NULL: it has none. */
static const char *help_of_part(const struct command *command, const char *part)
{
    if (command->run != command_bench) {
        return NULL;
    }
    const char *others = strcmp(part, "client") == 0 ? bench_client_help : NULL;
    return load_protocol_find(part) != NULL ? bench_load_help : others;
}

/** The words begin with the command's. */
static const char *help_of(const struct command *command, int count, char **words)
{
    const char *help = count > 1 ? help_of_part(command, words[1]) : NULL;
    return help == NULL ? command->help : help;
}

static int command_help(int count, char **words)
{
    const struct command *command = count > 1 ? find_command(words[1]) : NULL;
    if (count > 1 && command == NULL) {
        return EXIT_USAGE;
    }
    int known = count > 2 && help_of_part(command, words[2]) != NULL ? 3 : 2;
    if (count > known) {
        return complain_extra(words[known]);
    }
    (void)fputs(command == NULL ? help_text : help_of(command, count - 1, words + 1), stdout);
    return EXIT_OK;
}

/** Whether the next word is the flag's value; a number may begin like a flag. */
static bool takes_value(const char *word)
{
    static const char *const alone[] = {"--check", "--fill", "--json",   "--light",   "--member",
                                        "--new",   "--null", "--origin", "--package", "--quick"};
    bool is_number = word[0] == '-' && word[1] >= '0' && word[1] <= '9';
    if (word[0] != '-' || word[1] == '\0' || is_number || strchr(word, '=') != NULL) {
        return false;
    }
    for (size_t i = 0; i < FIL_COUNT_OF(alone); i++) {
        if (strcmp(alone[i], word) == 0) {
            return false;
        }
    }
    return true;
}

/** What stands behind "--" are plain words: keys and values may look like flags. */
static bool wants_help(int count, char **words)
{
    for (int i = 1; i < count && strcmp(words[i], "--") != 0; i++) {
        if (strcmp(words[i], "--help") == 0 || strcmp(words[i], "-h") == 0) {
            return true;
        }
        i += takes_value(words[i]);
    }
    return false;
}

/** What was printed must have arrived: a full disk is a failure. */
static int finish(int code)
{
    if (fflush(stdout) == 0 && ferror(stdout) == 0) {
        return code;
    }
    (void)fprintf(stderr, "filbert: cannot write to the standard output\n");
    return code == EXIT_OK ? EXIT_FAILED : code;
}

int main(int argc, char **argv)
{
    program = argc > 0 ? argv[0] : program;
    fil_process_steady_heap();
    if (fil_process_fill_standard_descriptors() != FIL_OK) {
        return EXIT_FAILED; // and there is nobody to tell
    }
    if (argc < 2) {
        (void)fputs(help_text, stderr);
        return EXIT_USAGE;
    }
    const struct command *command = find_command(argv[1]);
    if (command == NULL) {
        return EXIT_USAGE;
    }
    if (wants_help(argc - 1, argv + 1)) {
        (void)fputs(help_of(command, argc - 1, argv + 1), stdout);
        return finish(EXIT_OK);
    }
    return finish(command->run(argc - 1, argv + 1));
}
