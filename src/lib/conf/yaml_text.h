// SPDX-License-Identifier: Apache-2.0
/** A parser of libyaml for a text: one place for what every reader of YAML must not forget. */
#pragma once

#include <yaml.h>

#include "filbert/error.h"
#include "lib/base/attr.h"
#include "lib/base/bytes.h"

/** The text is borrowed for the parser's life. End it with yaml_parser_delete. FIL_E_NOMEM. */
FIL_NODISCARD static inline int fil_yaml_text_open(yaml_parser_t *parser, struct fil_bytes text)
{
    if (yaml_parser_initialize(parser) == 0) {
        return FIL_E_NOMEM;
    }
    // libyaml takes no NULL, which an empty text may be.
    const uint8_t *input = text.size > 0 ? text.data : (const uint8_t *)"";
    yaml_parser_set_input_string(parser, input, text.size);
    return FIL_OK;
}
