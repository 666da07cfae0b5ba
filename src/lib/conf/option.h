// SPDX-License-Identifier: Apache-2.0
/**
 * One option: its name, type, range, default and meaning, and how its value is read and written.
 *
 * A product declares its options as constants; each says at which offset of the product's own
 * struct the value stands. The field's type follows from the option's:
 *
 *     text      char[maximum + 1], terminated      duration  uint64_t, nanoseconds
 *     boolean   bool                               choice    an enum of 4 bytes, index of the word
 *     integer   int64_t                            address   struct fil_address
 *     size      uint64_t, bytes                    list      as text
 *
 * A list has items; each has a name and, where it differs from the section's options, settings of
 * its own: those of the section that are marked so. Its text has one line for all,
 * "orders ttl=60s; mail", and "none" when there is none; a file may have it as a list.
 *
 * Memory: allocates nothing; texts are written to the caller's arrays.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "filbert/error.h"
#include "lib/base/attr.h"
#include "lib/base/bytes.h"
#include "lib/os/address.h"

/** Bytes of a name, of a text value, of a reason; without the end. */
#define FIL_OPTION_NAME_MAX   60
#define FIL_OPTION_TEXT_MAX   4095
#define FIL_OPTION_REASON_MAX 319

/** Bytes of the name of a list's item. */
#define FIL_OPTION_ITEM_NAME_MAX 255

/** Dots in a name, and so sections inside each other. */
#define FIL_OPTION_DEPTH_MAX 3

enum fil_option_type {
    FIL_OPTION_TEXT,
    FIL_OPTION_BOOLEAN,
    FIL_OPTION_INTEGER,
    FIL_OPTION_SIZE,
    FIL_OPTION_DURATION,
    FIL_OPTION_CHOICE,
    FIL_OPTION_ADDRESS,
    FIL_OPTION_LIST,
};

struct fil_option {
    const char *name; // "net.io_threads": lower-case words, digits, single underscores, dots
    enum fil_option_type type;
    bool is_reloadable;         // may be changed while the process runs
    bool is_setting;            // items of the section's list may have a value of their own
    size_t offset;              // of the field in the product's struct
    const char *default_text;   // as a user would write it
    int64_t minimum;            // bytes of a text or list; number, bytes or nanoseconds otherwise
    int64_t maximum;            // inclusive; both unused for booleans, choices and addresses
    const char *zero;           // what 0 means when it stands outside the range, or NULL
    const char *const *choices; // the words of a choice, NULL behind the last
    const char *doc;            // one sentence
    const char *reason;         // why the default is what it is, or where that is explained
};

/** A value between text and field; which member holds follows from the option's type. */
struct fil_option_value {
    union {
        char text[FIL_OPTION_TEXT_MAX + 1];
        bool boolean;
        int64_t integer;
        uint64_t size_bytes;
        uint64_t duration_ns;
        uint32_t choice;
        struct fil_address address;
    };
};

/**
 * Reads a value as a user writes it. FIL_E_INVALID comes with a reason that names the option, what
 * is wrong and what to write instead.
 */
int fil_option_parse(const struct fil_option *option, struct fil_bytes text,
                     struct fil_option_value *out_value, char out_reason[FIL_OPTION_REASON_MAX + 1])
    FIL_NODISCARD;

/** Writes the value to its field of the product's struct. */
void fil_option_store(const struct fil_option *option, const struct fil_option_value *value,
                      void *target);

/** Reads the value from its field. */
void fil_option_load(const struct fil_option *option, const void *target,
                     struct fil_option_value *out_value);

/** The value as a user would write it, in its shortest exact form. Returns out_text. */
const char *fil_option_format(const struct fil_option *option, const struct fil_option_value *value,
                              char out_text[FIL_OPTION_TEXT_MAX + 1]);

/** What may be written: "0 (automatic), or 1 to 256", "debug, info or warn". Returns out_text. */
const char *fil_option_range(const struct fil_option *option,
                             char out_text[FIL_OPTION_TEXT_MAX + 1]);

/** The type in words: "whole number". */
const char *fil_option_type_text(enum fil_option_type type);
