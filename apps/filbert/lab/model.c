// SPDX-License-Identifier: Apache-2.0
#include "model.h"

#include "filbert/error.h"
#include "lib/base/alloc.h"
#include "lib/base/assert.h"
#include "lib/os/thread.h"

#define BACKLOG           128
#define MEMORY_BYTES      (UINT64_C(4) << 30)
#define ACCEPT_TIMEOUT_NS UINT64_C(5000000000)

int lab_model_new(struct lab_model **out_model, struct fil_env *env,
                  const struct lab_model_ops *ops, uint32_t core_count)
{
    fil_assert(core_count > 0);
    struct lab_model *model = fil_alloc_zero(1, sizeof(*model));
    if (model == NULL) {
        return FIL_E_NOMEM;
    }
    model->env = env;
    model->ops = ops;
    model->core_count = core_count;
    model->listener = -1;
    fil_budget_init(&model->budget, MEMORY_BYTES);
    struct fil_address address;
    int error = fil_address_parse("127.0.0.1:0", &address);
    fil_assert(error == FIL_OK);
    error = env->ops->listen(env, &address, BACKLOG, &model->listener, &model->address);
    if (error != FIL_OK) {
        lab_model_free(model);
        return error;
    }
    *out_model = model;
    return FIL_OK;
}

void lab_model_free(struct lab_model *model)
{
    if (model == NULL) {
        return;
    }
    if (model->state != NULL) {
        model->ops->stop(model);
    }
    lab_model_fini_wires(model);
    fil_free(model->wires);
    if (model->listener >= 0) {
        model->env->ops->close(model->env, model->listener);
    }
    fil_free(model);
}

static int accept_wire(struct lab_model *model)
{
    struct fil_env *env = model->env;
    uint64_t deadline_ns = fil_env_now_ns(env) + ACCEPT_TIMEOUT_NS;
    for (;;) {
        int fd = -1;
        struct fil_address peer;
        int error = env->ops->accept(env, model->listener, &fd, &peer);
        if (error == FIL_OK) {
            lab_wire_init(&model->wires[model->wire_count], model, fd);
            model->wire_count++;
            return FIL_OK;
        }
        if (error != FIL_E_AGAIN || fil_env_now_ns(env) > deadline_ns) {
            return error == FIL_E_AGAIN ? FIL_E_TIMEOUT : error;
        }
        fil_thread_yield();
    }
}

int lab_model_adopt(struct lab_model *model, uint32_t count)
{
    fil_assert(model->wires == NULL);
    model->wires = fil_alloc_zero(count, sizeof(struct lab_wire));
    if (model->wires == NULL) {
        return FIL_E_NOMEM;
    }
    int error = FIL_OK;
    while (error == FIL_OK && model->wire_count < count) {
        error = accept_wire(model);
    }
    if (error == FIL_OK) {
        atomic_store_explicit(&model->open_count, count, memory_order_relaxed);
        error = model->ops->start(model);
    }
    return error;
}

void lab_model_fini_wires(struct lab_model *model)
{
    while (model->wire_count > 0) {
        model->wire_count--;
        lab_wire_fini(&model->wires[model->wire_count]);
    }
}

void lab_model_end_wire(struct lab_model *model, struct lab_wire *wire)
{
    model->env->ops->close(model->env, wire->fd);
    wire->fd = -1;
    // Sequentially consistent: who is about to sleep looks at it after it has said so.
    uint32_t before = atomic_fetch_sub_explicit(&model->open_count, 1, memory_order_seq_cst);
    fil_assert(before > 0);
}

bool lab_model_is_over(struct lab_model *model)
{
    return atomic_load_explicit(&model->open_count, memory_order_seq_cst) == 0;
}
