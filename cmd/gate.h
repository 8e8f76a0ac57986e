/* Options that make a command fail when a report says something bad. */
#ifndef TC_CMD_GATE_H
#define TC_CMD_GATE_H

/* Sets *least to the severity that --fail-on names, or to one above all of them for NULL. Returns
 * 0, or prints that it names none and returns TC_EXIT_USAGE. */
int tc_gate_severity(int *least, const char *text);
/* Sets *limit_pct to the percentage of --fail-on-slower, or to one that nothing reaches for NULL;
 * the same. */
int tc_gate_slower(double *limit_pct, const char *text);

#endif
