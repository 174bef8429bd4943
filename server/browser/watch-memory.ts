import { readdir, readFile } from 'node:fs/promises';

const LOOK_EVERY_MS = 250;
const PAGE_BYTES = 4096;

/**
 * Calls `onExceeded` once when a process and all that it has started hold more memory of their own than `bytesMax`. Where the
 * kernel does not report it (other than Linux), nothing is watched. Returns the way to stop.
 */
export function watchMemory(pid: number, bytesMax: number, onExceeded: () => void): () => void {
  const timer = setInterval(() => {
    void privateBytesOf(pid).then((bytes) => {
      if (bytes <= bytesMax) return;
      clearInterval(timer);
      onExceeded();
    });
  }, LOOK_EVERY_MS);
  timer.unref();
  return () => clearInterval(timer);
}

/** What a process and its descendants hold that no other shares. */
async function privateBytesOf(root: number): Promise<number> {
  const names = await readdir('/proc').catch(() => []);
  const parents = new Map<number, number>();
  for (const name of names.filter((each) => /^\d+$/.test(each))) {
    const stat = await readFile(`/proc/${name}/stat`, 'utf8').catch(() => '');
    // The name of the program stands in brackets and may hold anything.
    const [, parent] = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    if (parent !== undefined) parents.set(Number(name), Number(parent));
  }
  const isOurs = (pid: number): boolean => {
    for (let at: number | undefined = pid, steps = 0; at !== undefined && steps < 20; steps += 1) {
      if (at === root) return true;
      at = parents.get(at);
    }
    return false;
  };
  let bytes = 0;
  for (const pid of parents.keys()) {
    if (!isOurs(pid)) continue;
    const statm = await readFile(`/proc/${pid}/statm`, 'utf8').catch(() => '');
    const [, resident = 0, shared = 0] = statm.split(' ').map(Number);
    bytes += (resident - shared) * PAGE_BYTES;
  }
  return bytes;
}
