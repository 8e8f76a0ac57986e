/*
 * Keys as they came before. Events of a trace have the same keys in the same order, with the same
 * blanks. The tree has for each place among the keys the text from the end of what is before to the
 * value of the next key, so one comparison reads comma, blanks, key and colon. What is not in it is
 * read token by token. A place is a way through maps only, so it stands for one depth.
 */
#ifndef TC_DECODE_JSON_KEY_TREE_H
#define TC_DECODE_JSON_KEY_TREE_H

#include "core/text.h"
#include "decode/json/scan.h"

enum {
	TC_KEY_ROOT = 0,  /* no key: elements of the list are its value */
	TC_KEY_OTHER = 1, /* a key that is not kept, or that of an array; nothing follows it */
	TC_KEY_TREE_MAX = 160,
	TC_KEY_CHOICES = 6, /* at one place */
};

struct tc_key_node {
	char text[TC_SCAN_SAME_BYTES];
	uint8_t len, key_at, key_len;
	int16_t note; /* of the user, on the key */
	/* The first of the keys at a place, 0 when there is none. */
	uint8_t after;  /* behind the value of this key */
	uint8_t inside; /* at the start of a map that is its value */
	uint8_t next;   /* the next key at the same place */
};

_Static_assert(TC_KEY_TREE_MAX <= UINT8_MAX, "nodes have small numbers");

struct tc_key_tree {
	struct tc_key_node node[TC_KEY_TREE_MAX];
	unsigned count; /* of keys */
};

/* The key of those at a place that the text at p has, 0 when it has none. As many bytes as a node
 * has can be read. */
static inline unsigned tc_key_tree_find(
	const struct tc_key_tree *tree, unsigned first, const char *p)
{
	unsigned at = first;

	while (at && !tc_scan_same(p, tree->node[at].text, tree->node[at].len))
		at = tree->node[at].next;
	return at;
}

/* Adds the text up to a value, with its key in it, at a place of the tree; the number of its node,
 * TC_KEY_OTHER when it is not kept. */
unsigned tc_key_tree_add(struct tc_key_tree *tree, uint8_t *place, struct tc_text text,
	struct tc_text key, int note);

#endif
