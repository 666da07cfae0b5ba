// SPDX-License-Identifier: Apache-2.0
#include "lib/conf/option_list.h"

#include <stdio.h>
#include <string.h>

#include "lib/base/assert.h"
#include "lib/base/utf8.h"
#include "lib/base/writer.h"
#include "lib/conf/conf_internal.h"

#define EXCERPT_SIZE 48

void fil_option_list_init(struct fil_option_list *list, const struct fil_option_table *table,
                          const char *option, const char *text)
{
    struct fil_bytes whole = fil_bytes_of(text);
    *list = (struct fil_option_list){
        .table = table,
        .option = fil_option_table_find(table, fil_bytes_of(option)),
        .text = fil_bytes_equal_text(whole, "none") ? fil_bytes_make(NULL, 0) : whole,
    };
    fil_assert(list->option != NULL && list->option->type == FIL_OPTION_LIST);
    list->rest = list->text;
}

/** Takes what stands before the separator, without blanks around it; false at the end. */
static bool take(struct fil_bytes *rest, uint8_t separator, struct fil_bytes *out_part)
{
    *rest = fil_bytes_trim(*rest);
    if (rest->size == 0) {
        return false;
    }
    size_t size = fil_bytes_find(*rest, separator);
    size_t used = size < rest->size ? size + 1 : size;
    *out_part = fil_bytes_trim(fil_bytes_make(rest->data, size));
    *rest = fil_bytes_make(rest->data + used, rest->size - used);
    return true;
}

bool fil_option__is_item_name(struct fil_bytes name)
{
    bool is_sound = name.size > 0 && name.size <= FIL_OPTION_ITEM_NAME_MAX;
    for (size_t i = 0; i < name.size && is_sound; i++) {
        is_sound = name.data[i] > ' ' && name.data[i] != ';' && name.data[i] != '=';
    }
    return is_sound;
}

/** Whether one of the items read before has that name. */
static bool is_taken(const struct fil_option_list *list, struct fil_bytes name)
{
    struct fil_bytes rest = list->text;
    struct fil_bytes item;
    struct fil_bytes word;
    for (uint32_t i = 0; i < list->count && take(&rest, ';', &item); i++) {
        if (take(&item, ' ', &word) && fil_bytes_equal(word, name)) {
            return true;
        }
    }
    return false;
}

static int take_name(struct fil_option_list *list, struct fil_bytes *item,
                     char out_reason[FIL_OPTION_REASON_MAX + 1])
{
    char excerpt[EXCERPT_SIZE];
    struct fil_bytes name = {0};
    if (!take(item, ' ', &name)) {
        (void)snprintf(out_reason, FIL_OPTION_REASON_MAX + 1,
                       "there is nothing between two semicolons");
        return FIL_E_CONFIG;
    }
    (void)fil_utf8_excerpt(name, excerpt, sizeof(excerpt));
    if (!fil_option__is_item_name(name)) {
        (void)snprintf(out_reason, FIL_OPTION_REASON_MAX + 1,
                       "a name has 1 to %d bytes without blanks, ';' and '=', not '%s'",
                       FIL_OPTION_ITEM_NAME_MAX, excerpt);
        return FIL_E_CONFIG;
    }
    if (is_taken(list, name)) {
        (void)snprintf(out_reason, FIL_OPTION_REASON_MAX + 1, "'%s' is there twice", excerpt);
        return FIL_E_CONFIG;
    }
    memcpy(list->name, name.data, name.size);
    list->name[name.size] = '\0';
    return FIL_OK;
}

/** Says which settings there are. */
static int refuse_key(const struct fil_option_list *list, struct fil_bytes key,
                      char out_reason[FIL_OPTION_REASON_MAX + 1])
{
    char excerpt[EXCERPT_SIZE];
    const struct fil_option *setting = NULL;
    size_t index = 0;
    struct fil_writer writer;
    fil_writer_init(&writer, out_reason, FIL_OPTION_REASON_MAX + 1);
    fil_writer_format(&writer, "'%s' is no setting of an item: there are",
                      fil_utf8_excerpt(key, excerpt, sizeof(excerpt)));
    const char *separator = " ";
    while ((setting = fil_option_table_setting(list->table, list->option, &index)) != NULL) {
        fil_writer_format(&writer, "%s%s=", separator, fil_option_word(setting));
        separator = ", ";
    }
    (void)fil_writer_terminate(&writer);
    return FIL_E_CONFIG;
}

/** One setting: "ttl=60s". */
static int read_setting(const struct fil_option_list *list, struct fil_bytes word, void *target,
                        char out_reason[FIL_OPTION_REASON_MAX + 1])
{
    size_t at = fil_bytes_find(word, '=');
    size_t behind = at < word.size ? at + 1 : at;
    struct fil_bytes key = fil_bytes_make(word.data, at);
    struct fil_bytes text = fil_bytes_make(word.data + behind, word.size - behind);
    struct fil_option_value value;
    const struct fil_option *setting = NULL;
    size_t index = 0;
    do {
        setting = fil_option_table_setting(list->table, list->option, &index);
        if (setting == NULL) {
            return refuse_key(list, key, out_reason);
        }
    } while (!fil_bytes_equal_text(key, fil_option_word(setting)));
    if (fil_option_parse(setting, text, &value, out_reason) != FIL_OK) {
        return FIL_E_CONFIG;
    }
    fil_option_store(setting, &value, target);
    return FIL_OK;
}

int fil_option_list_next(struct fil_option_list *list, void *target,
                         char out_reason[FIL_OPTION_REASON_MAX + 1])
{
    struct fil_bytes item;
    struct fil_bytes word;
    if (!take(&list->rest, ';', &item)) {
        return 0;
    }
    int error = take_name(list, &item, out_reason);
    while (error == FIL_OK && take(&item, ' ', &word)) {
        error = read_setting(list, word, target, out_reason);
    }
    list->count++;
    return error == FIL_OK ? 1 : error;
}
