// The searches, and what is made of them, as one object; see CMakeLists.txt.
#include "../knn.cu"
#include "../knn_screen.cu"
#include "../neighbourhoods.cu"
#include "../radius.cu"
