// SPDX-License-Identifier: Apache-2.0
/**
 * A list in a YAML file: the items become the one line that the option's text is.
 *
 *     named:
 *       - mail                      an item that is like all others
 *       - name: reports             one with settings of its own, which are those options of the
 *         threads: 4                list's section that are marked as settings
 */
#include <string.h>

#include "lib/base/assert.h"
#include "lib/base/utf8.h"
#include "lib/conf/conf_internal.h"
#include "lib/conf/suggest.h"
#include "lib/conf/yaml_internal.h"

#define EXCERPT_SIZE 48
#define SETTINGS_MAX 64
#define NAME_BIT     UINT64_C(1)

void fil_yaml__list_open(struct fil_yaml_loader *loader)
{
    struct fil_yaml_list *list = &loader->list;
    fil_assert(loader->option->type == FIL_OPTION_LIST);
    fil_assert(!list->is_open);
    list->is_open = true;
    list->is_broken = false;
    list->expected = EXPECTED_ROOT;
    fil_writer_init(&list->text, list->bytes, sizeof(list->bytes));
}

struct fil_bytes fil_yaml__list_close(struct fil_yaml_loader *loader, const yaml_mark_t *mark)
{
    struct fil_yaml_list *list = &loader->list;
    fil_assert(list->is_open);
    list->is_open = false;
    if (list->text.is_full) {
        fil_yaml__report(loader, mark, "'%s' has more than %lld bytes: name fewer items",
                         loader->option->name, (long long)loader->option->maximum);
        return fil_bytes_make(NULL, 0);
    }
    if (list->is_broken) {
        return fil_bytes_make(NULL, 0);
    }
    return list->text.size == 0 ? fil_bytes_of("none") : fil_writer_written(&list->text);
}

static void begin_item(struct fil_yaml_list *list, const yaml_mark_t *mark)
{
    list->item_mark = *mark;
    list->name[0] = '\0';
    list->seen = 0;
    fil_writer_init(&list->item, list->settings, sizeof(list->settings));
}

/** The item is complete: adds it to the text. */
static void end_item(struct fil_yaml_loader *loader)
{
    struct fil_yaml_list *list = &loader->list;
    if (list->name[0] == '\0') {
        // A name that was refused has its message.
        if (!(list->seen & NAME_BIT)) {
            fil_yaml__report(loader, &list->item_mark,
                             "an item of '%s' has no name: write 'name: ...' into it",
                             loader->option->name);
        }
        list->is_broken = true;
        return;
    }
    fil_writer_text(&list->text, list->text.size > 0 ? "; " : "");
    fil_writer_text(&list->text, list->name);
    fil_writer_bytes(&list->text, fil_writer_written(&list->item));
}

static void take_name(struct fil_yaml_loader *loader, struct fil_bytes text,
                      const yaml_mark_t *mark)
{
    struct fil_yaml_list *list = &loader->list;
    if (!fil_option__is_item_name(text)) {
        char excerpt[EXCERPT_SIZE];
        fil_yaml__report(loader, mark,
                         "the name of an item of '%s' has 1 to %d bytes without blanks, ';' and "
                         "'=', not '%s'",
                         loader->option->name, FIL_OPTION_ITEM_NAME_MAX,
                         fil_utf8_excerpt(text, excerpt, sizeof(excerpt)));
        list->is_broken = true;
        return;
    }
    memcpy(list->name, text.data, text.size);
    list->name[text.size] = '\0';
}

/** Says which settings there are, or which one may have been meant. */
static void refuse_key(struct fil_yaml_loader *loader, struct fil_bytes key,
                       const yaml_mark_t *mark)
{
    char excerpt[EXCERPT_SIZE];
    char words[FIL_OPTION_REASON_MAX];
    struct fil_writer writer;
    struct fil_suggest suggest;
    const struct fil_option *setting = NULL;
    const struct fil_option_table *table = loader->conf->table;
    size_t index = 0;
    fil_writer_init(&writer, words, sizeof(words));
    fil_writer_text(&writer, "name");
    fil_suggest_init(&suggest, key);
    fil_suggest_offer(&suggest, "name");
    while ((setting = fil_option_table_setting(table, loader->option, &index)) != NULL) {
        fil_writer_format(&writer, ", %s", fil_option_word(setting));
        fil_suggest_offer(&suggest, fil_option_word(setting));
    }
    (void)fil_utf8_excerpt(key, excerpt, sizeof(excerpt));
    loader->list.is_broken = true;
    if (suggest.best != NULL) {
        fil_yaml__report(loader, mark, "an item of '%s' has no '%s': did you mean '%s'?",
                         loader->option->name, excerpt, suggest.best);
    } else {
        fil_yaml__report(loader, mark, "an item of '%s' has no '%s': it has %s",
                         loader->option->name, excerpt, fil_writer_terminate(&writer));
    }
}

