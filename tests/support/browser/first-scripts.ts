import { gzipSync } from 'node:zlib';

const SCRIPT = /<(?:link|script)[^>]*?(?:href|src)="(\/assets\/[^"]+\.js)"/g;
/** An import of the built scripts, which bring along what they need before they run; parts loaded later are calls. */
const IMPORT = /\b(?:import|from)\s*["']\.\/([^"']+\.js)["']/g;

/** Returns how long a file is at gzip -9. */
export function gzipBytes(content: Buffer | string): number {
  return gzipSync(content, { level: 9 }).length;
}

/**
 * Returns the bytes at gzip -9 of every script that a page needs before it answers, by address: those that its HTML names, and
 * whatever they import in turn.
 */
export async function weighFirstScripts(pageUrl: string, headers: Record<string, string>) {
  const response = await fetch(pageUrl, { headers });
  if (!response.ok) throw new Error(`${pageUrl} answers ${response.status}`);
  const named = new Set(Array.from((await response.text()).matchAll(SCRIPT), ([, path = '']) => path));
  const bytesOf = new Map<string, number>();
  const reached = new Set(named);
  for (const path of reached) {
    const script = await (await fetch(new URL(path, pageUrl))).text();
    bytesOf.set(path, gzipBytes(script));
    for (const [, file = ''] of script.matchAll(IMPORT)) reached.add(`/assets/${file}`);
  }
  const unannounced = [...reached].filter((path) => !named.has(path));
  return {
    bytes: [...bytesOf.values()].reduce((sum, bytes) => sum + bytes, 0),
    files: bytesOf.size,
    unannounced,
  };
}
