#ifndef CFERRY_H
#define CFERRY_H
#endif
