/* How far the walk came with a window. */
#ifndef TC_DECODE_WALK_OUTCOME_H
#define TC_DECODE_WALK_OUTCOME_H

enum tc_walk_outcome {
	TC_WALK_MORE,   /* all of the window was read */
	TC_WALK_BROKEN, /* the text at the position is no JSON, or not clean */
	TC_WALK_DEEP,   /* it is nested deeper than the limit */
	TC_WALK_LARGE,  /* it is larger than the limit */
	TC_WALK_FAILED, /* the delivery has a status */
};

#endif