static void take_key(struct fil_yaml_loader *loader, struct fil_bytes key, const yaml_mark_t *mark)
{
    struct fil_yaml_list *list = &loader->list;
    const struct fil_option_table *table = loader->conf->table;
    const struct fil_option *setting = NULL;
    size_t index = 0;
    uint64_t bit = NAME_BIT;
    list->setting = NULL;
    list->is_name = fil_bytes_equal_text(key, "name");
    while (!list->is_name &&
           (setting = fil_option_table_setting(table, loader->option, &index)) != NULL &&
           !fil_bytes_equal_text(key, fil_option_word(setting))) {
        bit <<= 1;
        fil_assert(bit < UINT64_C(1) << (SETTINGS_MAX - 2));
    }
    bit = list->is_name ? bit : bit << 1;
    if (!list->is_name && setting == NULL) {
        refuse_key(loader, key, mark);
    } else if (list->seen & bit) {
        fil_yaml__report(loader, mark, "the item has '%s' already: keep one of the two",
                         list->is_name ? "name" : fil_option_word(setting));
        list->is_broken = true;
        list->is_name = false;
    } else {
        list->seen |= bit;
        list->setting = setting;
    }
}

/** Checks the value as that of the section's option, and adds it as it would be written. */
static void take_setting(struct fil_yaml_loader *loader, struct fil_bytes text,
                         const yaml_mark_t *mark)
{
    struct fil_yaml_list *list = &loader->list;
    struct fil_option_value value;
    char reason[FIL_OPTION_REASON_MAX + 1];
    char written[FIL_OPTION_TEXT_MAX + 1];
    if (fil_option_parse(list->setting, text, &value, reason) != FIL_OK) {
        fil_yaml__report(loader, mark, "%s", reason);
        list->is_broken = true;
        return;
    }
    fil_writer_format(&list->item, " %s=%s", fil_option_word(list->setting),
                      fil_option_format(list->setting, &value, written));
}

void fil_yaml__list_scalar(struct fil_yaml_loader *loader, struct fil_bytes text,
                           const yaml_mark_t *mark)
{
    struct fil_yaml_list *list = &loader->list;
    if (list->expected == EXPECTED_ROOT) {
        begin_item(list, mark);
        take_name(loader, text, mark);
        if (list->name[0] != '\0') {
            end_item(loader);
        }
    } else if (list->expected == EXPECTED_KEY) {
        take_key(loader, text, mark);
    } else if (list->is_name) {
        take_name(loader, text, mark);
    } else if (list->setting != NULL) {
        take_setting(loader, text, mark);
    }
    fil_yaml__list_advance(loader);
}

void fil_yaml__list_advance(struct fil_yaml_loader *loader)
{
    struct fil_yaml_list *list = &loader->list;
    if (list->expected == EXPECTED_KEY) {
        list->expected = EXPECTED_VALUE;
    } else if (list->expected == EXPECTED_VALUE) {
        list->expected = EXPECTED_KEY;
        list->setting = NULL;
        list->is_name = false;
    }
}

/** One value belongs here. */
static void refuse_collection(struct fil_yaml_loader *loader, const yaml_mark_t *mark)
{
    struct fil_yaml_list *list = &loader->list;
    bool is_known = list->expected != EXPECTED_VALUE || list->is_name || list->setting != NULL;
    if (is_known) {
        fil_yaml__report(loader, mark,
                         "an item of '%s' is a name, or a mapping of single values: write "
                         "'- name: ...' and its settings below it",
                         loader->option->name);
    }
    if (list->expected == EXPECTED_KEY) {
        list->setting = NULL;
        list->is_name = false;
    }
    list->is_broken = true;
    fil_yaml__skip(loader);
}

void fil_yaml__list_mapping(struct fil_yaml_loader *loader, const yaml_mark_t *mark)
{
    struct fil_yaml_list *list = &loader->list;
    if (list->expected != EXPECTED_ROOT) {
        refuse_collection(loader, mark);
        return;
    }
    begin_item(list, mark);
    list->expected = EXPECTED_KEY;
}

void fil_yaml__list_mapping_end(struct fil_yaml_loader *loader)
{
    fil_assert(loader->list.expected == EXPECTED_KEY);
    end_item(loader);
    loader->list.expected = EXPECTED_ROOT;
}

void fil_yaml__list_sequence(struct fil_yaml_loader *loader, const yaml_mark_t *mark)
{
    refuse_collection(loader, mark);
}
