/* The words for the enums of advice that stores and reports use. */
#pragma once

#include "tracecoach/advice.h"

const char *tc_confidence_name(enum tc_confidence confidence);
const char *tc_outcome_name(enum tc_outcome outcome);
