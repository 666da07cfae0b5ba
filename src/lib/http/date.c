// SPDX-License-Identifier: Apache-2.0
#include "lib/http/date.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "lib/base/assert.h"

#define NS_PER_SECOND   UINT64_C(1000000000)
#define SECONDS_PER_DAY 86400U
#define FIRST_YEAR      1970U
#define FIRST_WEEKDAY   4U // a Thursday

struct civil_date {
    uint32_t year;
    uint32_t month; // from 0
    uint32_t day;   // from 1
};

static bool is_leap_year(uint32_t year)
{
    return year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
}

static uint32_t days_of_month(uint32_t year, uint32_t month)
{
    static const uint8_t days[12] = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
    fil_assert(month < 12);
    return days[month] + (month == 1 && is_leap_year(year) ? 1U : 0U);
}

/** Counts years and months off: at most 600 steps, and a server asks once a second. */
static struct civil_date date_of_day(uint32_t days_left)
{
    struct civil_date date = {.year = FIRST_YEAR};
    while (days_left >= (is_leap_year(date.year) ? 366U : 365U)) {
        days_left -= is_leap_year(date.year) ? 366U : 365U;
        date.year++;
    }
    while (days_left >= days_of_month(date.year, date.month)) {
        days_left -= days_of_month(date.year, date.month);
        date.month++;
    }
    date.day = days_left + 1;
    return date;
}

static const char month_names[12][4] = {"Jan", "Feb", "Mar", "Apr", "May", "Jun",
                                        "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"};

const char *fil_http_date_format(uint64_t wall_ns, char text[FIL_HTTP_DATE_TEXT_MAX])
{
    static const char day_names[7][4] = {"Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"};
    uint64_t seconds = wall_ns / NS_PER_SECOND;
    uint32_t days = (uint32_t)(seconds / SECONDS_PER_DAY);
    uint32_t second = (uint32_t)(seconds % SECONDS_PER_DAY);
    struct civil_date date = date_of_day(days);
    int length = snprintf(text, FIL_HTTP_DATE_TEXT_MAX, "%s, %02u %s %04u %02u:%02u:%02u GMT",
                          day_names[(days + FIRST_WEEKDAY) % 7], date.day, month_names[date.month],
                          date.year, second / 3600, second / 60 % 60, second % 60);
    // 64 bits of nanoseconds end in the year 2554, so that four digits are enough.
    fil_assert(length == FIL_HTTP_DATE_TEXT_MAX - 1);
    return text;
}

/** A number of so many digits in the middle of the text; UINT32_MAX when it is none. */
static uint32_t number_at(struct fil_bytes text, size_t at, size_t digits)
{
    uint64_t number = 0;
    bool is_one = fil_bytes_to_u64(fil_bytes_make(text.data + at, digits), &number);
    return is_one ? (uint32_t)number : UINT32_MAX;
}

static uint32_t month_at(struct fil_bytes text, size_t at)
{
    uint32_t month = 0;
    while (month < 12 && memcmp(text.data + at, month_names[month], 3) != 0) {
        month++;
    }
    return month;
}

static uint64_t days_until(struct civil_date date)
{
    uint64_t days = date.day - 1;
    for (uint32_t year = FIRST_YEAR; year < date.year; year++) {
        days += is_leap_year(year) ? 366U : 365U;
    }
    for (uint32_t month = 0; month < date.month; month++) {
        days += days_of_month(date.year, month);
    }
    return days;
}

bool fil_http_date_read(struct fil_bytes text, uint64_t *out_seconds)
{
    // The digits and letters are looked at one by one below, what is between them here.
    if (text.size != FIL_HTTP_DATE_TEXT_MAX - 1 || memcmp(text.data + 3, ", ", 2) != 0 ||
        text.data[7] != ' ' || text.data[11] != ' ' || text.data[16] != ' ' ||
        text.data[19] != ':' || text.data[22] != ':' || memcmp(text.data + 25, " GMT", 4) != 0) {
        return false;
    }
    struct civil_date date = {
        .year = number_at(text, 12, 4), .month = month_at(text, 8), .day = number_at(text, 5, 2)};
    uint32_t hour = number_at(text, 17, 2);
    uint32_t minute = number_at(text, 20, 2);
    uint32_t second = number_at(text, 23, 2);
    if (date.year < FIRST_YEAR || date.year > 9999 || date.month == 12 || date.day < 1 ||
        date.day > days_of_month(date.year, date.month) || hour > 23 || minute > 59 ||
        second > 60) {
        return false;
    }
    *out_seconds =
        days_until(date) * SECONDS_PER_DAY + hour * UINT64_C(3600) + minute * UINT64_C(60) + second;
    return true;
}
