/* SPDX-License-Identifier: BSD-3-Clause */
/* statements - three formulas that are often quoted for all-gather, and when each holds. */
#include "draw/costs.h"

static const char text[] =
	"\n"
	"## Three statements, said precisely\n"
	"\n"
	"**Ring: T = (N-1) alpha + (N-1) M/(N beta).** True for every N when the shards are\n"
	"equal, M is the size of the whole result, and each rank has a full-duplex link to its\n"
	"successor that carries nothing else.\n"
	"\n"
	"- On a ring whose links lead one way round it cannot be beaten. Where they lead both\n"
	"  ways, the bidirectional ring takes about half of both terms. Where every two ranks\n"
	"  have a way of their own, its W is the least for one link, but N-1 rounds are more than\n"
	"  the ceil(log2 N) that suffice.\n"
	"- Who takes M for the bytes of one rank is wrong by a factor of N.\n"
	"- Half-duplex links double the second term. With unequal shards the largest one stands\n"
	"  for M/N.\n"
	"\n"
	"**Bidirectional ring: T = ceil((N-1)/2) (alpha + M/(N beta)).** Exact for odd N.\n"
	"\n"
	"- For even N it is the form `whole=1`: the last block comes from one side, and the other\n"
	"  direction idles. With one half from each side it is N/2 alpha + (N-1) M/(2 N beta),\n"
	"  half a block less: the second term is smaller by the factor (N-1)/N. On a ring with\n"
	"  links both ways nothing is better in either term, as N/2 is also the way to the\n"
	"  farthest rank.\n"
	"- beta is the bandwidth of each side in each direction: a rank sends two messages and\n"
	"  receives two at once, all at full rate. If both sides share one port, the second term\n"
	"  is the ring's, and only the rounds are halved.\n"
	"- Two ranks are each other's neighbour on both sides. Over one cable they exchange their\n"
	"  blocks in alpha + M/(2 beta); halving needs a second cable.\n"
	"\n"
	"**Recursive doubling: T = log2(N) alpha + (N-1) M/(N beta).** True only when N is a\n"
	"power of two, the shards are equal, pairs exchange in both directions at full rate, and\n"
	"no link carries two messages of a round: on a crossbar, a non-blocking fat tree with\n"
	"routes to suit, or a hypercube.\n"
	"\n"
	"- For other N, Bruck and Sparbit have ceil(log2 N) rounds and the same W; folding the\n"
	"  surplus ranks into a power of two costs about twice the W.\n"
	"- On a physical ring the far exchanges share links: with 8 ranks the busiest links carry\n"
	"  21 blocks instead of 7, and with 64 ranks 1365 instead of 63.\n"
	"  `totum plan allgather --topology ring:8` shows it.\n";

void tt_draw_statements(FILE *out)
{
	fputs(text, out);
}
