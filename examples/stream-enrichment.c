// SPDX-License-Identifier: Apache-2.0
/* Enrichment: orders get the name of their customer from another stream, which is read first. */
#include <filbert/stream.h>
#include <stdio.h>
#include <string.h>

struct customer {
    int64_t id;
    char name[16];
};
static const struct fil_field customer_fields[] = {FIL_I64(struct customer, id),
                                                   FIL_TEXT(struct customer, name)};
static const struct fil_type customer_type = FIL_TYPE(struct customer, customer_fields);

struct order {
    int64_t customer;
    int64_t cents;
};
static const struct fil_field order_fields[] = {FIL_I64(struct order, customer),
                                                FIL_I64(struct order, cents)};
static const struct fil_type order_type = FIL_TYPE(struct order, order_fields);

struct bill {
    char name[16];
    int64_t cents;
};
static const struct fil_field bill_fields[] = {FIL_TEXT(struct bill, name),
                                               FIL_I64(struct bill, cents)};
static const struct fil_type bill_type = FIL_TYPE(struct bill, bill_fields);

static bool add_name(void *context, const void *record, const void *partner, void *out_record)
{
    (void)context;
    struct bill bill = {.name = "unknown", .cents = ((const struct order *)record)->cents};
    if (partner != NULL) {
        memcpy(bill.name, ((const struct customer *)partner)->name, sizeof(bill.name));
    }
    memcpy(out_record, &bill, sizeof(bill));
    return true;
}

static int print_bill(void *context, const void *record)
{
    (void)context;
    const struct bill *bill = record;
    printf("%s owes %lld cents\n", bill->name, (long long)bill->cents);
    return FIL_OK;
}

int main(void)
{
    static const struct customer customers[] = {{1, "Ada"}, {2, "Grace"}};
    static const struct order orders[] = {{2, 500}, {1, 250}, {9, 10}};
    struct fil_pipeline *pipeline = fil_pipeline_new("enrichment");
    struct fil_stage *people = fil_read_list(pipeline, &customer_type, customers, 2);
    struct fil_stage *read = fil_read_list(pipeline, &order_type, orders, 3);
    const struct fil_join by_customer = {
        .key = "customer", .partner_key = "id", .type = &bill_type, .join = add_name};
    fil_write_function(fil_stage_join(read, people, &by_customer), print_bill, NULL);

    struct fil_stream *stream = NULL;
    int error = fil_stream_start(&stream, NULL);
    if (error == FIL_OK) {
        error = fil_stream_run(stream, pipeline, NULL);
    }
    if (error != FIL_OK) {
        fprintf(stderr, "%s: %s\n", fil_error_text(error), fil_pipeline_text(pipeline));
    }
    fil_stream_stop(stream);
    fil_pipeline_free(pipeline);
    return error == FIL_OK ? 0 : 1;
}
