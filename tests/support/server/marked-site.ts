import { mapConcurrently } from '#server/concurrency/map-concurrently.ts';
import type { SiteFiles } from '../client/deploy-client.ts';
import type { SeededRandom } from '../seeded-random.ts';
import type { RunningServer } from './test-server.ts';

const MARK = /version=\[(\w+)\]/g;

/**
 * Returns a site in which every file states repeatedly which version it belongs to: a mixture of two versions
 * cannot be mistaken for either. Half of each file does not compress, so that encoding has something to do.
 */
export function markedSite(mark: string, random: SeededRandom, fileCount = 40): SiteFiles {
  const files: SiteFiles = {};
  const line = `version=[${mark}]\n`;
  for (let index = 0; index < fileCount; index += 1) {
    const noise = random.bytes(200 + random.below(30_000)).toString('base64');
    files[`file-${index}.txt`] = `${line}${noise}\n${line.repeat(1 + random.below(2000))}`;
  }
  files['index.html'] = `<!doctype html>\n${line.repeat(3000)}`;
  return files;
}

/** Returns the mark of a whole text, or what is wrong with it. */
export function markOf(text: string): string {
  const marks = new Set(Array.from(text.matchAll(MARK), (match) => match[1]));
  const [mark] = marks;
  return marks.size === 1 && mark ? mark : `a mixture of ${[...marks].join(' and ') || 'nothing'}`;
}

/** Returns the paths of a live site, requested from its edge, that do not contain exactly these files. */
export async function findEdgeDifferences(
  server: Pick<RunningServer, 'edge'>,
  host: string,
  files: SiteFiles,
): Promise<string[]> {
  const found = await mapConcurrently(Object.entries(files), 16, async ([path, content]) => {
    const response = await server.edge(host, `/${path === 'index.html' ? '' : path}`);
    if (response.status !== 200) return `${path}: ${response.status}`;
    if (response.body.equals(Buffer.from(content))) return null;
    return `${path}: ${response.body.byteLength} bytes of ${markOf(response.text)}`;
  });
  return found.filter((difference) => difference !== null);
}
