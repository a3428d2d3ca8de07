/* parts.c - changes one of two parts, the length of the first of which is in the two bytes before
 * it, and corrects that length; keeps it odd or even but now and then. */
#include "mutator.h"

enum { LENGTH = 2, MOST = 0xffff };

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max_size, unsigned int seed) {
    if (size <= LENGTH || seed % 32 == 0) return LLVMFuzzerMutate(data, size, max_size);
    const size_t stated = (size_t)little(data, LENGTH), first = stated < size - LENGTH ? stated : size - LENGTH;
    const size_t second = size - LENGTH - first;
    if (seed % 2 == 0) return second > 0 ? mutate_part(data, size, max_size, LENGTH + first, second) : size;
    if (first == 0) return size;
    const size_t changed = mutate_part(data, size, max_size, LENGTH, first), length = changed - LENGTH - second;
    put_little(data, LENGTH, length < MOST ? length : MOST);
    return changed;
}
