import { lookForUpdate } from './console-update.ts';

/** What the parts that the first script names need, by their numbers; the build puts the file's own name here. */
const NEEDS = '/assets/part-needs.json';

/** What has not come by then counts as lost: a server that accepts a request may never answer it. */
const ARRIVAL_MS = 60_000;

/** What was asked for and has not failed, by path. */
const asked = new Map<string, Promise<void>>();
let needs: Promise<string[][]> | null = null;
let hasAnswered = false;

/**
 * Loads a part of the console beside the files that it needs: the build writes this around each `import()`. A number stands for the
 * files of a part that the first script names. Until the page answers, those parts are its own, and its HTML names their files.
 *
 * @throws when one of them cannot be loaded or does not come, once it is known whether they are those of an earlier build. The next
 * attempt asks for a file that failed again, but a browser keeps waiting for one that does not come: only a reload of the page asks
 * for that again.
 */
export async function loadPart<Part>(
  load: () => Promise<Part>,
  needed: string[] | number = [],
): Promise<Part> {
  let limit: ReturnType<typeof setTimeout> | undefined;
  const late = new Promise<never>((_, reject) => {
    limit = setTimeout(() => reject(new Error('late')), ARRIVAL_MS);
  });
  try {
    return await Promise.race([loadWithNeeds(load, needed), late]);
  } catch (cause) {
    await lookForUpdate();
    // In the browser's own words, the router would reload the page, even when the server is unreachable.
    throw new Error(`A part cannot be loaded: ${cause}`, { cause });
  } finally {
    clearTimeout(limit);
  }
}

async function loadWithNeeds<Part>(load: () => Promise<Part>, needed: string[] | number): Promise<Part> {
  await Promise.all((typeof needed === 'number' ? await needsOf(needed) : needed).map(askOnce));
  return load();
}

/** To be called once the page responds: it requests what other pages need, so that it is there when a person opens one. */
export function prepareParts(): void {
  hasAnswered = true;
  // A part that needs the list asks again.
  if (import.meta.env.PROD) readNeeds().catch(() => undefined);
}

async function needsOf(part: number): Promise<string[]> {
  return hasAnswered ? ((await readNeeds())[part] ?? []) : [];
}

function readNeeds(): Promise<string[][]> {
  needs ??= readList().catch((error: unknown) => {
    needs = null;
    throw error;
  });
  return needs;
}

async function readList(): Promise<string[][]> {
  const response = await fetch(NEEDS, { priority: 'low', signal: AbortSignal.timeout(ARRIVAL_MS) });
  if (!response.ok) throw new Error(`${NEEDS} answers ${response.status}`);
  // Safe: the build has written it.
  return (await response.json()) as string[][];
}

function askOnce(path: string): Promise<void> {
  let asking = asked.get(path);
  if (!asking) {
    asking = ask(`/${path}`).catch((error: unknown) => {
      asked.delete(path);
      throw error;
    });
    asked.set(path, asking);
  }
  return asking;
}

/** Asks for a file unless the page's HTML has; resolves when a style sheet has come, and at once for a script. */
async function ask(href: string): Promise<void> {
  if (document.querySelector(`link[href="${href}"]`)) return;
  const isStyle = href.endsWith('.css');
  const link = Object.assign(document.createElement('link'), {
    rel: isStyle ? 'stylesheet' : 'modulepreload',
    href,
  });
  const arrival = new Promise<void>((resolve, reject) => {
    link.onload = () => resolve();
    link.onerror = () => {
      link.remove();
      reject(new Error(`${href} cannot be loaded`));
    };
  });
  document.head.append(link);
  if (isStyle) await arrival;
  // The import of the script says whether it has come.
  else arrival.catch(() => asked.delete(href.slice(1)));
}
