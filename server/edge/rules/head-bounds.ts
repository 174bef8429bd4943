import { expectedLength } from './path-captures.ts';
import { type PathPattern, withoutTrailingSlash } from './path-pattern.ts';

/**
 * How much `_headers` may add to one head: with our own fields it still fits the buffers of usual proxies and
 * clients.
 */
export const RULE_HEAD_BYTES_MAX = 8 * 1024;
/** Lines of `_headers` that may apply to one path. */
export const RULE_OPERATIONS_MAX = 100;

/** One line below a path: a header's value, or (without value) its removal. */
interface Operation {
  readonly name: string;
  readonly value: string | null;
}

interface Block<T extends Operation> {
  readonly pattern: PathPattern;
  readonly operations: readonly T[];
}

/** What applies together to the paths with the same prefix. */
interface Total {
  readonly prefix: string;
  bytes: number;
  operations: number;
}

/** Returns the size of a header on the wire: its name, colon, space, value and line end. */
export function headerBytes(name: string, value: string): number {
  return name.length + value.length + 4;
}

/**
 * Returns the operations of each block that stay within the limits of a head, for any path; `onLeftOut` is
 * called for the others. The prefixes of all patterns that match a path are prefixes of one another: it is
 * enough to add up, for each prefix, the blocks whose prefixes it begins with. This may add up blocks that no
 * path combines, but misses none that a path does combine.
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
      if (operationsMost + kept.length >= RULE_OPERATIONS_MAX) {
        onLeftOut(operation, 'too_many_headers', RULE_OPERATIONS_MAX);
      } else if (bytesMost + bytes + more > RULE_HEAD_BYTES_MAX) {
        onLeftOut(operation, 'headers_too_long', RULE_HEAD_BYTES_MAX);
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

/** A fixed path counts with a trailing slash, because a folder's splat matches the folder itself. */
function prefixOf(pattern: PathPattern): string {
  if (!pattern.isStatic) return pattern.prefix;
  const bare = withoutTrailingSlash(pattern.prefix);
  return bare === '/' ? bare : `${bare}/`;
}
