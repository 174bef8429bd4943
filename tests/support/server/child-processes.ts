import { readdirSync, readFileSync, readlinkSync } from 'node:fs';

/** Returns a process's children by the last word of their names (`portage edge-1`). */
export function childProcesses(processId: number): Map<string, number> {
  const ids = readFileSync(`/proc/${processId}/task/${processId}/children`, 'utf8')
    .split(' ')
    .filter(Boolean);
  return new Map(
    ids.map((id) => {
      const title = readFileSync(`/proc/${id}/cmdline`, 'utf8').replaceAll('\0', ' ').trim();
      return [title.split(' ').at(-1) ?? '', Number(id)];
    }),
  );
}

/** Whether a process is running. */
export function isRunning(processId: number): boolean {
  try {
    process.kill(processId, 0);
    return true;
  } catch {
    return false;
  }
}

/** Returns how far each thread of a process lets others go first, in steps of `nice`. */
export function niceOf(processId: number): number[] {
  return readdirSync(`/proc/${processId}/task`).map((thread) => {
    const stat = readFileSync(`/proc/${processId}/task/${thread}/stat`, 'utf8');
    // The 19th field (proc(5)); the second stands in brackets and may hold anything.
    return Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[16]);
  });
}

/** Returns how much earlier than others the system ends a process when memory runs out, in thousandths of it. */
export function oomScoreOf(processId: number): number {
  return Number(readFileSync(`/proc/${processId}/oom_score_adj`, 'utf8'));
}

/** Whether a process has a file open for writing. */
export function writesTo(processId: number, path: string): boolean {
  return readdirSync(`/proc/${processId}/fd`).some((fd) => {
    if (linkOf(`/proc/${processId}/fd/${fd}`) !== path) return false;
    const [, flags = '0'] =
      /^flags:\s*(\d+)/m.exec(readFileSync(`/proc/${processId}/fdinfo/${fd}`, 'utf8')) ?? [];
    // O_RDONLY is 0, O_WRONLY 1 and O_RDWR 2.
    return (Number.parseInt(flags, 8) & 3) !== 0;
  });
}

/** A file may be closed while it is being inspected. */
function linkOf(path: string): string | null {
  try {
    return readlinkSync(path);
  } catch {
    return null;
  }
}
