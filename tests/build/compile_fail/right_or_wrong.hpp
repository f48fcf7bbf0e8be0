// Each case compiles twice: with its mistake, and with FARPOINT_CORRECTED defined without it.
#if defined(FARPOINT_CORRECTED)
#define RIGHT_OR_WRONG(right, wrong) right
#else
#define RIGHT_OR_WRONG(right, wrong) wrong
#endif
