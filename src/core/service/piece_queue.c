// SPDX-License-Identifier: Apache-2.0
#include "core/service/piece_queue.h"

#include <string.h>

#include "filbert/error.h"
#include "lib/base/alloc.h"
#include "lib/base/assert.h"
#include "lib/mem/budget.h"

void fil_piece_queue_init(struct fil_piece_queue *queue, struct fil_budget *budget)
{
    *queue = (struct fil_piece_queue){.budget = budget};
    fil_stack_init(&queue->pushed);
}

void fil_piece_queue_fini(struct fil_piece_queue *queue)
{
    struct fil_piece *piece = fil_piece_queue_take(queue);
    while (piece != NULL) {
        (void)fil_piece_queue_give(queue, piece);
        piece = fil_piece_queue_take(queue);
    }
    fil_assert(fil_piece_queue_size(queue) == 0);
}

static struct fil_piece *make_piece(struct fil_budget *budget, size_t size)
{
    size_t bytes = sizeof(struct fil_piece) + size;
    if (budget != NULL && !fil_budget_draw(budget, bytes)) {
        return NULL;
    }
    struct fil_piece *piece = fil_alloc(bytes);
    if (piece == NULL) {
        if (budget != NULL) {
            fil_budget_return(budget, bytes);
        }
        return NULL;
    }
    piece->size = size;
    return piece;
}

static void put(struct fil_piece *piece, size_t at, struct fil_bytes bytes)
{
    if (bytes.size > 0) {
        memcpy(piece->data + at, bytes.data, bytes.size);
    }
}

int fil_piece_queue_push(struct fil_piece_queue *queue, struct fil_bytes first,
                         struct fil_bytes second)
{
    fil_assert(first.size + second.size > 0);
    struct fil_piece *piece = make_piece(queue->budget, first.size + second.size);
    if (piece == NULL) {
        return FIL_E_NOMEM;
    }
    put(piece, 0, first);
    put(piece, first.size, second);
    // Relaxed: as fil_piece_queue_size.
    atomic_fetch_add_explicit(&queue->size_bytes, piece->size, memory_order_relaxed);
    (void)fil_stack_push(&queue->pushed, &piece->link);
    return FIL_OK;
}

struct fil_piece *fil_piece_queue_take(struct fil_piece_queue *queue)
{
    if (queue->taken == NULL) {
        queue->taken = fil_stack_take_all(&queue->pushed);
    }
    struct fil_link *link = queue->taken;
    if (link == NULL) {
        return NULL;
    }
    queue->taken = link->next;
    return FIL_CONTAINER_OF(link, struct fil_piece, link);
}

uint64_t fil_piece_queue_give(struct fil_piece_queue *queue, struct fil_piece *piece)
{
    // Relaxed: as fil_piece_queue_size.
    uint64_t before =
        atomic_fetch_sub_explicit(&queue->size_bytes, piece->size, memory_order_relaxed);
    fil_assert(before >= piece->size);
    if (queue->budget != NULL) {
        fil_budget_return(queue->budget, sizeof(*piece) + piece->size);
    }
    fil_free(piece);
    return before;
}
