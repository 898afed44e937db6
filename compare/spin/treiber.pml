/* Treiber's stack for SPIN, with its linearization points given by hand.
 *
 * Every thread pushes a fresh value or pops, OPS times. The sequential stack is `spec`. It is changed in the same atomic
 * step in which the operation takes effect: at a compare-and-swap that succeeds, and where `top` is read as null. Every
 * result is compared with it. A node is never used again, as with a garbage collector; node k holds the value k.
 *
 *   spin -a -DTHREADS=3 -DOPS=2 treiber.pml && cc -O3 -DSAFETY -o pan pan.c && ./pan -m1000000
 *
 * With -DBROKEN `pop` writes without comparing, and SPIN must find an assertion that fails.
 */
#ifndef THREADS
#define THREADS 2
#endif
#ifndef OPS
#define OPS 2
#endif

byte top;
byte next[THREADS * OPS + 1];
byte spec[THREADS * OPS];
byte size;

proctype Thread(byte me) {
  byte done, n, t, x;
  do
  :: done < OPS ->
     if
     :: n = me * OPS + done + 1;
        do
        :: t = top;
           next[n] = t;
           atomic {
             if
             :: top == t -> top = n; spec[size] = n; size++; break
             :: else
             fi
           }
        od
     :: do
        :: atomic {
             t = top;
             if
             :: t == 0 -> assert(size == 0); break
             :: else
             fi
           }
           x = next[t];
           atomic {
             if
#ifdef BROKEN
             :: true
#else
             :: top == t
#endif
                -> top = x; size--; assert(spec[size] == t); spec[size] = 0; break
#ifndef BROKEN
             :: else
#endif
             fi
           }
        od
     fi;
     /* What is not needed any more must not tell states apart. */
     atomic { n = 0; t = 0; x = 0; done++ }
  :: else -> break
  od
}

init {
  byte k;
  atomic {
    do
    :: k < THREADS -> run Thread(k); k++
    :: else -> k = 0; break
    od
  }
}
