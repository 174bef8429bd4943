import { readFileSync } from 'node:fs';
import { join } from 'node:path';

const PAGE = join(import.meta.dirname, '..', '..', '..', 'docs', 'webhooks.md');

/** Returns what the manual says of each event: the fields of its `data` besides `organization_id`, sorted. */
export function readDocumentedEvents(): Map<string, string[]> {
  const events = new Map<string, string[]>();
  let before: string[] = [];
  for (const [, event = '', said = ''] of readFileSync(PAGE, 'utf8').matchAll(
    /^\| `(\w+\.\w+)` \|[^|]*\|([^|]*)\|$/gm,
  )) {
    const named = [...said.matchAll(/`([\w.]+)`/g)].map(([, name = '']) => name);
    const inherited = said.includes('the same')
      ? before
      : named.flatMap((name) => (name.includes('.') ? (events.get(name) ?? []) : []));
    before = [...inherited, ...named.filter((name) => !name.includes('.'))].sort();
    events.set(event, before);
  }
  return events;
}

/**
 * Returns the values that the manual lists for fields with a fixed set of them, sorted. A field that means something else
 * in other events is followed by the word for these, e.g. `problem certificate`.
 */
export function readDocumentedValues(): Map<string, string[]> {
  const rows = readFileSync(PAGE, 'utf8').matchAll(/^\| `(\w+)`(?: of an? (\w+))? \|([^|]*)\|$/gm);
  return new Map(
    Array.from(rows, ([, field = '', events = '', said = '']) => {
      const words = [...said.matchAll(/`(\w+)`|(\d+)/g)].map(([, word, number]) => word ?? number ?? '');
      return [`${field} ${events}`.trim(), words.sort()];
    }),
  );
}
