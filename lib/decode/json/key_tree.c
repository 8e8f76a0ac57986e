/* Keys as they came before; see key_tree.h. */
#include "decode/json/key_tree.h"

unsigned tc_key_tree_add(
	struct tc_key_tree *tree, uint8_t *place, struct tc_text text, struct tc_text key, int note)
{
	const struct tc_key_node *other = &tree->node[TC_KEY_OTHER];
	unsigned number = TC_KEY_OTHER + 1 + tree->count;
	int choices = 0;

	if (text.len > TC_SCAN_SAME_BYTES || number == TC_KEY_TREE_MAX || place == &other->after ||
		place == &other->inside)
		return TC_KEY_OTHER;
	for (; *place; place = &tree->node[*place].next) {
		if (++choices == TC_KEY_CHOICES)
			return TC_KEY_OTHER;
	}
	*place = (uint8_t)number;
	tree->count++;
	struct tc_key_node *node = &tree->node[number];
	memcpy(node->text, text.ptr, text.len);
	node->len = (uint8_t)text.len;
	node->key_at = (uint8_t)(key.ptr - text.ptr);
	node->key_len = (uint8_t)key.len;
	node->note = (int16_t)note;
	return number;
}
