import type { DnsLookup } from '#server/dns-client/dns-lookup.ts';

/** Where the aliases of a name lead. */
export interface AliasChain {
  /** The targets in order, without the name itself. */
  names: readonly string[];
  /**
   * `target`: one of them is the wanted target; `name`: the last has no alias of its own; `nowhere`: the last
   * does not exist, or the chain is a loop or longer than resolvers follow; otherwise it could not be
   * followed to its end.
   */
  end: 'target' | 'name' | 'nowhere' | 'timeout' | 'failed';
}

/** Resolvers follow about as many: unbound eleven, BIND sixteen; more than three are never needed. */
const HOPS_MAX = 8;

/** Returns the chain of aliases that begins at a name, up to the target if it leads there. */
export async function followAliases(lookup: DnsLookup, name: string, target: string): Promise<AliasChain> {
  const names: string[] = [];
  let at = name;
  while (names.length < HOPS_MAX) {
    const answer = await lookup.cname(at);
    switch (answer.kind) {
      case 'found': {
        const next = answer.records[0] ?? '';
        names.push(next);
        if (next === target) return { names, end: 'target' };
        if (next === name || names.indexOf(next) < names.length - 1) return { names, end: 'nowhere' };
        at = next;
        break;
      }
      case 'missing':
        return { names, end: 'name' };
      case 'unknown_name':
        return { names, end: 'nowhere' };
      default:
        return { names, end: answer.kind };
    }
  }
  return { names, end: 'nowhere' };
}
