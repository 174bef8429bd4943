import { type FileHandle, open, readdir, stat } from 'node:fs/promises';
import { basename } from 'node:path';
import { onTestFinished, vi } from 'vitest';

/** What a power cut would leave of files. */
export interface WatchedSyncs {
  /** Whether the content of a file was synced, and then its name by a sync of its folder. */
  survives(path: string): Promise<boolean>;
  /** Whether the name of a file or a folder was synced with the folder around it. */
  keepsName(path: string): boolean;
}

/** Watches every sync of an open file in this process until the test ends; the file itself is synced as well. */
export async function watchSyncs(): Promise<WatchedSyncs> {
  const contents = new Set<number>();
  const names = new Set<string>();
  const probe = await open('/dev/null');
  const handles = Object.getPrototypeOf(probe) as FileHandle;
  await probe.close();
  const { sync } = handles;
  const spy = vi.spyOn(handles, 'sync').mockImplementation(async function (this: FileHandle) {
    const stats = await this.stat();
    // The folder may have been renamed since it was opened.
    const inside = stats.isDirectory() ? await readdir(`/proc/self/fd/${this.fd}`) : [];
    await sync.call(this);
    for (const name of inside) names.add(name);
    contents.add(stats.ino);
  });
  onTestFinished(() => spy.mockRestore());
  return {
    survives: async (path) => contents.has((await stat(path)).ino) && names.has(basename(path)),
    keepsName: (path) => names.has(basename(path)),
  };
}
