/* Turns statements into rows of a schema; see objects.h. */
#include "store/layout/objects.h"

#include <string.h>

static bool takes(const char **at, const char *word)
{
	size_t len = strlen(word);

	if (strncmp(*at, word, len) != 0)
		return false;
	*at += len;
	return true;
}

/* After the comment or quoted text that begins here, or else the next character. */
static const char *behind(const char *at)
{
	if (strncmp(at, "--", 2) == 0)
		return at + strcspn(at, "\n");
	if (*at == '\'') {
		const char *end = strchr(at + 1, '\'');
		return end ? end + 1 : at + strlen(at);
	}
	return at + 1;
}

static const char *end_of_statement(const char *at)
{
	while (*at && *at != ';')
		at = behind(at);
	return at;
}

static struct tc_text word_at(const char *at)
{
	return (struct tc_text){at, strcspn(at, " (")};
}

static bool take_type(struct tc_object *object, const char **at)
{
	if (takes(at, "TABLE "))
		object->type = TC_TEXT("table");
	else if (takes(at, "VIEW "))
		object->type = TC_TEXT("view");
	else if (takes(at, "INDEX "))
		object->type = TC_TEXT("index");
	else
		return false;
	takes(at, "IF NOT EXISTS ");
	return true;
}

bool tc_object_next(struct tc_object *out, const char **at)
{
	struct tc_object object = {0};

	while (**at && !takes(at, "CREATE "))
		*at = behind(*at);
	if (!take_type(&object, at))
		return false;
	const char *end = end_of_statement(*at);
	object.sql = (struct tc_text){*at, (size_t)(end - *at)};
	object.name = object.table = word_at(*at);
	object.has_index_pages = tc_text_ends(object.sql, TC_TEXT("WITHOUT ROWID"));
	if (object.type.ptr[0] == 'i') {
		object.table = word_at(object.name.ptr + object.name.len + strlen(" ON "));
		object.has_index_pages = true;
	}
	*at = end;
	*out = object;
	return true;
}

static void bind(sqlite3_stmt *insert, int index, struct tc_text text)
{
	sqlite3_bind_text(insert, index, text.ptr, (int)text.len, SQLITE_STATIC);
}

static int put(sqlite3_stmt *insert, const struct tc_object *object, int *root)
{
	bool is_view = object->type.ptr[0] == 'v';

	bind(insert, 1, object->type);
	bind(insert, 2, object->name);
	bind(insert, 3, object->table);
	sqlite3_bind_int(insert, 4, is_view ? 0 : (*root)++);
	bind(insert, 5, object->sql);
	sqlite3_step(insert);
	return sqlite3_reset(insert);
}

int tc_objects_put(sqlite3 *db, const char *table, const char *sql, int *root)
{
	sqlite3_stmt *insert = NULL;
	struct tc_object object;
	char *text = sqlite3_mprintf("INSERT INTO %s " TC_OBJECT_COLUMNS " VALUES (?1, ?2, ?3, ?4,"
				     " 'CREATE ' || upper(?1) || ' ' || ?5)",
		table);
	int code = text ? sqlite3_prepare_v2(db, text, -1, &insert, NULL) : SQLITE_NOMEM;

	while (code == SQLITE_OK && tc_object_next(&object, &sql))
		code = put(insert, &object, root);
	sqlite3_finalize(insert);
	sqlite3_free(text);
	return code;
}
