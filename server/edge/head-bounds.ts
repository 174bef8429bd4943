import { expectedLength } from './path-captures.ts';
import { type PathPattern, withoutTrailingSlash } from './path-pattern.ts';

/** What `_headers` may add to one head: with our own fields it still fits the buffers of usual proxies and clients. */
export const ruleHeadBytesMax = 8 * 1024;
/** Lines of `_headers` that may apply to one path. */
export const ruleOperationsMax = 100;

/** One line below a path: a header's value, or (without value) its removal. */
interface Operation {
  readonly name: string;
  readonly value: string | null;
}

interface Block<T extends Operation> {
  readonly pattern: PathPattern;
  readonly operations: readonly T[];
}

/** What applies together to the paths that begin alike. */
interface Total {
  readonly prefix: string;
  bytes: number;
  operations: number;
}

/** What a header takes on the wire: its name, a colon, a blank, its value and the end of its line. */
export function headerBytes(name: string, value: string): number {
  return name.length + value.length + 4;
}

/**
 * The operations of each block that stay within the bounds of a head, whatever path is asked for; `onLeftOut` hears of the others.
 * All patterns that match a path have beginnings of that path as their prefixes, so that these are beginnings of one another: it
 * is enough to add up, for each prefix there is, the blocks whose prefixes it begins with. That may count blocks together that no
 * path combines, and never misses any that one does.
 */
export function withinHeadBounds<T extends Operation>(
  blocks: readonly Block<T>[],
  onLeftOut: (operation: T, code: 'too_many_headers' | 'headers_too_long', limit: number) => void = () => {},
): T[][] {
  const totals = new Map<string, Total>();
  for (const { pattern } of blocks) {
    const prefix = prefixOf(pattern);
    if (!totals.has(prefix)) totals.set(prefix, { prefix, bytes: 0, operations: 0 });
  }
  const all = [...totals.values()];
  return blocks.map(({ pattern, operations }) => {
    const prefix = prefixOf(pattern);
    const own = totals.get(prefix);
    const touched = pattern.isStatic
      ? own === undefined
        ? []
        : [own]
      : all.filter((total) => total.prefix.startsWith(prefix));
    let bytesMost = 0;
    let operationsMost = 0;
    for (const total of touched) {
      bytesMost = Math.max(bytesMost, total.bytes);
      operationsMost = Math.max(operationsMost, total.operations);
    }
    let bytes = 0;
    const kept: T[] = [];
    for (const operation of operations) {
      const { name, value } = operation;
      const more = value === null ? 0 : headerBytes(name, '') + expectedLength(value, pattern.names);
      if (operationsMost + kept.length >= ruleOperationsMax) {
        onLeftOut(operation, 'too_many_headers', ruleOperationsMax);
      } else if (bytesMost + bytes + more > ruleHeadBytesMax) {
        onLeftOut(operation, 'headers_too_long', ruleHeadBytesMax);
      } else {
        bytes += more;
        kept.push(operation);
      }
    }
    for (const total of touched) {
      total.bytes += bytes;
      total.operations += kept.length;
    }
    return kept;
  });
}

/** A fixed path is taken with a slash behind it, since a folder's splat matches the folder itself. */
function prefixOf(pattern: PathPattern): string {
  if (!pattern.isStatic) return pattern.prefix;
  const bare = withoutTrailingSlash(pattern.prefix);
  return bare === '/' ? bare : `${bare}/`;
}
