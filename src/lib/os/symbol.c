// SPDX-License-Identifier: Apache-2.0
#include "lib/os/symbol.h"

#include <dlfcn.h>
#include <elf.h>
#include <fcntl.h>
#include <inttypes.h>
#include <link.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "lib/base/assert.h"
#include "lib/base/attr.h"

#define NATIVE_CLASS (sizeof(void *) == 8 ? ELFCLASS64 : ELFCLASS32)

/** A file of code, mapped for reading. */
struct image {
    const unsigned char *data;
    size_t size;
};

/** A function that covers an address; the name is copied, because the image goes away. */
struct finding {
    char name[FIL_SYMBOL_TEXT_MAX];
    uintptr_t offset;
};

static bool open_image(const char *path, struct image *out_image)
{
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0) {
        return false;
    }
    struct stat status = {0};
    void *data = MAP_FAILED;
    if (fstat(fd, &status) == 0 && status.st_size > 0) {
        data = mmap(NULL, (size_t)status.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
    }
    (void)close(fd); // was only read, and the mapping keeps the file
    *out_image = (struct image){.data = data, .size = (size_t)status.st_size};
    return data != MAP_FAILED;
}

static void close_image(const struct image *image)
{
    int failed = munmap((void *)(uintptr_t)image->data, image->size);
    fil_assert(failed == 0);
}

/** The bytes at the offset when all of them are inside the file and aligned, else NULL. */
static const void *image_at(const struct image *image, uint64_t offset, uint64_t size)
{
    bool is_inside = offset <= image->size && size <= image->size - offset;
    return is_inside && offset % sizeof(uint32_t) == 0 ? image->data + offset : NULL;
}

static const ElfW(Ehdr) * image_head(const struct image *image)
{
    const ElfW(Ehdr) *head = image_at(image, 0, sizeof(*head));
    bool is_ours = head != NULL && memcmp(head->e_ident, ELFMAG, SELFMAG) == 0 &&
                   head->e_ident[EI_CLASS] == NATIVE_CLASS &&
                   head->e_shentsize == sizeof(ElfW(Shdr));
    return is_ours ? head : NULL;
}

/** Copies the name if the table of names holds it whole. */
static bool copy_name(const struct image *image, const ElfW(Shdr) * names, uint64_t start,
                      struct finding *out_finding)
{
    const char *table = image_at(image, names->sh_offset, names->sh_size);
    if (table == NULL || start >= names->sh_size) {
        return false;
    }
    size_t room = names->sh_size - start;
    size_t size = strnlen(table + start, room);
    size = size < sizeof(out_finding->name) - 1 ? size : sizeof(out_finding->name) - 1;
    memcpy(out_finding->name, table + start, size);
    out_finding->name[size] = '\0';
    return size > 0;
}

static bool covers(const ElfW(Sym) * symbol, uintptr_t place)
{
    // The type is in the low four bits in both classes.
    return ELF64_ST_TYPE(symbol->st_info) == STT_FUNC && symbol->st_shndx != SHN_UNDEF &&
           place >= symbol->st_value && place - symbol->st_value < symbol->st_size;
}

static bool search_table(const struct image *image, const ElfW(Shdr) * table,
                         const ElfW(Shdr) * names, uintptr_t place, struct finding *out_finding)
{
    const ElfW(Sym) *symbols = image_at(image, table->sh_offset, table->sh_size);
    size_t count = symbols == NULL ? 0 : table->sh_size / sizeof(*symbols);
    for (size_t i = 0; i < count; i++) {
        if (covers(&symbols[i], place)) {
            out_finding->offset = place - symbols[i].st_value;
            return copy_name(image, names, symbols[i].st_name, out_finding);
        }
    }
    return false;
}

/** Looks into the symbol tables of a file that is loaded at base. */
static bool search_image(const struct image *image, uintptr_t base, uintptr_t address,
                         struct finding *out_finding)
{
    const ElfW(Ehdr) *head = image_head(image);
    if (head == NULL) {
        return false;
    }
    uintptr_t place = head->e_type == ET_DYN ? address - base : address;
    const ElfW(Shdr) *sections =
        image_at(image, head->e_shoff, (uint64_t)head->e_shnum * sizeof(*sections));
    for (uint32_t i = 0; sections != NULL && i < head->e_shnum; i++) {
        const ElfW(Shdr) *table = &sections[i];
        if (table->sh_type == SHT_SYMTAB && table->sh_link < head->e_shnum &&
            search_table(image, table, &sections[table->sh_link], place, out_finding)) {
            return true;
        }
    }
    return false;
}

static bool search_file(const char *path, uintptr_t base, uintptr_t address,
                        struct finding *out_finding)
{
    struct image image;
    if (!open_image(path, &image)) {
        return false;
    }
    bool is_found = search_image(&image, base, address, out_finding);
    close_image(&image);
    return is_found;
}

/** Whether the address lies in the program itself, not in a library. */
static bool is_program(const Dl_info *info)
{
    Dl_info program = {0};
    return dladdr((const void *)getauxval(AT_ENTRY), &program) != 0 &&
           program.dli_fbase == info->dli_fbase;
}

static bool find_function(const Dl_info *info, uintptr_t address, struct finding *out_finding)
{
    if (info->dli_sname != NULL) {
        (void)snprintf(out_finding->name, sizeof(out_finding->name), "%s", info->dli_sname);
        out_finding->offset = address - (uintptr_t)info->dli_saddr;
        return true;
    }
    // The program's name is as it was typed; the kernel knows the file.
    const char *path = is_program(info) ? "/proc/self/exe" : info->dli_fname;
    return search_file(path, (uintptr_t)info->dli_fbase, address, out_finding);
}

static const char *last_part(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash == NULL ? path : slash + 1;
}

const char *fil_symbol_describe(uintptr_t address, char text[FIL_SYMBOL_TEXT_MAX])
{
    Dl_info info = {0};
    struct finding found = {.offset = 0};
    if (dladdr((const void *)address, &info) == 0 || info.dli_fname == NULL) {
        (void)snprintf(text, FIL_SYMBOL_TEXT_MAX, "0x%" PRIxPTR, address);
        return text;
    }
    const char *module = last_part(info.dli_fname);
    if (!find_function(&info, address, &found)) {
        (void)snprintf(text, FIL_SYMBOL_TEXT_MAX, "%s+0x%" PRIxPTR, module,
                       address - (uintptr_t)info.dli_fbase);
    } else if (is_program(&info)) {
        (void)snprintf(text, FIL_SYMBOL_TEXT_MAX, "%.100s+0x%" PRIxPTR, found.name, found.offset);
    } else {
        (void)snprintf(text, FIL_SYMBOL_TEXT_MAX, "%.100s+0x%" PRIxPTR " (%.32s)", found.name,
                       found.offset, module);
    }
    return text;
}
