/* Pages of rows, of which the ones used last are in memory; see paged.h. */
#include "core/sort/paged.h"

#include <string.h>

#include "core/alloc.h"
#include "core/sort/spill.h"

/* Where a page is. */
struct page {
	char *rows;    /* NULL when it is not in memory */
	int64_t place; /* 1 more than its place in the file; 0 before it was written */
	uint64_t last_use;
};

struct tc_pager {
	struct tc_ctx *ctx;
	enum tc_status status; /* the first that was not TC_OK */
	size_t row_bytes, page_rows;
	char *first; /* what rows begin as; a page of them */
	char *none;  /* the row after a failure */
	struct page *pages;
	size_t page_count;
	size_t held[TC_PAGED_PAGES]; /* the pages in memory */
	size_t held_count;
	uint64_t use_count;
	struct tc_spill *spill;
};

static size_t page_bytes(const struct tc_pager *pager)
{
	return pager->page_rows * pager->row_bytes;
}

static void fill(char *rows, size_t count, size_t row_bytes, const void *first)
{
	for (size_t i = 0; i < count && first; i++)
		memcpy(rows + i * row_bytes, first, row_bytes);
}

static enum tc_status init_flat(struct tc_paged *paged, struct tc_ctx *ctx, size_t count,
	size_t row_bytes, const void *first)
{
	paged->rows = tc_calloc(count + 1, row_bytes);
	if (!paged->rows)
		return tc_no_memory(ctx);
	fill(paged->rows, count, row_bytes, first);
	return TC_OK;
}

static enum tc_status init_pages(
	struct tc_pager *pager, size_t count, size_t row_bytes, const void *first)
{
	pager->row_bytes = row_bytes;
	pager->page_rows = row_bytes < TC_PAGED_PAGE_BYTES ? TC_PAGED_PAGE_BYTES / row_bytes : 1;
	pager->page_count = count / pager->page_rows + 1;
	pager->pages = tc_calloc(pager->page_count, sizeof(*pager->pages));
	pager->first = tc_calloc(1, page_bytes(pager));
	pager->none = tc_calloc(1, row_bytes);
	if (!pager->pages || !pager->first || !pager->none)
		return tc_no_memory(pager->ctx);
	fill(pager->first, pager->page_rows, row_bytes, first);
	return tc_spill_new(&pager->spill, pager->ctx);
}

enum tc_status tc_paged_init(struct tc_paged *paged, struct tc_ctx *ctx, size_t count,
	size_t row_bytes, const void *first)
{
	*paged = (struct tc_paged){0};
	if (count <= TC_PAGED_FLAT_BYTES / row_bytes)
		return init_flat(paged, ctx, count, row_bytes, first);
	paged->pager = tc_calloc(1, sizeof(*paged->pager));
	if (!paged->pager)
		return tc_no_memory(ctx);
	paged->pager->ctx = ctx;
	enum tc_status status = init_pages(paged->pager, count, row_bytes, first);
	if (status)
		tc_paged_clear(paged);
	return status;
}

void tc_paged_clear(struct tc_paged *paged)
{
	struct tc_pager *pager = paged->pager;

	tc_free(paged->rows);
	if (pager) {
		for (size_t i = 0; i < pager->held_count; i++)
			tc_free(pager->pages[pager->held[i]].rows);
		tc_spill_free(pager->spill);
		tc_free(pager->pages);
		tc_free(pager->first);
		tc_free(pager->none);
		tc_free(pager);
	}
	*paged = (struct tc_paged){0};
}

/* Of the pages in memory, the one that was not used for the longest time. */
static size_t oldest(const struct tc_pager *pager)
{
	size_t best = 0;

	for (size_t i = 1; i < pager->held_count; i++)
		if (pager->pages[pager->held[i]].last_use <
			pager->pages[pager->held[best]].last_use)
			best = i;
	return best;
}

static enum tc_status write_page(struct tc_pager *pager, struct page *page)
{
	enum tc_status status;
	int64_t offset = 0;

	if (page->place)
		return tc_spill_rewrite(
			pager->spill, page->rows, page_bytes(pager), page->place - 1);
	status = tc_spill_append(pager->spill, page->rows, page_bytes(pager), &offset);
	if (!status)
		page->place = offset + 1;
	return status;
}

/* Takes memory for a page, from another one if there are enough. */
static enum tc_status take_rows(struct tc_pager *pager, size_t number)
{
	struct page *page = &pager->pages[number];
	size_t at = pager->held_count;

	if (at < TC_PAGED_PAGES) {
		page->rows = tc_malloc(page_bytes(pager));
		if (!page->rows)
			return tc_no_memory(pager->ctx);
		pager->held_count++;
	} else {
		at = oldest(pager);
		struct page *other = &pager->pages[pager->held[at]];
		enum tc_status status = write_page(pager, other);
		if (status)
			return status;
		page->rows = other->rows;
		other->rows = NULL;
	}
	pager->held[at] = number;
	return TC_OK;
}

static enum tc_status load(struct tc_pager *pager, size_t number)
{
	struct page *page = &pager->pages[number];
	enum tc_status status = take_rows(pager, number);

	if (status)
		return status;
	if (page->place)
		return tc_spill_read(pager->spill, page->rows, page_bytes(pager), page->place - 1);
	memcpy(page->rows, pager->first, page_bytes(pager));
	return TC_OK;
}

void *tc_paged_fetch(const struct tc_paged *paged, size_t number)
{
	struct tc_pager *pager = paged->pager;
	size_t at = number / pager->page_rows;
	struct page *page = &pager->pages[at];

	if (!pager->status && !page->rows)
		pager->status = load(pager, at);
	if (pager->status) {
		memcpy(pager->none, pager->first, pager->row_bytes);
		return pager->none;
	}
	page->last_use = ++pager->use_count;
	return page->rows + number % pager->page_rows * pager->row_bytes;
}

enum tc_status tc_paged_status(const struct tc_paged *paged)
{
	return paged->pager ? paged->pager->status : TC_OK;
}
